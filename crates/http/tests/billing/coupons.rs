//! API rules 17.2 (`docs/api.md`): coupons.

use super::cycles::Books;
use perennial_domain::coupons::{Coupon, CouponCode};
use perennial_store::{Change, Violation, coupons};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn create(app: &TestApp, changes: Value) -> perennial_testkit::Answer {
    let mut sent = json!({ "code": "SPRING", "percent": 25, "duration": "once" });
    for (name, value) in changes.as_object().unwrap() {
        sent[name] = value.clone();
    }
    app.post("/coupons", &sent).await
}

#[tokio::test]
async fn a_coupon_is_created_read_listed_and_retired() {
    let app = TestApp::start().await;
    let plan = app.plan("pro", json!({})).await;
    let changes = json!({
        "percent": 12.5, "duration": "repeating", "periods": 3, "plan_ids": [plan["id"]],
        "redeem_by": "2030-01-01T00:00:00Z", "max_redemptions": 100
    });
    let coupon = create(&app, changes).await.expect(201).data().clone();
    let members: Vec<&String> = coupon.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "code",
        "percent",
        "amount",
        "currency",
        "duration",
        "periods",
        "plan_ids",
        "redeem_by",
        "max_redemptions",
        "redemptions",
        "is_active",
        "created_at",
        "updated_at",
    ];
    assert_eq!(members, expected);
    assert_eq!((&coupon["percent"], &coupon["redemptions"]), (&json!(12.5), &json!(0)));
    let path = format!("/coupons/{}", coupon["id"].as_str().unwrap());
    assert_eq!(app.get(&path).await.expect(200).data(), &coupon);
    assert_eq!(app.get("/coupons").await.expect(200).data(), &json!([coupon]));
    let refused = app.put(&path, &json!({ "percent": 30, "code": "spring" })).await.refused(422, "read_only_field");
    assert_eq!(refused.faults(), ["/code read_only_field", "/percent read_only_field"]);
    let retired = app.put(&path, &json!({ "is_active": false })).await.expect(200);
    assert_eq!(retired.data()["is_active"], json!(false));
}

#[tokio::test]
async fn the_code_of_a_coupon_is_unique_regardless_of_case() {
    let app = TestApp::start().await;
    create(&app, json!({})).await.expect(201);
    create(&app, json!({ "code": "spring" })).await.refused(409, "code_taken");
    create(&app, json!({ "code": "SPRING2" })).await.expect(201);
}

#[tokio::test]
async fn a_coupon_has_a_percentage_or_an_amount() {
    let app = TestApp::start().await;
    let amount = json!({ "percent": null, "amount": 5, "currency": "eur" });
    assert_eq!(create(&app, amount).await.expect(201).data()["currency"], "EUR");
    create(&app, json!({ "percent": null })).await.refused(422, "required");
    create(&app, json!({ "amount": 5, "currency": "EUR" })).await.refused(422, "inconsistent");
    create(&app, json!({ "percent": 0 })).await.refused(422, "out_of_range");
    create(&app, json!({ "percent": 12.345 })).await.refused(422, "too_many_decimals");
    create(&app, json!({ "periods": 3 })).await.refused(422, "inconsistent");
    create(&app, json!({ "duration": "repeating" })).await.refused(422, "required");
    create(&app, json!({ "code": "a b" })).await.refused(422, "invalid_format");
    let unknown = json!({ "plan_ids": ["plan_01h455vb4pex5vsknk084sn02q"] });
    assert_eq!(create(&app, unknown).await.refused(422, "not_found").faults(), ["/plan_ids/0 not_found"]);
}

async fn stored(app: &TestApp) -> Coupon {
    coupons::by_code(&app.app.db, app.organization, &CouponCode::parse("spring").unwrap()).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_redemptions_at_once_stop_at_the_limit() {
    let app = TestApp::start().await;
    let created = create(&app, json!({ "max_redemptions": 37 })).await.expect(201).data().clone();
    let path = format!("/coupons/{}", created["id"].as_str().unwrap());
    let before = app.get(&path).await.expect(200);
    let (id, now) = (created["id"].as_str().unwrap().parse().unwrap(), app.now());
    let redeem = |_| app.app.db.commit(coupons::redeem(Change::new(), app.organization, id, now));
    let outcomes = futures_util::future::join_all((0..100).map(redeem)).await;
    let redeemed = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let rejected = perennial_store::Error::Violated(Violation::Coupon);
    assert_eq!(redeemed, 37);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Err(rejected.clone())).count(), 63);
    assert_eq!(stored(&app).await.redemptions, 37);
    let after = app.get(&path).await.expect(200);
    assert_eq!(after.data()["redemptions"], json!(37));
    assert_ne!(before.header("etag"), after.header("etag"), "a redemption changes the entity tag");
    app.put(&path, &json!({ "is_active": false })).await.expect(200);
    assert_eq!(stored(&app).await.redemptions, 37, "an update leaves the count alone");
}

#[tokio::test]
async fn the_last_usage_has_the_coupon_only_if_the_next_period_would_use_it() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-05-01T00:00:00Z").await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 1 });
    let eligible = books.plan("eligible", json!({ "billing": { "charges": [charge] } })).await;
    books.plan("other", json!({ "billing": { "charges": [charge] } })).await;
    let coupon = json!({ "code": "HALF", "percent": 50, "duration": "forever", "plan_ids": [eligible["id"]] });
    books.sandbox.post("/coupons", coupon).await.expect(201);
    let billing = json!({ "payment_method": "test_ok", "coupon": "half" });
    let (moved, kept) =
        (books.subscribe("eligible", billing.clone()).await, books.subscribe("eligible", billing).await);
    let planned = books.subscribe("other", json!({ "payment_method": "test_ok", "coupon": "half" })).await;
    let next = json!({ "subscription_plan_id": "eligible" });
    books.put(&planned, json!({ "billing": { "change": next } })).await;
    let send = async |name: &str| {
        let event = |subscription: &Value| json!({ "id": name, "subscription_id": subscription["id"], "meter": "calls", "value": 10 });
        let events = [event(&moved), event(&kept), event(&planned)];
        books.sandbox.post("/usage-events", json!({ "events": events })).await.expect(200);
    };
    books.advance("2026-05-05T00:00:00Z").await;
    send("a").await;
    books.advance("2026-05-10T00:00:00Z").await;
    books.put(&moved, json!({ "subscription_plan_id": "other", "billing": { "prorate": false } })).await;
    send("b").await;
    books.advance("2026-05-20T00:00:00Z").await;
    for subscription in [&moved, &kept, &planned] {
        books.put(subscription, json!({ "status": "expired" })).await;
    }
    books.advance("2026-05-20T02:00:00Z").await;
    let last = async |subscription: &Value| {
        let invoice = books.invoices(subscription).await.pop().unwrap();
        json!([invoice["subtotal"], invoice["discount"], invoice["coupon_id"].is_string()])
    };
    assert_eq!(last(&moved).await, json!([20, 0, false]));
    assert_eq!(last(&kept).await, json!([20, 10, true]));
    // Its lines are of a plan that the coupon is not for.
    assert_eq!(last(&planned).await, json!([20, 0, true]));
}
