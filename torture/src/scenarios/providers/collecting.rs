//! Payments that are collected through Stripe while responses are lost and servers are killed: each is charged exactly once.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use perennial_fake_provider::{Card, Fault};
use perennial_harness::SeededRandom;
use serde_json::{Value, json};

use super::WAITING;
use super::account::{Account, SECRET};
use super::place::{Place, collect, now, text};
use crate::failure::{Failure, Result};
use crate::rows;
use crate::scenario::Measured;

const POLL: Duration = Duration::from_millis(100);
const PAYMENTS: &str = "/subscription-payments";
const INTENTS: &str = "payment_intents";
const CUSTOMERS: usize = 20;
const CARDS: [(&str, Card); 4] =
    [("good", Card::Good), ("slow", Card::Slow), ("declined", Card::Declined), ("action", Card::NeedsAction)];
const GOOD: &str = "pm_good_0";
/// The steps of a collection, each as a part of its request, with the card and the faults that lead to it.
const STEPS: [(&str, &str, &[Fault]); 5] = [
    ("GET /v1/payment_methods/", "good", &[]),
    ("POST /v1/payment_intents ", "good", &[]),
    ("/cancel ", "declined", &[]),
    ("GET /v1/payment_intents customer=", "good", &[Fault::FailAfter]),
    ("GET /v1/payment_intents/pi_", "declined", &[]),
];
const STEP_LIMIT: Duration = Duration::from_secs(30);
const STEP_TRIES: usize = 5;

pub(super) struct Collecting {
    /// The payments, and how many of them were begun.
    payments: Vec<String>,
    begun: usize,
    /// Payments of kills at a step.
    subscription: String,
}

impl Collecting {
    /// Creates the payments, and the customers with their payment methods.
    pub(super) fn create(place: &Place<'_>, account: &Account, count: usize) -> Result<Self> {
        let mut cards = BTreeMap::new();
        for (name, card) in CARDS {
            for number in 0..CUSTOMERS {
                let method = format!("pm_{name}_{number}");
                let customer = format!("cus_collected_{number}");
                account
                    .fake
                    .put("payment_methods", json!({ "id": method, "object": "payment_method", "customer": customer }));
                cards.insert(method, card);
            }
        }
        account.fake.set(|behavior| behavior.cards = cards);
        let user = place.home.user("collected@example.com")?;
        crate::home::create_plan(&place.servers[0], "collected")?;
        let body = json!({ "user_id": user, "subscription_plan_id": "collected" });
        let subscription = text(&place.create("/subscriptions", &body)?["id"])?;
        let mut collecting = Self { payments: Vec::new(), begun: 0, subscription };
        for _ in 0..count {
            collecting.add(place)?;
        }
        Ok(collecting)
    }

    fn add(&mut self, place: &Place<'_>) -> Result<String> {
        let body = json!({ "subscription_id": self.subscription, "amount": 19.99, "currency": "USD" });
        let id = text(&place.create(PAYMENTS, &body)?["id"])?;
        self.payments.push(id.clone());
        Ok(id)
    }

    /// Begins to collect until so many are begun, each with a random card.
    pub(super) fn begin_some(&mut self, place: &Place<'_>, account: &Account, until: usize, random: &mut SeededRandom) {
        while self.begun < until.min(self.payments.len()) {
            let card = CARDS[[0, 0, 0, 1, 2, 3][random.index(6)]].0;
            let method = format!("pm_{card}_{}", random.index(CUSTOMERS));
            // What gets no response is begun in the end.
            let target = format!("{PAYMENTS}/{}/collect", self.payments[self.begun]);
            let _ = place.call("POST", &target, &collect(account, &method));
            self.begun += 1;
        }
        account.fake.set(|behavior| behavior.cancel_fails = random.percent(10));
    }

    /// Kills all servers at each step of a collection: after the provider did what was requested, before its response.
    pub(super) fn kill_at_steps(&mut self, place: &mut Place<'_>, account: &Account, times: usize) -> Result<usize> {
        let before = place.kills;
        for (step, card, faults) in STEPS.iter().cycle().take(STEPS.len() * times) {
            // Another payment may meet the fault instead.
            if !(0..STEP_TRIES).try_fold(false, |is_there, _| {
                if is_there { Ok(true) } else { self.lead_to(place, account, (step, card, faults)) }
            })? {
                return Err(Failure::new(format!("no collection came to {step}")));
            }
            place.kill_all()?;
            account.fake.set(|behavior| {
                behavior.stall = None;
                behavior.cancel_fails = false;
            });
            place.restart()?;
        }
        Ok(place.kills - before)
    }

    /// Begins a collection that comes to a step and is stalled there. False: it did not come there in time.
    fn lead_to(
        &mut self,
        place: &Place<'_>,
        account: &Account,
        (step, card, faults): (&str, &str, &[Fault]),
    ) -> Result<bool> {
        let payment = self.add(place)?;
        let is_checked = step.ends_with("pi_");
        account.fake.set(|behavior| {
            behavior.faults = faults.iter().copied().map(Some).collect();
            behavior.cancel_fails = is_checked;
            behavior.stall = Some(step.to_owned());
        });
        let first = account.fake.requests();
        let method = format!("pm_{card}_1");
        place.call("POST", &format!("{PAYMENTS}/{payment}/collect"), &collect(account, &method))?;
        let deadline = Instant::now() + STEP_LIMIT;
        while Instant::now() < deadline {
            if account.fake.seen_since(first).iter().any(|seen| seen.line().contains(step)) {
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }

    /// Lets bank debits succeed, and collects again what failed. True: all payments are completed.
    pub(super) fn advance(&mut self, place: &Place<'_>, account: &Account, random: &mut SeededRandom) -> Result<bool> {
        for intent in account.fake.all(INTENTS) {
            if intent["status"] == "processing" {
                let id = text(&intent["id"])?;
                account.fake.change(INTENTS, &id, |intent| intent["status"] = json!("succeeded"));
                let paid = json!({ "id": id, "object": "payment_intent", "status": "succeeded", "livemode": false, "metadata": intent["metadata"] });
                let webhook = account.fake.event("payment_intent.succeeded", &paid, SECRET, now());
                for _ in 0..2 {
                    place.deliver(account, &webhook, random);
                }
            }
        }
        let mut is_done = true;
        for payment in self.listed(place)? {
            let status = payment["status"].as_str().unwrap_or_default();
            is_done &= status == "completed";
            if matches!(status, "pending" | "failed") {
                let target = format!("{PAYMENTS}/{}/collect", text(&payment["id"])?);
                place.call("POST", &target, &collect(account, GOOD))?;
            }
        }
        Ok(is_done)
    }

    fn listed(&self, place: &Place<'_>) -> Result<Vec<Value>> {
        let all = place.list(PAYMENTS)?;
        Ok(all.into_iter().filter(|payment| payment["subscription_id"] == self.subscription.as_str()).collect())
    }

    pub(super) fn measure(&self, place: &Place<'_>, account: &Account, steps: usize) -> Result<Vec<Measured>> {
        let mut intents: HashMap<String, Vec<String>> = HashMap::new();
        for intent in account.fake.all(INTENTS) {
            if intent["status"] == "succeeded" {
                let payment = text(&intent["metadata"]["perennial_payment_id"])?;
                intents.entry(payment).or_default().push(text(&intent["id"])?);
            }
        }
        let payments = self.listed(place)?;
        let (mut never, mut twice, mut wrong) = (0, 0, 0);
        for payment in &payments {
            let charges =
                intents.get(payment["id"].as_str().unwrap_or_default()).map(Vec::as_slice).unwrap_or_default();
            never += usize::from(charges.is_empty());
            twice += charges.len().saturating_sub(1);
            let is_right =
                payment["status"] == "completed" && charges.iter().any(|id| payment["external_payment_id"] == **id);
            if !is_right {
                eprintln!("charges {charges:?}, payment {payment}");
            }
            wrong += usize::from(!is_right);
        }
        Ok(vec![
            Measured::at_least("payments that were collected", payments.len(), self.payments.len()),
            Measured::new("kills at a step of a collection", steps, "any", true),
            Measured::none("payments that were never charged", never),
            Measured::none("payments that were charged twice", twice),
            Measured::none("payments that do not show their charge", wrong),
        ])
    }

    /// Lets everything come to an end: one sweep of each connection, no webhook waits, no payment is processing.
    pub(super) fn drain(&mut self, place: &Place, accounts: &[Account], limit: Duration) -> Result {
        let mut random = SeededRandom::new(1);
        for account in accounts {
            // In a storm many may lose access.
            place.reconcile(account, &["--yes"])?;
        }
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            let is_collected = self.advance(place, &accounts[0], &mut random)?;
            if is_collected && rows::count(place.home, WAITING)? == 0 {
                return Ok(());
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}
