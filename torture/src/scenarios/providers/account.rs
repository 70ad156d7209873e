//! An account at a payment provider: its subscriptions and payments, how they change, and the records that they must be. The
//! records are computed from the model, not from the provider's objects, and without the program's own mapping.

use std::collections::BTreeMap;

use perennial_fake_provider::{FakeProvider, Kind, Webhook};
use perennial_harness::SeededRandom;
use serde_json::{Value, json};

use super::item::{Item, Paid, Status};
use super::objects::{self, DAY};

pub(super) const API_KEY: &str = "sk_test_torture";
pub(super) const SECRET: &str = "whsec_torture";

/// Whether a change may end the access of a user. A sweep stops if it would end that of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Possible,
    Never,
}

/// What a record must be, by the external ID.
pub(super) type Records = BTreeMap<String, Value>;

pub(super) struct Account {
    pub(super) fake: FakeProvider,
    pub(super) name: &'static str,
    pub(super) requests_per_minute: u64,
    /// The connection's ID.
    pub(super) id: String,
    pub(super) items: Vec<Item>,
    now: i64,
}

impl Account {
    pub(super) fn new(kind: Kind, requests_per_minute: u64, count: usize, now: i64) -> Self {
        let fake = FakeProvider::start(kind);
        fake.set(|behavior| {
            behavior.api_key = Some(API_KEY.to_owned());
            behavior.now = now;
            behavior.page_size = (count / 4).clamp(5, 100);
        });
        let name = match kind {
            Kind::Stripe => "stripe",
            Kind::LemonSqueezy => "lemon-squeezy",
            Kind::Paddle => "paddle",
        };
        objects::put_prices(&fake);
        let items = (0..count)
            .map(|number| Item {
                number,
                status: Status::Active,
                quantity: 1,
                renews: now + 30 * DAY,
                paid: Paid::Completed,
                cents: 1_000 + i64::try_from(number).unwrap_or_default(),
                version: 0,
            })
            .collect();
        let account = Self { fake, name, requests_per_minute, id: String::new(), items, now };
        for item in &account.items {
            objects::put_customer(&account.fake, item.number);
            account.put(item);
        }
        account
    }

    pub(super) fn put(&self, item: &Item) {
        let [(subscriptions, subscription), (payments, payment)] = objects::of(self.fake.kind, item, self.now);
        self.fake.put(subscriptions, subscription);
        self.fake.put(payments, payment);
    }

    /// Forgets a subscription.
    pub(super) fn forget(&self, number: usize) {
        self.fake.remove("subscriptions", &objects::subscription_id(self.fake.kind, number));
    }

    /// Changes a subscription or a payment, and returns the webhook about it.
    pub(super) fn change(&mut self, random: &mut SeededRandom, now: i64, loss: Loss) -> Webhook {
        let at = random.index(self.items.len());
        let is_payment = random.percent(30);
        let item = &mut self.items[at];
        item.version += 1;
        if is_payment {
            item.paid = [Paid::Pending, Paid::Failed, Paid::Completed, Paid::InPart, Paid::Refunded, Paid::Void]
                [random.index(6)];
        } else {
            let next = [Status::Trial, Status::Active, Status::Leaving, Status::PastDue, Status::Paused];
            let (kinds, chance) = if loss == Loss::Possible { (next.len(), 4) } else { (3, 0) };
            // What is expired stays so: the contrary is an error that a person must resolve.
            item.status = match item.status {
                Status::Expired => Status::Expired,
                _ if random.percent(chance) => Status::Expired,
                _ => next[random.index(kinds)],
            };
            item.quantity = random.between(1, 9);
            item.renews += DAY;
        }
        let item = item.clone();
        self.put(&item);
        let [subscription, payment] = objects::of(self.fake.kind, &item, self.now);
        let (_, object) = if is_payment { payment } else { subscription };
        self.fake.event(objects::event_name(self.fake.kind, is_payment), &object, SECRET, now)
    }

    pub(super) fn subscriptions(&self) -> Records {
        self.items
            .iter()
            .map(|item| (objects::subscription_id(self.fake.kind, item.number), subscription(item)))
            .collect()
    }

    pub(super) fn payments(&self) -> Records {
        self.items.iter().map(|item| (objects::payment_id(self.fake.kind, item.number), payment(item))).collect()
    }
}

fn subscription(item: &Item) -> Value {
    let renews = objects::instant(item.renews);
    let (status, renews_at, ends_at) = match item.status {
        Status::Trial => ("on_trial", json!(renews), Value::Null),
        Status::Active => ("active", json!(renews), Value::Null),
        Status::PastDue => ("past_due", json!(renews), Value::Null),
        Status::Paused => ("paused", json!(renews), Value::Null),
        Status::Leaving => ("cancelled", json!(renews), json!(renews)),
        Status::Expired => ("expired", Value::Null, json!(objects::instant(objects::ENDED))),
    };
    json!({ "status": status, "quantity": item.quantity, "renews_at": renews_at, "ends_at": ends_at })
}

fn payment(item: &Item) -> Value {
    let status = match item.paid {
        Paid::Pending => "pending",
        Paid::Failed => "failed",
        Paid::Completed => "completed",
        Paid::InPart => "partially_refunded",
        Paid::Refunded => "refunded",
        Paid::Void => "void",
    };
    json!({ "status": status, "amount": objects::decimal(item.cents) })
}
