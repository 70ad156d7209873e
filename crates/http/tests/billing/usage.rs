//! API rules 18.2 and 18.3 (`docs/api.md`): usage events and reports.

use perennial_testkit::{Answer, TestApp, all_at_once};
use serde_json::{Value, json};

struct Metered {
    app: TestApp,
    user: String,
    subscription: String,
}

impl Metered {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let user = app.user("ada@example.com").await;
        app.plan("pro", json!({})).await;
        let subscription = app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
        for aggregation in ["sum", "count", "max", "last", "unique"] {
            let meter = json!({ "slug": aggregation, "name": aggregation, "aggregation": aggregation });
            app.post("/meters", &meter).await.expect(201);
        }
        Self { app, user, subscription }
    }

    fn event(&self, id: &str, meter: &str, changes: Value) -> Value {
        let mut event = json!({ "id": id, "subscription_id": self.subscription, "meter": meter });
        let Value::Object(changes) = changes else { panic!("the changes are members") };
        for (name, value) in changes {
            event[name] = value;
        }
        event
    }

    async fn send(&self, events: &[Value]) -> Answer {
        self.app.post("/usage-events", &json!({ "events": events })).await
    }

    async fn quantity(&self, meter: &str) -> Value {
        let usage = self.app.get(&format!("/subscriptions/{}/usage", self.subscription)).await.expect(200);
        let meters = usage.data()["meters"].as_array().unwrap().clone();
        meters.into_iter().find(|listed| listed["slug"] == meter).unwrap()["quantity"].clone()
    }

    fn ago(&self, seconds: i64) -> Value {
        json!(self.app.now().plus_seconds(-seconds))
    }
}

fn outcome(accepted: u64, duplicates: u64, conflicts: &[&str], late: &[&str]) -> Value {
    json!({ "accepted": accepted, "duplicates": duplicates, "conflicts": conflicts, "late": late })
}

#[tokio::test]
async fn each_meter_reports_its_quantity() {
    let metered = Metered::start().await;
    let mut events = Vec::new();
    for (index, (value, key)) in [(2.5, "a"), (4.0, "b"), (1.0, "a")].into_iter().enumerate() {
        let at = metered.app.now().plus_micros(i64::try_from(index).unwrap() - 10);
        for meter in ["sum", "count", "max", "last", "unique"] {
            events.push(metered.event(
                &format!("{meter}-{index}"),
                meter,
                json!({ "value": value, "key": key, "at": at }),
            ));
        }
    }
    assert_eq!(metered.quantity("max").await, json!(0), "of nothing");
    metered.app.advance(1);
    // The subscription starts now, and the events of the first second are before it: the report begins earlier.
    let answer = metered.send(&events).await.expect(200);
    assert_eq!(answer.data(), &outcome(15, 0, &[], &[]));
    let from = metered.app.now().plus_seconds(-60);
    let usage =
        metered.app.get(&format!("/subscriptions/{}/usage?from={from}", metered.subscription)).await.expect(200);
    let found: Vec<(&str, &Value)> = usage.data()["meters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|meter| (meter["slug"].as_str().unwrap(), &meter["quantity"]))
        .collect();
    let expected =
        [("count", json!(3)), ("last", json!(1)), ("max", json!(4)), ("sum", json!(7.5)), ("unique", json!(2))];
    assert_eq!(found, expected.iter().map(|(slug, quantity)| (*slug, quantity)).collect::<Vec<_>>());
    let members: Vec<&String> = usage.data()["meters"][0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["meter_id", "slug", "aggregation", "quantity"]);
}

#[tokio::test]
async fn an_event_counts_once_and_other_content_is_a_conflict() {
    let metered = Metered::start().await;
    metered.app.advance(10);
    let at = metered.ago(5);
    let (first, second) = (
        metered.event("e1", "sum", json!({ "value": 100, "at": at })),
        metered.event("e2", "sum", json!({ "value": 50, "at": at })),
    );
    let answer = metered.send(&[first.clone(), second.clone(), second.clone()]).await.expect(200);
    assert_eq!(answer.data(), &outcome(2, 1, &[], &[]));
    let other = metered.event("e1", "sum", json!({ "value": 101, "at": at }));
    let third = metered.event("e3", "sum", json!({ "value": 1, "at": at }));
    let answer = metered.send(&[other, first, third]).await.expect(200);
    assert_eq!(answer.data(), &outcome(1, 1, &["e1"], &[]));
    assert_eq!(metered.quantity("sum").await, json!(151));
    // Without a time, a retry is later and still the same event.
    let now = metered.event("e4", "sum", json!({}));
    assert_eq!(metered.send(std::slice::from_ref(&now)).await.expect(200).data(), &outcome(1, 0, &[], &[]));
    metered.app.advance(3);
    assert_eq!(metered.send(&[now]).await.expect(200).data(), &outcome(0, 1, &[], &[]));
}

#[tokio::test]
async fn late_events_are_reported_and_not_stored() {
    let metered = Metered::start().await;
    let days = |days: i64| metered.ago(days * 86_400);
    let on_time = metered.event("on-time", "sum", json!({ "at": days(34) }));
    let late = metered.event("late", "sum", json!({ "at": days(36) }));
    let answer = metered.send(&[on_time.clone(), late]).await.expect(200);
    assert_eq!(answer.data(), &outcome(1, 0, &[], &["late"]));
    // A stored event stays a duplicate when its time is too long ago.
    metered.app.advance(5 * 86_400);
    assert_eq!(metered.send(&[on_time]).await.expect(200).data(), &outcome(0, 1, &[], &[]));
    let path = format!("/subscriptions/{}", metered.subscription);
    let end = metered.ago(86_400);
    metered.app.put(&path, &json!({ "status": "expired", "ends_at": end })).await.expect(200);
    let before = metered.event("before", "sum", json!({ "at": metered.ago(86_401) }));
    let after = metered.event("after", "sum", json!({ "at": end }));
    let answer = metered.send(&[before, after]).await.expect(200);
    assert_eq!(answer.data(), &outcome(1, 0, &[], &["after"]));
}

#[tokio::test]
async fn one_invalid_event_rejects_the_whole_call() {
    let metered = Metered::start().await;
    let ahead = json!(metered.app.now().plus_seconds(301));
    let events = [
        metered.event("good", "sum", json!({})),
        metered.event("", "nothing", json!({ "at": ahead, "value": 0.000_000_1 })),
        metered.event("x", "max", json!({ "value": -1 })),
        metered.event("x", "unique", json!({ "color": "red" })),
        json!({ "id": "x", "meter": "sum" }),
        json!({ "id": "x", "meter": "max", "value": -1, "subscription_id": "sub_01h455vb4pex5vsknk084sn02q" }),
        metered.event("x", "sum", json!({ "at": ahead, "user_id": metered.user })),
        json!(7),
    ];
    let refused = metered.send(&events).await.expect(422);
    let expected = [
        "/events/1/id too_short",
        "/events/1/value too_many_decimals",
        "/events/1/at out_of_range",
        "/events/1/meter not_found",
        "/events/2/value out_of_range",
        "/events/3/color unknown_field",
        "/events/3/key required",
        "/events/4/subscription_id required",
        "/events/5/value out_of_range",
        "/events/5/subscription_id not_found",
        "/events/6/user_id inconsistent",
        "/events/6/at out_of_range",
        "/events/7 invalid_type",
    ];
    assert_eq!(refused.faults(), expected);
    assert_eq!(metered.quantity("sum").await, json!(0), "nothing was stored");
    metered.app.post("/usage-events", &json!({ "events": [] })).await.refused(422, "too_short");
    let many: Vec<Value> = (0..501).map(|index| metered.event(&format!("e{index}"), "sum", json!({}))).collect();
    metered.send(&many).await.refused(422, "too_long");
    metered
        .app
        .post("/usage-events", &json!({ "events": [metered.event("a", "sum", json!({}))], "mode": "x" }))
        .await
        .refused(422, "unknown_value");
    let meter = metered.app.get("/meters").await.data()[0]["id"].as_str().unwrap().to_owned();
    metered.app.put(&format!("/meters/{meter}"), &json!({ "is_active": false })).await.expect(200);
    metered.send(&[metered.event("a", &meter, json!({}))]).await.refused(422, "not_found");
}

#[tokio::test]
async fn a_user_stands_for_the_one_subscription_with_access() {
    let metered = Metered::start().await;
    let event = |id: &str| json!({ "id": id, "user_id": metered.user, "meter": "count" });
    metered.send(&[event("e0")]).await.refused(422, "ambiguous");
    let quota = json!({ "key": "quota", "name": "Quota", "kind": "quota", "meter": "count" });
    metered.app.post("/features", &quota).await.expect(201);
    let grants = json!({ "entitlements": { "quota": 100 } });
    metered.app.put("/subscription-plans/pro", &grants).await.expect(200);
    let enforced = json!({ "events": [event("e1")], "mode": "enforce" });
    assert_eq!(metered.app.post("/usage-events", &enforced).await.expect(200).data(), &outcome(1, 0, &[], &[]));
    metered.app.advance(1);
    assert_eq!(metered.quantity("count").await, json!(1));
    metered.app.subscription(&metered.user, "pro", json!({})).await;
    let refused = metered.send(&[event("e2")]).await.refused(422, "ambiguous");
    assert_eq!(refused.faults(), ["/events/0/user_id ambiguous"]);
}

#[tokio::test]
async fn a_charge_for_the_meter_is_as_good_as_a_quota() {
    let metered = Metered::start().await;
    let charge = json!({ "meter_id": "count", "name": "Calls", "model": "per_unit", "unit_price": 0.5 });
    metered.app.plan("metered", json!({ "price": 0, "billing": { "charges": [charge] } })).await;
    let user = metered.app.user("charged@example.com").await;
    let event = |id: &str| json!({ "id": id, "user_id": user, "meter": "count" });
    // An external subscription is not charged.
    metered.app.subscription(&user, "metered", json!({})).await;
    metered.send(&[event("e0")]).await.refused(422, "ambiguous");
    metered.app.subscription(&user, "metered", json!({ "billing": {} })).await;
    assert_eq!(metered.send(&[event("e1")]).await.expect(200).data(), &outcome(1, 0, &[], &[]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_events_at_once_through_all_servers_count_once() {
    let metered = Metered::start().await;
    let second = metered.app.second_server().await;
    let at = metered.ago(0);
    let events: Vec<Value> =
        (0..100).map(|index| metered.event(&format!("e{index}"), "sum", json!({ "at": at }))).collect();
    let servers: Vec<&TestApp> = [Some(&metered.app), second.as_ref()].into_iter().flatten().collect();
    let mut reversed = events.clone();
    reversed.reverse();
    let requests = (0..8).map(|index| {
        let events = if index % 2 == 0 { &events } else { &reversed };
        servers[index % servers.len()].request("POST", "/usage-events").json(&json!({ "events": events }))
    });
    let answers = all_at_once(requests).await;
    let counted = |name: &str| answers.iter().map(|answer| answer.data()[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((counted("accepted"), counted("duplicates")), (100, 700));
    metered.app.advance(1);
    assert_eq!(metered.quantity("sum").await, json!(100));
}

#[tokio::test]
async fn a_report_covers_a_half_open_span_of_at_most_13_months() {
    let metered = Metered::start().await;
    metered.app.advance(100);
    let (at, next) = (metered.app.now().plus_seconds(-50), metered.app.now().plus_seconds(-49));
    metered
        .send(&[metered.event("a", "sum", json!({ "at": at })), metered.event("b", "sum", json!({ "at": next }))])
        .await
        .expect(200);
    let path = format!("/subscriptions/{}/usage", metered.subscription);
    let usage = metered.app.get(&format!("{path}?from={at}&to={next}")).await.expect(200);
    assert_eq!((&usage.data()["from"], &usage.data()["to"]), (&json!(at), &json!(next)));
    let sum = usage.data()["meters"].as_array().unwrap().iter().find(|meter| meter["slug"] == "sum").unwrap();
    assert_eq!(sum["quantity"], json!(1));
    metered.app.get(&format!("{path}?from={next}&to={at}")).await.refused(400, "invalid_parameter");
    metered.app.get(&format!("{path}?from=2020-01-01T00:00:00Z")).await.refused(400, "invalid_parameter");
    metered.app.get(&format!("{path}?from=yesterday")).await.refused(400, "invalid_parameter");
    metered.app.get("/subscriptions/sub_01h455vb4pex5vsknk084sn02q/usage").await.refused(404, "not_found");
}

#[tokio::test]
async fn events_of_a_billed_subscription_stay_while_their_window_is_open() {
    let mut metered = Metered::start().await;
    metered.app.plan("biennial", json!({ "billing_cycle": "biennial" })).await;
    let billed = json!({ "billing": { "payment_method": "pm_1" } });
    let subscription = metered.app.subscription(&metered.user, "biennial", billed).await;
    metered.subscription = subscription["id"].as_str().unwrap().to_owned();
    metered.send(&[metered.event("old", "count", json!({}))]).await.expect(200);
    metered.app.advance(500 * 86_400);
    assert_eq!(perennial_app::housekeeping::sweep_usage(&metered.app.app).await, Ok(0));
}

#[tokio::test]
async fn old_events_are_removed_and_others_stay() {
    let metered = Metered::start().await;
    metered.send(&[metered.event("old", "count", json!({}))]).await.expect(200);
    metered.app.advance(430 * 86_400);
    metered.send(&[metered.event("new", "count", json!({}))]).await.expect(200);
    assert_eq!(perennial_app::housekeeping::sweep_usage(&metered.app.app).await, Ok(0));
    metered.app.advance(10 * 86_400);
    assert_eq!(perennial_app::housekeeping::sweep_usage(&metered.app.app).await, Ok(1));
    assert_eq!(metered.quantity("count").await, json!(1));
}

/// A test clock does not move between an event and the report.
#[tokio::test]
async fn what_is_recorded_now_is_in_a_report_until_now() {
    let metered = Metered::start().await;
    metered.app.set_time("2026-03-10T12:00:00Z");
    let (now, ahead) = (json!("2026-03-10T12:00:00Z"), json!("2026-03-10T12:00:00.000001Z"));
    let plan = metered.app.subscription(&metered.user, "pro", json!({ "starts_at": "2026-03-01T00:00:00Z" })).await;
    let metered = Metered { subscription: plan["id"].as_str().unwrap().to_owned(), ..metered };
    let events = [
        metered.event("1", "sum", json!({ "value": 5, "at": now })),
        metered.event("2", "sum", json!({ "at": ahead })),
    ];
    metered.send(&events).await.expect(200);
    let report = async |query: &str| {
        let target = format!("/subscriptions/{}/usage?{query}", metered.subscription);
        let usage = metered.app.get(&target).await.expect(200).data().clone();
        let sum = usage["meters"].as_array().unwrap().iter().find(|meter| meter["slug"] == "sum").unwrap()["quantity"]
            .clone();
        (sum, usage["to"].clone())
    };
    let to = json!("2026-03-10T12:00:00.000000Z");
    assert_eq!(report("").await, (json!(5), to.clone()));
    assert_eq!(report("from=2026-03-10T12:00:00Z").await, (json!(5), to.clone()));
    assert_eq!(report("to=2026-03-10T12:00:00Z").await, (json!(0), to));
}
