//! The requests of peers: a plan, a subscription, a create. Their ids are plain UUIDs.

use super::{HOT, REQUESTS, Workload};
use crate::load::request::Request;
use crate::rows::dataset::{self, Dataset, slug, uuid_text};
use crate::targets::target::Headers;
use perennial_harness::SeededRandom;

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

/// The three calls that every peer offers; `None` for other workload.
pub(super) fn three_calls(
    workload: Workload,
    dataset: Dataset,
    headers: &Headers,
    paths: &Paths,
) -> Option<Vec<Request>> {
    let mut random = SeededRandom::new(1);
    let count = REQUESTS.min(dataset.rows);
    let read = |number: u64| {
        let id = uuid_text(dataset::subscription(number).bytes());
        Request::new("GET", &format!("{}/{id}", paths.subscriptions), headers, "").needle(format!("\"id\":\"{id}\""))
    };
    Some(match workload {
        Workload::Plan => (0..20)
            .map(|number| {
                let slug = slug(number);
                let path = format!("{}{slug}{}", paths.plan, paths.plan_query);
                Request::new("GET", &path, headers, "").needle(format!("\"slug\":\"{slug}\""))
            })
            .collect(),
        Workload::Subscription => (0..count).map(|_| read(random.next() % dataset.rows)).collect(),
        Workload::Hot => (0..HOT.min(count)).map(|_| read(random.next() % dataset.rows)).collect(),
        Workload::Create => (0..count)
            .map(|_| {
                let random = random.next();
                let user = uuid_text(dataset::user(random % dataset.users()).bytes());
                let plan = uuid_text(dataset::plan(random >> 32).bytes());
                let body = format!("{{\"user_id\":\"{user}\",\"plan_id\":\"{plan}\"}}");
                let request = Request::new("POST", paths.subscriptions, headers, &body).status(paths.created);
                request.needle(format!("\"user_id\":\"{user}\""))
            })
            .collect(),
        _ => return None,
    })
}
