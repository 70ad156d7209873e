//! Short ways to what most tests need: a call, a user, a plan, a subscription, a payment.

use crate::answer::Answer;
use crate::app::TestApp;
use perennial_app::caller::Caller;
use perennial_app::users;
use perennial_domain::id::OrganizationId;
use perennial_domain::users::{Email, UserDraft};
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};

impl TestApp {
    /// GET by the trusted client.
    pub async fn get(&self, target: &str) -> Answer {
        self.request("GET", target).send().await
    }

    /// POST by the trusted client.
    pub async fn post(&self, target: &str, body: &Value) -> Answer {
        self.request("POST", target).json(body).send().await
    }

    /// PUT by the trusted client.
    pub async fn put(&self, target: &str, body: &Value) -> Answer {
        self.request("PUT", target).json(body).send().await
    }

    /// DELETE by the trusted client.
    pub async fn delete(&self, target: &str) -> Answer {
        self.request("DELETE", target).send().await
    }

    /// A new user's id.
    pub async fn user(&self, email: &str) -> String {
        self.user_of(self.organization, email).await
    }

    /// The id of a new user of an organization.
    pub async fn user_of(&self, organization: OrganizationId, email: &str) -> String {
        let draft = UserDraft { email: Some(Email::parse(email).ok()), ..UserDraft::default() };
        let user = users::create(&self.app, &Caller::system(organization), draft, ValidationErrors::none()).await;
        user.expect("the address is free").id.to_string()
    }

    /// A new plan: monthly, 19.99 USD, with `changes` applied.
    pub async fn plan(&self, slug: &str, changes: Value) -> Value {
        let body = json!({ "name": "Pro", "slug": slug, "price": 19.99, "billing_cycle": "monthly" });
        self.created("/subscription-plans", body, changes).await
    }

    /// A new subscription of a user to a plan, with `changes` applied.
    pub async fn subscription(&self, user: &str, plan: &str, changes: Value) -> Value {
        let body = json!({ "user_id": user, "subscription_plan_id": plan });
        self.created("/subscriptions", body, changes).await
    }

    /// A new payment of 19.99 USD for a subscription, with `changes` applied.
    pub async fn payment(&self, subscription: &str, changes: Value) -> Value {
        let body = json!({ "subscription_id": subscription, "amount": 19.99, "currency": "USD" });
        self.created("/subscription-payments", body, changes).await
    }

    async fn created(&self, target: &str, mut body: Value, changes: Value) -> Value {
        if let (Some(body), Value::Object(changes)) = (body.as_object_mut(), changes) {
            body.extend(changes);
        }
        self.post(target, &body).await.expect(201).data().clone()
    }
}
