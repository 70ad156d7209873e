//! API rules 1.11 (`docs/api.md`), many callers at once, on two servers where the engine allows it. Attack 34.

use super::support::{Records, text};
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::task::JoinSet;

/// The servers of a test: two over one store on PostgreSQL, one on SQLite.
async fn servers() -> Vec<TestApp> {
    let first = TestApp::start().await;
    let second = first.second_server().await;
    assert_eq!(second.is_some(), first.store().is_postgres());
    std::iter::once(first).chain(second).collect()
}

/// Sends every body to the same path at once, in turns to the servers.
async fn at_once(servers: &[TestApp], method: &str, path: &str, tag: Option<&str>, bodies: &[Value]) -> Vec<Answer> {
    let mut sent = JoinSet::new();
    for (number, body) in bodies.iter().enumerate() {
        let mut request = servers[number % servers.len()].request(method, path).json(body);
        if let Some(tag) = tag {
            request = request.header("if-match", tag);
        }
        sent.spawn(request.send());
    }
    sent.join_all().await
}

/// Each change was decided on what the one before it left: the events of a record form a chain.
async fn is_a_chain(app: &TestApp, id: &str) {
    let mut last: BTreeMap<Vec<u8>, Option<String>> = BTreeMap::new();
    let mut links = 0;
    let mut events = app.events().await;
    events.retain(|event| event.after.as_deref().or(event.before.as_deref()).is_some_and(|record| record.contains(id)));
    // Events of one microsecond are in no order of time, so the chain is followed by the revisions.
    while let Some(place) = events.iter().position(|event| {
        last.get(event.record_id.as_slice()).map_or(event.before.is_none(), |after| *after == event.before)
    }) {
        let event = events.remove(place);
        last.insert(event.record_id.to_vec(), event.after);
        links += 1;
    }
    assert!(links > 1 && events.is_empty(), "{} of {} events hang loose", events.len(), events.len() + links);
}

#[tokio::test]
async fn puts_of_different_fields_at_once_all_apply_to_a_plan() {
    let servers = servers().await;
    let plan = servers[0].plan("pro", json!({})).await;
    for round in 1..=20 {
        // So that no record is ever again what it was: see `is_a_chain`.
        servers[0].advance(1);
        let cycle = if round % 2 == 0 { "monthly" } else { "yearly" };
        let bodies = [
            json!({ "price": round }),
            json!({ "billing_cycle": cycle }),
            json!({ "description": format!("round {round}") }),
            json!({ "node_quota": round }),
            json!({ "features": format!("f{round}") }),
            json!({ "most_popular": round % 2 == 1 }),
            json!({ "tier": round }),
            json!({ "is_active": round % 2 == 0 }),
        ];
        for answer in at_once(&servers, "PUT", "/subscription-plans/pro", None, &bodies).await {
            answer.expect(200);
        }
        for server in &servers {
            let read = server.get("/subscription-plans/pro").await.expect(200);
            for body in &bodies {
                let (field, value) = body.as_object().unwrap().iter().next().unwrap();
                assert_eq!(&read.data()[field], value, "round {round}");
            }
        }
    }
    is_a_chain(&servers[0], text(&plan, "id")).await;
}

#[tokio::test]
async fn puts_of_different_fields_at_once_all_apply_to_subscriptions_and_payments() {
    let servers = servers().await;
    let records = Records::create(&servers[0]).await;
    for round in 1..=10 {
        servers[0].advance(1);
        let subscription = [
            json!({ "external_subscription_id": format!("s{round}") }),
            json!({ "billing_cycle": if round % 2 == 0 { "monthly" } else { "yearly" } }),
            json!({ "is_active": round % 2 == 0 }),
            json!({ "ends_at": format!("2027-01-{round:02}T00:00:00.000000Z") }),
            json!({ "renews_at": format!("2026-12-{round:02}T00:00:00.000000Z") }),
        ];
        let payment = [
            json!({ "external_payment_id": format!("p{round}") }),
            json!({ "amount": round }),
            json!({ "currency": if round % 2 == 0 { "USD" } else { "EUR" } }),
        ];
        for (path, bodies) in [(records.subscription_path(), &subscription[..]), (records.payment_path(), &payment[..])]
        {
            for answer in at_once(&servers, "PUT", &path, None, bodies).await {
                answer.expect(200);
            }
            let read = servers[0].get(&path).await;
            for body in bodies {
                let (field, value) = body.as_object().unwrap().iter().next().unwrap();
                assert_eq!(&read.data()[field], value, "round {round}");
            }
        }
    }
    is_a_chain(&servers[0], text(&records.payment, "id")).await;
}

/// More than there are attempts at a change: a request that lost one must not lose the next to a later one.
#[tokio::test]
async fn a_crowd_at_one_record_gets_through_to_the_last() {
    let servers = servers().await;
    let records = Records::create(&servers[0]).await;
    servers[0].plan("busy", json!({})).await;
    for (path, field) in [
        ("/subscription-plans/busy".to_owned(), "description"),
        (records.subscription_path(), "external_subscription_id"),
        (records.payment_path(), "external_payment_id"),
    ] {
        let bodies: Vec<Value> = (0..150).map(|number| json!({ field: format!("n{number}") })).collect();
        for answer in at_once(&servers, "PUT", &path, None, &bodies).await {
            answer.expect(200);
        }
    }
}

#[tokio::test]
async fn of_many_who_name_the_same_revision_one_gets_through() {
    let servers = servers().await;
    servers[0].plan("pro", json!({})).await;
    for round in 0..20 {
        let tag = servers[0].get("/subscription-plans/pro").await.header("etag").to_owned();
        let bodies: Vec<Value> = (1..=8).map(|number| json!({ "tier": round * 8 + number })).collect();
        let answers = at_once(&servers, "PUT", "/subscription-plans/pro", Some(&tag), &bodies).await;
        let (through, stale): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!((through.len(), stale.len()), (1, 7), "round {round}");
        for answer in stale {
            answer.refused(412, "stale");
        }
        assert_eq!(servers[0].get("/subscription-plans/pro").await.bytes, through[0].bytes);
    }
}

#[tokio::test]
async fn of_many_deletes_at_once_one_removes_the_record() {
    let servers = servers().await;
    for round in 0..10 {
        let slug = format!("p{round}");
        servers[0].plan(&slug, json!({})).await;
        let path = format!("/subscription-plans/{slug}");
        let answers = at_once(&servers, "DELETE", &path, None, &vec![json!({}); 6]).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404, 404, 404, 404, 404]);
    }
    let deleted = servers[0].events().await.iter().filter(|event| event.kind.as_str() == "plan.deleted").count();
    assert_eq!(deleted, 10);
}
