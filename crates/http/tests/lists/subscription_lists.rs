//! Lists of subscriptions: every row once in a total order, nulls last both ways, whatever happens during the walk.

use super::support::*;
use perennial_store::Sql;
use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::cmp::Ordering;

const SORTS: [&str; 6] = ["created_at", "-created_at", "renews_at", "-renews_at", "ends_at", "-ends_at"];

/// A body with ties among renewals and ends; every third has no renewal, every other no end.
fn body(user: &str, number: usize) -> Value {
    let day = |day: usize| format!("2026-05-{:02}T00:00:00Z", day + 1);
    json!({
        "user_id": user, "subscription_plan_id": "pro", "starts_at": "2026-01-01T00:00:00Z",
        "renews_at": if number.is_multiple_of(3) { Value::Null } else { day(number % 4).into() },
        "ends_at": if number.is_multiple_of(2) { Value::Null } else { day(number % 5).into() }
    })
}

/// Rows made a few at a time, so that some share the instant they were created at.
async fn fill(app: &TestApp, rows: usize) -> Vec<Value> {
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let mut records = Vec::new();
    for number in 0..rows {
        records.push(app.post("/subscriptions", &body(&user, number)).await.expect(201).data().clone());
        if number % 5 == 4 {
            app.advance(1);
        }
    }
    records
}

/// The ids in the order of a sort: by the value, those without one last, ties by id.
fn in_order(records: &[Value], sort: &str) -> Vec<String> {
    let (name, descending) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
    let turned = |order: Ordering| if descending { order.reverse() } else { order };
    let mut sorted: Vec<&Value> = records.iter().collect();
    sorted.sort_by(|left, right| {
        let (one, other) = (left[name].as_str(), right[name].as_str());
        let by_value = turned(one.cmp(&other));
        one.is_none().cmp(&other.is_none()).then(by_value).then(turned(left["id"].as_str().cmp(&right["id"].as_str())))
    });
    sorted.iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_sort_walks_every_subscription_once_in_a_total_order() {
    let app = TestApp::start().await;
    let records = fill(&app, 30).await;
    for sort in SORTS {
        let expected = in_order(&records, sort);
        for limit in [1, 4, 10, 29, 30, 31] {
            let found = follow(&app, &format!("/subscriptions?sort={sort}"), limit).await;
            assert_eq!(ids(&found), expected, "{sort} by {limit}");
        }
    }
}

#[tokio::test]
async fn the_newest_subscriptions_come_first_fifty_to_a_page() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let requests = (0..51).map(|number| app.request("POST", "/subscriptions").json(&body(&user, number)));
    all_at_once(requests).await.into_iter().for_each(|answer| drop(answer.expect(201)));
    let first = app.get("/subscriptions").await.expect(200);
    assert_eq!(first.data().as_array().unwrap().len(), 50);
    assert_eq!((&first.json["page"]["limit"], &first.json["page"]["has_more"]), (&json!(50), &json!(true)));
    assert_eq!(first.header("etag"), "", "a list carries no ETag");
    assert_eq!(first.header("cache-control"), "no-store");
    let newest_first = follow(&app, "/subscriptions?sort=-created_at", 200).await;
    assert_eq!(first.data().as_array().unwrap(), &newest_first[..50]);
    let second = app.get(&format!("/subscriptions?cursor={}", next_cursor(&first).unwrap())).await.expect(200);
    assert_eq!(second.data().as_array().unwrap(), &newest_first[50..]);
    assert_eq!(second.json["page"], json!({ "next_cursor": null, "has_more": false, "limit": 50 }));
}

#[tokio::test]
async fn a_listed_subscription_is_the_record_that_is_read() {
    let app = TestApp::start().await;
    fill(&app, 3).await;
    app.set_time("2026-05-02T00:00:00Z");
    for listed in follow(&app, "/subscriptions", 2).await {
        let path = format!("/subscriptions/{}", listed["id"].as_str().unwrap());
        assert_eq!(app.get(&path).await.expect(200).data(), &listed);
    }
}

#[tokio::test]
async fn a_walk_is_not_disturbed_by_rows_that_come_and_go() {
    for sort in SORTS {
        let app = TestApp::start().await;
        let records = fill(&app, 20).await;
        let user = records[0]["user_id"].as_str().unwrap().to_owned();
        let (mut seen, mut deleted, mut cursor) = (Vec::<String>::new(), Vec::<String>::new(), None::<String>);
        for round in 0.. {
            let target = page_target(&format!("/subscriptions?sort={sort}"), 3, cursor.as_deref());
            let page = app.get(&target).await.expect(200);
            seen.extend(ids(page.data().as_array().unwrap()).iter().map(|id| (*id).to_owned()));
            // The cursor's row is deleted, and rows are added before and after it.
            let last = seen.last().unwrap().clone();
            app.delete(&format!("/subscriptions/{last}")).await.expect(200);
            deleted.push(last);
            app.post("/subscriptions", &body(&user, round)).await.expect(201);
            cursor = next_cursor(&page);
            if cursor.is_none() || round == 30 {
                break;
            }
        }
        assert!(cursor.is_none(), "{sort} came to an end");
        let known: Vec<String> = in_order(&records, sort);
        let of_old: Vec<&String> = seen.iter().filter(|id| known.contains(id)).collect();
        assert_eq!(of_old, known.iter().collect::<Vec<_>>(), "{sort}");
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "{sort} showed a row twice");
    }
}

#[tokio::test]
async fn rows_deleted_before_the_walk_came_to_them_do_not_show() {
    let app = TestApp::start().await;
    let in_order = in_order(&fill(&app, 9).await, "created_at");
    let first = app.get(&page_target("/subscriptions?sort=created_at", 3, None)).await.expect(200);
    for id in &in_order[3..6] {
        app.delete(&format!("/subscriptions/{id}")).await.expect(200);
    }
    let target = page_target("/subscriptions?sort=created_at", 9, next_cursor(&first).as_deref());
    let rest = app.get(&target).await.expect(200);
    assert_eq!(ids(rest.data().as_array().unwrap()), in_order[6..]);
}

static MANY: Sql = Sql::split(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
     INSERT INTO subscriptions (organization_id, id, user_id, plan_id, billing_cycle, status, is_active, starts_at,
                                renews_at, ends_at, created_at, updated_at, revision)
     SELECT organization_id, unhex('00000000000070008000' || printf('%012x', i)), user_id, plan_id, billing_cycle,
            status, is_active, starts_at, renews_at, ends_at, created_at, updated_at, revision
     FROM subscriptions, n WHERE external_id = 'rare'",
    "INSERT INTO subscriptions (organization_id, id, user_id, plan_id, billing_cycle, status, is_active, starts_at,
                                renews_at, ends_at, created_at, updated_at, revision)
     SELECT organization_id, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, user_id, plan_id,
            billing_cycle, status, is_active, starts_at, renews_at, ends_at, created_at, updated_at, revision
     FROM subscriptions, generate_series(1, 12000) AS i WHERE external_id = 'rare'",
);

#[tokio::test]
async fn a_page_under_a_rare_filter_may_be_short_and_still_have_more() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let changes = json!({ "external_subscription_id": "rare" });
    let rare = app.subscription(&user, "pro", changes).await;
    execute(&app, &MANY).await;
    app.put(&format!("/subscriptions/{}", rare["id"].as_str().unwrap()), &json!({ "is_active": false }))
        .await
        .expect(200);
    let (mut pages, mut found, mut cursor) = (0, Vec::new(), None::<String>);
    loop {
        let target = page_target("/subscriptions?is_active=false&sort=created_at", 50, cursor.as_deref());
        let page = app.get(&target).await.expect(200);
        pages += 1;
        if pages == 1 {
            assert_eq!(page.data(), &json!([]), "ten thousand rows were walked without effect");
            assert_eq!(page.json["page"]["has_more"], true);
        }
        found.extend(page.data().as_array().unwrap().iter().map(|record| record["id"].clone()));
        cursor = next_cursor(&page);
        if cursor.is_none() {
            break;
        }
        assert!(pages < 10, "the list does not end");
    }
    assert_eq!((found, pages), (vec![rare["id"].clone()], 2));
}
