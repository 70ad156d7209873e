//! API rules 25.6: collecting a payment through Stripe.

use super::real::Real;
use super::support::{Base, connect, payment_facts};
use perennial_app::caller::Caller;
use perennial_app::connections::collect::{self, CollectRequest};
use perennial_app::connections::{self, ConnectionDraft, ConnectionKind, Connections};
use perennial_app::error::Error;
use perennial_app::operators;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::collection::CollectionState;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::validation::ValidationErrors;
use perennial_fake_provider::{Card, Fault, Kind};
use perennial_store::{connection_collections, connection_inbox};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A service with a payment of 19.99 USD that is to be collected with `pm_1`.
async fn with_payment() -> (Real, String) {
    let real = Real::start(Kind::Stripe).await;
    real.fake.put("payment_methods", json!({ "id": "pm_1", "object": "payment_method", "customer": "cus_1" }));
    let (user, plan) = (real.app.user("a@example.com").await, real.app.plan("pro", json!({})).await);
    let subscription = real.app.subscription(&user, plan["id"].as_str().unwrap(), json!({})).await;
    let payment = real.app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    (real, path)
}

fn body(real: &Real) -> Value {
    json!({ "connection_id": real.connection.id.to_string(), "payment_method": "pm_1" })
}

#[tokio::test]
async fn a_payment_is_processing_and_then_completed_with_the_id_of_its_intent() {
    let (mut real, path) = with_payment().await;
    let begun = real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200).data().clone();
    assert_eq!(begun["status"], "processing");
    real.app.put(&path, &json!({ "status": "failed" })).await.refused(409, "provider_managed");
    real.work();
    let paid = real.until_status(&path, "completed").await;
    assert_eq!((&paid["external_payment_id"], paid["date"].is_string()), (&json!("pi_1"), true));
    let seen = real.fake.seen();
    let sent = seen.iter().find(|request| request.method == "POST").unwrap();
    let id = paid["id"].as_str().unwrap();
    assert_eq!(sent.header("idempotency-key"), Some(format!("{id}:1").as_str()));
    assert_eq!(
        (sent.header("stripe-version"), sent.header("authorization")),
        (Some("2024-06-20"), Some("Bearer sk_test_1"))
    );
    for (name, value) in [
        ("amount", "1999"),
        ("currency", "usd"),
        ("customer", "cus_1"),
        ("payment_method", "pm_1"),
        ("off_session", "true"),
        ("confirm", "true"),
        ("metadata[perennial_payment_id]", id),
        ("metadata[perennial_attempt]", "1"),
    ] {
        assert_eq!(sent.field(name), Some(value), "{name}");
    }
    real.app.post(&format!("{path}/collect"), &body(&real)).await.refused(409, "invalid_transition");
}

#[tokio::test]
async fn a_collected_payment_pays_its_invoice_and_a_declined_one_makes_it_overdue() {
    let (mut real, _) = with_payment().await;
    let (user, plan) = (real.app.user("b@example.com").await, real.app.plan("free", json!({ "price": 0 })).await);
    let billing = json!({ "billing": { "payment_method": "pm_1" } });
    let subscription = real.app.subscription(&user, plan["id"].as_str().unwrap(), billing).await;
    let lines = json!([{ "description": "Setup", "unit_price": 50 }]);
    let sent = json!({ "subscription_id": subscription["id"], "lines": lines });
    let invoice = real.app.post("/invoices", &sent).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    real.app.request("POST", &format!("/invoices/{invoice}/finalize")).send().await.expect(200);
    let payment = json!({
        "subscription_id": subscription["id"], "invoice_id": invoice, "amount": 50, "currency": "USD", "status": "pending"
    });
    let payment = real.app.post("/subscription-payments", &payment).await.expect(201).data()["id"].clone();
    let path = format!("/subscription-payments/{}", payment.as_str().unwrap());
    real.fake.set(|behavior| behavior.card = Card::Declined);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    real.until_status(&path, "failed").await;
    let shown = async || real.app.get(&format!("/invoices/{invoice}")).await.expect(200).data().clone();
    let open = shown().await;
    assert_eq!((&open["status"], &open["overdue"], &open["amount_due"]), (&json!("open"), &json!(true), &json!(50)));
    real.fake.set(|behavior| behavior.card = Card::Good);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.until_status(&path, "completed").await;
    let paid = shown().await;
    assert_eq!((&paid["status"], &paid["amount_due"], &paid["overdue"]), (&json!("paid"), &json!(0), &json!(false)));
}

#[tokio::test]
async fn an_operator_whose_session_has_ended_collects_nothing() {
    let (real, path) = with_payment().await;
    let ada = real.app.signed_in_operator("Ada", "support").await;
    let known = operators::recognize(&real.app.app, ada.cookie_value()).await.unwrap().unwrap();
    let caller = Caller::operator_with(known, "late");
    // Authorized a moment ago; the session ends before the change is committed.
    let session = format!("/operators/{}/sessions/{}", ada.id, ada.session["id"].as_str().unwrap());
    real.app.delete(&session).await.expect(200);
    let id = path.rsplit('/').next().unwrap().parse().unwrap();
    let request = CollectRequest { connection_id: Some(real.connection.id), payment_method: Some("pm_1".to_owned()) };
    let late = collect::begin(&real.app.app, &caller, id, &request, ValidationErrors::none()).await;
    assert_eq!(late.unwrap_err(), Error::OperatorSessionRequired);
    assert_eq!(real.app.get(&path).await.expect(200).data()["status"], "pending");
    real.app.request("POST", &format!("{path}/collect")).send().await.refused(422, "required");
}

#[tokio::test]
async fn a_declined_card_is_a_failed_payment_whose_intent_is_canceled() {
    let (mut real, path) = with_payment().await;
    real.fake.set(|behavior| behavior.card = Card::Declined);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    let failed = real.until_status(&path, "failed").await;
    assert_eq!(real.fake.all("payment_intents")[0]["status"], "canceled");
    let events = real.events("payment.collection_failed").await;
    let expected = json!({
        "id": failed["id"], "connection_id": real.connection.id.to_string(), "attempt": 1, "code": "card_declined",
        "decline_code": "insufficient_funds",
    });
    assert_eq!(events, [expected]);
    real.fake.set(|behavior| behavior.card = Card::Good);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    let paid = real.until_status(&path, "completed").await;
    assert_eq!(paid["external_payment_id"], "pi_2");
    let keys: Vec<_> =
        real.fake.seen().iter().filter_map(|seen| seen.header("idempotency-key").map(str::to_owned)).collect();
    assert!(keys[1].ends_with(":2"), "{keys:?}");
}

#[tokio::test]
async fn lost_answers_and_errors_do_not_take_money_twice() {
    for faults in [
        vec![Fault::LoseResponse, Fault::LoseResponse],
        vec![Fault::LoseRequest, Fault::LoseResponse],
        vec![Fault::FailAfter],
        vec![Fault::FailBefore, Fault::FailBefore],
    ] {
        let (mut real, path) = with_payment().await;
        // A closed connection is repeated once by the client itself.
        let twice = faults.iter().flat_map(|fault| [Some(*fault), Some(*fault)]).collect();
        real.fake.set(|behavior| behavior.faults = twice);
        real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
        real.work();
        real.until_status(&path, "completed").await;
        let intents = real.fake.all("payment_intents");
        let taken = intents.iter().filter(|intent| intent["status"] == "succeeded").count();
        assert_eq!(taken, 1, "{faults:?}: {intents:?}");
    }
}

#[tokio::test]
async fn a_bank_debit_is_settled_by_the_webhook_of_its_intent() {
    let (mut real, path) = with_payment().await;
    real.fake.set(|behavior| behavior.card = Card::Slow);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    while real.fake.all("payment_intents").is_empty() {
        tokio::task::yield_now().await;
    }
    real.fake.change("payment_intents", "pi_1", |intent| intent["status"] = json!("succeeded"));
    let intent = real.fake.all("payment_intents")[0].clone();
    let webhook = real.fake.event(
        "payment_intent.succeeded",
        &intent,
        super::real::SECRET,
        real.app.now().as_micros() / 1_000_000,
    );
    let target = format!("/hooks/{}", real.connection.id);
    assert_eq!(webhook.send(&real.app.address.to_string(), &target).await, 200);
    real.until_status(&path, "completed").await;
}

#[tokio::test]
async fn a_webhook_that_arrives_before_the_response_to_its_intent_settles_the_payment() {
    let (mut real, path) = with_payment().await;
    real.fake.set(|behavior| {
        behavior.card = Card::Slow;
        behavior.stall = Some("POST /v1/payment_intents".to_owned());
    });
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    while real.fake.all("payment_intents").is_empty() {
        tokio::task::yield_now().await;
    }
    real.fake.change("payment_intents", "pi_1", |intent| intent["status"] = json!("succeeded"));
    let intent = real.fake.all("payment_intents")[0].clone();
    let now = real.app.now().as_micros() / 1_000_000;
    let webhook = real.fake.event("payment_intent.succeeded", &intent, super::real::SECRET, now);
    let target = format!("/hooks/{}", real.connection.id);
    assert_eq!(webhook.send(&real.app.address.to_string(), &target).await, 200);
    real.fake.set(|behavior| behavior.stall = None);
    // The clock does not move: nothing else makes the collection due.
    let deadline = Instant::now() + Duration::from_mins(1);
    while real.app.get(&path).await.expect(200).data()["status"] != "completed" {
        assert!(Instant::now() < deadline, "the webhook was lost");
        tokio::task::yield_now().await;
    }
    let inbox = real.all(&format!("/connections/{}/inbox?object_id=pi_1", real.connection.id)).await;
    assert_eq!((&inbox[0]["state"], &inbox[0]["object"]), (&json!("applied"), &Value::Null));
}

#[tokio::test]
async fn erasing_a_user_deletes_the_bodies_about_intents_that_took_nothing() {
    let (mut real, path) = with_payment().await;
    real.fake.set(|behavior| behavior.card = Card::Declined);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    real.until_status(&path, "failed").await;
    let (intent, now) = (real.fake.all("payment_intents")[0].clone(), real.app.now().as_micros() / 1_000_000);
    let webhook = real.fake.event("payment_intent.payment_failed", &intent, super::real::SECRET, now);
    let target = format!("/hooks/{}", real.connection.id);
    assert_eq!(webhook.send(&real.app.address.to_string(), &target).await, 200);
    let has_body = async || {
        let (db, id) = (&real.app.app.db, real.connection.id);
        let found = connection_inbox::by_key(db, real.app.organization, id, "evt_1").await.unwrap();
        found.unwrap().body.is_some()
    };
    assert!(has_body().await);
    let user = real.all("/users").await[0]["id"].as_str().unwrap().to_owned();
    real.app.delete(&format!("/users/{user}")).await.expect(200);
    assert!(!has_body().await);
}

#[tokio::test]
async fn a_payment_that_the_provider_reports_is_not_collected() {
    let base = Base::start().await;
    let collects = ConnectionDraft { collect: Some(true), ..ConnectionDraft::default() };
    connections::update(&base.app.app, &base.caller(), base.connection.id, collects).await.unwrap();
    base.memory.subscribe(1, SubscriptionStatus::PastDue);
    base.memory.found(ObjectKind::Payment, "in_1", payment_facts("in_1", "sub_1", PaymentStatus::Failed));
    base.work();
    base.hint("evt_1", &json!({ "object": "invoice", "id": "in_1" })).await.expect(200);
    assert_eq!(base.outcome("evt_1").await.0, "applied");
    let payment = base.one("/subscription-payments").await;
    let path = format!("/subscription-payments/{}/collect", payment["id"].as_str().unwrap());
    let body = json!({ "connection_id": base.connection.id.to_string(), "payment_method": "pm_1" });
    let refused = base.app.post(&path, &body).await.refused(409, "provider_managed");
    assert_eq!(refused.json["connection_id"], json!(base.connection.id));
    assert_eq!(base.one("/subscription-payments").await["status"], json!("failed"));
}

#[tokio::test]
async fn a_payment_that_the_provider_reports_as_paid_before_it_is_charged_is_not_charged() {
    let (mut real, path) = with_payment().await;
    real.app.put(&path, &json!({ "external_payment_id": "in_1" })).await.expect(200);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    let invoice = json!({
        "id": "in_1", "object": "invoice", "subscription": "sub_1", "status": "paid", "currency": "usd", "livemode": false,
        "amount_due": 1999, "amount_paid": 1999, "created": 1_767_225_600,
    });
    real.fake.put("invoices", invoice.clone());
    let now = real.app.now().as_micros() / 1_000_000;
    let webhook = real.fake.event("invoice.paid", &invoice, super::real::SECRET, now);
    let target = format!("/hooks/{}", real.connection.id);
    assert_eq!(webhook.send(&real.app.address.to_string(), &target).await, 200);
    let hints = real.app.work(Connections);
    real.until_status(&path, "completed").await;
    drop(hints);
    real.work();
    let id = path.rsplit('/').next().unwrap().parse().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    let settled = loop {
        let last = connection_collections::last(&real.app.app.db, real.app.organization, id).await.unwrap().unwrap();
        if last.is_settled() {
            break last;
        }
        assert!(Instant::now() < deadline, "{last:?}");
        tokio::task::yield_now().await;
    };
    assert_eq!((settled.state, settled.code.as_deref()), (CollectionState::Failed, Some("status_changed")));
    assert!(real.fake.all("payment_intents").is_empty());
    let paid = real.app.get(&path).await.expect(200).data().clone();
    assert_eq!((&paid["status"], &paid["external_payment_id"]), (&json!("completed"), &json!("in_1")));
    assert!(real.events("payment.collection_failed").await.is_empty());
}

/// More payments than are worked on at once wait for a connection that is disabled.
#[tokio::test]
async fn payments_of_a_disabled_connection_delay_no_others() {
    let (mut real, path) = with_payment().await;
    let plan = real.app.plan("other", json!({})).await;
    let away = connect(&real.app, ConnectionKind::Stripe, "away").await;
    let caller = Caller::system(real.app.organization);
    let update = async |draft| connections::update(&real.app.app, &caller, away.id, draft).await.unwrap();
    update(ConnectionDraft { collect: Some(true), ..ConnectionDraft::default() }).await;
    for number in 0..20 {
        let user = real.app.user(&format!("u{number}@example.com")).await;
        let subscription = real.app.subscription(&user, plan["id"].as_str().unwrap(), json!({})).await;
        let payment = real.app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
        let target = format!("/subscription-payments/{}/collect", payment["id"].as_str().unwrap());
        let body = json!({ "connection_id": away.id.to_string(), "payment_method": "pm_1" });
        real.app.post(&target, &body).await.expect(200);
    }
    update(ConnectionDraft { is_enabled: Some(false), ..ConnectionDraft::default() }).await;
    real.app.advance(1);
    real.app.post(&format!("{path}/collect"), &body(&real)).await.expect(200);
    real.work();
    real.until_status(&path, "completed").await;
    let processing = real.all("/subscription-payments?status=processing&limit=100").await;
    assert_eq!(processing.len(), 20);
}

#[tokio::test]
async fn a_check_of_a_connection_that_collects_reads_payment_intents() {
    let check = async |real: &Real| {
        let caller = Caller::system(real.app.organization);
        connections::check(&real.app.app, &caller, real.connection.id).await.unwrap()
    };
    let real = Real::start(Kind::Stripe).await;
    assert_eq!(check(&real).await, Ok(()));
    let forbid = |real: &Real| real.fake.set(|behavior| behavior.forbidden = vec!["/v1/payment_intents".to_owned()]);
    forbid(&real);
    let missing = check(&real).await.unwrap_err();
    assert!(missing.contains("payment intents") && missing.contains("403"), "{missing}");
    let other = Real::with(Kind::Stripe, |draft| ConnectionDraft { collect: Some(false), ..draft }).await;
    forbid(&other);
    assert_eq!(check(&other).await, Ok(()));
}

#[tokio::test]
async fn without_a_connection_or_a_payment_method_nothing_is_charged() {
    let (mut real, path) = with_payment().await;
    let collect = format!("{path}/collect");
    real.app.post(&collect, &json!({})).await.expect(422);
    real.app.post(&collect, &json!({ "connection_id": "con_01h455vb4pex5vsknk084sn02q" })).await.expect(422);
    real.work();
    real.app.post(&collect, &json!({ "connection_id": real.connection.id.to_string() })).await.expect(200);
    real.until_status(&path, "failed").await;
    assert_eq!(real.events("payment.collection_failed").await[0]["code"], "no_payment_method");
    assert!(real.fake.all("payment_intents").is_empty());
    let other = Real::with(Kind::Stripe, |draft| ConnectionDraft { collect: Some(false), ..draft }).await;
    let (user, plan) = (other.app.user("a@example.com").await, other.app.plan("pro", json!({})).await);
    let subscription = other.app.subscription(&user, plan["id"].as_str().unwrap(), json!({})).await;
    let payment = other.app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    let path = format!("/subscription-payments/{}/collect", payment["id"].as_str().unwrap());
    other.app.post(&path, &body(&other)).await.refused(409, "collecting_disabled");
}
