//! A service with a payment provider in memory.

use aws_lc_rs::hmac;
use data_encoding::HEXLOWER;
use perennial_app::caller::Caller;
use perennial_app::connections::provider::{Account, Fetched, Page, Pending, Provider};
use perennial_app::connections::{self, Connection, ConnectionDraft, ConnectionKind, ConnectionName, Connections};
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::{
    CustomerFacts, ItemFacts, Mapped, PaymentFacts, PriceFacts, SubscriptionFacts,
};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::money::Money;
use perennial_domain::number::Number;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Description, Features, PlanName};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use perennial_identity::secret::Secret;
use perennial_provider_api::lists::{self, List, Scope};
use perennial_testkit::{Answer, TestApp, TestOptions};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub(crate) const SECRET: &str = "whsec_test";

/// A provider in memory: objects by kind and ID, the number of fetches, and the most fetches of one object at once.
#[derive(Default)]
pub(crate) struct Memory {
    objects: Mutex<HashMap<(&'static str, String), Fetched>>,
    pub(crate) fetches: Mutex<Vec<String>>,
    /// Those of sweeps.
    pub(crate) swept: Mutex<Vec<String>>,
    /// What the list of subscriptions is. None: no list is answered.
    pub(crate) list: Mutex<Option<Page>>,
    running: Mutex<HashMap<String, usize>>,
    pub(crate) overlaps: Mutex<usize>,
}

impl Memory {
    pub(crate) fn put(&self, object: ObjectKind, id: &str, fetched: Fetched) {
        self.objects.lock().unwrap().insert((object.as_str(), id.to_owned()), fetched);
    }

    pub(crate) fn found(&self, object: ObjectKind, id: &str, mapped: Mapped) {
        self.put(object, id, Fetched::Found(Box::new(mapped)));
    }

    /// A customer, a price, and a subscription with this status.
    pub(crate) fn subscribe(&self, number: usize, status: SubscriptionStatus) {
        let (customer, subscription) = (format!("cus_{number}"), format!("sub_{number}"));
        self.found(ObjectKind::Customer, &customer, customer_facts(&customer, &format!("u{number}@example.com")));
        self.found(ObjectKind::Price, "price_1", price_facts("price_1", "9.5", true));
        self.found(ObjectKind::Subscription, &subscription, subscription_facts(&subscription, &customer, status));
    }

    pub(crate) fn fetched(&self, id: &str) -> usize {
        self.fetches.lock().unwrap().iter().filter(|fetched| *fetched == id).count()
    }
}

impl Provider for Memory {
    fn fetch<'a>(&'a self, _: Account<'a>, object: ObjectKind, external_id: &'a str) -> Pending<'a, Fetched> {
        Box::pin(async move {
            let name = format!("{} {external_id}", object.as_str());
            self.fetches.lock().unwrap().push(external_id.to_owned());
            {
                let mut running = self.running.lock().unwrap();
                let count = running.entry(name.clone()).or_default();
                *count += 1;
                *self.overlaps.lock().unwrap() += usize::from(*count > 1);
            }
            tokio::task::yield_now().await;
            let found = self.objects.lock().unwrap().get(&(object.as_str(), external_id.to_owned())).cloned();
            tokio::task::yield_now().await;
            *self.running.lock().unwrap().get_mut(&name).unwrap() -= 1;
            found.unwrap_or(Fetched::NotFound)
        })
    }

    fn fetch_in_sweep<'a>(&'a self, account: Account<'a>, object: ObjectKind, id: &'a str) -> Pending<'a, Fetched> {
        self.swept.lock().unwrap().push(id.to_owned());
        self.fetch(account, object, id)
    }

    fn list<'a>(&'a self, _: Account<'a>, list: List, _: Scope<'a>, _: Option<&'a str>) -> Pending<'a, Page> {
        let known = self.list.lock().unwrap().clone().unwrap_or(Page::Unavailable { retry_after: None });
        let page = match (list, known) {
            (List::Subscriptions, known) | (_, known @ (Page::NotSent(_) | Page::Unavailable { .. })) => known,
            _ => Page::Found(lists::Page::default()),
        };
        Box::pin(std::future::ready(page))
    }

    fn check<'a>(&'a self, _: Account<'a>) -> Pending<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

pub(crate) fn customer_facts(id: &str, email: &str) -> Mapped {
    let customer = CustomerFacts {
        external_id: id.to_owned(),
        user_id: None,
        email: Email::parse(email).ok(),
        first_name: None,
        last_name: None,
        notifications: None,
        created_at: at(),
    };
    Mapped { customer: Some(customer), ..Mapped::default() }
}

pub(crate) fn price_facts(id: &str, price: &str, is_active: bool) -> Mapped {
    let price = PriceFacts {
        external_id: id.to_owned(),
        product_id: Some("prod_1".to_owned()),
        name: PlanName::parse("Pro").unwrap(),
        slug_text: "Pro".to_owned(),
        price: money(price),
        currency: Currency::USD,
        billing_cycle: BillingCycle::Monthly,
        href: None,
        description: Description::default(),
        features: Features::default(),
        is_active,
        created_at: at(),
    };
    Mapped { price: Some(price), ..Mapped::default() }
}

pub(crate) fn subscription_facts(id: &str, customer: &str, status: SubscriptionStatus) -> Mapped {
    let subscription = SubscriptionFacts {
        external_id: id.to_owned(),
        customer: customer.to_owned(),
        user_id: None,
        items: vec![ItemFacts { price: "price_1".to_owned(), quantity: 2 }],
        status,
        starts_at: at(),
        renews_at: Time::parse("2026-04-01T00:00:00Z").ok(),
        ends_at: None,
        is_single: false,
        created_at: at(),
    };
    Mapped { subscription: Some(subscription), ..Mapped::default() }
}

pub(crate) fn payment_facts(id: &str, subscription: &str, status: PaymentStatus) -> Mapped {
    let payment = PaymentFacts {
        external_id: id.to_owned(),
        subscription: subscription.to_owned(),
        amount: money("19"),
        currency: Currency::USD,
        status,
        date: Some(at()).filter(|_| status == PaymentStatus::Completed),
        is_single: false,
        created_at: at(),
    };
    Mapped { payment: Some(payment), ..Mapped::default() }
}

fn money(text: &str) -> Money {
    Money::parse(Number::parse(text).unwrap()).unwrap()
}

fn at() -> Time {
    Time::parse("2026-03-01T00:00:00Z").unwrap()
}

/// A service with a connection to Stripe.
pub(crate) struct Base {
    pub(crate) app: TestApp,
    pub(crate) memory: Arc<Memory>,
    pub(crate) connection: Connection,
    work: Mutex<Option<watch::Sender<bool>>>,
}

impl Base {
    pub(crate) async fn start() -> Self {
        Self::of_kind(ConnectionKind::Stripe).await
    }

    pub(crate) async fn of_kind(kind: ConnectionKind) -> Self {
        let memory = Arc::new(Memory::default());
        let mut options = TestOptions::default();
        options.app.payment_providers = Some(Arc::clone(&memory) as Arc<dyn Provider>);
        let app = TestApp::with(options).await;
        let connection = connect(&app, kind, "main").await;
        Self { app, memory, connection, work: Mutex::new(None) }
    }

    pub(crate) fn caller(&self) -> Caller {
        Caller::system(self.app.organization)
    }

    /// Applies hints in the background from now on.
    pub(crate) fn work(&self) {
        *self.work.lock().unwrap() = Some(self.app.work(Connections));
    }

    pub(crate) fn path(&self) -> String {
        format!("/hooks/{}", self.connection.id)
    }

    /// Sends a signed event of Stripe about this object.
    pub(crate) async fn hint(&self, key: &str, object: &Value) -> Answer {
        let body = json!({ "id": key, "type": "test", "livemode": true, "data": { "object": object } }).to_string();
        self.send(&body).await
    }

    pub(crate) async fn send(&self, body: &str) -> Answer {
        let header = stripe_header(SECRET, seconds(&self.app), body.as_bytes());
        let request = self.app.anonymous("POST", &self.path()).header("stripe-signature", header);
        request.raw(body.to_owned()).send().await
    }

    pub(crate) async fn inbox(&self) -> Vec<Value> {
        let answer = self.app.get(&format!("/connections/{}/inbox?limit=200", self.connection.id)).await.expect(200);
        answer.data().as_array().unwrap().clone()
    }

    /// Waits until no hint is due, and returns the state and code of the hint with this key.
    pub(crate) async fn outcome(&self, key: &str) -> (String, Value) {
        let item =
            self.until(|items| items.iter().find(|item| item["key"] == key && !is_due(item, self.app.now())).cloned());
        let item = item.await;
        (item["state"].as_str().unwrap().to_owned(), item["code"].clone())
    }

    /// Waits until every hint has been tried.
    pub(crate) async fn quiet(&self) -> Vec<Value> {
        let now = self.app.now();
        self.until(|items| items.iter().all(|item| !is_due(item, now)).then(|| items.to_vec())).await
    }

    async fn until<T>(&self, found: impl Fn(&[Value]) -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let items = self.inbox().await;
            if let Some(found) = found(&items) {
                return found;
            }
            assert!(Instant::now() < deadline, "hints are not settled: {items:?}");
            tokio::task::yield_now().await;
        }
    }

    pub(crate) async fn one(&self, path: &str) -> Value {
        let list = self.app.get(path).await.expect(200).data().as_array().unwrap().clone();
        assert_eq!(list.len(), 1, "{list:?}");
        list[0].clone()
    }
}

fn is_due(item: &Value, now: Time) -> bool {
    let next = item["next_attempt_at"].as_str().map(|text| Time::parse(text).unwrap());
    item["state"] == "waiting" && next.is_some_and(|next| next <= now)
}

/// A connection of this kind.
pub(crate) async fn connect(app: &TestApp, kind: ConnectionKind, name: &str) -> Connection {
    let draft =
        ConnectionDraft { kind: Some(kind), name: ConnectionName::parse(name).ok(), ..ConnectionDraft::default() };
    let caller = Caller::system(app.organization);
    let secret = |text: &str| Secret::new(text.to_owned());
    connections::create(&app.app, &caller, draft, secret("sk_1"), secret(SECRET)).await.unwrap()
}

pub(crate) fn seconds(app: &TestApp) -> i64 {
    app.now().as_micros() / 1_000_000
}

pub(crate) fn sign(secret: &str, prefix: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    HEXLOWER.encode(hmac::sign(&key, &[prefix.as_bytes(), body].concat()).as_ref())
}

pub(crate) fn stripe_header(secret: &str, time: i64, body: &[u8]) -> String {
    format!("t={time},v1={}", sign(secret, &format!("{time}."), body))
}
