//! What peers are asked: a plan, a subscription, a create. Their ids are plain UUIDs.

use super::{HOT, SHOTS, Work};
use crate::contestants::contestant::Headers;
use crate::load::shot::{Dice, Shot};
use crate::rows::dataset::{self, Dataset, slug, uuid_text};

/// Where a peer has its three calls.
pub(super) struct Paths {
    plan: &'static str,
    plan_query: &'static str,
    subscriptions: &'static str,
    created: u16,
}

impl Paths {
    pub(super) const PLAIN: Self =
        Self { plan: "/subscription-plans/", plan_query: "", subscriptions: "/subscriptions", created: 201 };
    pub(super) const DIRECTUS: Self = Self {
        plan: "/items/plans?filter[slug][_eq]=",
        plan_query: "&limit=1",
        subscriptions: "/items/subscriptions",
        created: 200,
    };
}

/// The three calls that every peer offers; `None` for other work.
pub(super) fn three_calls(work: Work, dataset: Dataset, headers: &Headers, paths: &Paths) -> Option<Vec<Shot>> {
    let mut dice = Dice::new(1);
    let count = SHOTS.min(dataset.rows);
    let read = |number: u64| {
        let id = uuid_text(dataset::subscription(number).bytes());
        Shot::new("GET", &format!("{}/{id}", paths.subscriptions), headers, "").needle(format!("\"id\":\"{id}\""))
    };
    Some(match work {
        Work::Plan => (0..20)
            .map(|number| {
                let slug = slug(number);
                let target = format!("{}{slug}{}", paths.plan, paths.plan_query);
                Shot::new("GET", &target, headers, "").needle(format!("\"slug\":\"{slug}\""))
            })
            .collect(),
        Work::Subscription => (0..count).map(|_| read(dice.next() % dataset.rows)).collect(),
        Work::Hot => (0..HOT.min(count)).map(|_| read(dice.next() % dataset.rows)).collect(),
        Work::Create => (0..count)
            .map(|_| {
                let dice = dice.next();
                let user = uuid_text(dataset::user(dice % dataset.users()).bytes());
                let plan = uuid_text(dataset::plan(dice >> 32).bytes());
                let body = format!("{{\"user_id\":\"{user}\",\"plan_id\":\"{plan}\"}}");
                let shot = Shot::new("POST", paths.subscriptions, headers, &body).status(paths.created);
                shot.needle(format!("\"user_id\":\"{user}\""))
            })
            .collect(),
        _ => return None,
    })
}
