//! A user, plans, and the engine run by hand. It contains none of the API rules.

use perennial_app::lifecycle;
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

pub(crate) struct Base {
    pub(crate) app: TestApp,
    pub(crate) user: String,
}

impl Base {
    /// A service whose clock shows this time.
    pub(crate) async fn at(instant: &str) -> Self {
        let app = TestApp::start().await;
        app.set_time(instant);
        let user = app.user("ada@example.com").await;
        Self { app, user }
    }

    /// The ID of a new plan, free unless it has a price: these tests are about time and not about money.
    pub(crate) async fn plan(&self, slug: &str, mut changes: Value) -> String {
        changes.as_object_mut().unwrap().entry("price").or_insert(json!(0));
        self.app.plan(slug, changes).await["id"].as_str().unwrap().to_owned()
    }

    /// A new billed subscription with a payment method.
    pub(crate) async fn subscribe(&self, plan: &str, changes: Value) -> Value {
        self.try_subscribe(plan, changes).await.expect(201).data().clone()
    }

    pub(crate) async fn try_subscribe(&self, plan: &str, changes: Value) -> Answer {
        let mut body = json!({
            "user_id": self.user, "subscription_plan_id": plan, "billing": { "payment_method": "pm_1" }
        });
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.app.post("/subscriptions", &body).await
    }

    pub(crate) async fn read(&self, id: &str) -> Value {
        self.app.get(&format!("/subscriptions/{id}")).await.expect(200).data().clone()
    }

    pub(crate) async fn put(&self, id: &str, body: Value) -> Value {
        self.try_put(id, body).await.expect(200).data().clone()
    }

    pub(crate) async fn try_put(&self, id: &str, body: Value) -> Answer {
        self.app.put(&format!("/subscriptions/{id}"), &body).await
    }

    /// Moves the clock and does what is due. Returns the subscription after it.
    pub(crate) async fn run(&self, id: &str, instant: &str) -> Value {
        self.app.set_time(instant);
        while self.act(id).await {}
        self.read(id).await
    }

    /// Makes one action, if one is due.
    pub(crate) async fn act(&self, id: &str) -> bool {
        let app = &self.app;
        lifecycle::act_once(&app.app, app.organization, id.parse().unwrap(), app.now()).await.unwrap()
    }

    /// The types of the events of a subscription, oldest first.
    pub(crate) async fn types(&self, id: &str) -> Vec<String> {
        let events = self.app.events().await;
        events.iter().filter(|event| event.record() == id).map(|event| event.kind.as_str().to_owned()).collect()
    }
}

pub(crate) fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// A time of a record to the minute.
pub(crate) fn minute<'a>(record: &'a Value, field: &str) -> &'a str {
    let value = field.split('.').fold(record, |value, part| &value[part]);
    value.as_str().map_or("null", |text| &text[..16])
}
