//! The worked examples of `docs/invoices.md` through HTTP: amounts, taxes, coupons and metered prices to the minor unit.

use super::cycles::{Books, amounts, id, pairs};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

async fn rate(books: &Books<'_>, percentage: Value) -> Value {
    let rate = json!({ "name": "VAT", "percentage": percentage });
    books.sandbox.post("/tax-rates", rate).await.expect(201).data()["id"].clone()
}

/// The invoice of these items, issued.
async fn items(books: &Books<'_>, lines: Value) -> Value {
    books.plan("free", json!({ "price": 0 })).await;
    let free = books.subscribe("free", json!({ "collection": "manual" })).await;
    let body = json!({ "subscription_id": free["id"], "lines": lines });
    let draft = books.sandbox.post("/invoices", body).await.expect(201).data().clone();
    books.act(&draft, "finalize").await.expect(200).data().clone()
}

fn sums(invoice: &Value) -> [String; 6] {
    ["subtotal", "discount", "tax", "tax_included", "total", "amount_due"].map(|name| invoice[name].to_string())
}

#[tokio::test]
async fn p5_a_change_is_prorated_to_the_second() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T10:00:00Z").await;
    books.plan("small", json!({ "price": 19.99 })).await;
    books.plan("large", json!({ "price": 49.99 })).await;
    let created = books.subscribe("small", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-02-10T16:30:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let change = books.invoices(&created).await.pop().unwrap();
    assert_eq!(amounts(&change), pairs(&[("proration_credit", "-12.66"), ("proration_charge", "31.65")]));
    assert_eq!(change["total"], json!(18.99));
}

#[tokio::test]
async fn p9_tax_is_of_a_group_of_lines() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    let vat = rate(&books, json!(19)).await;
    let settings = json!({ "billing": { "tax_rate_ids": [vat] } });
    books.sandbox.put("/organization", settings).await.expect(200);
    let lines = json!([
        { "description": "Setup", "unit_price": 29 }, { "description": "Seats", "quantity": 3, "unit_price": 4.99 },
        { "description": "Support", "unit_price": 12.34 }
    ]);
    let invoice = items(&books, lines).await;
    assert_eq!(sums(&invoice), ["56.31", "0", "10.7", "0", "67.01", "67.01"]);
    let tax = &invoice["taxes"][0];
    let members: Vec<&String> = tax.as_object().unwrap().keys().collect();
    assert_eq!(members, ["tax_rate_id", "name", "percentage", "tax_behavior", "base", "amount"]);
    assert_eq!(
        json!([tax["base"], tax["amount"], tax["percentage"], tax["tax_behavior"]]),
        json!([56.31, 10.7, 19, "exclusive"])
    );
}

#[tokio::test]
async fn p10_inclusive_tax_is_in_the_price() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    let vat = rate(&books, json!(21)).await;
    let item = json!({ "description": "Chair", "unit_price": 379, "tax_behavior": "inclusive", "tax_rate_ids": [vat] });
    let invoice = items(&books, json!([item, item])).await;
    assert_eq!(sums(&invoice), ["758", "0", "131.55", "131.55", "758", "758"]);
    assert_eq!(invoice["taxes"][0]["base"], json!(626.45));
}

#[tokio::test]
async fn p13_a_change_in_a_currency_without_decimals() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-06-01T00:00:00Z").await;
    books.plan("small", json!({ "price": 1_000, "currency": "JPY" })).await;
    books.plan("large", json!({ "price": 2_980, "currency": "JPY" })).await;
    let created = books.subscribe("small", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-06-20T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let change = books.invoices(&created).await.pop().unwrap();
    assert_eq!(amounts(&change), pairs(&[("proration_credit", "-367"), ("proration_charge", "1093")]));
    assert_eq!(change["total"], json!(726));
}

#[tokio::test]
async fn p14_a_period_that_the_end_cuts_short() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-08-01T00:00:00Z").await;
    let vat = rate(&books, json!(5)).await;
    let billing = json!({ "tax_rate_ids": [vat] });
    books.plan("pro", json!({ "price": 12.345, "currency": "KWD", "billing": billing })).await;
    let body = json!({ "ends_at": "2026-08-08T00:00:00Z", "billing": { "payment_method": "test_ok" } });
    let created = books.subscribe_with("pro", body).await;
    books.advance("2026-09-02T00:00:00Z").await;
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices.len(), 1);
    assert_eq!(sums(&invoices[0])[..5], ["2.788", "0", "0.139", "0", "2.927"]);
    assert_eq!(invoices[0]["period_end"], json!("2026-08-08T00:00:00.000000Z"));
    let ended = books.read(&created).await;
    assert_eq!((&ended["status"], &ended["ends_at"]), (&json!("expired"), &json!("2026-08-08T00:00:00.000000Z")));
}

/// The price of each quantity, billed by a separate subscription. Without usage there is no line.
async fn prices(charge: Value, expected: &[(i64, Option<&str>)]) {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-05-01T00:00:00Z").await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let mut charge = charge;
    charge["meter_id"] = json!("calls");
    charge["name"] = json!("Calls");
    books.plan("pro", json!({ "billing": { "charges": [charge] } })).await;
    let mut subscribed = Vec::new();
    for (quantity, price) in expected {
        let created = books.subscribe("pro", json!({ "payment_method": "test_ok" })).await;
        let event = json!({ "id": "e", "subscription_id": created["id"], "meter": "calls", "value": quantity });
        books.sandbox.post("/usage-events", json!({ "events": [event] })).await.expect(200);
        subscribed.push((created, quantity, *price));
    }
    books.advance("2026-06-01T02:00:00Z").await;
    for (created, quantity, price) in subscribed {
        let invoice = books.invoices(&created).await.pop().unwrap();
        let usage = invoice["lines"].as_array().unwrap().iter().find(|line| line["kind"] == "usage");
        let found = usage.map(|line| (line["quantity"].to_string(), line["amount"].to_string()));
        assert_eq!(found, price.map(|price| (quantity.to_string(), price.to_owned())), "{invoice}");
    }
}

fn tiers(model: &str) -> Value {
    json!({ "model": model, "tiers": [
        { "up_to": 100, "unit_price": 0.10 }, { "up_to": 1_000, "unit_price": 0.08 }, { "up_to": null, "unit_price": 0.05 }
    ] })
}

#[tokio::test]
async fn p15_graduated_prices() {
    let expected = [(0, None), (100, Some("10")), (101, Some("10.08")), (1_000, Some("82")), (2_500, Some("157"))];
    prices(tiers("graduated"), &expected).await;
}

#[tokio::test]
async fn p16_volume_prices() {
    let expected = [(0, None), (100, Some("10")), (101, Some("8.08")), (1_000, Some("80")), (2_500, Some("125"))];
    prices(tiers("volume"), &expected).await;
}

#[tokio::test]
async fn p17_prices_of_packages() {
    let charge = json!({ "model": "package", "package": { "size": 1_000, "price": 5 } });
    let expected = [(0, None), (1, Some("5")), (1_000, Some("5")), (1_001, Some("10")), (12_345, Some("65"))];
    prices(charge, &expected).await;
}

#[tokio::test]
async fn p22_and_p23_another_cycle_and_a_last_period() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-31T00:00:00Z").await;
    books.plan("monthly", json!({})).await;
    books.plan("yearly", json!({ "price": 100, "billing_cycle": "yearly" })).await;
    let created = books.subscribe("monthly", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-02-10T00:00:00Z").await;
    books.put(&created, json!({ "billing": { "change": { "subscription_plan_id": "yearly" } } })).await;
    books.advance("2026-03-01T00:00:00Z").await;
    let yearly = books.invoices(&created).await.pop().unwrap();
    let shown = json!([yearly["total"], yearly["period_start"], yearly["period_end"]]);
    assert_eq!(shown, json!([100, "2026-02-28T00:00:00.000000Z", "2027-02-28T00:00:00.000000Z"]));
    assert_eq!(books.read(&created).await["billing"]["anchor_at"], json!("2026-02-28T00:00:00.000000Z"));
    books.advance("2026-07-01T00:00:00Z").await;
    books.plan("thirty-one", json!({ "price": 31 })).await;
    let ended = books.subscribe("thirty-one", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-07-10T00:00:00Z").await;
    books.put(&ended, json!({ "ends_at": "2026-08-11T00:00:00Z" })).await;
    books.advance("2026-08-12T00:00:00Z").await;
    let invoices = books.invoices(&ended).await;
    assert_eq!(invoices.iter().map(|invoice| invoice["total"].clone()).collect::<Vec<_>>(), [json!(31), json!(10)]);
    assert_eq!(books.read(&ended).await["status"], json!("expired"));
}

#[tokio::test]
async fn p26_a_discount_is_taken_before_inclusive_tax() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    let vat = rate(&books, json!(7)).await;
    let billing = json!({ "tax_rate_ids": [vat], "tax_behavior": "inclusive" });
    books.plan("pro", json!({ "price": 107, "billing": billing })).await;
    let coupon = json!({ "code": "TEN", "percent": 10, "duration": "forever" });
    books.sandbox.post("/coupons", coupon).await.expect(201);
    let created = books.subscribe("pro", json!({ "payment_method": "test_ok", "coupon": "TEN" })).await;
    assert_eq!(created["billing"]["discount"]["periods_left"], Value::Null);
    let invoice = books.invoices(&created).await.remove(0);
    assert_eq!(sums(&invoice), ["107", "10.7", "6.3", "6.3", "96.3", "0"]);
    assert_eq!(invoice["taxes"][0]["base"], json!(90));
}

#[tokio::test]
async fn a_coupon_counts_from_the_next_period_and_only_for_its_plans() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-15T00:00:00Z").await;
    let plan = books.plan("pro", json!({ "price": 20 })).await;
    books.plan("other", json!({ "price": 20 })).await;
    let coupon = json!({ "code": "HALF", "percent": 50, "duration": "once", "plan_ids": [plan["id"]] });
    let coupon = books.sandbox.post("/coupons", coupon).await.expect(201).data().clone();
    let yen = json!({ "code": "YEN", "amount": 500, "currency": "JPY", "duration": "once" });
    books.sandbox.post("/coupons", yen).await.expect(201);
    let created = books.subscribe("other", json!({ "payment_method": "test_ok" })).await;
    let path = format!("/subscriptions/{}", id(&created));
    let refused = books.sandbox.put(&path, json!({ "billing": { "coupon": "YEN" } })).await;
    assert_eq!(refused.refused(422, "inconsistent").faults(), ["/billing/coupon inconsistent"]);
    // Set by its ID; it leaves the current period alone.
    let set = books.put(&created, json!({ "billing": { "coupon": coupon["id"] } })).await;
    let discount = json!({ "coupon_id": coupon["id"], "periods_left": 1 });
    assert_eq!((&set["billing"]["discount"], set["billing"].get("coupon")), (&discount, None));
    // A period of another plan uses none of it.
    books.advance("2026-02-16T00:00:00Z").await;
    assert_eq!(books.read(&created).await["billing"]["discount"], discount);
    books.put(&created, json!({ "billing": { "change": { "subscription_plan_id": "pro" } } })).await;
    books.advance("2026-03-16T00:00:00Z").await;
    assert_eq!(books.read(&created).await["billing"]["discount"], Value::Null);
    books.advance("2026-04-16T00:00:00Z").await;
    let totals: Vec<Value> = books.invoices(&created).await.iter().map(|invoice| invoice["total"].clone()).collect();
    assert_eq!(totals, [json!(20), json!(20), json!(10), json!(20)]);
    let read = books.sandbox.get(&format!("/coupons/{}", id(&coupon))).await.expect(200);
    assert_eq!(read.data()["redemptions"], json!(1));
    books.sandbox.put(&format!("/coupons/{}", id(&coupon)), json!({ "is_active": false })).await.expect(200);
    books.sandbox.put(&path, json!({ "billing": { "coupon": "half" } })).await.refused(409, "coupon_unavailable");
}

#[tokio::test]
async fn a_change_names_the_coupon_of_the_period_only_if_it_takes_something_off() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("basic", json!({ "price": 30 })).await;
    books.plan("pro", json!({ "price": 60 })).await;
    let amount = json!({ "code": "FIVE", "amount": 5, "currency": "USD", "duration": "forever" });
    let percent = json!({ "code": "HALF", "percent": 50, "duration": "forever" });
    let mut subscribed = Vec::new();
    for (coupon, discount) in [(amount, 0), (percent, 15)] {
        let coupon = books.sandbox.post("/coupons", coupon).await.expect(201).data().clone();
        let billing = json!({ "collection": "manual", "coupon": coupon["code"] });
        subscribed.push((books.subscribe("basic", billing).await, coupon, discount));
    }
    books.advance("2026-04-16T00:00:00Z").await;
    for (created, coupon, discount) in subscribed {
        books.put(&created, json!({ "subscription_plan_id": "pro" })).await;
        let invoices = books.invoices(&created).await;
        assert_eq!(invoices[0]["coupon_id"], coupon["id"], "the fee has a discount");
        assert_eq!((invoices.len(), &invoices[1]["discount"]), (2, &json!(discount)), "{}", coupon["code"]);
        let expected = if discount == 0 { json!(null) } else { coupon["id"].clone() };
        assert_eq!(invoices[1]["coupon_id"], expected, "{}", coupon["code"]);
    }
}
