//! The feed of events: every change once, in order, with cursors that survive, and calls that wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use perennial_app::events;
use perennial_domain::time::Time;
use perennial_testkit::{Answer, TestApp, TestOptions};
use serde_json::{Value, json};

/// Reads a page that has at least this many events: on PostgreSQL they enter the feed a moment after the commit.
async fn page_of(app: &TestApp, query: &str, events: usize) -> Value {
    for _ in 0..500 {
        let page = app.get(&format!("/events{query}")).await.expect(200).json.clone();
        if page["data"].as_array().unwrap().len() >= events {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("/events{query} never had {events} events");
}

fn types(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn cursor(page: &Value) -> &str {
    page["page"]["next_cursor"].as_str().unwrap()
}

async fn subscribed(app: &TestApp) -> Value {
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await;
    app.subscription(&user, plan["id"].as_str().unwrap(), json!({ "ends_at": "2026-03-10T12:30:00Z" })).await
}

#[tokio::test]
async fn an_event_has_all_members_and_the_record_as_the_api_returns_it() {
    let app = TestApp::start().await;
    let subscription = subscribed(&app).await;
    let id = subscription["id"].as_str().unwrap();
    let updated =
        app.put(&format!("/subscriptions/{id}"), &json!({ "status": "cancelled" })).await.expect(200).data().clone();
    app.request("DELETE", &format!("/subscriptions/{id}")).send().await.expect(200);
    let page = page_of(&app, &format!("?record_id={id}"), 3).await;
    assert_eq!(types(&page), ["subscription.created", "subscription.updated", "subscription.deleted"]);
    let [created, changed, deleted] = page["data"].as_array().unwrap().as_slice() else { panic!("{page}") };
    let members: Vec<&String> = created.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "type",
        "timestamp",
        "sequence",
        "record_id",
        "client_id",
        "operator_id",
        "request_id",
        "test",
        "data",
        "before",
    ];
    assert_eq!(members, expected);
    assert_eq!((&created["data"], &created["before"]), (&subscription, &Value::Null));
    assert_eq!((&changed["before"], &changed["data"]), (&subscription, &updated));
    assert_eq!((&deleted["data"]["id"], &deleted["before"]), (&json!(id), &Value::Null));
    assert_eq!((&created["test"], &created["record_id"]), (&json!(false), &json!(id)));
    let one = app.get(&format!("/events/{}", changed["id"].as_str().unwrap())).await.expect(200).data().clone();
    assert_eq!(one, *changed);
    app.get("/events/evt_01h455vb4pex5vsknk084sn02q").await.expect(404);
    app.get("/events/never").await.expect(404);
}

#[tokio::test]
async fn a_reader_with_cursors_gets_every_event_once_whatever_the_page_size() {
    let app = TestApp::start().await;
    subscribed(&app).await;
    let all = page_of(&app, "?limit=200", 6).await;
    for limit in [1, 2, 5] {
        let mut read = Vec::new();
        let mut query = format!("?limit={limit}");
        loop {
            let page = app.get(&format!("/events{query}")).await.expect(200).json.clone();
            read.extend(page["data"].as_array().unwrap().clone());
            query = format!("?limit={limit}&cursor={}", cursor(&page));
            if page["page"]["has_more"] == false {
                break;
            }
        }
        assert_eq!(json!(read), all["data"], "limit {limit}");
        // The last cursor continues with what comes next.
        let last = app.get(&format!("/events{query}")).await.expect(200).json.clone();
        assert_eq!((last["data"].as_array().unwrap().len(), cursor(&last).is_empty()), (0, false));
    }
}

#[tokio::test]
async fn filters_select_types_records_and_callers() {
    let app = TestApp::start().await;
    let subscription = subscribed(&app).await;
    let all = page_of(&app, "", 6).await;
    assert_eq!(
        types(&page_of(&app, "?type=subscription.*,plan.created", 2).await),
        ["plan.created", "subscription.created"]
    );
    assert_eq!(types(&page_of(&app, "?type=*", 6).await), types(&all));
    let client = all["data"].as_array().unwrap().last().unwrap()["client_id"].as_str().unwrap();
    assert_eq!(
        types(&page_of(&app, &format!("?client_id={client}"), 2).await),
        ["plan.created", "subscription.created"]
    );
    let none = [
        "?record_id=sub_01h455vb4pex5vsknk084sn02q",
        "?operator_id=op_01h455vb4pex5vsknk084sn02q",
        // What is no ID is the ID of nothing.
        "?record_id=sub_unknown",
        "?client_id=usr_01h455vb4pex5vsknk084sn02q",
        "?operator_id=x&type=plan.*",
    ];
    for query in none {
        let page = page_of(&app, query, 0).await;
        assert!(types(&page).is_empty() && page["page"]["has_more"] == false, "{query}");
        // The cursor has moved to the end of the feed.
        assert_eq!(cursor(&page), cursor(&all));
    }
    // The same bytes under another prefix are another record.
    let other = subscription["id"].as_str().unwrap().replace("sub_", "pay_");
    assert!(types(&page_of(&app, &format!("?record_id={other}"), 0).await).is_empty());
    // It may have no position yet.
    app.plan("last", json!({})).await;
    let end = page_of(&app, "?start=newest", 0).await;
    assert_eq!(types(&end), Vec::<&str>::new());
    assert_eq!(cursor(&end), cursor(&page_of(&app, "", 7).await));
    assert_eq!(types(&page_of(&app, "?start=1999-01-01T00:00:00Z", 7).await)[..6], types(&all)[..]);
    assert!(types(&page_of(&app, "?start=2999-01-01T00:00:00Z", 0).await).is_empty());
}

#[tokio::test]
async fn bad_parameters_are_reported_together() {
    let app = TestApp::start().await;
    let cursor = cursor(&page_of(&app, "", 1).await).to_owned();
    for query in [
        "type=plan.eaten",
        "type=",
        "type=nothing.*",
        "record_id=",
        "client_id=",
        "operator_id=",
        "start=never",
        "wait=26",
        "wait=-1",
        "limit=0",
        "limit=201",
        "surprise=1",
    ] {
        app.get(&format!("/events?{query}")).await.expect(400);
    }
    for (length, status) in [(255, 200), (256, 400)] {
        app.get(&format!("/events?record_id={}", "x".repeat(length))).await.expect(status);
    }
    let both = app.get(&format!("/events?cursor={cursor}&start=oldest&wait=x")).await.expect(400).json.clone();
    assert_eq!(both["errors"].as_array().unwrap().len(), 2, "{both}");
    let forged = app.get("/events?cursor=bm9wZQ").await.expect(400).json.clone();
    assert_eq!(forged["code"], "invalid_cursor");
}

#[tokio::test]
async fn a_pruned_cursor_is_gone_and_the_newest_event_stays() {
    let app = TestApp::start().await;
    subscribed(&app).await;
    let first = page_of(&app, "?limit=2", 2).await;
    let newest = page_of(&app, "?limit=200", 6).await;
    let far = Time::parse("2999-01-01T00:00:00Z").unwrap();
    let pruned = events::prune(&app.app, app.organization, far, events::Readers::Wait).await.unwrap();
    assert_eq!(pruned, 5);
    let gone = app.get(&format!("/events?cursor={}", cursor(&first))).await.expect(410).json.clone();
    assert_eq!((&gone["code"], &gone["restored"]), (&json!("cursor_gone"), &json!(false)));
    assert!(gone["oldest"].is_string());
    let left = page_of(&app, "?start=oldest", 1).await;
    assert_eq!(types(&left), [*types(&newest).last().unwrap()]);
    // A cursor at the newest event still works.
    app.get(&format!("/events?cursor={}", cursor(&newest))).await.expect(200);
}

#[tokio::test]
async fn a_waiting_call_returns_with_the_next_event_that_matches() {
    let app = TestApp::start().await;
    let newest = cursor(&page_of(&app, "?start=newest", 0).await).to_owned();
    let target = format!("/events?wait=25&type=plan.*&cursor={newest}");
    let waiting = app.get(&target);
    let changes = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        app.user("ada@example.com").await;
        app.plan("pro", json!({})).await
    };
    let (answer, plan): (Answer, Value) = tokio::join!(waiting, changes);
    let page = answer.expect(200).json.clone();
    assert_eq!(types(&page), ["plan.created"]);
    assert_eq!(page["data"][0]["data"], plan);
    let empty =
        app.get(&format!("/events?wait=1&type=payment.*&cursor={}", cursor(&page))).await.expect(200).json.clone();
    assert!(types(&empty).is_empty());
}

#[tokio::test]
async fn calls_that_wait_are_not_in_flight() {
    let mut options = TestOptions::default();
    options.server.max_in_flight = 2;
    let app = Arc::new(TestApp::with(options).await);
    let newest = cursor(&page_of(&app, "?start=newest", 0).await).to_owned();
    let mut waiting = Vec::new();
    for number in 1..=5 {
        let (app, target) = (Arc::clone(&app), format!("/events?wait=25&type=plan.*&cursor={newest}"));
        waiting.push(tokio::spawn({
            let app = Arc::clone(&app);
            async move { app.get(&target).await }
        }));
        while app.gauges.requests_paused() < number {
            assert!(!waiting.last().unwrap().is_finished(), "the call does not wait");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert_eq!(app.gauges.requests_in_flight(), 0);
    app.plan("pro", json!({})).await;
    for call in waiting {
        assert_eq!(types(&call.await.unwrap().expect(200).json), ["plan.created"]);
    }
    assert_eq!((app.gauges.requests_paused(), app.gauges.requests_in_flight()), (0, 0));
}

#[tokio::test]
async fn the_newest_events_come_first_if_the_caller_sorts_by_position() {
    let app = TestApp::start().await;
    for slug in ["a", "b", "c"] {
        app.plan(slug, json!({})).await;
    }
    let all = page_of(&app, "?type=plan.*", 3).await;
    let ids = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|event| event["record_id"].as_str().unwrap().to_owned()).collect()
    };
    let first = app.get("/events?type=plan.*&sort=-sequence&limit=2").await.expect(200).json.clone();
    let second =
        app.get(&format!("/events?type=plan.*&sort=-sequence&limit=2&cursor={}", cursor(&first))).await.expect(200);
    let mut read = [ids(&first), ids(&second.json)].concat();
    read.reverse();
    assert_eq!(read, ids(&all));
    assert!(second.json["page"]["next_cursor"].is_null() && second.json["page"]["has_more"] == false);
    let record = app.get(&format!("/events?sort=-sequence&record_id={}", read[0])).await.expect(200);
    assert_eq!(ids(&record.json), read[..1]);
    // The cursors of the two orders are different, and neither order has the other's parameters.
    app.get(&format!("/events?cursor={}", cursor(&first))).await.refused(400, "invalid_cursor");
    app.get(&format!("/events?sort=-sequence&cursor={}", cursor(&all))).await.refused(400, "invalid_cursor");
    for query in ["sort=sequence", "sort=-sequence&start=newest", "sort=-sequence&wait=1"] {
        app.get(&format!("/events?{query}")).await.refused(400, "invalid_parameter");
    }
}

#[tokio::test]
async fn the_history_of_a_record_is_complete_newest_first_and_paged() {
    let app = TestApp::start().await;
    let subscription = subscribed(&app).await;
    let id = subscription["id"].as_str().unwrap();
    for quantity in 2..=8 {
        app.put(&format!("/subscriptions/{id}"), &json!({ "quantity": quantity })).await.expect(200);
    }
    app.request("DELETE", &format!("/subscriptions/{id}")).send().await.expect(200);
    let forward = page_of(&app, &format!("?record_id={id}"), 9).await;
    let mut expected = forward["data"].as_array().unwrap().clone();
    expected.reverse();
    let mut query = format!("?record_id={id}&sort=-sequence&limit=4");
    let mut read = Vec::new();
    loop {
        let page = app.get(&format!("/events{query}")).await.expect(200).json.clone();
        read.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["page"]["next_cursor"].as_str() else { break };
        query = format!("?record_id={id}&sort=-sequence&limit=4&cursor={next}");
    }
    assert_eq!(read, expected);
    let updates =
        app.get(&format!("/events?record_id={id}&sort=-sequence&type=subscription.deleted")).await.expect(200);
    assert_eq!(updates.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_cursor_of_the_newest_events_works_with_any_filter() {
    let app = TestApp::start().await;
    let subscription = subscribed(&app).await;
    let (id, user) = (subscription["id"].as_str().unwrap(), subscription["user_id"].as_str().unwrap());
    app.put(&format!("/users/{user}/billing-profile"), &json!({ "name": "Ada" })).await.expect(200);
    for quantity in 2..=5 {
        app.put(&format!("/subscriptions/{id}"), &json!({ "quantity": quantity })).await.expect(200);
        app.put(&format!("/users/{user}"), &json!({ "is_blocked": quantity % 2 == 0 })).await.expect(200);
    }
    app.put(&format!("/users/{user}/billing-profile"), &json!({ "name": "Bea" })).await.expect(200);
    let filters = [String::new(), format!("&record_id={id}"), format!("&record_id={user}"), "&type=user.*".to_owned()];
    let whole = async |filter: &str| {
        let page = app.get(&format!("/events?sort=-sequence&limit=200{filter}")).await.expect(200);
        page.data().as_array().unwrap().clone()
    };
    page_of(&app, &format!("?record_id={user}&type=billing_profile.updated"), 2).await;
    for (first, second) in filters.iter().flat_map(|first| filters.iter().map(move |second| (first, second))) {
        for limit in [1, 2, 3] {
            let page = app.get(&format!("/events?sort=-sequence&limit={limit}{first}")).await.expect(200).json.clone();
            let last = page["data"].as_array().unwrap().last().unwrap()["sequence"].as_i64().unwrap();
            let mut expected = whole(second).await;
            expected.retain(|event| event["sequence"].as_i64().unwrap() < last);
            let (mut read, mut next) = (Vec::new(), page["page"]["next_cursor"].as_str().map(str::to_owned));
            while let Some(cursor) = next {
                let path = format!("/events?sort=-sequence&limit={limit}{second}&cursor={cursor}");
                let page = app.get(&path).await.expect(200).json.clone();
                read.extend(page["data"].as_array().unwrap().clone());
                next = page["page"]["next_cursor"].as_str().map(str::to_owned);
            }
            assert_eq!(read, expected, "{first} {second} {limit}");
        }
    }
}

#[tokio::test]
async fn every_change_but_the_first_names_the_one_before() {
    let app = TestApp::start().await;
    let subscription = subscribed(&app).await;
    let (id, user) = (subscription["id"].as_str().unwrap(), subscription["user_id"].as_str().unwrap());
    let client = app.post("/clients", &json!({ "name": "server", "kind": "trusted", "scopes": ["plans:read"] })).await;
    let client = client.expect(201).data()["id"].as_str().unwrap().to_owned();
    app.put(&format!("/clients/{client}"), &json!({ "name": "other" })).await.expect(200);
    app.put("/organization", &json!({ "max_sessions": 3 })).await.expect(200);
    app.put("/subscription-plans/pro", &json!({ "description": "other" })).await.expect(200);
    app.put(&format!("/users/{user}"), &json!({ "is_blocked": true })).await.expect(200);
    let payment = app.payment(id, json!({})).await;
    let payment = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    app.put(&payment, &json!({ "status": "failed" })).await.expect(200);
    app.request("DELETE", &payment).send().await.expect(200);
    let mut last = HashMap::new();
    for event in app.events().await {
        if event.kind.as_str().starts_with("session.") {
            continue;
        }
        assert_eq!(event.previous_id, last.insert(event.record_id, event.id), "{:?}", event.kind);
    }
}
