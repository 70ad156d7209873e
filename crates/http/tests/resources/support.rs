//! What several modules need: bodies written as JSON text, a second organization, a subscription to start from.
//! It contains none of the API rules.

use perennial_app::clients::{Credential, NewClient, Presents};
use perennial_app::{clients, organizations};
use perennial_domain::clients::{ClientKind, ClientName};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;
use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

pub(crate) const PLANS: &str = "/subscription-plans";
pub(crate) const SUBSCRIPTIONS: &str = "/subscriptions";
pub(crate) const PAYMENTS: &str = "/subscription-payments";

/// The statuses of a subscription, in the API rules' order.
pub(crate) const STATUSES: [&str; 9] =
    ["pending", "incomplete", "on_trial", "active", "past_due", "unpaid", "paused", "cancelled", "expired"];

/// A body of the members of `base`, with `changes`; a member changed to nothing is omitted.
/// Members are JSON text, so that a number reaches the service digit by digit as it was written.
pub(crate) fn body(base: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let kept = base.iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    let members = kept.chain(changes.iter().filter(|(_, text)| !text.is_empty()));
    let members: Vec<String> = members.map(|(name, text)| format!("{name:?}: {text}")).collect();
    format!("{{{}}}", members.join(", "))
}

/// A JSON string of `length` characters of two bytes each.
pub(crate) fn long(length: usize) -> String {
    format!("\"{}\"", "é".repeat(length))
}

/// POSTs JSON text as the trusted client.
pub(crate) async fn post_text(app: &TestApp, target: &str, text: &str) -> Answer {
    app.request("POST", target).json_text(text.to_owned()).send().await
}

/// PUTs JSON text as the trusted client.
pub(crate) async fn put_text(app: &TestApp, target: &str, text: &str) -> Answer {
    app.request("PUT", target).json_text(text.to_owned()).send().await
}

/// Holds a 422 against the faults expected, in any order.
#[track_caller]
pub(crate) fn assert_errors(answer: Answer, expected: &[&str], context: &str) {
    let answer = answer.expect(422);
    let mut found = answer.faults();
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{context}");
}

/// A member of a record as text.
pub(crate) fn text<'a>(record: &'a Value, member: &str) -> &'a str {
    record[member].as_str().unwrap()
}

/// A user and a plan: what every subscription needs.
pub(crate) struct Base {
    pub(crate) app: TestApp,
    pub(crate) user: String,
    pub(crate) plan: String,
}

impl Base {
    pub(crate) async fn start() -> Self {
        let app = TestApp::start().await;
        let user = app.user("ada@example.com").await;
        let plan = text(&app.plan("pro", json!({})).await, "id").to_owned();
        Self { app, user, plan }
    }

    /// A new subscription, with `changes`.
    pub(crate) async fn subscribe(&self, changes: Value) -> Value {
        self.app.subscription(&self.user, &self.plan, changes).await
    }

    /// A new payment for a new subscription, with `changes`.
    pub(crate) async fn pay(&self, changes: Value) -> Value {
        let subscription = self.subscribe(json!({})).await;
        self.app.payment(text(&subscription, "id"), changes).await
    }

    /// Requests a subscription that may be rejected.
    pub(crate) async fn try_subscribe(&self, changes: Value) -> Answer {
        let mut body = json!({ "user_id": self.user, "subscription_plan_id": self.plan });
        let members = body.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        self.app.post(SUBSCRIPTIONS, &body).await
    }
}

/// Where a record is.
pub(crate) fn place(collection: &str, record: &Value) -> String {
    format!("{collection}/{}", text(record, "id"))
}

/// A second organization on the same service, with a trusted client of every scope and a user.
pub(crate) struct Tenant<'a> {
    app: &'a TestApp,
    credential: &'static str,
    pub(crate) user: String,
}

impl<'a> Tenant<'a> {
    pub(crate) async fn create(app: &'a TestApp, currency: &str) -> Self {
        const CREDENTIAL: &str = "pk_OtherOtherOtherOtherOtherOtherOther";
        let name = OrganizationName::parse("other").unwrap();
        let currency = Currency::parse(currency).unwrap();
        let organization = organizations::create(&app.app, name, currency, None).await.unwrap().unwrap();
        let client = NewClient {
            name: ClientName::parse("other").unwrap(),
            presents: Presents::Trusted(Credential::chosen(CREDENTIAL).unwrap()),
            scopes: ClientKind::Trusted.scopes(),
            origins: vec![],
            cidrs: vec![],
            expires_at: None,
        };
        clients::create(&app.app, organization.id, client).await.unwrap().unwrap();
        let user = app.user_of(organization.id, "ada@example.com").await;
        Self { app, credential: CREDENTIAL, user }
    }

    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        self.app.anonymous(method, target).header("client-id", self.credential)
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.request("GET", target).send().await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Answer {
        self.request("POST", target).json(body).send().await
    }
}
