//! The collection of our own document.

use super::super::read;
use super::*;

fn ours() -> (Model, Value) {
    let model = read::model(include_str!("../../../../openapi.json")).unwrap();
    let collection = serde_json::from_str(&collection(&model)).unwrap();
    (model, collection)
}

fn folder<'a>(collection: &'a Value, name: &str) -> &'a Vec<Value> {
    let folders = collection["item"].as_array().unwrap();
    folders.iter().find(|folder| folder["name"] == name).unwrap()["item"].as_array().unwrap()
}

#[test]
fn the_tour_makes_every_call() {
    let (model, collection) = ours();
    for operation in model.operations.iter().filter(|operation| operation.place.is_some()) {
        let id = operation.id.as_str();
        assert!(
            WAY.contains(&id) || OFF_THE_WAY.contains(&id),
            "`{}` is not on the tour; give it a step in WAY",
            operation.id
        );
    }
    assert_eq!(folder(&collection, TOUR).len(), WAY.len());
}

#[test]
fn every_variable_that_is_used_is_declared() {
    let (_, collection) = ours();
    let declared: Vec<&str> =
        collection["variable"].as_array().unwrap().iter().filter_map(|variable| variable["key"].as_str()).collect();
    let text = collection.to_string();
    for used in text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next()) {
        assert!(used.starts_with('$') || declared.contains(&used), "{{{{{used}}}}} is not declared");
    }
    assert!(!text.replace("{{", "").contains("/{"), "a parameter of a path has no variable");
}

#[test]
fn bodies_are_the_examples_with_what_belongs_to_the_run() {
    let (_, collection) = ours();
    let create =
        folder(&collection, "Subscriptions").iter().find(|item| item["name"] == "Create a subscription").unwrap();
    let body: Value = serde_json::from_str(create["request"]["body"]["raw"].as_str().unwrap()).unwrap();
    assert_eq!((&body["user_id"], &body["subscription_plan_id"]), (&json!("{{userId}}"), &json!("{{planSlug}}")));
    assert!(body.get("external_subscription_id").is_none() && body.get("billing_cycle").is_some());
    let headers = create["request"]["header"].to_string();
    assert!(headers.contains("idempotency-key") && headers.contains("client-id"), "{headers}");
}

#[test]
fn a_create_checks_its_answer_and_keeps_its_id() {
    let (_, collection) = ours();
    let scripts = |folder_name: &str, name: &str| {
        let item = folder(&collection, folder_name).iter().find(|item| item["name"] == name).unwrap();
        item["event"][0]["script"]["exec"].to_string()
    };
    let create = scripts("Payments", "Create a payment");
    assert!(create.contains("have.status(201)") && create.contains("external_payment_id"), "{create}");
    assert!(create.contains("paymentId") && !scripts("Payments", "Read a payment").contains("paymentId"));
    assert!(
        create.contains("{\\\"amount\\\":19.99,\\\"currency\\\":\\\"USD\\\",\\\"status\\\":\\\"completed\\\"}"),
        "{create}"
    );
    assert!(scripts("Plans", "Delete a plan").contains("{{planSlug}}"));
}
