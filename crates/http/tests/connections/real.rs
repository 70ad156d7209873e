//! A service with a payment provider that is asked over HTTP.

use perennial_app::caller::Caller;
use perennial_app::connections::http::HttpProvider;
use perennial_app::connections::{
    self, Collections, Connection, ConnectionDraft, ConnectionKind, ConnectionMode, ConnectionName, Connections, Drift,
    RequestsPerMinute, reconcile,
};
use perennial_domain::connections::sweep::{Sweep, SweepOptions};
use perennial_fake_provider::{FakeProvider, Kind};
use perennial_identity::secret::Secret;
use perennial_testkit::{TestApp, TestOptions, TestStore};
use perennial_transfer::{Copied, copy};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub(crate) const SECRET: &str = "whsec_test";
pub(crate) const KEY: &str = "sk_test_1";

pub(crate) struct Real {
    pub(crate) app: TestApp,
    pub(crate) fake: FakeProvider,
    pub(crate) connection: Connection,
    running: Vec<watch::Sender<bool>>,
}

impl Real {
    pub(crate) async fn start(kind: Kind) -> Self {
        Self::with(kind, |draft| draft).await
    }

    pub(crate) async fn with(kind: Kind, change: impl FnOnce(ConnectionDraft) -> ConnectionDraft) -> Self {
        let fake = FakeProvider::start(kind);
        fake.set(|behavior| behavior.api_key = Some(KEY.to_owned()));
        let mut options = TestOptions::default();
        options.app.payment_providers = Some(Arc::new(HttpProvider::default()));
        let app = TestApp::with(options).await;
        fake.set(|behavior| behavior.now = app.now().as_micros() / 1_000_000);
        let kind = match kind {
            Kind::Stripe => ConnectionKind::Stripe,
            Kind::LemonSqueezy => ConnectionKind::LemonSqueezy,
            Kind::Paddle => ConnectionKind::Paddle,
        };
        let draft = change(ConnectionDraft {
            kind: Some(kind),
            name: ConnectionName::parse("main").ok(),
            mode: Some(ConnectionMode::Test),
            base_url: Some(fake.url.clone()),
            drift: Some(Drift::Repair),
            collect: Some(kind == ConnectionKind::Stripe),
            requests_per_minute: Some(RequestsPerMinute::from_stored(6_000)),
            allow_private_addresses: Some(true),
            allow_http: Some(true),
            ..ConnectionDraft::default()
        });
        let secret = |text: &str| Secret::new(text.to_owned());
        let caller = Caller::system(app.organization);
        let connection = connections::create(&app.app, &caller, draft, secret(KEY), secret(SECRET)).await.unwrap();
        Self { app, fake, connection, running: Vec::new() }
    }

    /// A copy of the store as it is now.
    pub(crate) async fn backup(&self) -> TestStore {
        let store = TestStore::migrated().await;
        let copied = copy(&self.app.app.db, &store.open().await, None, |_| {}).await.unwrap();
        assert!(matches!(copied, Copied::Whole(_)));
        store
    }

    /// The service on a backup, a few seconds later. The provider is the same.
    pub(crate) async fn restored(self, backup: TestStore) -> Self {
        let Self { app, fake, connection, running } = self;
        drop(running);
        let mut options = TestOptions::default();
        options.app.payment_providers = Some(Arc::new(HttpProvider::default()));
        let app = TestApp::over_store(backup, app.now().plus_seconds(7), options).await;
        Self { app, fake, connection, running: Vec::new() }
    }

    /// Applies hints and collects payments from now on.
    pub(crate) fn work(&mut self) {
        self.running.push(self.app.work(Connections));
        self.running.push(self.app.work(Collections));
    }

    pub(crate) async fn reconcile(&self, options: SweepOptions) -> Sweep {
        let caller = Caller::system(self.app.organization);
        reconcile::now(&self.app.app, &caller, self.connection.id, options).await.unwrap().unwrap()
    }

    pub(crate) async fn all(&self, path: &str) -> Vec<Value> {
        self.app.get(path).await.expect(200).data().as_array().unwrap().clone()
    }

    /// The data of the events of a kind, oldest first.
    pub(crate) async fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.app.events().await;
        let of_kind = events.iter().filter(|event| event.kind.as_str() == kind);
        of_kind.map(|event| serde_json::from_str(event.after.as_deref().unwrap()).unwrap()).collect()
    }

    /// Waits until the record has this status, moving the clock if it does not change by itself.
    pub(crate) async fn until_status(&self, path: &str, status: &str) -> Value {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let record = self.app.get(path).await.expect(200).data().clone();
            if record["status"] == status {
                return record;
            }
            assert!(Instant::now() < deadline, "it does not become {status}: {record}");
            self.app.advance(1);
            tokio::task::yield_now().await;
        }
    }

    /// A customer, a price and a subscription at Stripe.
    pub(crate) fn stripe_subscription(&self, number: usize, status: &str) -> Value {
        let customer = format!("cus_{number}");
        self.fake.put(
            "customers",
            json!({ "id": customer, "object": "customer", "email": format!("u{number}@example.com"), "created": 1_767_225_600 }),
        );
        self.fake.put(
            "prices",
            json!({
                "id": "price_1", "object": "price", "active": true, "currency": "usd", "unit_amount": 1999, "livemode": false,
                "created": 1_767_225_600, "recurring": { "interval": "month", "interval_count": 1 },
                "product": { "id": "prod_1", "object": "product", "name": "Pro", "active": true },
            }),
        );
        let subscription = json!({
            "id": format!("sub_{number}"), "object": "subscription", "customer": customer, "status": status, "livemode": false,
            "created": 1_767_225_600, "start_date": 1_767_225_600, "current_period_end": 1_775_001_600,
            "items": { "data": [{ "price": { "id": "price_1", "currency": "usd" }, "quantity": 2 }] },
        });
        self.fake.put("subscriptions", subscription.clone());
        subscription
    }
}
