//! Invoices that the engine writes, in a test organization: the worked examples of docs/invoices.md.

use crate::test_clocks::support::Sandbox;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// A sandbox with a user.
pub(crate) struct Books<'a> {
    pub(crate) sandbox: Sandbox<'a>,
    pub(crate) user: String,
}

impl<'a> Books<'a> {
    pub(crate) async fn at(app: &'a TestApp, now: &str) -> Self {
        let sandbox = Sandbox::at(app, now).await;
        let user = app.user_of(sandbox.organization.id, "ada@example.com").await;
        Self { sandbox, user }
    }

    pub(crate) async fn plan(&self, slug: &str, changes: Value) -> Value {
        let mut body = json!({ "name": slug, "slug": slug, "price": 10, "billing_cycle": "monthly" });
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.sandbox.post("/subscription-plans", body).await.expect(201).data().clone()
    }

    pub(crate) async fn subscribe(&self, plan: &str, billing: Value) -> Value {
        self.subscribe_with(plan, json!({ "billing": billing })).await
    }

    pub(crate) async fn subscribe_with(&self, plan: &str, changes: Value) -> Value {
        let mut body = json!({ "user_id": self.user, "subscription_plan_id": plan });
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let created = self.sandbox.post("/subscriptions", body).await.expect(201).data().clone();
        self.settle().await;
        created
    }

    pub(crate) async fn put(&self, subscription: &Value, body: Value) -> Value {
        let put = self.sandbox.put(&format!("/subscriptions/{}", id(subscription)), body).await.expect(200);
        let put = put.data().clone();
        self.settle().await;
        put
    }

    pub(crate) async fn read(&self, subscription: &Value) -> Value {
        self.sandbox.get(&format!("/subscriptions/{}", id(subscription))).await.expect(200).data().clone()
    }

    pub(crate) async fn pay(&self, invoice: &Value, amount: f64, status: &str) -> Value {
        let body = json!({
            "subscription_id": invoice["subscription_id"], "invoice_id": invoice["id"], "amount": amount,
            "currency": invoice["currency"], "status": status
        });
        self.sandbox.post("/subscription-payments", body).await.expect(201).data().clone()
    }

    /// The invoices of a subscription, oldest first.
    pub(crate) async fn invoices(&self, subscription: &Value) -> Vec<Value> {
        let target = format!("/invoices?subscription_id={}&limit=100", id(subscription));
        let mut found = self.sandbox.get(&target).await.expect(200).data().as_array().unwrap().clone();
        found.reverse();
        found
    }

    /// Lets the engine do what is due now.
    pub(crate) async fn settle(&self) {
        let _work = self.sandbox.work();
        self.sandbox.clock_that(|clock| clock["status"] == "ready").await;
    }

    pub(crate) async fn advance(&self, now: &str) {
        let _work = self.sandbox.work();
        self.sandbox.advance(now).await;
        self.sandbox.clock_that(|clock| clock["status"] == "ready").await;
    }

    pub(crate) async fn balance(&self) -> Value {
        let target = format!("/users/{}/billing-profile", self.user);
        self.sandbox.get(&target).await.expect(200).data()["balances"].clone()
    }

    pub(crate) async fn act(&self, invoice: &Value, action: &str) -> perennial_testkit::Answer {
        self.sandbox.request("POST", &format!("/invoices/{}/{action}", id(invoice))).send().await
    }
}

pub(crate) fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

pub(crate) fn amounts(invoice: &Value) -> Vec<(String, String)> {
    let lines = invoice["lines"].as_array().unwrap();
    lines.iter().map(|line| (line["kind"].as_str().unwrap().to_owned(), line["amount"].to_string())).collect()
}

pub(crate) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(kind, amount)| ((*kind).to_owned(), (*amount).to_owned())).collect()
}

#[tokio::test]
async fn p4_a_change_within_the_period_credits_and_charges_the_rest() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("small", json!({})).await;
    books.plan("large", json!({ "price": 20 })).await;
    let created = books.subscribe("small", json!({ "payment_method": "test_ok" })).await;
    let first = books.invoices(&created).await;
    assert_eq!(first.len(), 1);
    assert_eq!((&first[0]["status"], &first[0]["number"]), (&json!("paid"), &json!("TEST-INV-000001")));
    assert_eq!(amounts(&first[0]), pairs(&[("fee", "10")]));
    books.advance("2026-04-16T00:00:00Z").await;
    let changed = books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    assert_eq!(changed["renews_at"], created["renews_at"]);
    let invoices = books.invoices(&created).await;
    assert_eq!(invoices.len(), 2);
    assert_eq!(amounts(&invoices[1]), pairs(&[("proration_credit", "-5"), ("proration_charge", "10")]));
    assert_eq!((&invoices[1]["kind"], &invoices[1]["total"]), (&json!("change"), &json!(5)));
    assert_eq!(invoices[1]["lines"][0]["source_invoice_id"], invoices[0]["id"]);
    books.advance("2026-05-02T00:00:00Z").await;
    let invoices = books.invoices(&created).await;
    assert_eq!((invoices.len(), &invoices[2]["total"]), (3, &json!(20)));
    assert_eq!(invoices[2]["cycle_at"], json!("2026-05-01T00:00:00.000000Z"));
}

#[tokio::test]
async fn a_change_to_a_cheaper_plan_makes_a_credit_note() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("small", json!({})).await;
    books.plan("large", json!({ "price": 20 })).await;
    let created = books.subscribe("large", json!({ "payment_method": "test_ok" })).await;
    books.advance("2026-04-16T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "small" })).await;
    assert_eq!(books.invoices(&created).await.len(), 1);
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 5 }]));
    // Back at the same instant: what was charged is credited.
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let invoices = books.invoices(&created).await;
    assert_eq!(amounts(&invoices[1]), pairs(&[("proration_credit", "-5"), ("proration_charge", "10")]));
    assert_eq!((&invoices[1]["credit_applied"], &invoices[1]["status"]), (&json!(5), &json!("paid")));
}

#[tokio::test]
async fn p11_a_percent_coupon_discounts_its_periods() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-15T00:00:00Z").await;
    books.plan("pro", json!({ "price": 29 })).await;
    let coupon = json!({ "code": "SPRING", "percent": 25, "duration": "repeating", "periods": 3 });
    books.sandbox.post("/coupons", coupon).await.expect(201);
    let created = books.subscribe("pro", json!({ "payment_method": "test_ok", "coupon": "spring" })).await;
    assert_eq!(created["billing"]["discount"]["periods_left"], json!(2));
    books.advance("2026-04-16T00:00:00Z").await;
    let invoices = books.invoices(&created).await;
    let totals: Vec<_> =
        invoices.iter().map(|invoice| (invoice["total"].clone(), invoice["discount"].clone())).collect();
    let discounted = (json!(21.75), json!(7.25));
    assert_eq!(totals, [discounted.clone(), discounted.clone(), discounted, (json!(29), json!(0))]);
    assert_eq!(books.read(&created).await["billing"]["discount"], Value::Null);
}

#[tokio::test]
async fn p12_an_amount_coupon_can_cover_the_whole_invoice() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-01-15T00:00:00Z").await;
    books.plan("pro", json!({ "price": 29 })).await;
    let coupon = json!({ "code": "FIFTY", "amount": 50, "currency": "USD", "duration": "once", "max_redemptions": 1 });
    books.sandbox.post("/coupons", coupon).await.expect(201);
    let created = books.subscribe("pro", json!({ "collection": "manual", "coupon": "FIFTY" })).await;
    let first = books.invoices(&created).await.remove(0);
    assert_eq!((&first["discount"], &first["total"], &first["status"]), (&json!(29), &json!(0), &json!("paid")));
    assert_eq!(first["number"], json!("TEST-INV-000001"));
    let body = json!({ "user_id": books.user, "subscription_plan_id": "pro", "billing": { "coupon": "FIFTY" } });
    books.sandbox.post("/subscriptions", body).await.refused(409, "coupon_unavailable");
    let body = json!({ "user_id": books.user, "subscription_plan_id": "pro", "billing": { "coupon": "NONE" } });
    assert_eq!(books.sandbox.post("/subscriptions", body).await.faults(), ["/billing/coupon not_found"]);
    books.advance("2026-02-16T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await[1]["total"], json!(29));
}

#[tokio::test]
async fn p18_a_manual_invoice_becomes_overdue_and_recovers() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    books.plan("pro", json!({ "price": 120 })).await;
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let issued = books.invoices(&created).await.remove(0);
    assert_eq!((&issued["status"], &issued["next_action"]), (&json!("open"), &json!("overdue")));
    assert_eq!(issued["due_at"], json!("2026-03-15T00:00:00.000000Z"));
    books.advance("2026-03-10T00:00:00Z").await;
    books.pay(&issued, 20.0, "completed").await;
    let paid = books.invoices(&created).await.remove(0);
    assert_eq!((&paid["status"], &paid["amount_due"]), (&json!("open"), &json!(100)));
    books.advance("2026-03-16T00:00:00Z").await;
    let late = books.read(&created).await;
    assert_eq!((&late["status"], &late["has_access"]), (&json!("past_due"), &json!(true)));
    assert_eq!(late["billing"]["overdue_invoices"], json!(1));
    books.advance("2026-03-20T00:00:00Z").await;
    books.pay(&issued, 100.0, "completed").await;
    assert_eq!(books.read(&created).await["status"], json!("active"));
    let paid = books.invoices(&created).await.remove(0);
    assert_eq!((&paid["status"], &paid["overdue"]), (&json!("paid"), &json!(false)));
    books.advance("2026-04-02T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await.len(), 2);
    // Without a payment: unpaid seven days after it was due.
    books.advance("2026-04-23T00:00:00Z").await;
    assert_eq!(books.read(&created).await["status"], json!("unpaid"));
}

#[tokio::test]
async fn p28_the_balance_pays_first() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let credit = json!({ "currency": "USD", "amount": 15 });
    books.sandbox.post(&format!("/users/{}/credits", books.user), credit).await.expect(201);
    let created = books.subscribe("pro", json!({ "collection": "manual" })).await;
    let issued = books.invoices(&created).await.remove(0);
    assert_eq!((&issued["credit_applied"], &issued["status"]), (&json!(10), &json!("paid")));
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 5 }]));
}

#[tokio::test]
async fn p29_a_payment_that_becomes_void_reopens_the_invoice() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    books.plan("pro", json!({ "price": 40 })).await;
    let created = books.subscribe("pro", json!({ "payment_method": "pm_1" })).await;
    let issued = books.invoices(&created).await.remove(0);
    assert_eq!((&issued["attempts"], &issued["next_action"]), (&json!(1), &json!("attempt")));
    let payment = books.pay(&issued, 40.0, "completed").await;
    books.advance("2026-03-03T00:00:00Z").await;
    let target = format!("/subscription-payments/{}", id(&payment));
    books.sandbox.put(&target, json!({ "amount": 1 })).await.refused(409, "payment_applied");
    books.sandbox.request("DELETE", &target).send().await.refused(409, "payment_applied");
    books.sandbox.put(&target, json!({ "status": "void" })).await.expect(200);
    let open = books.invoices(&created).await.remove(0);
    assert_eq!(
        (&open["status"], &open["overdue"], &open["next_action"]),
        (&json!("open"), &json!(true), &json!("attempt"))
    );
    assert_eq!(open["next_action_at"], json!("2026-03-04T00:00:00.000000Z"));
    assert_eq!(books.read(&created).await["status"], json!("past_due"));
}

#[tokio::test]
async fn p30_usage_is_billed_when_its_window_closes() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-05-01T00:00:00Z").await;
    books.sandbox.post("/meters", json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" })).await.expect(201);
    let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 0.02 });
    books.plan("pro", json!({ "billing": { "charges": [charge] } })).await;
    let created = books.subscribe("pro", json!({ "payment_method": "test_ok" })).await;
    assert_eq!(books.invoices(&created).await.remove(0)["status"], json!("paid"));
    books.advance("2026-05-20T00:00:00Z").await;
    let event = |name: &str, value: i64, at: &str| json!({ "id": name, "subscription_id": created["id"], "meter": "calls", "value": value, "at": at });
    let first = event("a", 100, "2026-05-10T00:00:00Z");
    let sent = json!({ "events": [first, event("b", 50, "2026-05-11T00:00:00Z"), first] });
    let answer = books.sandbox.post("/usage-events", sent).await.expect(200);
    assert_eq!((&answer.data()["accepted"], &answer.data()["duplicates"]), (&json!(2), &json!(1)));
    books.advance("2026-06-01T00:30:00Z").await;
    let draft = books.invoices(&created).await.remove(1);
    assert_eq!((&draft["status"], &draft["total"]), (&json!("draft"), &json!(10)));
    assert_eq!(draft["finalizes_at"], json!("2026-06-01T01:00:00.000000Z"));
    books.advance("2026-06-01T02:00:00Z").await;
    let issued = books.invoices(&created).await.remove(1);
    assert_eq!(amounts(&issued), pairs(&[("fee", "10"), ("usage", "3")]));
    assert_eq!((&issued["total"], &issued["status"]), (&json!(13), &json!("paid")));
    let late = json!({ "events": [event("c", 1, "2026-05-31T00:00:00Z")] });
    assert_eq!(books.sandbox.post("/usage-events", late).await.expect(200).data()["late"], json!(["c"]));
}

#[tokio::test]
async fn p31_an_invoice_that_a_credit_line_names_cannot_become_void() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("small", json!({})).await;
    books.plan("large", json!({ "price": 20 })).await;
    let created = books.subscribe("small", json!({ "collection": "manual" })).await;
    books.advance("2026-04-10T00:00:00Z").await;
    books.put(&created, json!({ "subscription_plan_id": "large" })).await;
    let invoices = books.invoices(&created).await;
    let payment = books.pay(&invoices[1], 5.0, "processing").await;
    books.act(&invoices[0], "void").await.refused(409, "has_payments");
    books.act(&invoices[1], "void").await.expect(200);
    books.act(&invoices[1], "void").await.refused(409, "invalid_transition");
    let target = format!("/subscription-payments/{}", id(&payment));
    books.sandbox.put(&target, json!({ "status": "completed" })).await.expect(200);
    assert_eq!(books.invoices(&created).await[1]["status"], json!("void"));
    assert_eq!(books.balance().await, json!([{ "currency": "USD", "amount": 5 }]));
}

#[tokio::test]
async fn an_incomplete_subscription_activates_when_its_first_invoice_is_paid() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let billing = json!({ "status": "incomplete", "billing": { "payment_method": "pm_1" } });
    let paid = books.subscribe_with("pro", billing.clone()).await;
    assert_eq!((&paid["status"], &paid["has_access"]), (&json!("incomplete"), &json!(false)));
    let given_up = books.subscribe_with("pro", billing).await;
    let first = books.invoices(&paid).await.remove(0);
    books.pay(&first, 10.0, "completed").await;
    assert_eq!(books.read(&paid).await["status"], json!("active"));
    books.advance("2026-04-02T00:00:00Z").await;
    assert_eq!(books.read(&given_up).await["status"], json!("expired"));
    assert_eq!(books.invoices(&given_up).await[0]["status"], json!("void"));
}

#[tokio::test]
async fn failed_payments_are_retried_until_the_subscription_is_unpaid_and_recovers() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-04-01T00:00:00Z").await;
    books.plan("pro", json!({})).await;
    let created = books.subscribe("pro", json!({ "payment_method": "test_fail" })).await;
    let first = books.invoices(&created).await.remove(0);
    assert_eq!((&first["overdue"], &first["attempts"]), (&json!(true), &json!(1)));
    assert_eq!(books.read(&created).await["status"], json!("past_due"));
    books.advance("2026-04-09T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await[0]["attempts"], json!(5));
    books.advance("2026-04-20T00:00:00Z").await;
    let unpaid = books.read(&created).await;
    assert_eq!((&unpaid["status"], &unpaid["has_access"]), (&json!("unpaid"), &json!(false)));
    let target = format!("/subscriptions/{}", id(&created));
    books.sandbox.request("DELETE", &target).send().await.refused(409, "has_open_invoices");
    books.advance("2026-05-10T00:00:00Z").await;
    assert_eq!(books.invoices(&created).await.len(), 1, "nothing renews");
    books.pay(&first, 10.0, "completed").await;
    books.settle().await;
    let recovered = books.read(&created).await;
    assert_eq!(recovered["billing"]["period_start"], json!("2026-05-10T00:00:00.000000Z"));
    assert_eq!(books.invoices(&created).await.len(), 2);
}

#[tokio::test]
async fn the_invoices_of_a_start_in_the_past_are_numbered_in_the_order_of_their_periods() {
    let app = TestApp::start().await;
    let books = Books::at(&app, "2026-03-01T00:00:00Z").await;
    books.plan("monthly", json!({})).await;
    let fields = json!({ "starts_at": "2025-12-10T00:00:00Z", "billing": { "payment_method": "test_ok" } });
    let created = books.subscribe_with("monthly", fields).await;
    let mut numbered: Vec<_> = books.invoices(&created).await;
    numbered.sort_by_key(|invoice| invoice["number"].to_string());
    let cycles: Vec<_> = numbered.iter().map(|invoice| &invoice["cycle_at"].as_str().unwrap()[..10]).collect();
    assert_eq!(cycles, ["2025-12-10", "2026-01-10", "2026-02-10"]);
    assert!(numbered.iter().all(|invoice| invoice["issued_at"] == "2026-03-01T00:00:00.000000Z"), "{numbered:?}");
}
