//! API rules 8.1 (`docs/api.md`): the schemas and examples of the OpenAPI document match the records and the service.

use super::openapi::{Document, keys};
use super::support::{Base, PAYMENTS, PLANS, SUBSCRIPTIONS, place};
use perennial_testkit::TestApp;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn a_record_has_exactly_the_members_of_its_schema() {
    let base = Base::start().await;
    let document = Document::of(&base.app).await;
    let payment = base.pay(json!({})).await;
    let subscription = base.subscribe(json!({})).await;
    let plan = base.app.get("/subscription-plans/pro").await.expect(200);
    for (name, record) in [("Plan", plan.data()), ("Subscription", &subscription), ("Payment", &payment)] {
        let schema = document.schema(name);
        assert_eq!(keys(record), keys(&schema["properties"]), "{name}");
        let required: BTreeSet<&str> =
            schema["required"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        assert_eq!(required, keys(record), "{name}: every field is always present");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
}

#[tokio::test]
async fn the_examples_of_the_document_are_accepted_by_the_service() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let user = app.user("ada@example.com").await;
    let example = |method: &str, path: &str| {
        let content = &document.operation(method, path)["requestBody"]["content"]["application/json"];
        document.assert_conforms(&content["schema"], &content["example"], path);
        content["example"].clone()
    };
    let plan = app.post(PLANS, &example("post", PLANS)).await.expect(201);
    let mut sent = example("post", SUBSCRIPTIONS);
    sent["user_id"] = json!(user);
    let subscription = app.post(SUBSCRIPTIONS, &sent).await.expect(201);
    assert_eq!(subscription.data()["subscription_plan_id"], plan.data()["id"], "the examples fit together");
    let mut sent = example("post", PAYMENTS);
    sent["subscription_id"] = subscription.data()["id"].clone();
    let payment = app.post(PAYMENTS, &sent).await.expect(201);
    for (path, collection, record) in [
        ("/subscription-plans/{slug}", PLANS, plan.data()),
        ("/subscriptions/{id}", SUBSCRIPTIONS, subscription.data()),
        ("/subscription-payments/{payment_id}", PAYMENTS, payment.data()),
    ] {
        let sent = example("put", path);
        let updated = app.put(&place(collection, record), &sent).await.expect(200);
        for (name, value) in sent.as_object().unwrap() {
            assert_eq!(&updated.data()[name], value, "{path}");
        }
    }
}

#[tokio::test]
async fn the_examples_of_responses_match_their_schemas() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let mut held = 0;
    for (path, methods) in document.0["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let none = Map::new();
                let response = document.follow(response);
                for media in response["content"].as_object().unwrap_or(&none).values() {
                    if !media["example"].is_null() {
                        let context = format!("{method} {path} {status}");
                        document.assert_conforms(&media["schema"], &media["example"], &context);
                        held += 1;
                    }
                }
            }
        }
    }
    assert!(held > 150, "{held}");
}

#[tokio::test]
async fn the_bodies_of_the_document_have_the_fields_of_the_contract() {
    let app = TestApp::start().await;
    let document = Document::of(&app).await;
    let plan = "name product_id variants slug price currency href billing_cycle description node_quota features \
                most_popular tier is_active billing entitlements";
    let subscription = "user_id subscription_plan_id external_subscription_id quantity billing_cycle status is_active \
                        renews_at starts_at ends_at billing entitlements";
    let payment = "subscription_id invoice_id amount currency external_payment_id status";
    for (path, fields, required) in [
        (PLANS, plan, "name slug price billing_cycle"),
        (SUBSCRIPTIONS, subscription, "user_id subscription_plan_id"),
        (PAYMENTS, payment, "subscription_id amount currency"),
    ] {
        let schema = &document.operation("post", path)["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(keys(&schema["properties"]), fields.split_whitespace().collect(), "{path}");
        let reported: BTreeSet<&str> =
            schema["required"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        assert_eq!(reported, required.split_whitespace().collect(), "{path}");
        assert_eq!(schema["additionalProperties"], false, "{path}");
    }
    for (path, record) in [
        ("/subscription-plans/{slug}", "Plan"),
        ("/subscriptions/{id}", "Subscription"),
        ("/subscription-payments/{payment_id}", "Payment"),
    ] {
        let schema = &document.operation("put", path)["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(keys(&schema["properties"]), keys(&document.schema(record)["properties"]), "{path}");
        assert_eq!(schema["required"], json!(null), "{path}: everything may be left out");
    }
}

/// Holds that no member of a schema is null, other than in examples.
fn assert_no_nulls(value: &Value, context: &str) {
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| *name != "example") {
                assert!(!member.is_null(), "{context}/{name} is null");
                assert_no_nulls(member, &format!("{context}/{name}"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| assert_no_nulls(item, context)),
        _ => {}
    }
}

#[tokio::test]
async fn no_keyword_of_the_document_is_left_null() {
    let app = TestApp::start().await;
    assert_no_nulls(&Document::of(&app).await.0, "");
}
