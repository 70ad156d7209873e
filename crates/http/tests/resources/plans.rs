//! Contract §4: plans.

use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_plan_is_created_with_its_defaults() {
    let app = TestApp::start().await;
    let body = json!({ "name": "Pro", "slug": "pro", "price": 19.90, "billing_cycle": "Month" });
    let created = app.post("/subscription-plans", &body).await.expect(201);
    let id = created.data()["id"].as_str().unwrap().to_owned();
    assert_eq!(created.header("location"), "/subscription-plans/pro");
    let expected = json!({
        "id": id, "name": "Pro", "product_id": null, "variants": [], "slug": "pro", "price": 19.9, "currency": "USD",
        "href": null, "billing_cycle": "monthly", "description": "", "node_quota": 0, "features": "",
        "most_popular": false, "tier": 0, "is_active": true,
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(created.json, json!({ "data": expected }));
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).json, created.json);
    assert_eq!(app.get(&format!("/subscription-plans/{id}")).await.expect(200).json, created.json);
}
