//! API rules 19.2 (`docs/api.md`): credits and balances.

use perennial_testkit::{TestApp, all_at_once};
use serde_json::{Value, json};

async fn balances(app: &TestApp, user: &str) -> Value {
    app.get(&format!("/users/{user}/billing-profile")).await.expect(200).data()["balances"].clone()
}

#[tokio::test]
async fn a_balance_is_the_sum_of_its_entries() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/credits");
    assert_eq!(balances(&app, &user).await, json!([]));
    let sent = json!({ "currency": "usd", "amount": 15.5, "description": "Welcome" });
    let created = app.post(&path, &sent).await.expect(201);
    let entry = created.data();
    let members: Vec<&String> = entry.as_object().unwrap().keys().collect();
    let expected = ["id", "user_id", "currency", "amount", "reason", "record_id", "description", "created_at"];
    assert_eq!(members, expected);
    assert_eq!((&entry["reason"], &entry["currency"]), (&json!("adjustment"), &json!("USD")));
    app.advance(1);
    app.post(&path, &json!({ "currency": "USD", "amount": -5.25 })).await.expect(201);
    app.post(&path, &json!({ "currency": "JPY", "amount": 100 })).await.expect(201);
    let expected = json!([{ "currency": "JPY", "amount": 100 }, { "currency": "USD", "amount": 10.25 }]);
    assert_eq!(balances(&app, &user).await, expected);
    let dollars = app.get(&format!("{path}?currency=usd")).await.expect(200);
    let amounts: Vec<&Value> = dollars.data().as_array().unwrap().iter().map(|entry| &entry["amount"]).collect();
    assert_eq!(amounts, [&json!(-5.25), &json!(15.5)], "newest first");
    let kinds = app.events().await.iter().filter(|event| event.kind.as_str() == "credit.created").count();
    assert_eq!(kinds, 3);
}

#[tokio::test]
async fn a_balance_is_never_negative() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/credits");
    app.post(&path, &json!({ "currency": "USD", "amount": -1 })).await.refused(409, "insufficient_balance");
    app.post(&path, &json!({ "currency": "USD", "amount": 10 })).await.expect(201);
    app.post(&path, &json!({ "currency": "USD", "amount": -10.01 })).await.refused(409, "insufficient_balance");
    app.post(&path, &json!({ "currency": "EUR", "amount": -1 })).await.refused(409, "insufficient_balance");
    app.post(&path, &json!({ "currency": "USD", "amount": 999_999_999_999_i64 })).await.refused(422, "out_of_range");
    assert_eq!(balances(&app, &user).await, json!([{ "currency": "USD", "amount": 10 }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_debits_take_no_more_than_there_is() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/credits");
    app.post(&path, &json!({ "currency": "USD", "amount": 10 })).await.expect(201);
    let debit = || app.request("POST", &path).json(&json!({ "currency": "USD", "amount": -3 }));
    let answers = all_at_once((0..20).map(|_| debit())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 17);
    assert_eq!(balances(&app, &user).await, json!([{ "currency": "USD", "amount": 1 }]));
    let entries = app.get(&path).await.expect(200);
    let sum: i64 = entries.data().as_array().unwrap().iter().map(|entry| entry["amount"].as_i64().unwrap()).sum();
    assert_eq!(sum, 1, "the ledger and the balance agree");
}

#[tokio::test]
async fn invalid_credits_are_rejected_and_retries_count_once() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    let path = format!("/users/{user}/credits");
    app.post(&path, &json!({ "currency": "USD", "amount": 0 })).await.refused(422, "out_of_range");
    app.post(&path, &json!({ "currency": "JPY", "amount": 0.5 })).await.refused(422, "too_many_decimals");
    app.post(&path, &json!({})).await.refused(422, "required");
    app.post("/users/usr_01h455vb4pex5vsknk084sn02q/credits", &json!({ "currency": "USD", "amount": 1 }))
        .await
        .refused(404, "not_found");
    let keyed = || {
        app.request("POST", &path)
            .header("idempotency-key", "k")
            .json(&json!({ "currency": "USD", "amount": 1 }))
            .send()
    };
    assert_eq!(keyed().await.expect(201).data(), keyed().await.expect(201).data());
    assert_eq!(balances(&app, &user).await, json!([{ "currency": "USD", "amount": 1 }]));
}
