//! API rules 25.6: Perennial collects the invoices of a subscription that names a connection.

use super::real::{Real, SECRET};
use perennial_app::caller::Caller;
use perennial_app::connections::{self, ConnectionDraft};
use perennial_app::lifecycle::Lifecycle;
use perennial_fake_provider::{Card, Fault, Kind};
use perennial_testkit::TestStore;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::watch;

const DAY: i64 = 86_400;

/// A service that bills and collects.
pub(crate) struct Billed {
    pub(crate) real: Real,
    plan: String,
    engine: Vec<watch::Sender<bool>>,
}

impl Billed {
    pub(crate) async fn start() -> Self {
        let real = Real::start(Kind::Stripe).await;
        real.fake.put("payment_methods", json!({ "id": "pm_1", "object": "payment_method", "customer": "cus_1" }));
        let plan = real.app.plan("pro", json!({})).await["id"].as_str().unwrap().to_owned();
        Self { real, plan, engine: Vec::new() }
    }

    /// The service on a backup, a few seconds later.
    pub(crate) async fn restored(self, backup: TestStore) -> Self {
        let Self { real, plan, engine } = self;
        drop(engine);
        Self { real: real.restored(backup).await, plan, engine: Vec::new() }
    }

    /// Bills and collects from now on.
    pub(crate) fn work(&mut self) {
        self.real.work();
        self.engine.push(self.real.app.work(Lifecycle));
    }

    pub(crate) fn billing(&self) -> Value {
        json!({ "connection_id": self.real.connection.id.to_string(), "payment_method": "pm_1" })
    }

    /// A new subscription that is charged through the connection.
    pub(crate) async fn subscribe(&self, email: &str) -> String {
        self.subscribe_with(email, json!({ "billing": self.billing() })).await
    }

    /// The same, which begins in a day.
    pub(crate) async fn subscribe_from_tomorrow(&self, email: &str) -> String {
        let starts_at = self.real.app.now().plus_seconds(DAY).to_string();
        self.subscribe_with(email, json!({ "billing": self.billing(), "starts_at": starts_at })).await
    }

    async fn subscribe_with(&self, email: &str, fields: Value) -> String {
        let user = self.real.app.user(email).await;
        let created = self.real.app.subscription(&user, &self.plan, fields).await;
        created["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn invoices(&self, subscription: &str) -> Vec<Value> {
        self.real.all(&format!("/invoices?subscription_id={subscription}")).await
    }

    /// The payments, oldest first.
    pub(crate) async fn payments(&self, subscription: &str) -> Vec<Value> {
        let mut payments = self.real.all(&format!("/subscription-payments?subscription_id={subscription}")).await;
        payments.reverse();
        payments
    }

    pub(crate) async fn subscription(&self, id: &str) -> Value {
        self.real.app.get(&format!("/subscriptions/{id}")).await.expect(200).data().clone()
    }

    /// Waits until the only invoice of a subscription is as expected. The clock does not move.
    pub(crate) async fn until_invoice(&self, subscription: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let invoices = self.invoices(subscription).await;
            if let [invoice] = invoices.as_slice()
                && is_it(invoice)
            {
                return invoice.clone();
            }
            assert!(Instant::now() < deadline, "the invoice does not become as expected: {invoices:?}");
            tokio::task::yield_now().await;
        }
    }

    /// Waits until the last of this many payments has a status. The clock does not move.
    pub(crate) async fn until_payment(&self, subscription: &str, count: usize, status: &str) -> Value {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let payments = self.payments(subscription).await;
            if payments.len() == count && payments[count - 1]["status"] == status {
                return payments[count - 1].clone();
            }
            assert!(Instant::now() < deadline, "no payment {count} becomes {status}: {payments:?}");
            tokio::task::yield_now().await;
        }
    }

    /// Moves the clocks of the service and of the provider.
    pub(crate) fn advance(&self, seconds: i64) {
        self.real.app.advance(seconds);
        self.real.fake.set(|behavior| behavior.now += seconds);
    }

    /// The intents that took money.
    pub(crate) fn taken(&self) -> Vec<Value> {
        let intents = self.real.fake.all("payment_intents");
        intents.into_iter().filter(|intent| intent["status"] == "succeeded").collect()
    }

    /// The position of the last event of this type of a record.
    async fn position(&self, record: &Value, kind: &str) -> u64 {
        let deadline = Instant::now() + Duration::from_mins(1);
        let path = format!("/events?record_id={}&type={kind}&sort=-sequence&limit=1", record["id"].as_str().unwrap());
        loop {
            if let [event] = self.real.all(&path).await.as_slice() {
                return event["sequence"].as_u64().unwrap();
            }
            assert!(Instant::now() < deadline, "no {kind}");
            tokio::task::yield_now().await;
        }
    }

    async fn update(&self, patch: ConnectionDraft) {
        let caller = Caller::system(self.real.app.organization);
        connections::update(&self.real.app.app, &caller, self.real.connection.id, patch).await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_must_exist_and_collect() {
    let billed = Billed::start().await;
    let app = &billed.real.app;
    let user = app.user("a@example.com").await;
    let own = billed.real.connection.id.to_string();
    let body = |id: &Value| json!({ "user_id": user, "subscription_plan_id": billed.plan, "billing": { "connection_id": id } });
    for id in ["con_01h455vb4pex5vsknk084sn02q", "con_1", ""] {
        let faults = app.post("/subscriptions", &body(&json!(id))).await.expect(422).faults();
        assert_eq!(faults, ["/billing/connection_id not_found"], "{id}");
    }
    let external = app.subscription(&user, &billed.plan, json!({})).await;
    let external = format!("/subscriptions/{}", external["id"].as_str().unwrap());
    let tried = app.post("/subscriptions?dry_run=true", &body(&json!(own))).await.expect(200);
    assert_eq!(tried.data()["billing"]["connection_id"], json!(own));
    let created = app.post("/subscriptions", &body(&json!(own))).await.expect(201).data().clone();
    assert_eq!(created["billing"]["connection_id"], json!(own));
    let path = format!("/subscriptions/{}", created["id"].as_str().unwrap());
    let update = async |path: &str, id: Value| app.put(path, &json!({ "billing": { "connection_id": id } })).await;
    assert_eq!(app.get(&path).await.expect(200).data()["billing"]["connection_id"], json!(own));
    assert_eq!(
        app.put(&path, &json!({ "billing": {} })).await.expect(200).data()["billing"]["connection_id"],
        json!(own)
    );
    assert!(update(&path, Value::Null).await.expect(200).data()["billing"]["connection_id"].is_null());
    update(&path, json!("con_01h455vb4pex5vsknk084sn02q")).await.expect(422);
    update(&path, json!(own)).await.expect(200);
    billed.update(ConnectionDraft { collect: Some(false), ..ConnectionDraft::default() }).await;
    app.post("/subscriptions", &body(&json!(own))).await.refused(409, "collecting_disabled");
    app.post("/subscriptions?dry_run=true", &body(&json!(own))).await.refused(409, "collecting_disabled");
    update(&external, json!(own)).await.refused(409, "collecting_disabled");
    update(&path, json!(own)).await.expect(200);
    billed.update(ConnectionDraft { collect: Some(true), is_enabled: Some(false), ..ConnectionDraft::default() }).await;
    update(&external, json!(own)).await.refused(409, "collecting_disabled");
}

#[tokio::test]
async fn an_invoice_is_collected_when_it_is_issued() {
    let mut billed = Billed::start().await;
    billed.work();
    let subscription = billed.subscribe("a@example.com").await;
    let invoice = billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    assert_eq!((&invoice["attempts"], &invoice["amount_paid"]), (&json!(1), &json!(19.99)));
    let payments = billed.payments(&subscription).await;
    let payment = &payments[0];
    assert_eq!((payments.len(), &payment["status"], &payment["amount"]), (1, &json!("completed"), &json!(19.99)));
    assert_eq!((&payment["invoice_id"], &payment["external_payment_id"]), (&invoice["id"], &json!("pi_1")));
    let intents = billed.taken();
    assert_eq!((intents.len(), &intents[0]["amount"]), (1, &json!(1999)));
    let seen = billed.real.fake.seen();
    let key = seen.iter().find_map(|request| request.header("idempotency-key")).unwrap();
    assert_eq!(key, format!("{}:1", payment["id"].as_str().unwrap()));
    let due = billed.real.events("invoice.payment_due").await;
    assert_eq!(due.len(), 1);
    assert_eq!(due[0]["connection_id"], json!(billed.real.connection.id.to_string()));
    assert_eq!(due[0]["payment_method"], "pm_1");
    let created = billed.real.events("payment.created").await;
    assert_eq!(created[0]["status"], "processing");
}

#[tokio::test]
async fn a_declined_attempt_is_retried_with_a_new_payment_until_it_succeeds() {
    let mut billed = Billed::start().await;
    billed.real.fake.set(|behavior| behavior.card = Card::Declined);
    billed.work();
    let subscription = billed.subscribe("a@example.com").await;
    let first = billed.until_payment(&subscription, 1, "failed").await;
    let open = billed.until_invoice(&subscription, |invoice| invoice["overdue"] == true).await;
    assert_eq!(
        (&open["status"], &open["next_action"], &open["attempts"]),
        (&json!("open"), &json!("attempt"), &json!(1))
    );
    assert_eq!(billed.subscription(&subscription).await["status"], "past_due");
    let failed = billed.real.events("payment.collection_failed").await;
    assert_eq!((&failed[0]["id"], &failed[0]["code"]), (&first["id"], &json!("card_declined")));
    billed.advance(DAY);
    billed.until_payment(&subscription, 2, "failed").await;
    billed.real.fake.set(|behavior| behavior.card = Card::Good);
    billed.advance(2 * DAY);
    billed.until_payment(&subscription, 3, "completed").await;
    let paid = billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    assert_eq!((&paid["attempts"], &paid["overdue"], &paid["amount_due"]), (&json!(3), &json!(false), &json!(0)));
    assert_eq!(billed.subscription(&subscription).await["status"], "active");
    assert_eq!((billed.taken().len(), billed.real.fake.all("payment_intents").len()), (1, 3));
}

#[tokio::test]
async fn a_lost_answer_does_not_charge_an_invoice_twice() {
    for faults in [vec![Fault::LoseResponse, Fault::LoseResponse], vec![Fault::FailAfter], vec![Fault::LoseRequest]] {
        let mut billed = Billed::start().await;
        // A closed connection is repeated once by the client itself.
        let twice = faults.iter().flat_map(|fault| [Some(*fault), Some(*fault)]).collect();
        billed.real.fake.set(|behavior| behavior.faults = twice);
        billed.work();
        let subscription = billed.subscribe("a@example.com").await;
        let payment = billed.until_payment(&subscription, 1, "processing").await;
        let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
        billed.real.until_status(&path, "completed").await;
        billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
        assert_eq!(billed.taken().len(), 1, "{faults:?}");
    }
}

#[tokio::test]
async fn a_slow_bank_debit_is_not_charged_again_by_the_schedule() {
    let mut billed = Billed::start().await;
    billed.real.fake.set(|behavior| behavior.card = Card::Slow);
    billed.work();
    let subscription = billed.subscribe("a@example.com").await;
    billed.until_payment(&subscription, 1, "processing").await;
    while billed.real.fake.all("payment_intents").is_empty() {
        tokio::task::yield_now().await;
    }
    for days in [1, 2, 2] {
        let before = billed.invoices(&subscription).await[0]["next_action_at"].clone();
        billed.advance(days * DAY);
        billed.real.app.put(&format!("/subscriptions/{subscription}"), &json!({})).await.expect(200);
        billed.until_invoice(&subscription, |invoice| invoice["next_action_at"] != before).await;
    }
    assert_eq!((billed.payments(&subscription).await.len(), billed.real.fake.all("payment_intents").len()), (1, 1));
    billed.real.fake.change("payment_intents", "pi_1", |intent| intent["status"] = json!("succeeded"));
    let intent = billed.real.fake.all("payment_intents")[0].clone();
    let now = billed.real.app.now().as_micros() / 1_000_000;
    let webhook = billed.real.fake.event("payment_intent.succeeded", &intent, SECRET, now);
    let target = format!("/hooks/{}", billed.real.connection.id);
    assert_eq!(webhook.send(&billed.real.app.address.to_string(), &target).await, 200);
    let paid = billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    assert_eq!((&paid["attempts"], &paid["overdue"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn refunds_and_disputes_of_a_collected_charge_change_the_payment_but_not_the_invoice() {
    let mut billed = Billed::start().await;
    billed.work();
    let subscription = billed.subscribe("a@example.com").await;
    billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    let mut charge = json!({
        "id": "ch_1", "object": "charge", "payment_intent": "pi_1", "invoice": null, "amount": 1999, "currency": "usd",
        "status": "succeeded", "created": 1_767_225_600, "amount_refunded": 500, "disputed": false, "livemode": false,
    });
    let target = format!("/hooks/{}", billed.real.connection.id);
    let steps = [("charge.refunded", 500, false, "partially_refunded"), ("charge.refunded", 1999, false, "refunded")];
    for (event, refunded, disputed, status) in steps.into_iter().chain([("charge.updated", 0, true, "disputed")]) {
        charge["amount_refunded"] = json!(refunded);
        charge["disputed"] = json!(disputed);
        billed.real.fake.put("charges", charge.clone());
        let now = billed.real.app.now().as_micros() / 1_000_000;
        let webhook = billed.real.fake.event(event, &charge, SECRET, now);
        assert_eq!(webhook.send(&billed.real.app.address.to_string(), &target).await, 200);
        let payment = billed.until_payment(&subscription, 1, status).await;
        assert_eq!((&payment["amount"], &payment["external_payment_id"]), (&json!(19.99), &json!("pi_1")));
        let invoice = billed.invoices(&subscription).await[0].clone();
        assert_eq!((&invoice["status"], &invoice["amount_paid"]), (&json!("paid"), &json!(19.99)));
    }
    // A charge that nothing here was collected by.
    charge["id"] = json!("ch_2");
    charge["payment_intent"] = json!("pi_other");
    billed.real.fake.put("charges", charge.clone());
    let now = billed.real.app.now().as_micros() / 1_000_000;
    let webhook = billed.real.fake.event("charge.refunded", &charge, SECRET, now);
    assert_eq!(webhook.send(&billed.real.app.address.to_string(), &target).await, 200);
    let inbox = format!("/connections/{}/inbox?object_id=ch_2", billed.real.connection.id);
    let deadline = Instant::now() + Duration::from_mins(1);
    while billed.real.all(&inbox).await[0]["state"] == "waiting" {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    let item = billed.real.all(&inbox).await[0].clone();
    assert_eq!((&item["state"], &item["code"]), (&json!("ignored"), &json!("no_subscription")));
}

/// Many invoices, declined cards, lost requests and responses, several passes at once.
#[tokio::test]
async fn every_paid_invoice_has_exactly_one_charge_that_succeeded_whatever_is_lost() {
    let mut billed = Billed::start().await;
    let fault = |number: usize| match number * 7 % 11 {
        0 | 3 => Some(Fault::LoseResponse),
        1 => Some(Fault::LoseRequest),
        5 => Some(Fault::FailAfter),
        6 => Some(Fault::FailBefore),
        _ => None,
    };
    billed.real.fake.set(|behavior| {
        behavior.faults = (0..60).map(fault).collect();
        behavior.card = Card::Declined;
    });
    billed.work();
    billed.work();
    let mut subscriptions = Vec::new();
    for number in 0..15 {
        subscriptions.push(billed.subscribe(&format!("u{number}@example.com")).await);
        if number == 7 {
            billed.real.fake.set(|behavior| behavior.card = Card::Good);
        }
    }
    let deadline = Instant::now() + Duration::from_mins(2);
    let mut open = subscriptions.clone();
    while !open.is_empty() {
        assert!(Instant::now() < deadline, "invoices stay open: {open:?}");
        billed.advance(600);
        let mut left = Vec::new();
        for subscription in open {
            let invoices = billed.invoices(&subscription).await;
            if invoices.is_empty() || invoices[0]["status"] != "paid" {
                left.push(subscription);
            }
        }
        open = left;
    }
    let taken = billed.taken();
    for subscription in &subscriptions {
        let payments = billed.payments(subscription).await;
        let completed: Vec<&Value> = payments.iter().filter(|payment| payment["status"] == "completed").collect();
        let own = |intent: &&Value| {
            payments.iter().any(|payment| payment["id"] == intent["metadata"]["perennial_payment_id"])
        };
        assert_eq!((completed.len(), taken.iter().filter(own).count()), (1, 1), "{payments:?}");
    }
    assert_eq!(taken.len(), subscriptions.len());
}

#[tokio::test]
async fn several_passes_at_once_charge_each_invoice_once() {
    let mut billed = Billed::start().await;
    for _ in 0..3 {
        billed.work();
    }
    let mut subscriptions = Vec::new();
    for number in 0..12 {
        subscriptions.push(billed.subscribe(&format!("u{number}@example.com")).await);
    }
    for subscription in &subscriptions {
        billed.until_invoice(subscription, |invoice| invoice["status"] == "paid").await;
        assert_eq!(billed.payments(subscription).await.len(), 1);
    }
    assert_eq!(billed.real.fake.all("payment_intents").len(), subscriptions.len());
}

#[tokio::test]
async fn a_disabled_connection_delays_a_charge_and_a_removed_one_fails_it() {
    let mut billed = Billed::start().await;
    let waiting = billed.subscribe("a@example.com").await;
    let set = |is_enabled| ConnectionDraft { is_enabled: Some(is_enabled), ..ConnectionDraft::default() };
    billed.update(set(false)).await;
    billed.work();
    billed.until_payment(&waiting, 1, "processing").await;
    let invoice = billed.invoices(&waiting).await[0].clone();
    let void = billed.subscribe_disabled_void().await;
    assert!(billed.real.fake.seen().is_empty());
    assert_eq!((&invoice["status"], &invoice["overdue"]), (&json!("open"), &json!(false)));
    billed.update(set(true)).await;
    billed.until_payment(&waiting, 1, "completed").await;
    let failed = billed.until_payment(&void, 1, "failed").await;
    let codes = billed.real.events("payment.collection_failed").await;
    assert_eq!((&codes[0]["id"], &codes[0]["code"]), (&failed["id"], &json!("nothing_due")));
    assert_eq!(billed.taken().len(), 1);
    let removed = billed.subscribe("c@example.com").await;
    billed.until_payment(&removed, 1, "completed").await;
    let caller = Caller::system(billed.real.app.organization);
    connections::remove(&billed.real.app.app, &caller, billed.real.connection.id, false).await.unwrap();
    billed.advance(32 * DAY);
    billed.real.app.put(&format!("/subscriptions/{removed}"), &json!({ "quantity": 1 })).await.expect(200);
    billed.until_payment(&removed, 2, "failed").await;
    let codes = billed.real.events("payment.collection_failed").await;
    assert!(codes[1..].iter().all(|event| event["code"] == "collecting_disabled"), "{codes:?}");
}

/// The application collects the failed payment at the moment at which the schedule begins the next attempt.
#[tokio::test]
async fn an_attempt_does_not_begin_after_a_request_to_collect_a_payment_of_the_invoice() {
    let mut billed = Billed::start().await;
    billed.real.fake.set(|behavior| behavior.card = Card::Declined);
    billed.work();
    let mut subscriptions = Vec::new();
    for number in 0..40 {
        subscriptions.push(billed.subscribe(&format!("u{number}@example.com")).await);
    }
    let mut failed = Vec::new();
    for subscription in &subscriptions {
        failed.push(billed.until_payment(subscription, 1, "failed").await["id"].as_str().unwrap().to_owned());
    }
    billed.real.fake.set(|behavior| behavior.card = Card::Slow);
    billed.advance(DAY);
    let race = async |subscription: &String, payment: &String| {
        // A write to a subscription makes its late actions first.
        let path = format!("/subscriptions/{subscription}");
        let (target, empty) = (format!("/subscription-payments/{payment}/collect"), json!({}));
        tokio::join!(billed.real.app.put(&path, &empty), billed.real.app.post(&target, &empty))
    };
    let races = subscriptions.iter().zip(&failed).map(|(subscription, payment)| race(subscription, payment));
    futures_util::future::join_all(races).await;
    for subscription in &subscriptions {
        billed.real.app.put(&format!("/subscriptions/{subscription}"), &json!({})).await.expect(200);
        let payments = billed.payments(subscription).await;
        let is_processing = |payment: &&Value| payment["status"] == "processing";
        if payments.iter().filter(is_processing).count() < 2 {
            continue;
        }
        // A request to collect may follow the attempt, but not the attempt the request.
        let collected = billed.position(&payments[0], "payment.updated").await;
        let attempted = billed.position(&payments[1], "payment.created").await;
        assert!(attempted < collected, "{attempted} {collected} {payments:?}");
    }
}

/// A charge may have been made as soon as it was requested: whatever happens to the invoice, its answer decides.
#[tokio::test]
async fn a_charge_whose_answer_was_lost_is_settled_although_nothing_is_due_any_more() {
    let mut billed = Billed::start().await;
    billed.real.fake.set(|behavior| behavior.faults = [Some(Fault::LoseResponse), Some(Fault::LoseResponse)].into());
    billed.work();
    let subscription = billed.subscribe("a@example.com").await;
    while billed.real.fake.all("payment_intents").is_empty() {
        tokio::task::yield_now().await;
    }
    let invoice = billed.invoices(&subscription).await[0]["id"].clone();
    let charged = billed.until_payment(&subscription, 1, "processing").await;
    // The customer pays in another way before the answer is known.
    let other = json!({
        "subscription_id": subscription, "invoice_id": invoice, "amount": 19.99, "currency": "USD", "status": "completed"
    });
    billed.real.app.post("/subscription-payments", &other).await.expect(201);
    billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    let path = format!("/subscription-payments/{}", charged["id"].as_str().unwrap());
    let paid = billed.real.until_status(&path, "completed").await;
    assert_eq!((&paid["external_payment_id"], billed.taken().len()), (&json!("pi_1"), 1));
}

impl Billed {
    /// A subscription whose invoice is void before its charge could be requested.
    async fn subscribe_disabled_void(&self) -> String {
        let set = |is_enabled| ConnectionDraft { is_enabled: Some(is_enabled), ..ConnectionDraft::default() };
        // Enabled for the moment of the create only: no payment method leads nowhere yet.
        let user = self.real.app.user("b@example.com").await;
        let created =
            self.real.app.subscription(&user, &self.plan, json!({ "billing": { "payment_method": "pm_1" } })).await;
        let id = created["id"].as_str().unwrap().to_owned();
        let lines = json!([{ "description": "Setup", "unit_price": 50 }]);
        let draft =
            self.real.app.post("/invoices", &json!({ "subscription_id": id, "lines": lines })).await.expect(201);
        let invoice = format!("/invoices/{}", draft.data()["id"].as_str().unwrap());
        self.update(set(true)).await;
        self.real.app.put(&format!("/subscriptions/{id}"), &json!({ "billing": self.billing() })).await.expect(200);
        self.update(set(false)).await;
        self.real.app.request("POST", &format!("{invoice}/finalize")).send().await.expect(200);
        self.real.app.request("POST", &format!("{invoice}/void")).send().await.expect(200);
        id
    }
}
