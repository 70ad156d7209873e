//! `?dry_run=true` decides as the write would, and writes nothing.

use super::support::{Base, id};
use serde_json::{Value, json};

/// The record without what differs between two writes.
fn comparable(record: &Value) -> Value {
    let mut record = record.clone();
    record.as_object_mut().unwrap().remove("id");
    record
}

#[tokio::test]
async fn a_dry_run_returns_what_the_write_returns_and_writes_nothing() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan_body = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly" });
    let dry = base.app.post("/subscription-plans?dry_run=true", &plan_body).await.expect(200);
    assert_eq!(dry.header("perennial-dry-run"), "true");
    assert_eq!(dry.json["documents"], json!({ "invoices": [], "credit_notes": [] }));
    base.app.get("/subscription-plans/pro").await.expect(404);
    let real = base.app.post("/subscription-plans", &plan_body).await.expect(201);
    assert_eq!(comparable(dry.data()), comparable(real.data()));

    let body = json!({ "user_id": base.user, "subscription_plan_id": "free", "billing": {} });
    base.plan("free", json!({})).await;
    let dry = base.app.post("/subscriptions?dry_run=true", &body).await.expect(200);
    let real = base.app.post("/subscriptions?dry_run=false", &body).await.expect(201);
    assert_eq!(comparable(dry.data()), comparable(real.data()));
    let target = format!("/subscriptions/{}", id(real.data()));
    let before = base.app.events().await.len();
    base.app.advance(60);
    let dry = base.app.put(&format!("{target}?dry_run=true"), &json!({ "status": "paused" })).await.expect(200);
    assert_eq!(dry.data()["status"], "paused");
    assert_eq!(&base.read(id(real.data())).await, real.data());
    assert_eq!(base.app.events().await.len(), before);
    let real = base.app.put(&target, &json!({ "status": "paused" })).await.expect(200);
    assert_eq!(dry.data(), real.data());
    let dry = base.app.delete(&format!("{target}?dry_run=true")).await.expect(200);
    assert_eq!(dry.data(), real.data());
    base.app.get(&target).await.expect(200);
}

#[tokio::test]
async fn a_dry_run_finds_the_conflicts_of_the_write() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let first = base.subscribe(&plan, json!({ "external_subscription_id": "a" })).await;
    let second = base.subscribe(&plan, json!({})).await;
    let body = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly" });
    base.app.post("/subscription-plans?dry_run=true", &body).await.refused(409, "slug_taken");
    base.app.delete("/subscription-plans/pro?dry_run=true").await.refused(409, "plan_in_use");
    let target = |record: &Value| format!("/subscriptions/{}?dry_run=true", id(record));
    let taken = json!({ "external_subscription_id": "a" });
    base.app.put(&target(&second), &taken).await.refused(409, "external_id_taken");
    base.app.put(&target(&first), &taken).await.expect(200);
    base.app.put(&target(&first), &json!({ "status": "unpaid" })).await.refused(409, "managed_status");
    base.app.put("/subscription-plans/pro?dry_run=true", &json!({ "price": -1 })).await.expect(422);
    base.app.put("/subscription-plans/pro?dry_run=maybe", &json!({})).await.refused(400, "invalid_parameter");
    base.app.advance(40 * 86_400);
    base.app.put(&target(&first), &json!({ "quantity": 2 })).await.refused(409, "lifecycle_behind");
    assert_eq!(base.types(id(&first)).await, ["subscription.created"]);
}

#[tokio::test]
async fn a_dry_run_finds_codes_and_slugs_that_are_taken_and_meters_in_use() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let coupon = |code: &str| json!({ "code": code, "percent": 5, "duration": "once" });
    let meter = |slug: &str| json!({ "slug": slug, "name": "Calls", "aggregation": "sum" });
    let coupon_id = id(base.app.post("/coupons", &coupon("SPRING")).await.expect(201).data()).to_owned();
    let meter_id = id(base.app.post("/meters", &meter("calls")).await.expect(201).data()).to_owned();
    let feature = json!({ "key": "calls", "name": "Calls", "kind": "quota", "meter": meter_id });
    base.app.post("/features", &feature).await.expect(201);
    let off = json!({ "is_active": false });
    for query in ["?dry_run=true", ""] {
        base.app.post(&format!("/coupons{query}"), &coupon("SPRING")).await.refused(409, "code_taken");
        base.app.post(&format!("/coupons{query}"), &coupon("spring")).await.refused(409, "code_taken");
        base.app.post(&format!("/meters{query}"), &meter("calls")).await.refused(409, "slug_taken");
        base.app.put(&format!("/meters/{meter_id}{query}"), &off).await.refused(409, "meter_in_use");
    }
    // A record has no conflict with itself, and an inactive feature uses no meter.
    base.app.put(&format!("/coupons/{coupon_id}?dry_run=true"), &off).await.expect(200);
    base.app.put(&format!("/meters/{meter_id}?dry_run=true"), &json!({ "name": "Requests" })).await.expect(200);
    base.app.put("/features/calls", &off).await.expect(200);
    base.app.put(&format!("/meters/{meter_id}?dry_run=true"), &off).await.expect(200);
}

#[tokio::test]
async fn a_dry_run_ignores_the_idempotency_key() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let body = json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly" });
    let send = |target: &str| base.app.request("POST", target).header("idempotency-key", "k").json(&body).send();
    send("/subscription-plans?dry_run=true").await.expect(200);
    let real = send("/subscription-plans").await.expect(201);
    send("/subscription-plans?dry_run=true").await.refused(409, "slug_taken");
    assert_eq!(send("/subscription-plans").await.expect(201).data(), real.data());
}

#[tokio::test]
async fn a_dry_run_that_depends_on_a_draft_that_is_due_is_rejected() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({ "price": 10 })).await;
    let created = base.subscribe(&plan, json!({})).await;
    let target = format!("/subscriptions/{}", id(&created));
    let invoices = base.app.get("/invoices").await.expect(200).data().clone();
    assert_eq!(invoices[0]["status"], "draft");
    let act = |action: &str| base.app.request("POST", &format!("/invoices/{}/{action}", id(&invoices[0]))).send();
    act("void?dry_run=true").await.refused(409, "lifecycle_behind");
    act("finalize?dry_run=true").await.expect(200);
    let note = json!({ "invoice_id": invoices[0]["id"], "amount": 1 });
    base.app.post("/credit-notes?dry_run=true", &note).await.refused(409, "lifecycle_behind");
    base.app.delete(&format!("{target}?dry_run=true")).await.refused(409, "lifecycle_behind");
    let external = json!({ "billing": null });
    base.app.put(&format!("{target}?dry_run=true"), &external).await.refused(409, "lifecycle_behind");
    base.app.put(&target, &external).await.refused(409, "has_open_invoices");
    base.app.put(&format!("{target}?dry_run=true"), &external).await.refused(409, "has_open_invoices");
}

#[tokio::test]
async fn payments_can_be_tried() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    let plan = base.plan("pro", json!({})).await;
    let subscription = base.subscribe(&plan, json!({})).await;
    let body = json!({ "subscription_id": id(&subscription), "amount": 5, "currency": "USD" });
    let dry = base.app.post("/subscription-payments?dry_run=true", &body).await.expect(200);
    base.app.get(&format!("/subscription-payments/{}", id(dry.data()))).await.expect(404);
}

#[tokio::test]
async fn the_records_of_billing_can_be_tried_too() {
    let base = Base::at("2026-03-10T12:00:00Z").await;
    base.plan("free", json!({})).await;
    let subscription = base.subscribe("free", json!({})).await;
    let post = async |path: &str, body: &Value| base.app.post(path, body).await;
    let rate = id(post("/tax-rates", &json!({ "name": "VAT", "percentage": 5 })).await.expect(201).data()).to_owned();
    let coupon = json!({ "code": "SPRING", "percent": 5, "duration": "once" });
    let coupon = id(post("/coupons", &coupon).await.expect(201).data()).to_owned();
    let meter = json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" });
    let meter = id(post("/meters", &meter).await.expect(201).data()).to_owned();
    let lines = json!([{ "description": "Setup", "unit_price": 50 }]);
    let sent = json!({ "subscription_id": subscription["id"], "lines": lines });
    let invoice = id(post("/invoices", &sent).await.expect(201).data()).to_owned();
    base.app.request("POST", &format!("/invoices/{invoice}/finalize")).send().await.expect(200);
    let credits = format!("/users/{}/credits", base.user);
    let before = base.app.events().await.len();
    for (method, path, body) in [
        ("POST", "/tax-rates".to_owned(), json!({ "name": "GST", "percentage": 5 })),
        ("PUT", format!("/tax-rates/{rate}"), json!({ "is_active": false })),
        ("POST", "/coupons".to_owned(), json!({ "code": "SUMMER", "percent": 5, "duration": "once" })),
        ("PUT", format!("/coupons/{coupon}"), json!({ "is_active": false })),
        ("POST", "/meters".to_owned(), json!({ "slug": "bytes", "name": "Bytes", "aggregation": "sum" })),
        ("PUT", format!("/meters/{meter}"), json!({ "name": "Requests" })),
        ("POST", credits.clone(), json!({ "currency": "USD", "amount": 5 })),
        ("PUT", format!("/users/{}/billing-profile", base.user), json!({ "name": "Ada" })),
        ("POST", "/credit-notes".to_owned(), json!({ "invoice_id": invoice, "amount": 1 })),
        ("PUT", "/organization".to_owned(), json!({ "billing": { "draft_hours": 2 } })),
    ] {
        let target = format!("{path}?dry_run=true");
        let tried =
            base.app.request(method, &target).header("idempotency-key", "k").json(&body).send().await.expect(200);
        assert_eq!(tried.header("perennial-dry-run"), "true", "{path}");
        assert!(tried.json["documents"]["invoices"].is_array(), "{path}");
        let number = &tried.data()["number"];
        assert!(number.is_null() && tried.json["documents"]["credit_notes"][0]["number"].is_null(), "{path}");
    }
    assert_eq!(base.app.events().await.len(), before);
    let short = json!({ "currency": "USD", "amount": -5 });
    base.app.post(&format!("{credits}?dry_run=true"), &short).await.refused(409, "insufficient_balance");
}
