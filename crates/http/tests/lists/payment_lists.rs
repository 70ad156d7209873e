//! API rules 6 (`docs/api.md`): lists of payments, newest first, by their filters.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Two subscriptions with payments, newest first.
async fn fill(app: &TestApp) -> (Vec<String>, Vec<Value>) {
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let mut subscriptions = Vec::new();
    for _ in 0..2 {
        subscriptions.push(app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned());
    }
    let mut payments = Vec::new();
    for (number, status) in ["pending", "completed", "failed", "completed", "refunded"].into_iter().enumerate() {
        app.advance(1);
        let fields = json!({ "status": status, "external_payment_id": format!("ch_{number}") });
        payments.insert(0, app.payment(&subscriptions[number % 2], fields).await);
    }
    (subscriptions, payments)
}

#[tokio::test]
async fn payments_are_listed_newest_first_page_by_page() {
    let app = TestApp::start().await;
    let (_, payments) = fill(&app).await;
    for limit in [1, 2, 5, 50] {
        assert_eq!(follow(&app, "/subscription-payments", limit).await, payments, "{limit}");
    }
    let deleted = format!("/subscription-payments/{}", payments[1]["id"].as_str().unwrap());
    app.delete(&deleted).await.expect(200);
    let left = [&payments[..1], &payments[2..]].concat();
    assert_eq!(follow(&app, "/subscription-payments", 2).await, left);
}

#[tokio::test]
async fn every_filter_of_payments_narrows_the_list() {
    let app = TestApp::start().await;
    let (subscriptions, payments) = fill(&app).await;
    let created = |index: usize| encode(payments[index]["created_at"].as_str().unwrap());
    let lists: [(String, &[usize]); 10] = [
        (format!("subscription_id={}", subscriptions[1]), &[1, 3]),
        ("status=completed".into(), &[1, 3]),
        ("status=failed,refunded".into(), &[0, 2]),
        ("external_payment_id=ch_3".into(), &[1]),
        ("external_payment_id=ch_9".into(), &[]),
        (format!("created_after={}", created(1)), &[0, 1]),
        (format!("created_before={}", created(1)), &[2, 3, 4]),
        (format!("created_after={}&created_before={}", created(3), created(1)), &[2, 3]),
        (format!("subscription_id={}&status=refunded&external_payment_id=ch_4", subscriptions[0]), &[0]),
        ("subscription_id=sub_01h455vb4pex5vsknk084sn02q".into(), &[]),
    ];
    for (query, expected) in lists {
        let expected: Vec<Value> = expected.iter().map(|index| payments[*index].clone()).collect();
        assert_eq!(follow(&app, &format!("/subscription-payments?{query}"), 1).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_malformed_filter_of_payments_is_400() {
    let app = TestApp::start().await;
    for query in ["subscription_id=pay_1", "status=completed,done", "created_after=yesterday", "external_payment_id="] {
        app.get(&format!("/subscription-payments?{query}")).await.refused(400, "invalid_parameter");
    }
    app.get("/subscription-payments?user_id=usr_1").await.refused(400, "unknown_parameter");
}

#[tokio::test]
async fn a_list_of_payments_shows_one_organization_only() {
    let app = TestApp::start().await;
    fill(&app).await;
    let other = Tenant::new(&app, "other").await;
    let list = other.request("GET", "/subscription-payments").send().await.expect(200);
    assert_eq!(list.data(), &json!([]));
}
