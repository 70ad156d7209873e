//! API rules 25.6: a store that was restored to an earlier state charges nothing again that was charged since then.

use super::invoices::Billed;
use perennial_app::lifecycle;
use perennial_domain::time::Time;
use perennial_fake_provider::{Card, Kind, Seen};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const DAY: i64 = 86_400;

/// Puts the organization on hold, as after a restore to the state of this instant.
async fn hold(billed: &Billed, state_of: Time) {
    let organization = perennial_app::organizations::find(&billed.real.app.app, "default").await.unwrap().unwrap();
    let status = lifecycle::hold_restored(&billed.real.app.app, &organization, state_of).await.unwrap();
    assert!(status.held);
}

async fn release(billed: &Billed) {
    let organization = perennial_app::organizations::find(&billed.real.app.app, "default").await.unwrap().unwrap();
    let status = lifecycle::resume(&billed.real.app.app, &organization, None).await.unwrap();
    assert!(!status.held);
}

/// The lists of a customer's intents that were requested.
fn lists(billed: &Billed) -> Vec<Seen> {
    let is_list = |seen: &Seen| seen.method == "GET" && seen.path == "/v1/payment_intents";
    billed.real.fake.seen().into_iter().filter(is_list).collect()
}

fn creates(billed: &Billed) -> usize {
    let is_create = |seen: &&Seen| seen.method == "POST" && seen.path == "/v1/payment_intents";
    billed.real.fake.seen().iter().filter(is_create).count()
}

async fn until(mut is_it: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_it() {
        assert!(Instant::now() < deadline, "the provider is not asked");
        tokio::task::yield_now().await;
    }
}

/// A service that was restored to the state before a subscription began. In the lost time its first period was charged, with
/// this card. The organization is on hold.
async fn after_charge(card: Card) -> (Billed, String) {
    let mut billed = Billed::start().await;
    let subscription = billed.subscribe_from_tomorrow("a@example.com").await;
    let (backup, state_of) = (billed.real.backup().await, billed.real.app.now());
    billed.real.fake.set(|behavior| behavior.card = card);
    billed.work();
    billed.advance(DAY);
    match card {
        Card::Good => drop(billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await),
        Card::Slow => {
            until(|| !billed.real.fake.all("payment_intents").is_empty()).await;
        }
        _ => drop(billed.until_payment(&subscription, 1, "failed").await),
    }
    assert!(lists(&billed).is_empty(), "without a restore nothing is listed");
    let billed = billed.restored(backup).await;
    hold(&billed, state_of).await;
    // Stripe forgets keys after a day. The new payment has a new one in any case.
    billed.real.fake.forget_keys();
    (billed, subscription)
}

#[tokio::test]
async fn an_invoice_that_was_charged_since_the_backup_is_not_charged_again() {
    let (mut billed, subscription) = after_charge(Card::Good).await;
    assert_eq!(billed.subscription(&subscription).await["status"], "pending");
    billed.work();
    release(&billed).await;
    let invoice = billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    let payments = billed.payments(&subscription).await;
    assert_eq!((payments.len(), &payments[0]["status"]), (1, &json!("completed")));
    assert_eq!((&payments[0]["external_payment_id"], &payments[0]["invoice_id"]), (&json!("pi_1"), &invoice["id"]));
    let taken = billed.taken();
    assert_eq!((taken.len(), creates(&billed)), (1, 1));
    assert_ne!(taken[0]["metadata"]["perennial_invoice_id"], invoice["id"], "the invoice was issued again");
    assert_eq!(taken[0]["metadata"]["perennial_subscription_id"], json!(subscription));
    assert_eq!(taken[0]["metadata"]["perennial_period_start"], invoice["cycle_at"]);
    // What begins after the release is charged as usual, without another list.
    let listed = lists(&billed).len();
    assert_eq!(listed, 1);
    billed.advance(31 * DAY);
    billed.until_payment(&subscription, 2, "completed").await;
    assert_eq!((billed.taken().len(), lists(&billed).len()), (2, listed));
}

#[tokio::test]
async fn a_bank_debit_that_began_since_the_backup_is_awaited_and_not_begun_again() {
    let (mut billed, subscription) = after_charge(Card::Slow).await;
    billed.work();
    release(&billed).await;
    billed.until_payment(&subscription, 1, "processing").await;
    until(|| !lists(&billed).is_empty()).await;
    billed.real.fake.change("payment_intents", "pi_1", |intent| intent["status"] = json!("succeeded"));
    let path = format!("/subscription-payments/{}", billed.payments(&subscription).await[0]["id"].as_str().unwrap());
    let paid = billed.real.until_status(&path, "completed").await;
    assert_eq!((&paid["external_payment_id"], creates(&billed)), (&json!("pi_1"), 1));
    billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
}

#[tokio::test]
async fn what_was_declined_since_the_backup_is_charged() {
    let (mut billed, subscription) = after_charge(Card::Declined).await;
    billed.real.fake.set(|behavior| behavior.card = Card::Good);
    billed.work();
    release(&billed).await;
    billed.until_invoice(&subscription, |invoice| invoice["status"] == "paid").await;
    assert_eq!((billed.taken().len(), creates(&billed), lists(&billed).len()), (1, 2, 1));
    assert_eq!(billed.payments(&subscription).await[0]["external_payment_id"], "pi_2");
}

#[tokio::test]
async fn another_amount_of_the_same_period_fails_the_payment_and_takes_nothing() {
    let (mut billed, subscription) = after_charge(Card::Good).await;
    // In the lost time the quantity was lower than it is now.
    billed.real.fake.change("payment_intents", "pi_1", |intent| intent["amount"] = json!(999));
    billed.work();
    release(&billed).await;
    let failed = billed.until_payment(&subscription, 1, "failed").await;
    let events = billed.real.events("payment.collection_failed").await;
    assert_eq!((&events[0]["id"], &events[0]["code"]), (&failed["id"], &json!("charged_before_restore")));
    assert_eq!((creates(&billed), billed.invoices(&subscription).await[0]["status"].clone()), (1, json!("open")));
}

#[tokio::test]
async fn nothing_is_charged_while_the_list_cannot_be_read() {
    let (mut billed, subscription) = after_charge(Card::Good).await;
    billed.real.fake.set(|behavior| behavior.forbidden = vec!["/v1/payment_intents".to_owned()]);
    billed.work();
    release(&billed).await;
    billed.until_payment(&subscription, 1, "processing").await;
    until(|| {
        billed.real.app.advance(1);
        lists(&billed).len() >= 3
    })
    .await;
    assert_eq!(creates(&billed), 1);
    billed.real.fake.set(|behavior| behavior.forbidden.clear());
    let path = format!("/subscription-payments/{}", billed.payments(&subscription).await[0]["id"].as_str().unwrap());
    let paid = billed.real.until_status(&path, "completed").await;
    assert_eq!((&paid["external_payment_id"], creates(&billed)), (&json!("pi_1"), 1));
}

/// The payment is in the backup, and was collected by a request of the application since then.
#[tokio::test]
async fn a_payment_that_was_collected_since_the_backup_is_not_collected_again() {
    let mut real = super::real::Real::start(Kind::Stripe).await;
    real.fake.put("payment_methods", json!({ "id": "pm_1", "object": "payment_method", "customer": "cus_1" }));
    let (user, plan) = (real.app.user("a@example.com").await, real.app.plan("pro", json!({})).await);
    let subscription = real.app.subscription(&user, plan["id"].as_str().unwrap(), json!({})).await;
    let payment = real.app.payment(subscription["id"].as_str().unwrap(), json!({})).await;
    let path = format!("/subscription-payments/{}", payment["id"].as_str().unwrap());
    let body = json!({ "connection_id": real.connection.id.to_string(), "payment_method": "pm_1" });
    let (backup, state_of) = (real.backup().await, real.app.now());
    real.work();
    real.app.post(&format!("{path}/collect"), &body).await.expect(200);
    real.until_status(&path, "completed").await;
    let mut real = real.restored(backup).await;
    real.fake.forget_keys();
    let organization = perennial_app::organizations::find(&real.app.app, "default").await.unwrap().unwrap();
    lifecycle::hold_restored(&real.app.app, &organization, state_of).await.unwrap();
    assert_eq!(real.app.get(&path).await.expect(200).data()["status"], "pending");
    real.work();
    // Also while the organization is on hold.
    real.app.post(&format!("{path}/collect"), &body).await.expect(200);
    let paid = real.until_status(&path, "completed").await;
    assert_eq!(paid["external_payment_id"], "pi_1");
    let intents: Vec<Value> = real.fake.all("payment_intents");
    assert_eq!(intents.len(), 1, "{intents:?}");
}
