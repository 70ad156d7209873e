//! API rules 22.6 (`docs/api.md`): members of a subscription, and its seats.

use perennial_testkit::{Request, TestApp, all_at_once};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A service with the feature `seats`, a plan with so many of them, and a subscription of it.
async fn start(seats: Value) -> (TestApp, String, String) {
    let app = TestApp::start().await;
    for feature in [
        json!({ "key": "seats", "name": "Seats", "kind": "limit" }),
        json!({ "key": "sso", "name": "SSO", "kind": "boolean" }),
    ] {
        app.post("/features", &feature).await.expect(201);
    }
    app.plan("team", json!({ "entitlements": { "seats": seats, "sso": true } })).await;
    let owner = app.user("owner@example.com").await;
    let subscription = app.subscription(&owner, "team", json!({})).await;
    let id = subscription["id"].as_str().unwrap().to_owned();
    (app, owner, id)
}

fn path(subscription: &str) -> String {
    format!("/subscriptions/{subscription}/members")
}

fn adding(app: &TestApp, subscription: &str, user: &str) -> Request {
    app.request("POST", &path(subscription)).json(&json!({ "user_id": user }))
}

async fn list(app: &TestApp, subscription: &str) -> (Vec<String>, Value) {
    let answer = app.get(&path(subscription)).await.expect(200);
    let users = answer.data().as_array().unwrap().iter();
    (users.map(|member| member["user_id"].as_str().unwrap().to_owned()).collect(), answer.json["seats"].clone())
}

async fn users(app: &TestApp, count: usize) -> Vec<String> {
    let mut users = Vec::new();
    for number in 0..count {
        users.push(app.user(&format!("user{number}@example.com")).await);
    }
    users
}

async fn value_of(app: &TestApp, user: &str, feature: &str) -> Value {
    let answer = app.get(&format!("/users/{user}/entitlements")).await.expect(200);
    answer.data()["entitlements"][feature]["value"].clone()
}

/// The events about members, oldest first, once there are so many: on PostgreSQL an event is in the feed a moment after its commit.
async fn member_events(app: &TestApp, count: usize) -> Vec<Value> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let found = app.get("/events?type=member.*").await.expect(200).data().as_array().unwrap().clone();
        if found.len() >= count {
            return found;
        }
        assert!(Instant::now() < deadline, "{found:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_member_gets_what_the_subscription_grants_except_seats() {
    let (app, owner, subscription) = start(json!(3)).await;
    let ada = app.user("ada@example.com").await;
    assert_eq!(list(&app, &subscription).await, (vec![], json!({ "limit": 3, "used": 1, "over_limit": false })));
    let added = adding(&app, &subscription, &ada).send().await.expect(201);
    let expected = json!({ "subscription_id": subscription, "user_id": ada, "created_at": app.now() });
    assert_eq!(added.data(), &expected);
    assert_eq!(added.header("location"), path(&subscription));
    assert_eq!(value_of(&app, &ada, "sso").await, json!(true));
    assert_eq!(value_of(&app, &ada, "seats").await, Value::Null);
    assert_eq!(value_of(&app, &owner, "seats").await, json!(3));
    let seats = json!({ "limit": 3, "used": 2, "over_limit": false });
    assert_eq!(list(&app, &subscription).await, (vec![ada.clone()], seats));
    let removed = app.delete(&format!("{}/{ada}", path(&subscription))).await.expect(200);
    assert_eq!(removed.data(), &expected);
    assert_eq!(value_of(&app, &ada, "sso").await, Value::Null);
    app.delete(&format!("{}/{ada}", path(&subscription))).await.refused(404, "not_found");
    let events = member_events(&app, 2).await;
    let shown: Vec<_> = events.iter().map(|event| (&event["type"], &event["record_id"], &event["data"])).collect();
    let (created, deleted, id) = (json!("member.created"), json!("member.deleted"), json!(subscription));
    assert_eq!(shown, [(&created, &id, &expected), (&deleted, &id, &expected)]);
    assert!(events.iter().all(|event| event["before"].is_null()));
}

#[tokio::test]
async fn a_member_or_the_owner_is_not_added_again() {
    let (app, owner, subscription) = start(json!(2)).await;
    let ada = app.user("ada@example.com").await;
    adding(&app, &subscription, &owner).send().await.refused(409, "already_member");
    adding(&app, &subscription, &ada).send().await.expect(201);
    // Even when there is no seat left, this is the reason.
    adding(&app, &subscription, &ada).send().await.refused(409, "already_member");
    adding(&app, &subscription, &owner).send().await.refused(409, "already_member");
}

#[tokio::test]
async fn a_full_subscription_takes_no_more() {
    let (app, _, subscription) = start(json!(2)).await;
    let users = users(&app, 2).await;
    adding(&app, &subscription, &users[0]).send().await.expect(201);
    let refused = adding(&app, &subscription, &users[1]).send().await.refused(409, "seat_limit");
    assert_eq!((&refused.json["limit"], &refused.json["used"]), (&json!(2), &json!(2)));
    app.delete(&format!("{}/{}", path(&subscription), users[0])).await.expect(200);
    adding(&app, &subscription, &users[1]).send().await.expect(201);
}

/// Drill 3: the limit falls, and no member is removed.
#[tokio::test]
async fn a_lower_limit_removes_no_member_and_takes_no_more() {
    let (app, _, subscription) = start(json!(5)).await;
    let users = users(&app, 5).await;
    for user in &users[..4] {
        adding(&app, &subscription, user).send().await.expect(201);
    }
    app.put("/subscription-plans/team", &json!({ "entitlements": { "seats": 2 } })).await.expect(200);
    let (listed, seats) = list(&app, &subscription).await;
    assert_eq!((listed.len(), seats), (4, json!({ "limit": 2, "used": 5, "over_limit": true })));
    let refused = adding(&app, &subscription, &users[4]).send().await.refused(409, "seat_limit");
    assert_eq!((&refused.json["limit"], &refused.json["used"]), (&json!(2), &json!(5)));
    assert_eq!(value_of(&app, &users[3], "sso").await, json!(true));
    // An override of the subscription counts more than the plan.
    let path = format!("/subscriptions/{subscription}");
    app.put(&path, &json!({ "entitlements": { "seats": 6 } })).await.expect(200);
    adding(&app, &subscription, &users[4]).send().await.expect(201);
}

#[tokio::test]
async fn the_limit_is_that_of_the_subscription() {
    let (app, owner, subscription) = start(json!("unlimited")).await;
    let limit = async |subscription: &str| list(&app, subscription).await.1["limit"].clone();
    assert_eq!(limit(&subscription).await, json!("unlimited"));
    app.put("/subscription-plans/team", &json!({ "entitlements": { "seats": null } })).await.expect(200);
    assert_eq!(limit(&subscription).await, Value::Null);
    let ada = app.user("ada@example.com").await;
    adding(&app, &subscription, &ada).send().await.expect(201);
    app.put("/features/seats", &json!({ "per_unit": true })).await.expect(200);
    let other = json!({ "quantity": 4, "entitlements": { "seats": 3 } });
    let other = app.subscription(&owner, "team", other).await["id"].as_str().unwrap().to_owned();
    assert_eq!(limit(&other).await, json!(12));
    app.put("/features/seats", &json!({ "is_active": false })).await.expect(200);
    assert_eq!(limit(&other).await, Value::Null, "a feature that is not active bounds nothing");
}

/// N7 and drill 3: 100 at once on five seats.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_at_once_end_exactly_at_the_limit() {
    let (app, _, subscription) = start(json!(5)).await;
    let users = users(&app, 100).await;
    let second = app.second_server().await;
    let server = |number: usize| second.as_ref().filter(|_| number % 2 == 1).unwrap_or(&app);
    let requests = users.iter().enumerate().map(|(number, user)| adding(server(number), &subscription, user));
    let answers = all_at_once(requests).await;
    let added = answers.iter().filter(|answer| answer.status == 201).count();
    let full = answers.iter().filter(|answer| answer.json["code"] == "seat_limit").count();
    assert_eq!((added, full), (4, 96), "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    let (listed, seats) = list(&app, &subscription).await;
    assert_eq!((listed.len(), seats), (4, json!({ "limit": 5, "used": 5, "over_limit": false })));
    assert_eq!(member_events(&app, 4).await.len(), 4);
}

#[tokio::test]
async fn one_user_added_twenty_times_at_once_is_one_member() {
    let (app, _, subscription) = start(json!(50)).await;
    let ada = app.user("ada@example.com").await;
    let answers = all_at_once((0..20).map(|_| adding(&app, &subscription, &ada))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.json["code"] == "already_member").count(), 19);
    assert_eq!(list(&app, &subscription).await.1["used"], json!(2));
}

#[tokio::test]
async fn the_body_and_the_path_are_checked() {
    let (app, _, subscription) = start(json!(5)).await;
    let ada = app.user("ada@example.com").await;
    let post = async |body: &Value| app.post(&path(&subscription), body).await;
    assert_eq!(post(&json!({})).await.refused(422, "required").faults(), ["/user_id required"]);
    for unknown in ["usr_01h455vb4pex5vsknk084sn02q", "unknown", ""] {
        let answer = post(&json!({ "user_id": unknown })).await.refused(422, "not_found");
        assert_eq!(answer.faults(), ["/user_id not_found"], "{unknown}");
    }
    post(&json!({ "user_id": ada, "role": "admin" })).await.refused(422, "unknown_field");
    post(&json!({ "user_id": ada, "created_at": app.now() })).await.refused(422, "read_only_field");
    let other = "/subscriptions/sub_01h455vb4pex5vsknk084sn02q/members";
    app.post(other, &json!({ "user_id": ada })).await.refused(404, "not_found");
    app.get(other).await.refused(404, "not_found");
    app.delete(&format!("{}/unknown", path(&subscription))).await.refused(404, "not_found");
    app.get(&format!("{}?cursor=x", path(&subscription))).await.refused(400, "invalid_cursor");
}

#[tokio::test]
async fn a_retry_with_the_same_key_gets_the_same_answer() {
    let (app, _, subscription) = start(json!(2)).await;
    let ada = app.user("ada@example.com").await;
    let send = || adding(&app, &subscription, &ada).header("idempotency-key", "k1").send();
    let first = send().await.expect(201);
    let again = send().await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!((first.json, member_events(&app, 1).await.len()), (again.json, 1));
}

#[tokio::test]
async fn members_are_listed_page_by_page() {
    let (app, _, subscription) = start(json!(10)).await;
    let mut users = users(&app, 5).await;
    for user in users.iter().rev() {
        adding(&app, &subscription, user).send().await.expect(201);
    }
    let mut seen = Vec::new();
    let mut target = format!("{}?limit=2", path(&subscription));
    loop {
        let answer = app.get(&target).await.expect(200);
        assert_eq!(answer.json["seats"]["used"], json!(6));
        seen.extend(answer.data().as_array().unwrap().iter().map(|m| m["user_id"].as_str().unwrap().to_owned()));
        let Some(cursor) = answer.json["page"]["next_cursor"].as_str() else { break };
        target = format!("{}?limit=2&cursor={cursor}", path(&subscription));
    }
    users.sort_unstable();
    assert_eq!(seen, users);
}

#[tokio::test]
async fn the_owner_may_read_and_a_member_may_not() {
    let (app, _, _) = start(json!(5)).await;
    let (owner, member) = (app.sign_up("ada@example.com").await, app.sign_up("bob@example.com").await);
    let subscription = app.subscription(owner.user_id(), "team", json!({})).await["id"].as_str().unwrap().to_owned();
    adding(&app, &subscription, member.user_id()).send().await.expect(201);
    let read = |token: &str| app.browser("GET", &path(&subscription)).bearer(token).send();
    assert_eq!(read(&owner.token).await.expect(200).data()[0]["user_id"], member.user_id());
    read(&member.token).await.refused(404, "not_found");
    let body = json!({ "user_id": member.user_id() });
    let write = app.browser("POST", &path(&subscription)).bearer(&owner.token).json(&body).send();
    write.await.refused(403, "insufficient_scope");
}

#[tokio::test]
async fn a_member_who_becomes_the_owner_has_one_seat() {
    let (app, owner, subscription) = start(json!(3)).await;
    let users = users(&app, 2).await;
    for user in &users {
        adding(&app, &subscription, user).send().await.expect(201);
    }
    adding(&app, &subscription, &app.user("last@example.com").await).send().await.refused(409, "seat_limit");
    app.put(&format!("/subscriptions/{subscription}"), &json!({ "user_id": users[0] })).await.expect(200);
    let answer = app.get(&path(&subscription)).await.expect(200);
    assert_eq!(answer.json["seats"]["used"], json!(2));
    assert_eq!(answer.data().as_array().unwrap().len(), 1);
    adding(&app, &subscription, &users[0]).send().await.refused(409, "already_member");
    adding(&app, &subscription, &owner).send().await.expect(201);
}

#[tokio::test]
async fn deleting_the_subscription_removes_its_members() {
    let (app, _, subscription) = start(json!(5)).await;
    let ada = app.user("ada@example.com").await;
    adding(&app, &subscription, &ada).send().await.expect(201);
    app.delete(&format!("/subscriptions/{subscription}")).await.expect(200);
    assert_eq!(value_of(&app, &ada, "sso").await, Value::Null);
    assert_eq!(count(&app).await, 0);
    app.get(&path(&subscription)).await.refused(404, "not_found");
    adding(&app, &subscription, &ada).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn erasing_a_user_removes_its_memberships() {
    let (app, owner, subscription) = start(json!(5)).await;
    let second = app.subscription(&owner, "team", json!({})).await["id"].as_str().unwrap().to_owned();
    let users = users(&app, 2).await;
    for user in &users {
        adding(&app, &subscription, user).send().await.expect(201);
    }
    adding(&app, &second, &users[0]).send().await.expect(201);
    app.delete(&format!("/users/{}", users[0])).await.expect(200);
    assert_eq!(list(&app, &subscription).await.0, [users[1].clone()]);
    assert_eq!(list(&app, &second).await.0.len(), 0);
    let removed: Vec<Value> = member_events(&app, 5).await.into_iter().skip(3).collect();
    assert!(removed.iter().all(|event| event["type"] == "member.deleted" && event["data"]["user_id"] == users[0]));
    assert_eq!(removed.len(), 2);
    adding(&app, &second, &users[0]).send().await.refused(422, "not_found");
}

async fn count(app: &TestApp) -> i64 {
    let sql = perennial_store::Sql::new("SELECT COUNT(*) FROM subscription_members");
    app.app.db.one(&sql, &[], |row| row.int(0)).await.unwrap().unwrap()
}
