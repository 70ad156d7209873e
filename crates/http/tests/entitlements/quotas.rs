//! API rules 22.5 (`docs/api.md`): usage and quotas.

use perennial_testkit::{Answer, TestApp, all_at_once};
use perennial_transfer::{Format, Import};
use serde_json::{Value, json};

struct Metered {
    app: TestApp,
    user: String,
    subscription: String,
}

impl Metered {
    async fn start(limit: Value) -> Self {
        let app = TestApp::start().await;
        app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
        let feature = json!({ "key": "api", "name": "API", "kind": "quota", "meter": "calls" });
        app.post("/features", &feature).await.expect(201);
        let user = app.user("ada@example.com").await;
        app.plan("pro", json!({ "entitlements": { "api": limit } })).await;
        let subscription = app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
        Self { app, user, subscription }
    }

    fn event(&self, id: &str, value: impl Into<Value>) -> Value {
        json!({ "id": id, "subscription_id": self.subscription, "meter": "calls", "value": value.into() })
    }

    async fn send(&self, mode: &str, events: &[Value]) -> Answer {
        self.app.post("/usage-events", &json!({ "events": events, "mode": mode })).await
    }

    /// An open import of one event.
    async fn import(&self, id: &str, value: i64) -> Import {
        let line = json!({
            "organization_id": self.app.organization.to_string(), "subscription_id": self.subscription, "event_id": id,
            "meter_id": "calls", "value": value, "at": self.app.now(),
        });
        let mut import = Import::begin(&self.app.app.db, None).await.unwrap();
        import.file(Some("usage_events"), Format::Ndjson);
        assert_eq!(import.line(1, line.to_string().as_bytes()).await.unwrap(), []);
        assert_eq!(import.end_of_file().await.unwrap(), []);
        import
    }

    async fn check(&self) -> Value {
        let path = format!("/users/{}/entitlements/api", self.user);
        self.app.get(&path).await.expect(200).data().clone()
    }

    async fn thresholds(&self) -> Vec<Value> {
        let events = self.app.events().await;
        let reached = events.iter().filter(|event| event.kind.as_str() == "usage.threshold_reached");
        let mut reached: Vec<Value> =
            reached.map(|event| serde_json::from_str(event.after.as_deref().unwrap()).unwrap()).collect();
        // Events of one instant have no order.
        reached.sort_by_key(|data| data["threshold"].as_i64());
        reached
    }
}

#[tokio::test]
async fn a_call_that_would_exceed_a_quota_stores_nothing() {
    let metered = Metered::start(json!(10)).await;
    metered.send("enforce", &[metered.event("a", 6)]).await.expect(200);
    let refused = metered.send("enforce", &[metered.event("b", 3), metered.event("c", 2)]).await;
    let refused = refused.refused(409, "quota_exceeded");
    assert_eq!((&refused.json["limit"], &refused.json["used"]), (&json!(10), &json!(6)));
    let quota = &refused.json["quotas"][0];
    assert_eq!((&quota["subscription_id"], &quota["feature"]), (&json!(metered.subscription), &json!("api")));
    assert_eq!((&quota["limit"], &quota["used"], &quota["requested"]), (&json!(10), &json!(6), &json!(5)));
    let members: Vec<&String> = quota.as_object().unwrap().keys().collect();
    assert_eq!(members, ["subscription_id", "feature", "meter", "limit", "used", "requested"]);
    assert_eq!(metered.check().await["used"], json!(6), "all or nothing");
    metered.send("enforce", &[metered.event("b", 4)]).await.expect(200);
    let check = metered.check().await;
    assert_eq!((&check["used"], &check["remaining"], &check["allowed"]), (&json!(10), &json!(0), &json!(false)));
    // What is stored already does not count, and what takes nothing is not refused.
    let repeated = metered.send("enforce", &[metered.event("a", 6), metered.event("b", 4)]).await.expect(200);
    assert_eq!(repeated.data()["duplicates"], json!(2));
    metered.send("enforce", &[metered.event("d", -3)]).await.expect(200);
    metered.send("enforce", &[metered.event("e", 3)]).await.expect(200);
    metered.send("enforce", &[metered.event("f", 0.000_001)]).await.refused(409, "quota_exceeded");
}

#[tokio::test]
async fn record_stores_past_the_limit_and_reports_each_threshold_once() {
    let metered = Metered::start(json!(10)).await;
    metered.send("record", &[metered.event("a", 7)]).await.expect(200);
    assert_eq!(metered.thresholds().await.len(), 0);
    metered.send("record", &[metered.event("b", 2)]).await.expect(200);
    metered.send("record", &[metered.event("c", 6)]).await.expect(200);
    metered.send("record", &[metered.event("d", -9)]).await.expect(200);
    metered.send("record", &[metered.event("e", 9)]).await.expect(200);
    let reached = metered.thresholds().await;
    let members: Vec<&String> = reached[0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "feature", "meter", "threshold", "value", "used", "period_start", "period_end"]);
    let found: Vec<(&Value, &Value)> = reached.iter().map(|one| (&one["threshold"], &one["used"])).collect();
    assert_eq!(found, [(&json!(80), &json!(9)), (&json!(100), &json!(15))]);
    assert_eq!((&reached[0]["id"], &reached[0]["value"]), (&json!(metered.subscription), &json!(10)));
    let check = metered.check().await;
    assert_eq!((&check["used"], &check["remaining"]), (&json!(15), &json!(0)));
    let feed = metered.app.get("/events?type=usage.threshold_reached").await.expect(200);
    let records: Vec<&Value> = feed.data().as_array().unwrap().iter().map(|event| &event["record_id"]).collect();
    assert_eq!(records, [&json!(metered.subscription); 2]);
}

/// A late event of a billed subscription is not refused, and it reaches thresholds of the period that it is in.
#[tokio::test]
async fn an_event_from_before_the_billing_period_reaches_a_threshold() {
    let metered = Metered::start(json!(10)).await;
    let monthly = json!({ "key": "monthly", "name": "M", "kind": "quota", "meter": "calls", "period": "month" });
    metered.app.post("/features", &monthly).await.expect(201);
    metered.app.plan("billed", json!({ "entitlements": { "monthly": 10 } })).await;
    let billing = json!({ "billing": { "collection": "manual" } });
    let subscription = metered.app.subscription(&metered.user, "billed", billing).await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    let renewal = perennial_domain::time::Time::parse(subscription["renews_at"].as_str().unwrap()).unwrap();
    metered.app.set_time(&renewal.plus_seconds(3_600).to_string());
    // A write brings the subscription up to date.
    let renewed =
        metered.app.put(&path, &json!({ "external_subscription_id": "e-1" })).await.expect(200).data().clone();
    assert_eq!(renewed["billing"]["period_start"], subscription["renews_at"]);
    let at = renewal.plus_seconds(-3_600);
    let event = |id: &str, value: i64| json!({ "id": id, "subscription_id": subscription["id"], "meter": "calls", "at": at, "value": value });
    metered.send("enforce", &[event("a", 8)]).await.expect(200);
    let reached = metered.thresholds().await;
    assert_eq!(reached.iter().map(|one| &one["threshold"]).collect::<Vec<_>>(), [&json!(80)]);
    assert_eq!((&reached[0]["feature"], &reached[0]["used"]), (&json!("monthly"), &json!(8)));
    metered.send("enforce", &[event("b", 8)]).await.expect(200);
    assert_eq!(metered.thresholds().await.len(), 2, "it is not refused");
}

#[tokio::test]
async fn one_batch_can_reach_both_thresholds() {
    let metered = Metered::start(json!(10)).await;
    metered.send("enforce", &[metered.event("a", 10)]).await.expect(200);
    assert_eq!(metered.thresholds().await.len(), 2);
}

#[tokio::test]
async fn overrides_quantity_and_access_decide_the_limit() {
    let metered = Metered::start(json!(10)).await;
    let path = format!("/subscriptions/{}", metered.subscription);
    metered.app.put(&path, &json!({ "entitlements": { "api": 2 } })).await.expect(200);
    metered.send("enforce", &[metered.event("a", 3)]).await.refused(409, "quota_exceeded");
    metered.app.put("/features/api", &json!({ "per_unit": true })).await.expect(200);
    metered.app.put(&path, &json!({ "quantity": 2 })).await.expect(200);
    metered.send("enforce", &[metered.event("a", 3)]).await.expect(200);
    metered.app.put(&path, &json!({ "entitlements": { "api": "unlimited" } })).await.expect(200);
    metered.send("enforce", &[metered.event("b", 1_000)]).await.expect(200);
    assert_eq!(metered.check().await["remaining"], json!("unlimited"));
    metered.app.put(&path, &json!({ "is_active": false })).await.expect(200);
    let refused = metered.send("enforce", &[metered.event("c", 1)]).await.refused(409, "quota_exceeded");
    assert_eq!(refused.json["limit"], json!(0), "without access every quota is 0");
    metered.app.put(&path, &json!({ "is_active": true })).await.expect(200);
    metered.app.put("/features/api", &json!({ "is_active": false })).await.expect(200);
    metered.send("enforce", &[metered.event("d", 1_000)]).await.expect(200);
}

/// N5: totals equal the sum of the stored events, whenever they were created.
#[tokio::test]
async fn a_total_that_does_not_exist_is_computed_from_the_events() {
    let metered = Metered::start(json!(10)).await;
    let late = json!({ "key": "late", "name": "Late", "kind": "quota", "meter": "calls", "period": "ever" });
    for (id, value) in [("a", json!(2.5)), ("b", json!(-0.75)), ("c", json!(1_000_000_000))] {
        metered.send("record", &[metered.event(id, value)]).await.expect(200);
    }
    metered.app.post("/features", &late).await.expect(201);
    metered.app.put("/subscription-plans/pro", &json!({ "entitlements": { "late": 5 } })).await.expect(200);
    let used = async |key: &str| {
        let path = format!("/users/{}/entitlements", metered.user);
        metered.app.get(&path).await.expect(200).data()["entitlements"][key]["used"].to_string()
    };
    assert_eq!([used("api").await, used("late").await], ["1000000001.75", "1000000001.75"]);
    metered.send("record", &[metered.event("d", -1_000_000_000)]).await.expect(200);
    metered.send("record", &[metered.event("e", -4)]).await.expect(200);
    assert_eq!([used("api").await, used("late").await], ["-2.25", "-2.25"]);
    // Another start of the period is another total.
    let path = format!("/subscriptions/{}", metered.subscription);
    let renews_at = metered.app.now().plus_seconds(3_600);
    metered.app.put(&path, &json!({ "renews_at": renews_at })).await.expect(200);
    assert_eq!(used("api").await, "-2.25");
    metered.send("record", &[metered.event("f", 1)]).await.expect(200);
    assert_eq!([used("api").await, used("late").await], ["-1.25", "-1.25"]);
}

/// N5 for events that no call sends.
#[tokio::test]
async fn imported_events_count_in_totals_that_exist() {
    let metered = Metered::start(json!(10)).await;
    metered.send("enforce", &[metered.event("a", 3)]).await.expect(200);
    metered.import("b", 2).await.commit().await.unwrap();
    assert_eq!(metered.check().await["used"], json!(5));
    // On PostgreSQL a server can create the total again while an import is open. On SQLite only the import writes.
    let import = metered.import("c", 2).await;
    let is_shared = metered.app.store().is_postgres();
    if is_shared {
        metered.send("enforce", &[metered.event("d", 1)]).await.expect(200);
    }
    import.commit().await.unwrap();
    if !is_shared {
        metered.send("enforce", &[metered.event("d", 1)]).await.expect(200);
    }
    assert_eq!(metered.check().await["used"], json!(8));
    metered.send("enforce", &[metered.event("e", 3)]).await.refused(409, "quota_exceeded");
    metered.send("enforce", &[metered.event("f", 2)]).await.expect(200);
}

/// The end of a trial can be moved; it is the same period.
#[tokio::test]
async fn a_period_whose_end_moves_reports_each_threshold_once() {
    let metered = Metered::start(json!(10)).await;
    let end = |days: i64| metered.app.now().plus_seconds(days * 86_400);
    let trial = json!({ "billing": { "collection": "manual", "trial_ends_at": end(10) } });
    let subscription = metered.app.subscription(&metered.user, "pro", trial).await;
    let send = async |id: &str, value: i64| {
        let event = json!({ "id": id, "subscription_id": subscription["id"], "meter": "calls", "value": value });
        metered.send("record", &[event]).await.expect(200);
    };
    send("a", 8).await;
    let path = format!("/subscriptions/{}", subscription["id"].as_str().unwrap());
    let moved = metered.app.put(&path, &json!({ "billing": { "trial_ends_at": end(12) } })).await.expect(200);
    assert_ne!(moved.data()["renews_at"], subscription["renews_at"]);
    send("b", 1).await;
    assert_eq!(metered.thresholds().await.len(), 1);
    send("c", 1).await;
    assert_eq!(metered.thresholds().await.len(), 2);
}

#[tokio::test]
async fn a_quota_resets_with_its_period() {
    let metered = Metered::start(json!(10)).await;
    metered.send("enforce", &[metered.event("a", 10)]).await.expect(200);
    let resets_at = metered.check().await["resets_at"].as_str().unwrap().to_owned();
    // Each event is in one period: one before the end and one at it.
    let before = perennial_domain::time::Time::parse(&resets_at).unwrap().plus_micros(-1);
    metered.app.set_time(&resets_at);
    let mut past = metered.event("b", 1);
    past["at"] = json!(before);
    metered.send("enforce", &[past.clone()]).await.refused(409, "quota_exceeded");
    metered.send("enforce", &[metered.event("c", 10)]).await.expect(200);
    metered.send("record", &[past]).await.expect(200);
    assert_eq!(metered.check().await["used"], json!(10));
    assert_eq!(metered.thresholds().await.len(), 4, "each period has its own");
}

#[tokio::test]
async fn a_user_needs_exactly_one_subscription_with_a_quota() {
    let metered = Metered::start(json!(10)).await;
    let send = async |id: &str| {
        let event = json!({ "id": id, "user_id": metered.user, "meter": "calls" });
        metered.app.post("/usage-events", &json!({ "events": [event] })).await
    };
    send("a").await.expect(200);
    assert_eq!(metered.check().await["used"], json!(1));
    metered.app.plan("other", json!({})).await;
    metered.app.subscription(&metered.user, "other", json!({})).await;
    send("b").await.expect(200);
    metered.app.subscription(&metered.user, "pro", json!({})).await;
    let refused = send("c").await.refused(422, "ambiguous");
    assert_eq!(refused.faults(), ["/events/0/user_id ambiguous"]);
}

/// N6: however calls interleave on two servers, the quota is never exceeded, and what fits is stored.
#[tokio::test]
async fn a_thousand_calls_on_two_servers_store_exactly_the_quota() {
    let metered = Metered::start(json!(500)).await;
    let other = metered.app.second_server().await;
    let servers = [Some(&metered.app), other.as_ref()].map(|server| server.unwrap_or(&metered.app));
    let call = |number: usize| {
        let body = json!({ "mode": "enforce", "events": [metered.event(&format!("e{number}"), 1)] });
        servers[number % 2].request("POST", "/usage-events").json(&body)
    };
    let mut stored = 0;
    for round in 0..10 {
        let answers = all_at_once((round * 100..(round + 1) * 100).map(call)).await;
        for answer in answers {
            match answer.status {
                200 => stored += 1,
                _ => drop(answer.refused(409, "quota_exceeded")),
            }
        }
    }
    assert_eq!(stored, 500);
    assert_eq!(metered.check().await["used"], json!(500));
    assert_eq!(metered.thresholds().await.len(), 2);
    // Sent again, what was stored is a duplicate, and nothing else is.
    let answers = all_at_once((0..100).map(call)).await;
    let duplicates =
        answers.iter().filter(|answer| answer.status == 200).map(|answer| answer.data()["duplicates"].clone());
    assert_eq!(duplicates.collect::<Vec<_>>(), vec![json!(1); 100]);
    assert_eq!(metered.check().await["used"], json!(500));
}

/// N6 where no threshold is left to report: what was taken back can be used again, and no more than that.
#[tokio::test]
async fn after_a_correction_concurrent_calls_end_exactly_at_the_quota() {
    let metered = Metered::start(json!(50)).await;
    metered.send("enforce", &[metered.event("all", 50)]).await.expect(200);
    metered.send("record", &[metered.event("back", -30)]).await.expect(200);
    let other = metered.app.second_server().await;
    let servers = [Some(&metered.app), other.as_ref()].map(|server| server.unwrap_or(&metered.app));
    let call = |number: usize| {
        let body = json!({ "mode": "enforce", "events": [metered.event(&format!("e{number}"), 1)] });
        servers[number % 2].request("POST", "/usage-events").json(&body)
    };
    let answers = all_at_once((0..100).map(call)).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 30);
    assert_eq!(metered.check().await["used"], json!(50));
    assert_eq!(metered.thresholds().await.len(), 2, "each threshold is reported once in a period");
}
