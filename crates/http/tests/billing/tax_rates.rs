//! API rules 17.1 (`docs/api.md`): tax rates.

use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_tax_rate_is_created_read_listed_and_retired() {
    let app = TestApp::start().await;
    let sent = json!({ "name": "VAT", "percentage": 8.8750, "country": "de" });
    let created = app.post("/tax-rates", &sent).await.expect(201);
    let rate = created.data().clone();
    let id = rate["id"].as_str().unwrap();
    assert!(id.starts_with("tax_"));
    assert_eq!(created.header("location"), format!("/tax-rates/{id}"));
    let members: Vec<&String> = rate.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "name", "percentage", "country", "is_active", "created_at", "updated_at"]);
    assert_eq!(
        (&rate["percentage"], &rate["country"], &rate["is_active"]),
        (&json!(8.875), &json!("DE"), &json!(true))
    );
    let path = format!("/tax-rates/{id}");
    assert_eq!(app.get(&path).await.expect(200).data(), &rate);
    app.advance(1);
    let second = app.post("/tax-rates", &json!({ "name": "Zero", "percentage": 0 })).await.expect(201).data().clone();
    let first_page = app.get("/tax-rates?limit=1").await.expect(200);
    assert_eq!(first_page.data()[0], second, "newest first");
    let cursor = first_page.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(app.get(&format!("/tax-rates?limit=1&cursor={cursor}")).await.expect(200).data()[0], rate);
    let retired = app.put(&path, &json!({ "is_active": false })).await.expect(200).data().clone();
    assert_eq!((&retired["is_active"], &retired["percentage"]), (&json!(false), &json!(8.875)));
    let kinds: Vec<&str> = app
        .events()
        .await
        .iter()
        .map(|event| event.kind.as_str())
        .filter(|kind| kind.starts_with("tax_rate"))
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "tax_rate.created").count(), 2);
    assert_eq!(kinds.iter().filter(|kind| **kind == "tax_rate.updated").count(), 1);
}

#[tokio::test]
async fn only_is_active_of_a_tax_rate_changes() {
    let app = TestApp::start().await;
    let rate = app.post("/tax-rates", &json!({ "name": "VAT", "percentage": 19 })).await.expect(201).data().clone();
    let path = format!("/tax-rates/{}", rate["id"].as_str().unwrap());
    let sent = json!({ "name": "Other", "percentage": 19.0001, "country": "DE" });
    let refused = app.put(&path, &sent).await.refused(422, "read_only_field");
    assert_eq!(refused.faults(), ["/name read_only_field", "/percentage read_only_field", "/country read_only_field"]);
    let same = app.put(&path, &rate).await.expect(200);
    assert_eq!(same.data(), &rate, "the whole record may be sent back, and nothing is written");
}

#[tokio::test]
async fn invalid_tax_rates_are_rejected_with_all_errors() {
    let app = TestApp::start().await;
    let refused =
        app.post("/tax-rates", &json!({ "name": "", "percentage": 100.0001, "country": "XX" })).await.expect(422);
    assert_eq!(refused.faults(), ["/name too_short", "/percentage out_of_range", "/country unknown_value"]);
    for (percentage, code) in
        [(json!(-1), "out_of_range"), (json!(1.00001), "too_many_decimals"), (json!("1"), "invalid_type")]
    {
        app.post("/tax-rates", &json!({ "name": "VAT", "percentage": percentage })).await.refused(422, code);
    }
    app.post("/tax-rates", &json!({})).await.refused(422, "required");
    app.get("/tax-rates/tax_nothing").await.refused(404, "not_found");
    app.put("/tax-rates/tax_01h455vb4pex5vsknk084sn02q", &json!({})).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_repeated_create_returns_the_first_tax_rate() {
    let app = TestApp::start().await;
    let create = || {
        let request = app.request("POST", "/tax-rates").header("idempotency-key", "k");
        request.json(&json!({ "name": "VAT", "percentage": 19 })).send()
    };
    let first = create().await.expect(201);
    let second = create().await.expect(201);
    assert_eq!(first.data(), second.data());
    assert_eq!(second.header("idempotency-replayed"), "true");
}
