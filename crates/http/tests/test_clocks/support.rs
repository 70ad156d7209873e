//! A test organization with a client, and short ways to its clock and its records.

use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::lifecycle::Lifecycle;
use perennial_app::organizations;
use perennial_app::test_clock::TestClocks;
use perennial_domain::clients::{ClientKind, ClientName, Scope, Scopes};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;

/// A test organization, and a client that holds every scope.
pub(crate) struct Sandbox<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) organization: Organization,
    credential: String,
}

impl<'a> Sandbox<'a> {
    pub(crate) async fn new(app: &'a TestApp) -> Self {
        Self::named(app, "sandbox").await
    }

    pub(crate) async fn named(app: &'a TestApp, name: &str) -> Self {
        let parsed = OrganizationName::parse(name).unwrap();
        let made = organizations::create_in(&app.app, parsed, Currency::USD, None, OrganizationMode::Test).await;
        let organization = made.unwrap().unwrap();
        let credential = format!("pk_{name:x<32}");
        let scopes: Vec<Scope> = ClientKind::Trusted.scopes().iter().collect();
        let client = NewClient {
            name: ClientName::parse(name).unwrap(),
            presents: Presents::Trusted(Credential::chosen(&credential).unwrap()),
            scopes: Scopes::of(&scopes),
            origins: vec![],
            cidrs: vec![],
            expires_at: None,
        };
        clients::create(&app.app, organization.id, client).await.unwrap().unwrap();
        Self { app, organization, credential }
    }

    /// One whose clock shows this instant.
    pub(crate) async fn at(app: &'a TestApp, now: &str) -> Self {
        let sandbox = Self::new(app).await;
        sandbox.post("/test-clock", json!({ "now": now })).await.expect(201);
        sandbox
    }

    /// The same organization as another server serves it.
    pub(crate) fn on<'b>(&self, other: &'b TestApp) -> Sandbox<'b> {
        Sandbox { app: other, organization: self.organization.clone(), credential: self.credential.clone() }
    }

    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", &self.credential)
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.request("GET", target).send().await
    }

    pub(crate) async fn post(&self, target: &str, body: Value) -> Answer {
        self.request("POST", target).json(&body).send().await
    }

    pub(crate) async fn put(&self, target: &str, body: Value) -> Answer {
        self.request("PUT", target).json(&body).send().await
    }

    pub(crate) async fn delete(&self, target: &str) -> Answer {
        self.request("DELETE", target).send().await
    }

    /// Runs the engine until the value is dropped.
    pub(crate) fn work(&self) -> (watch::Sender<bool>, watch::Sender<bool>) {
        (self.app.work(Lifecycle), self.app.work(TestClocks))
    }

    /// Moves the clock and waits until it has arrived.
    pub(crate) async fn advance(&self, now: &str) -> Value {
        self.put("/test-clock", json!({ "now": now })).await.expect(200);
        self.clock_that(|clock| clock["status"] != "advancing").await
    }

    /// The clock once it is like this.
    pub(crate) async fn clock_that(&self, is_right: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..2_000 {
            let clock = self.get("/test-clock").await.expect(200).data().clone();
            if is_right(&clock) {
                return clock;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the clock never became right: {}", self.get("/test-clock").await.expect(200).data());
    }

    /// A new plan's ID.
    pub(crate) async fn plan(&self, slug: &str) -> String {
        let plan = json!({ "name": "Pro", "slug": slug, "price": 19.99, "billing_cycle": "monthly" });
        id(self.post("/subscription-plans", plan).await.expect(201).data())
    }

    /// A new user's ID.
    pub(crate) async fn user(&self, email: &str) -> String {
        self.app.user_of(self.organization.id, email).await
    }

    /// A new subscription.
    pub(crate) async fn subscription(&self, user: &str, plan: &str, fields: Value) -> Value {
        let mut body = json!({ "user_id": user, "subscription_plan_id": plan });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.post("/subscriptions", body).await.expect(201).data().clone()
    }

    /// All events of a type in the order of the feed, once there are at least so many.
    pub(crate) async fn events(&self, event_type: &str, least: usize) -> Vec<Value> {
        for _ in 0..2_000 {
            let target = format!("/events?type={event_type}&limit=200");
            let events = self.get(&target).await.expect(200).data().as_array().unwrap().clone();
            if events.len() >= least {
                return events;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("there were never {least} events {event_type}");
    }
}

pub(crate) fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}
