//! API rules 18.1 (`docs/api.md`): meters.

use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_meter_is_created_updated_and_listed() {
    let app = TestApp::start().await;
    let sent = json!({ "slug": "api-calls", "name": "API calls", "aggregation": "sum", "unit": "call" });
    let meter = app.post("/meters", &sent).await.expect(201).data().clone();
    let members: Vec<&String> = meter.as_object().unwrap().keys().collect();
    let expected = ["id", "slug", "name", "aggregation", "unit", "is_active", "created_at", "updated_at"];
    assert_eq!(members, expected);
    let path = format!("/meters/{}", meter["id"].as_str().unwrap());
    let update = json!({ "name": "Calls", "unit": null, "is_active": false });
    let updated = app.put(&path, &update).await.expect(200).data().clone();
    assert_eq!(
        (&updated["name"], &updated["unit"], &updated["is_active"]),
        (&json!("Calls"), &json!(null), &json!(false))
    );
    assert_eq!(app.get("/meters").await.expect(200).data(), &json!([updated]));
    let refused =
        app.put(&path, &json!({ "slug": "other", "aggregation": "max" })).await.refused(422, "read_only_field");
    assert_eq!(refused.faults(), ["/slug read_only_field", "/aggregation read_only_field"]);
}

#[tokio::test]
async fn the_slug_of_a_meter_is_unique_and_not_an_id() {
    let app = TestApp::start().await;
    let create =
        async |slug: &str| app.post("/meters", &json!({ "slug": slug, "name": "M", "aggregation": "count" })).await;
    create("calls").await.expect(201);
    create("calls").await.refused(409, "slug_taken");
    create("mtr_calls").await.refused(422, "invalid_format");
    create("Calls").await.refused(422, "invalid_format");
    let refused = app.post("/meters", &json!({ "slug": "x", "name": "X", "aggregation": "median" })).await;
    refused.refused(422, "unknown_value");
}
