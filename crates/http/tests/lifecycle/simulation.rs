//! Years of random subscriptions: actions, callers, lost answers and two servers at once, checked after every step.
//!
//! The model is the pure engine, which is never late. The seed selects the billing cycles; three seeds have all of them.
//! `PERENNIAL_SIMULATION_SEEDS` sets the number of runs. A failure prints its seed.

use super::support::{Base, id};
use crate::simulation::dice::Dice;
use perennial_app::lifecycle::act_once;
use perennial_domain::events::Event;
use perennial_domain::id::SubscriptionId;
use perennial_domain::lifecycle::Known;
use perennial_domain::plans::PlanKey;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{plans, subscriptions};
use perennial_testkit::TestApp;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const DAY: i64 = 86_400;

/// Plans of a run, with their billing cycles and the days of their trials, and the length of the run in days: ten years, or
/// less if there are renewals every day.
type Plans = ([(&'static str, &'static str, i64); 4], i64);

const RUNS: [Plans; 3] = [
    ([("a", "monthly", 0), ("b", "monthly", 14), ("c", "quarterly", 0), ("d", "yearly", 30)], 3_660),
    ([("a", "semiannual", 0), ("b", "biennial", 14), ("c", "lifetime", 0), ("d", "yearly", 0)], 3_660),
    ([("a", "daily", 0), ("b", "weekly", 3), ("c", "biweekly", 0), ("d", "monthly", 0)], 400),
];

struct World {
    base: Base,
    other: Option<TestApp>,
    dice: Dice,
    seed: u64,
    ids: Vec<SubscriptionId>,
    /// What each subscription must be, and the number of events that it must have.
    expected: Vec<(Subscription, usize)>,
}

impl World {
    async fn begin(seed: u64, plans: &[(&str, &str, i64)]) -> Self {
        let base = Base::at("2026-03-10T12:00:00Z").await;
        let other = base.app.second_server().await;
        let mut dice = Dice(seed);
        base.app
            .put("/organization", &json!({ "billing": { "renewal_notice_days": dice.of(&[0, 5]) } }))
            .await
            .expect(200);
        for (slug, cycle, days) in plans {
            base.plan(slug, json!({ "billing_cycle": cycle, "billing": { "trial_days": days } })).await;
        }
        let mut world = Self { base, other, dice, seed, ids: Vec::new(), expected: Vec::new() };
        for _ in 0..4 {
            world.create().await;
        }
        world
    }

    async fn create(&mut self) {
        let plan = self.dice.of(&["a", "b", "c", "d"]);
        let zone = self.dice.of(&["UTC", "Europe/Berlin", "America/New_York"]);
        let method = self.dice.of(&[Some("pm_1"), None, Some("pm_2")]);
        let created =
            self.base.subscribe(plan, json!({ "billing": { "time_zone": zone, "payment_method": method } })).await;
        let id: SubscriptionId = id(&created).parse().unwrap();
        self.ids.push(id);
        let stored = self.read(id).await;
        self.expected.push((stored, 1));
    }

    async fn read(&self, id: SubscriptionId) -> Subscription {
        let app = &self.base.app;
        subscriptions::by_id(&app.app.db, app.organization, id).await.unwrap().unwrap()
    }

    async fn known(&self, subscription: &Subscription) -> Known {
        let app = &self.base.app;
        let plan = async |id| plans::find(&app.app.db, app.organization, &PlanKey::Id(id)).await.unwrap().map(Arc::new);
        let next = match subscription.billing.as_ref().and_then(|billing| billing.change_plan()) {
            Some(id) => plan(id).await,
            None => None,
        };
        let organization = perennial_app::organizations::find(&app.app, "default").await.unwrap().unwrap();
        Known { settings: organization.settings(), own: plan(subscription.plan_id).await, next, ..Known::default() }
    }

    /// What the engine must leave at `now`.
    async fn expect_actions(&mut self, place: usize, now: Time) {
        while self.expected[place].0.is_behind(now) {
            let known = self.known(&self.expected[place].0).await;
            let (current, events) = &mut self.expected[place];
            let step = current.act(&known).unwrap().unwrap();
            *events += 1 + usize::from(step.access.is_some());
            *current = step.after;
        }
    }

    /// One pass of the engine, with answers that are lost and a second server that does the same.
    async fn pass(&mut self, id: SubscriptionId) {
        let (app, now) = (&self.base.app, self.base.app.now());
        let act = |server: &TestApp| {
            let (app, organization) = (Arc::clone(&server.app), server.organization);
            async move { act_once(&app, organization, id, now).await }
        };
        loop {
            match self.dice.roll(8) {
                // The server is killed: what it has sent is committed or not.
                0 => drop(tokio::time::timeout(Duration::ZERO, act(app)).await),
                1 => {
                    let other = self.other.as_ref().unwrap_or(app);
                    let (one, two) = tokio::join!(act(app), act(other));
                    one.unwrap();
                    two.unwrap();
                }
                _ => {
                    if !act(app).await.unwrap() {
                        return;
                    }
                }
            }
        }
    }

    /// A caller changes something, or is rejected.
    async fn call(&mut self, place: usize) {
        let now = self.base.app.now();
        let later = |days: u64| now.plus_seconds(i64::try_from(days).unwrap() * DAY).to_string();
        let days = 1 + self.dice.roll(120);
        let body = match self.dice.roll(9) {
            0 => json!({ "status": "paused", "billing": { "resumes_at": later(days) } }),
            1 => json!({ "status": "active" }),
            2 => json!({ "status": "cancelled" }),
            3 => json!({ "quantity": 1 + self.dice.roll(3) }),
            4 => json!({ "subscription_plan_id": self.dice.of(&["a", "b", "c", "d"]) }),
            5 => {
                json!({ "billing": { "change": { "subscription_plan_id": self.dice.of(&["a", "b", "c", "d"]), "quantity": 2 } } })
            }
            6 => json!({ "ends_at": later(days) }),
            7 => json!({ "ends_at": null }),
            _ => json!({ "billing": { "payment_method": "pm_3", "change": null } }),
        };
        let before = self.expected[place].0.clone();
        let target = format!("/subscriptions/{}", before.id);
        let dry = self.base.app.put(&format!("{target}?dry_run=true"), &body).await;
        let answer = self.base.app.put(&target, &body).await;
        let is_behind = before.is_behind(now);
        self.expect_actions(place, now).await;
        let after = self.read(before.id).await;
        if answer.status == 200 && !same(&after, &self.expected[place].0) {
            self.expected[place].1 += 1;
            self.expected[place].0 = after;
        }
        // I9. A subscription that is behind cannot be tried.
        if is_behind && dry.status != 422 && dry.status != 404 {
            assert_eq!(dry.json["code"], "lifecycle_behind", "seed {}: {}", self.seed, dry.json);
        } else if dry.status == 200 {
            assert_eq!(dry.data(), answer.data(), "seed {}", self.seed);
        } else {
            assert_eq!(dry.json["code"], answer.json["code"], "seed {}: {body}", self.seed);
        }
    }

    async fn check(&self, place: usize) {
        let (expected, count) = &self.expected[place];
        let stored = self.read(expected.id).await;
        let context = format!("seed {} at {}: {}", self.seed, self.base.app.now(), expected.id);
        assert!(same(&stored, expected), "{context}\n stored {stored:?}\n expected {expected:?}");
        // I3.
        assert_eq!(stored.due_at, stored.due_time(&self.known(&stored).await.settings), "{context}");
        // I12: one history without gaps, whose last event is the revision.
        let history = self.history(expected.id).await;
        assert_eq!(
            history.len(),
            *count,
            "{context}: {:?}",
            history.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>()
        );
        assert_eq!(history.last().map(|event| event.id), Some(stored.revision), "{context}");
        for pair in history.windows(2) {
            assert_eq!(pair[1].previous_id, Some(pair[0].id), "{context}");
        }
        // I11.
        if let Some(end) = stored.ends_at {
            assert!(!stored.has_access(end), "{context}");
        }
    }

    async fn history(&self, id: SubscriptionId) -> Vec<Event> {
        let app = &self.base.app;
        let mut events = Vec::new();
        let mut next = Some(self.read(id).await.revision);
        while let Some(revision) = next {
            let event = perennial_store::events::by_id(&app.app.db, app.organization, revision).await.unwrap().unwrap();
            next = event.previous_id;
            events.push(event);
        }
        events.reverse();
        events
    }
}

/// Whether two records are the same apart from ids and what follows from now.
fn same(one: &Subscription, other: &Subscription) -> bool {
    let lasting = |record: &Subscription| Subscription {
        updated_at: other.updated_at,
        revision: other.revision,
        ..record.clone()
    };
    lasting(one) == lasting(other)
}

async fn simulate(seed: u64) {
    let (plans, length) = RUNS[usize::try_from((seed - 1) % RUNS.len() as u64).unwrap()];
    let mut world = World::begin(seed, &plans).await;
    let end = world.base.app.now().plus_seconds(length * DAY);
    // Forty steps or more, whatever the length.
    let longest = u64::try_from(length / 40).unwrap();
    while world.base.app.now() < end {
        let days = 1 + i64::try_from(world.dice.roll(longest)).unwrap();
        world.base.app.advance(days * DAY + i64::try_from(world.dice.roll(86_400)).unwrap());
        let place = usize::try_from(world.dice.roll(world.ids.len() as u64)).unwrap();
        if world.dice.roll(3) == 0 {
            world.call(place).await;
        }
        let now = world.base.app.now();
        for place in 0..world.ids.len() {
            // Not every subscription in every pass, so that some are late.
            if world.dice.roll(3) > 0 {
                world.pass(world.ids[place]).await;
                world.expect_actions(place, now).await;
                world.check(place).await;
            }
        }
        if world.expected.iter().filter(|(record, _)| record.status.as_str() != "expired").count() < 2 {
            world.create().await;
        }
    }
}

#[tokio::test]
async fn years_leave_what_the_model_leaves() {
    let seeds = std::env::var("PERENNIAL_SIMULATION_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for seed in 1..=seeds {
        simulate(seed).await;
    }
}
