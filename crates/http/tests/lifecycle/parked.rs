//! A decision that is impossible parks its subscription and delays no other.

use super::support::{Base, id};
use perennial_app::caller::Caller;
use perennial_app::lifecycle::{self, Lifecycle};
use perennial_store::{Change, Sql};
use serde_json::{Value, json};
use std::time::Duration;

/// The types of a subscription's events once there is one of this type.
async fn types_with(base: &Base, id: &str, event_type: &str) -> Vec<String> {
    for _ in 0..2_000 {
        let types = base.types(id).await;
        if types.iter().any(|known| known == event_type) {
            return types;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{id} never had {event_type}");
}

#[tokio::test]
async fn no_year_follows_9999() {
    let base = Base::at("9999-10-15T00:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let created = base.subscribe(&plan, json!({})).await;
    let parked = base.run(id(&created), "9999-12-20T00:00:00Z").await;
    assert_eq!(parked["billing"]["parked"], json!({ "at": "9999-12-20T00:00:00.000000Z", "reason": "out_of_range" }));
    assert_eq!((&parked["billing"]["next_action"], &parked["status"]), (&Value::Null, &json!("active")));
    assert_eq!(base.types(id(&created)).await[1..], ["subscription.renewed", "subscription.parked"]);
    let caller = Caller::system(base.app.organization);
    let tried = lifecycle::unpark(&base.app.app, &caller, id(&created).parse().unwrap()).await.unwrap();
    assert!(tried.next_action().is_some());
    assert!(base.act(id(&created)).await, "it is parked again");
    // A PUT of billing tries again, too. A cancelled subscription ends and needs no other year.
    let body = json!({ "billing": {}, "status": "expired" });
    assert_eq!(base.put(id(&created), body).await["status"], "expired");
}

#[tokio::test]
async fn a_parked_subscription_delays_no_other() {
    let base = Base::at("9999-10-15T00:00:00Z").await;
    base.plan("monthly", json!({})).await;
    base.plan("weekly", json!({ "billing_cycle": "weekly" })).await;
    let last = base.subscribe("monthly", json!({})).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(id(&base.subscribe("weekly", json!({})).await).to_owned());
    }
    let _working = base.app.work(Lifecycle);
    base.app.set_time("9999-12-20T00:00:00Z");
    types_with(&base, id(&last), "subscription.parked").await;
    for other in &others {
        // Nine renewals are due, then the next on 12-24.
        for _ in 0..2_000 {
            if base.types(other).await.len() == 10 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(base.types(other).await[1..], ["subscription.renewed"; 9]);
    }
}

static NO_END_OF_TRIALS: Sql = Sql::split(
    "CREATE TRIGGER no_end_of_trials BEFORE INSERT ON events WHEN NEW.kind = 'subscription.trial_ended'
     BEGIN SELECT RAISE(ABORT, 'no end of trials'); END",
    "ALTER TABLE events ADD CONSTRAINT no_end_of_trials CHECK (kind <> 'subscription.trial_ended') NOT VALID",
);

#[tokio::test]
async fn an_action_that_fails_for_an_hour_while_others_succeed_parks_its_subscription() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    base.plan("weekly", json!({ "billing_cycle": "weekly" })).await;
    base.plan("trial", json!({ "billing": { "trial_days": 14 } })).await;
    let failing = base.subscribe("trial", json!({})).await;
    let other = base.subscribe("weekly", json!({})).await;
    let db = &base.app.app.db;
    db.commit(Change::new().execute_any(&NO_END_OF_TRIALS, vec![])).await.unwrap();
    let _working = base.app.work(Lifecycle);
    base.app.set_time("2026-04-10T12:00:00Z");
    // The other one is renewed in spite of it.
    types_with(&base, id(&other), "subscription.renewed").await;
    let types = types_with(&base, id(&failing), "subscription.trial_ending").await;
    assert_eq!(types, ["subscription.created", "subscription.trial_ending"], "it is not parked at once");
    for _ in 0..2_000 {
        // Every pass after a minute tries again, and the other one is renewed every week.
        base.app.advance(7_200);
        if base.types(id(&failing)).await.iter().any(|known| known == "subscription.parked") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let parked = base.read(id(&failing)).await;
    assert_eq!(parked["billing"]["parked"]["reason"], "failing", "{parked}");
    assert_eq!(parked["status"], "on_trial");
}
