//! API rules 7 and 22 (`docs/api.md`): events about a subscription's members and usage are in its history.

use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn start() -> (TestApp, String, String) {
    let app = TestApp::start().await;
    app.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let feature = json!({ "key": "api", "name": "API", "kind": "quota", "meter": "calls" });
    app.post("/features", &feature).await.expect(201);
    app.plan("pro", json!({ "entitlements": { "api": 10 } })).await;
    let owner = app.user("owner@example.com").await;
    let subscription = app.subscription(&owner, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    (app, owner, subscription)
}

async fn use_up(app: &TestApp, subscription: &str, id: &str, value: i64) {
    let event = json!({ "id": id, "subscription_id": subscription, "meter": "calls", "value": value });
    app.post("/usage-events", &json!({ "events": [event] })).await.expect(200);
}

/// The events of a list, once there are so many: on PostgreSQL an event is in the feed a moment after its commit.
async fn events(app: &TestApp, target: &str, count: usize) -> Vec<Value> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let found = app.get(target).await.expect(200).data().as_array().unwrap().clone();
        if found.len() >= count {
            return found;
        }
        assert!(Instant::now() < deadline, "{found:?}");
        tokio::task::yield_now().await;
    }
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_events_of_a_subscription_include_those_of_its_members_and_its_usage() {
    let (app, _, subscription) = start().await;
    let ada = app.user("ada@example.com").await;
    let members = format!("/subscriptions/{subscription}/members");
    app.post(&members, &json!({ "user_id": ada })).await.expect(201);
    use_up(&app, &subscription, "a", 8).await;
    app.delete(&format!("{members}/{ada}")).await.expect(200);
    app.put(&format!("/subscriptions/{subscription}"), &json!({ "quantity": 2 })).await.expect(200);
    // A lower limit is reached with the next call.
    app.put(&format!("/subscriptions/{subscription}"), &json!({ "entitlements": { "api": 9 } })).await.expect(200);
    use_up(&app, &subscription, "b", 1).await;
    let expected = [
        "subscription.created",
        "member.created",
        "usage.threshold_reached",
        "member.deleted",
        "subscription.updated",
        "subscription.updated",
        "usage.threshold_reached",
    ];
    let path = format!("/events?record_id={subscription}");
    let found = events(&app, &path, expected.len()).await;
    assert_eq!(types(&found), expected);
    let mut newest_first = events(&app, &format!("{path}&sort=-sequence"), expected.len()).await;
    newest_first.reverse();
    assert_eq!(newest_first, found, "the history is complete");
    let times: Vec<&str> = found.iter().map(|event| event["timestamp"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let of_type = events(&app, &format!("{path}&type=usage.*"), 2).await;
    assert_eq!(types(&of_type), ["usage.threshold_reached"; 2]);
    assert_eq!(
        types(&events(&app, &format!("{path}&type=member.created&sort=-sequence"), 1).await),
        ["member.created"]
    );
}

#[tokio::test]
async fn one_call_that_reaches_both_thresholds_makes_two_revisions() {
    let (app, _, subscription) = start().await;
    use_up(&app, &subscription, "a", 10).await;
    let path = format!("/events?record_id={subscription}&sort=-sequence");
    let found = events(&app, &path, 3).await;
    let thresholds: Vec<&Value> = found[..2].iter().map(|event| &event["data"]["threshold"]).collect();
    assert_eq!(thresholds, [&json!(100), &json!(80)]);
    use_up(&app, &subscription, "b", 1).await;
    app.put(&format!("/subscriptions/{subscription}"), &json!({ "quantity": 2 })).await.expect(200);
    assert_eq!(types(&events(&app, &path, 4).await)[0], "subscription.updated");
}

#[tokio::test]
async fn an_event_that_changes_no_field_does_not_make_a_caller_stale() {
    let (app, _, subscription) = start().await;
    let path = format!("/subscriptions/{subscription}");
    let before = app.get(&path).await.expect(200);
    let tag = before.header("etag").to_owned();
    let ada = app.user("ada@example.com").await;
    app.post(&format!("{path}/members"), &json!({ "user_id": ada })).await.expect(201);
    use_up(&app, &subscription, "a", 10).await;
    let after = app.get(&path).await.expect(200);
    assert_eq!(after.data(), before.data(), "no field changes");
    assert_ne!(after.header("etag"), tag, "the revision is another");
    let update = |quantity: i64| {
        let request = app.request("PUT", &path).header("if-match", &tag).json(&json!({ "quantity": quantity }));
        request.send()
    };
    update(2).await.expect(200);
    update(3).await.refused(412, "stale");
}

#[tokio::test]
async fn erasing_a_member_is_in_the_history_of_each_subscription() {
    let (app, owner, first) = start().await;
    let second = app.subscription(&owner, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let ada = app.user("ada@example.com").await;
    for subscription in [&first, &second] {
        app.post(&format!("/subscriptions/{subscription}/members"), &json!({ "user_id": ada })).await.expect(201);
    }
    app.delete(&format!("/users/{ada}")).await.expect(200);
    for subscription in [&first, &second] {
        let found = events(&app, &format!("/events?record_id={subscription}&sort=-sequence"), 3).await;
        assert_eq!(types(&found), ["member.deleted", "member.created", "subscription.created"]);
        app.put(&format!("/subscriptions/{subscription}"), &json!({ "quantity": 2 })).await.expect(200);
    }
}

#[tokio::test]
async fn the_events_of_a_user_include_those_of_the_billing_profile() {
    let app = TestApp::start().await;
    let ada = app.post("/users", &json!({ "email": "ada@example.com" })).await.expect(201);
    let ada = ada.data()["id"].as_str().unwrap().to_owned();
    app.put(&format!("/users/{ada}/billing-profile"), &json!({ "name": "Ada" })).await.expect(200);
    app.put(&format!("/users/{ada}"), &json!({ "first_name": "Ada" })).await.expect(200);
    app.put(&format!("/users/{ada}/billing-profile"), &json!({ "name": "Ada L." })).await.expect(200);
    let expected = ["user.created", "billing_profile.updated", "user.updated", "billing_profile.updated"];
    let path = format!("/events?record_id={ada}");
    let mut found = events(&app, &path, expected.len()).await;
    assert_eq!(types(&found), expected);
    found.reverse();
    let newest_first = format!("{path}&sort=-sequence");
    for limit in 1..=4 {
        assert_eq!(pages(&app, &format!("{newest_first}&limit={limit}")).await, found, "{limit} at a time");
    }
    let of_profile = pages(&app, &format!("{newest_first}&type=billing_profile.*&limit=1")).await;
    assert_eq!(of_profile, [found[0].clone(), found[2].clone()]);
    let of_user = pages(&app, &format!("{newest_first}&type=user.updated")).await;
    assert_eq!(of_user, [found[1].clone()]);
}

/// The events of all pages.
async fn pages(app: &TestApp, target: &str) -> Vec<Value> {
    let (mut found, mut next) = (Vec::new(), String::new());
    loop {
        let page = app.get(&format!("{target}{next}")).await.expect(200).json.clone();
        found.extend(page["data"].as_array().unwrap().iter().cloned());
        let Some(cursor) = page["page"]["next_cursor"].as_str() else { return found };
        next = format!("&cursor={cursor}");
    }
}
