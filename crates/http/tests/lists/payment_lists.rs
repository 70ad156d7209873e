//! API rules 6 (`docs/api.md`): lists of payments, newest first, by their filters.

use super::support::*;
use perennial_store::Sql;
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
        let currency = if number == 2 { "EUR" } else { "USD" };
        let fields = json!({ "status": status, "external_payment_id": format!("ch_{number}"), "currency": currency });
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
    let date = |index: usize| encode(payments[index]["date"].as_str().unwrap());
    let lists: [(String, &[usize]); 17] = [
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
        (format!("subscription_id={}&external_payment_id=ch_4", subscriptions[1]), &[]),
        (format!("subscription_id={}&status=completed&created_before={}", subscriptions[1], created(1)), &[3]),
        ("currency=eur".into(), &[2]),
        ("currency=USD&status=completed".into(), &[1, 3]),
        (format!("date_after={}", date(1)), &[1]),
        (format!("date_before={}", date(1)), &[3]),
        (format!("date_after={}&date_before={}&currency=USD", date(3), date(1)), &[3]),
    ];
    for (query, expected) in lists {
        let expected: Vec<Value> = expected.iter().map(|index| payments[*index].clone()).collect();
        let target = format!("/subscription-payments?{query}");
        assert_eq!(follow(&app, &target, 1).await, expected, "{query}");
        assert_eq!(follow(&app, &format!("{target}&sort=-created_at"), 2).await, expected, "{query}");
        let oldest_first: Vec<Value> = expected.into_iter().rev().collect();
        assert_eq!(follow(&app, &format!("{target}&sort=created_at"), 1).await, oldest_first, "{query}");
    }
}

#[tokio::test]
async fn a_malformed_filter_of_payments_is_400() {
    let app = TestApp::start().await;
    for query in [
        "subscription_id=pay_1",
        "status=completed,done",
        "created_after=yesterday",
        "external_payment_id=",
        "currency=XXX",
        "currency=",
        "date_after=2026",
        "sort=date",
        "sort=+created_at",
        "sort=",
        "limit=201",
    ] {
        app.get(&format!("/subscription-payments?{query}")).await.refused(400, "invalid_parameter");
    }
    app.get("/subscription-payments?user_id=usr_1").await.refused(400, "unknown_parameter");
}

#[tokio::test]
async fn a_cursor_of_payments_works_with_its_order_and_filters_only() {
    let app = TestApp::start().await;
    fill(&app).await;
    let targets = ["", "&sort=created_at", "&currency=USD", "&date_after=2020-01-01T00:00:00Z"];
    for target in targets {
        let page = app.get(&format!("/subscription-payments?limit=1{target}")).await.expect(200);
        let cursor = next_cursor(&page).unwrap();
        for other in targets {
            let answer = app.get(&format!("/subscription-payments?limit=1&cursor={cursor}{other}")).await;
            if other == target {
                answer.expect(200);
            } else {
                answer.refused(400, "invalid_cursor");
            }
        }
    }
}

#[tokio::test]
async fn the_payments_of_an_invoice_are_listed() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("free", json!({ "price": 0 })).await;
    let subscription = app.subscription(&user, "free", json!({ "billing": { "collection": "manual" } })).await;
    let id = subscription["id"].as_str().unwrap();
    app.payment(id, json!({})).await;
    let mut invoices = Vec::new();
    for _ in 0..2 {
        let body = json!({ "subscription_id": id, "lines": [{ "description": "Item", "unit_price": 50 }] });
        let invoice = app.post("/invoices", &body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
        app.request("POST", &format!("/invoices/{invoice}/finalize")).send().await.expect(200);
        invoices.push(invoice);
    }
    let mut paid = Vec::new();
    for (number, status) in ["failed", "completed", "pending"].into_iter().enumerate() {
        app.advance(1);
        let external = format!("ch_{number}");
        let of_first =
            json!({ "invoice_id": invoices[0], "status": status, "external_payment_id": external, "amount": 5 });
        paid.insert(0, app.payment(id, of_first).await);
        app.payment(id, json!({ "invoice_id": invoices[1], "status": "failed" })).await;
    }
    let of_invoice = format!("/subscription-payments?invoice_id={}", invoices[0]);
    let created = encode(paid[1]["created_at"].as_str().unwrap());
    for (query, expected) in [
        (String::new(), &[0, 1, 2][..]),
        ("&status=completed".to_owned(), &[1]),
        (format!("&subscription_id={id}"), &[0, 1, 2]),
        ("&subscription_id=sub_01h455vb4pex5vsknk084sn02q".to_owned(), &[]),
        ("&external_payment_id=ch_0".to_owned(), &[2]),
        (format!("&external_payment_id=ch_0&subscription_id={id}"), &[2]),
        (format!("&created_after={created}"), &[0, 1]),
        (format!("&created_before={created}&currency=USD"), &[2]),
    ] {
        let expected: Vec<Value> = expected.iter().map(|index| paid[*index].clone()).collect();
        let target = format!("{of_invoice}{query}");
        assert_eq!(follow(&app, &target, 1).await, expected, "{query}");
        let oldest_first: Vec<Value> = expected.into_iter().rev().collect();
        assert_eq!(follow(&app, &format!("{target}&sort=created_at"), 2).await, oldest_first, "{query}");
    }
    let other = format!("/subscription-payments?invoice_id={}&external_payment_id=ch_0", invoices[1]);
    assert_eq!(app.get(&other).await.expect(200).data(), &json!([]));
    let unknown = "/subscription-payments?invoice_id=inv_01h455vb4pex5vsknk084sn02q";
    assert_eq!(app.get(unknown).await.expect(200).data(), &json!([]));
    app.get(&format!("/subscription-payments?invoice_id={id}")).await.refused(400, "invalid_parameter");
    let page = app.get(&format!("{of_invoice}&limit=1")).await.expect(200);
    let cursor = next_cursor(&page).unwrap();
    app.get(&format!("/subscription-payments?limit=1&cursor={cursor}")).await.refused(400, "invalid_cursor");
    let second = format!("/subscription-payments?invoice_id={}&cursor={cursor}", invoices[1]);
    app.get(&second).await.refused(400, "invalid_cursor");
    let tenant = Tenant::new(&app, "other").await;
    assert_eq!(tenant.request("GET", &of_invoice).send().await.expect(200).data(), &json!([]));
}

/// A page under a filter that has an index is never short, although other rows lie between.
#[tokio::test]
async fn the_payments_of_a_subscription_are_found_among_many_others() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let first = app.subscription(&user, "pro", json!({})).await;
    let paid = app.payment(first["id"].as_str().unwrap(), json!({})).await;
    app.advance(1);
    let second = app.subscription(&user, "pro", json!({})).await;
    app.payment(second["id"].as_str().unwrap(), json!({})).await;
    execute(&app, &MANY).await;
    assert!(count(&app, "SELECT COUNT(*) FROM payments").await > 12_000);
    let target = format!("/subscription-payments?subscription_id={}", first["id"].as_str().unwrap());
    let list = app.get(&target).await.expect(200);
    assert_eq!(list.data(), &json!([paid]));
    assert_eq!(list.json["page"]["has_more"], false);
}

/// More payments of the second subscription than a page walks, all newer.
static MANY: Sql = Sql::split(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
     INSERT INTO payments
     SELECT organization_id, unhex('ffffffffffff70008000' || printf('%012x', i)),
            (SELECT id FROM subscriptions ORDER BY id DESC LIMIT 1), amount, currency, NULL, status, completed_at, created_at,
            updated_at, NULL, revision, NULL, NULL, NULL
     FROM (SELECT * FROM payments LIMIT 1), n",
    "INSERT INTO payments
     SELECT organization_id, ('ffffffff-ffff-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
            (SELECT id FROM subscriptions ORDER BY id DESC LIMIT 1), amount, currency, NULL, status, completed_at, created_at,
            updated_at, NULL, revision, NULL, NULL, NULL
     FROM (SELECT * FROM payments LIMIT 1) AS one, generate_series(1, 12000) AS i",
);

#[tokio::test]
async fn a_list_of_payments_shows_one_organization_only() {
    let app = TestApp::start().await;
    fill(&app).await;
    let other = Tenant::new(&app, "other").await;
    let list = other.request("GET", "/subscription-payments").send().await.expect(200);
    assert_eq!(list.data(), &json!([]));
}
