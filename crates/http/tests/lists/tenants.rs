//! API rules 2.1 (`docs/api.md`): an organization owns everything; another's record is a 404, wherever it is named.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

struct Records {
    user: String,
    plan: String,
    subscription: String,
    payment: String,
}

async fn records(app: &TestApp) -> Records {
    let user = app.user("ada@example.com").await;
    let plan = app.plan("pro", json!({})).await;
    let changes = json!({ "external_subscription_id": "ext" });
    let subscription = app.subscription(&user, "pro", changes).await["id"].as_str().unwrap().to_owned();
    let payment = app.payment(&subscription, json!({ "external_payment_id": "ext" })).await;
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    Records { user, plan: id(&plan), payment: id(&payment), subscription }
}

#[tokio::test]
async fn another_organizations_record_is_as_good_as_none() {
    let app = TestApp::start().await;
    let Records { plan, subscription, payment, .. } = records(&app).await;
    let other = Tenant::new(&app, "other").await;
    let before = app.events().await.len();
    for (theirs, unknown, change) in [
        ("/subscription-plans/pro".to_owned(), "/subscription-plans/nothing", json!({ "price": 1 })),
        (
            format!("/subscription-plans/{plan}"),
            "/subscription-plans/plan_01h455vb4pex5vsknk084sn02q",
            json!({ "price": 1 }),
        ),
        (
            format!("/subscriptions/{subscription}"),
            "/subscriptions/sub_01h455vb4pex5vsknk084sn02q",
            json!({ "status": "paused" }),
        ),
        (
            format!("/subscription-payments/{payment}"),
            "/subscription-payments/pay_01h455vb4pex5vsknk084sn02q",
            json!({ "status": "completed" }),
        ),
    ] {
        for (method, body) in
            [("GET", None), ("PUT", Some(&change)), ("DELETE", None), ("PUT", Some(&json!({ "x": 1 })))]
        {
            let ask = async |target: &str| {
                let request =
                    other.request(method, target).header("x-request-id", "same").header("if-match", "\"stale\"");
                let request = body.map_or(request.clone(), |body| request.json(body));
                request.send().await.refused(404, "not_found").bytes
            };
            assert_eq!(ask(&theirs).await, ask(unknown).await, "{method} {theirs}");
        }
        app.get(&theirs).await.expect(200);
    }
    assert_eq!(app.events().await.len(), before);
}

#[tokio::test]
async fn another_organizations_records_cannot_be_referred_to() {
    let app = TestApp::start().await;
    let mine = records(&app).await;
    let other = Tenant::new(&app, "other").await;
    let user = app.user_of(other.organization, "ada@example.com").await;
    let plan = json!({ "name": "T", "slug": "theirs", "price": 1, "billing_cycle": "monthly" });
    other.post("/subscription-plans", &plan).await.expect(201);
    let faults = async |target: &str, body: Value| other.post(target, &body).await.expect(422).faults();
    for plan in ["pro", &mine.plan] {
        let body = json!({ "user_id": mine.user, "subscription_plan_id": plan });
        assert_eq!(faults("/subscriptions", body).await, ["/user_id not_found", "/subscription_plan_id not_found"]);
    }
    let body = json!({ "subscription_id": mine.subscription, "amount": 1, "currency": "USD" });
    assert_eq!(faults("/subscription-payments", body).await, ["/subscription_id not_found"]);
    let body = json!({ "user_id": user, "subscription_plan_id": "theirs" });
    let theirs = other.post("/subscriptions", &body).await.expect(201);
    let path = theirs.header("location").to_owned();
    for (field, value) in [("user_id", &mine.user), ("subscription_plan_id", &mine.plan)] {
        let answer = other.request("PUT", &path).json(&json!({ field: value })).send().await;
        assert_eq!(answer.refused(422, "not_found").faults(), [format!("/{field} not_found")]);
    }
    let body = json!({ "subscription_id": theirs.data()["id"], "amount": 1, "currency": "USD" });
    let payment = other.post("/subscription-payments", &body).await.expect(201);
    let change = json!({ "subscription_id": mine.subscription });
    let answer = other.request("PUT", payment.header("location")).json(&change).send().await;
    assert_eq!(answer.refused(422, "not_found").faults(), ["/subscription_id not_found"]);
}

#[tokio::test]
async fn what_is_unique_is_unique_in_one_organization_only() {
    let app = TestApp::start().await;
    records(&app).await;
    let other = Tenant::new(&app, "other").await;
    let user = app.user_of(other.organization, "ada@example.com").await;
    let plan = json!({ "name": "T", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    other.post("/subscription-plans", &plan).await.expect(201);
    let body = json!({ "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": "ext" });
    let subscription = other.post("/subscriptions", &body).await.expect(201).data()["id"].clone();
    let body = json!({ "subscription_id": subscription, "amount": 1, "currency": "USD", "external_payment_id": "ext" });
    other.post("/subscription-payments", &body).await.expect(201);
}

#[tokio::test]
async fn no_filter_reaches_another_organizations_rows() {
    let app = TestApp::start().await;
    let mine = records(&app).await;
    let other = Tenant::new(&app, "other").await;
    for query in [
        String::new(),
        format!("?user_id={}", mine.user),
        format!("?subscription_plan_id={}", mine.plan),
        "?subscription_plan_id=pro".to_owned(),
        "?external_subscription_id=ext".to_owned(),
        "?status=active&sort=renews_at".to_owned(),
        "?sort=-ends_at".to_owned(),
    ] {
        let target = format!("/subscriptions{query}");
        assert_eq!(app.get(&target).await.expect(200).data().as_array().unwrap().len(), 1, "{query}");
        let theirs = other.request("GET", &target).send().await.expect(200);
        assert_eq!(theirs.data(), &json!([]), "{query}");
    }
}
