//! The parameters, errors and settings of analytics.

use super::support::*;
use perennial_app::analytics::options::AnalyticsOptions;
use perennial_app::caller::Caller;
use perennial_app::connections::{self, Collections, ConnectionDraft, ConnectionKind, ConnectionName};
use perennial_identity::secret::Secret;
use perennial_testkit::{TestApp, TestOptions};
use serde_json::{Value, json};

#[tokio::test]
async fn what_cannot_be_read_is_rejected_with_its_parameter() {
    let app = TestApp::start().await;
    for (target, parameter) in [
        ("revenue?currency=ABC", "currency"),
        ("revenue?interval=week", "interval"),
        ("revenue?from=2026-13", "from"),
        ("revenue?to=2026-02-30", "to"),
        ("revenue?from=2026-03&to=2026-02", "from"),
        ("revenue?from=2026-03-02&to=2026-03-01", "from"),
        ("trials?from=2026-03-02&to=2026-03-01", "from"),
        ("revenue?from=2000-01", "from"),
        ("revenue?interval=day&from=2025-01-01", "from"),
        ("movements?kind=lost", "kind"),
        ("movements?user_id=me", "user_id"),
        ("movements?limit=0", "limit"),
        ("movements?from=2000-01", "from"),
        ("cohorts?to=yesterday", "to"),
        ("trials?from=1969-12", "from"),
        ("payments?currency=usdx", "currency"),
        ("plans?date=2026-04", "date"),
    ] {
        let answer = app.get(&format!("/analytics/{target}")).await.refused(400, "invalid_parameter");
        assert_eq!(answer.json["errors"][0]["parameter"], parameter, "{target}");
    }
    app.get("/analytics/trials?currency=USD").await.refused(400, "unknown_parameter");
    app.get("/analytics/movements?cursor=x").await.refused(400, "invalid_cursor");
    app.browser("GET", "/analytics/revenue").send().await.refused(403, "insufficient_scope");
}

#[tokio::test]
async fn periods_without_data_have_rows() {
    let app = TestApp::start().await;
    let early = app.get("/analytics/revenue").await.expect(200);
    assert_eq!(early.json["meta"]["state"], "catching_up", "no ledger yet");
    let _working = maintain(&app);
    let answer = figures(&app, "/analytics/revenue").await;
    let periods: Vec<_> = answer.data().as_array().unwrap().iter().map(|row| row["period"].as_str().unwrap()).collect();
    assert_eq!((periods.len(), periods[0], periods[11]), (12, "2025-04", "2026-03"));
    assert_eq!((&answer.data()[0]["end"], &answer.data()[0]["arpu"]), (&json!(0), &Value::Null));
    assert_eq!(answer.header("etag"), "");
    assert_eq!(figures(&app, "/analytics/revenue?interval=day").await.data().as_array().unwrap().len(), 30);
    assert_eq!(figures(&app, "/analytics/cohorts?from=2026-01").await.data()[0]["cells"].as_array().unwrap().len(), 3);
    assert_eq!(figures(&app, "/analytics/plans").await.data(), &json!([]));
    let trials = figures(&app, "/analytics/trials").await;
    assert_eq!((&trials.data()[11]["rate"], &trials.json["meta"]["currency"]), (&Value::Null, &Value::Null));
    let euros = figures(&app, "/analytics/revenue?currency=eur").await;
    assert_eq!((&euros.json["meta"]["currency"], &euros.json["meta"]["currencies"]), (&json!("EUR"), &json!([])));
}

#[tokio::test]
async fn movements_are_listed_in_pages_newest_first() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    app.plan("pro", json!({ "price": 29 })).await;
    let mut users = Vec::new();
    for number in 0..5 {
        let user = app.user(&format!("user{number}@example.com")).await;
        app.subscription(&user, "pro", json!({})).await;
        users.push(user);
    }
    app.advance(86_400);
    app.subscription(&users[2], "pro", json!({ "quantity": 2 })).await;
    let all = figures(&app, "/analytics/movements").await.data().as_array().unwrap().clone();
    let first = json!({ "date": "2026-03-11", "user_id": users[2], "kind": "expansion", "amount": 58, "mrr": 87 });
    assert_eq!((all.len(), &all[0]), (6, &first));
    let mut sorted = users.clone();
    sorted.sort();
    assert_eq!(all[1..].iter().map(|row| row["user_id"].as_str().unwrap()).collect::<Vec<_>>(), sorted);
    for filter in ["", "&kind=new", "&from=2026-03-10&to=2026-03-10", &format!("&user_id={}", users[2])] {
        let whole = app.get(&format!("/analytics/movements?limit=200{filter}")).await.expect(200).data().clone();
        let (mut read, mut cursor) = (Vec::new(), String::new());
        loop {
            let answer = app.get(&format!("/analytics/movements?limit=2{filter}{cursor}")).await.expect(200);
            read.extend(answer.data().as_array().unwrap().iter().cloned());
            match answer.json["page"]["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(Value::from(read), whole, "{filter}");
    }
    let cursor = app.get("/analytics/movements?limit=2").await.expect(200).json["page"]["next_cursor"].clone();
    let other = format!("/analytics/movements?limit=2&kind=new&cursor={}", cursor.as_str().unwrap());
    app.get(&other).await.refused(400, "invalid_cursor");
}

#[tokio::test]
async fn payments_count_by_their_status_now() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let made = app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let path = |payment: &Value| format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    let pending = app.payment(&made, json!({ "amount": 10 })).await;
    let failed = app.payment(&made, json!({ "amount": 7, "status": "failed" })).await;
    let kept = app.payment(&made, json!({ "amount": 5, "status": "completed" })).await;
    let deleted = app.payment(&made, json!({ "amount": 3, "status": "completed" })).await;
    app.payment(&made, json!({ "amount": 4, "currency": "EUR", "status": "completed" })).await;
    app.advance(86_400);
    app.put(&path(&pending), &json!({ "status": "completed" })).await.expect(200);
    app.put(&path(&kept), &json!({ "status": "refunded" })).await.expect(200);
    app.delete(&path(&deleted)).await.expect(200);
    let days = figures(&app, "/analytics/payments?interval=day&from=2026-03-10").await;
    let row = |period: &str, collected: Value, refunded: Value, failed: Value, rate: Value| json!({ "period": period, "collected": collected, "refunded": refunded, "failed": failed, "failure_rate": rate });
    let counted = |count: i64, amount: i64| json!({ "count": count, "amount": amount });
    let expected = json!([
        row("2026-03-10", counted(1, 5), counted(1, 5), counted(1, 7), json!(0.5)),
        row("2026-03-11", counted(1, 10), counted(0, 0), counted(0, 0), json!(0)),
    ]);
    assert_eq!(days.data(), &expected);
    app.put(&path(&failed), &json!({ "status": "completed" })).await.expect(200);
    let months = figures(&app, "/analytics/payments?from=2026-03").await;
    assert_eq!(months.data(), &json!([row("2026-03", counted(3, 22), counted(1, 5), counted(0, 0), json!(0))]));
}

/// The event of a failed collection contains its reason, and not the payment.
#[tokio::test]
async fn a_payment_whose_collection_failed_counts_as_failed() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let made = app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned();
    let payment = app.payment(&made, json!({ "amount": 7 })).await;
    let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    let (kind, name) = (Some(ConnectionKind::Stripe), ConnectionName::parse("main").ok());
    let draft = ConnectionDraft { kind, name, collect: Some(true), ..ConnectionDraft::default() };
    let (caller, secret) = (Caller::system(app.organization), || Secret::new("sk_1".to_owned()));
    let connection = connections::create(&app.app, &caller, draft, secret(), secret()).await.unwrap();
    // Without a payment method nothing is requested, and the payment fails.
    app.post(&format!("{path}/collect"), &json!({ "connection_id": connection.id })).await.expect(200);
    let _collecting = app.work(Collections);
    let mut tries = 0;
    while app.get(&path).await.expect(200).data()["status"] != "failed" {
        tries += 1;
        assert!(tries < 2_000, "the collection does not end");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let kinds: Vec<&str> = app.events().await.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"payment.collection_failed"), "{kinds:?}");
    let months = figures(&app, "/analytics/payments?from=2026-03").await;
    assert_eq!(months.data()[0]["failed"], json!({ "count": 1, "amount": 7 }));
    assert_eq!(months.data()[0]["failure_rate"], json!(1));
}

#[tokio::test]
async fn without_analytics_their_paths_do_not_exist() {
    let mut options = TestOptions::default();
    options.app.analytics = AnalyticsOptions { enabled: false };
    let app = TestApp::with(options).await;
    for path in ["revenue", "movements", "cohorts", "trials", "payments", "plans"] {
        app.get(&format!("/analytics/{path}")).await.refused(404, "route_not_found");
        app.anonymous("GET", &format!("/analytics/{path}")).send().await.refused(404, "route_not_found");
        app.post(&format!("/analytics/{path}"), &json!({})).await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn without_customers_at_the_start_there_is_no_lifetime_value() {
    let app = TestApp::start().await;
    let _working = maintain(&app);
    app.plan("pro", json!({ "price": 29 })).await;
    let mut made = Vec::new();
    for name in ["ada", "ben"] {
        let user = app.user(&format!("{name}@example.com")).await;
        made.push(app.subscription(&user, "pro", json!({})).await["id"].as_str().unwrap().to_owned());
    }
    app.advance(86_400);
    app.delete(&format!("/subscriptions/{}", made[0])).await.expect(200);
    let march = figures(&app, "/analytics/revenue?from=2026-03").await.data()[0].clone();
    let of = |name: &str| march[name].clone();
    assert_eq!([of("customers_start"), of("customers_churned"), of("customers_end")], [json!(0), json!(1), json!(1)]);
    assert!(["logo_churn", "gross_churn", "nrr", "grr", "ltv"].iter().all(|name| of(name).is_null()), "{march}");
    assert_eq!((of("arpu"), of("churned")), (json!(29), json!(-29)));
    // April and the two months before: one customer at the start, and one that churned.
    app.set_time("2026-04-10T12:00:00Z");
    let april = figures(&app, "/analytics/revenue?from=2026-04").await.data()[0].clone();
    assert_eq!((&april["logo_churn"], &april["ltv"]), (&json!(0), &json!(29)));
}
