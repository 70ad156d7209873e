//! A billed subscription whose plan costs nothing, and invoices of items for it. It contains none of the API rules.

use perennial_testkit::{Answer, TestApp, TestOptions};
use serde_json::{Value, json};

pub(crate) struct Issued {
    pub(crate) app: TestApp,
    pub(crate) user: String,
    pub(crate) subscription: String,
}

impl Issued {
    pub(crate) async fn start() -> Self {
        Self::with(TestOptions::default()).await
    }

    pub(crate) async fn with(options: TestOptions) -> Self {
        let app = TestApp::with(options).await;
        let user = app.user("ada@example.com").await;
        Self::of(app, user).await
    }

    pub(crate) async fn of(app: TestApp, user: String) -> Self {
        app.plan("free", json!({ "price": 0 })).await;
        let billed = json!({ "billing": { "collection": "manual" } });
        let subscription = app.subscription(&user, "free", billed).await["id"].as_str().unwrap().to_owned();
        Self { app, user, subscription }
    }

    pub(crate) async fn tax_rate(&self, percentage: i64) -> Value {
        let rate = json!({ "name": "VAT", "percentage": percentage });
        self.app.post("/tax-rates", &rate).await.expect(201).data()["id"].clone()
    }

    /// A draft with an item of each price.
    pub(crate) async fn draft(&self, lines: Value) -> Value {
        let body = json!({ "subscription_id": self.subscription, "lines": lines });
        self.app.post("/invoices", &body).await.expect(201).data().clone()
    }

    /// An open invoice.
    pub(crate) async fn issue(&self, lines: Value) -> Value {
        let draft = self.draft(lines).await;
        let path = format!("/invoices/{}/finalize", draft["id"].as_str().unwrap());
        self.app.request("POST", &path).send().await.expect(200).data().clone()
    }

    /// An open invoice over one item of 50.00 with 20 % tax: 60.00.
    pub(crate) async fn sixty(&self) -> Value {
        let rate = self.tax_rate(20).await;
        self.issue(json!([{ "description": "Setup", "unit_price": 50, "tax_rate_ids": [rate] }])).await
    }

    pub(crate) async fn invoice(&self, id: &Value) -> Value {
        self.app.get(&format!("/invoices/{}", id.as_str().unwrap())).await.expect(200).data().clone()
    }

    pub(crate) async fn try_credit(&self, invoice: &Value, changes: Value) -> Answer {
        let mut body = json!({ "invoice_id": invoice["id"] });
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        self.app.post("/credit-notes", &body).await
    }

    pub(crate) async fn credit(&self, invoice: &Value, changes: Value) -> Value {
        self.try_credit(invoice, changes).await.expect(201).data().clone()
    }

    pub(crate) async fn balances(&self) -> Value {
        let path = format!("/users/{}/billing-profile", self.user);
        self.app.get(&path).await.expect(200).data()["balances"].clone()
    }

    /// The events of some types, oldest first.
    pub(crate) async fn events(&self, prefix: &str) -> Vec<String> {
        let events = self.app.events().await;
        events.iter().map(|event| event.kind.as_str().to_owned()).filter(|kind| kind.starts_with(prefix)).collect()
    }
}
