//! API rules 1.2 (`docs/api.md`): problem documents.

use super::support::{Records, members, plan_body, text};
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

/// One error of each kind.
async fn errors(app: &TestApp) -> Vec<Answer> {
    let records = Records::create(app).await;
    let plan = "/subscription-plans/pro";
    vec![
        app.anonymous("GET", plan).send().await.refused(401, "client_id_required"),
        app.anonymous("GET", plan).header("client-id", "stranger").send().await.refused(401, "invalid_client"),
        app.browser("GET", "/subscriptions").send().await.refused(401, "token_required"),
        app.browser("DELETE", plan).send().await.refused(403, "insufficient_scope"),
        app.request("GET", plan)
            .header("origin", "https://a.example")
            .send()
            .await
            .refused(403, "client_not_for_browsers"),
        app.get("/nowhere").await.refused(404, "route_not_found"),
        app.get("/subscription-plans/gone").await.refused(404, "not_found"),
        app.request("PATCH", plan).send().await.refused(405, "method_not_allowed"),
        app.get("/subscription-plans?limit=0").await.refused(400, "invalid_parameter"),
        app.get("/subscription-plans?color=red").await.refused(400, "unknown_parameter"),
        app.get("/subscription-plans?cursor=forged").await.refused(400, "invalid_cursor"),
        app.request("PUT", plan).header("if-match", "x").json(&json!({})).send().await.refused(400, "invalid_header"),
        app.request("PUT", plan).json_text("{").send().await.refused(400, "malformed_json"),
        app.request("PUT", plan).json_text(r#"{"tier":1,"tier":1}"#).send().await.refused(400, "duplicate_key"),
        app.request("PUT", plan).raw("{}").send().await.refused(415, "unsupported_media_type"),
        app.request("PUT", plan).json_text(vec![b' '; 256 * 1024 + 1]).send().await.refused(413, "body_too_large"),
        app.request("DELETE", plan).header("if-match", "\"x\"").send().await.refused(412, "stale"),
        app.post("/subscription-plans", &plan_body("pro", &json!({}))).await.refused(409, "slug_taken"),
        app.delete(plan).await.refused(409, "plan_in_use"),
        app.put(&records.payment_path(), &json!({ "status": "refunded" })).await.refused(409, "invalid_transition"),
        app.put(plan, &json!({ "tier": -1 })).await.refused(422, "out_of_range"),
        app.put(plan, &json!({ "tier": "1" })).await.refused(422, "invalid_type"),
        app.put(plan, &json!({ "color": "red" })).await.refused(422, "unknown_field"),
        app.put(plan, &json!({ "slug": "max" })).await.refused(422, "read_only_field"),
        app.put(plan, &json!({ "tier": null })).await.refused(422, "not_nullable"),
        app.put(plan, &json!({ "billing_cycle": "bimonthly" })).await.refused(422, "ambiguous"),
        app.put(plan, &json!({ "tier": -1, "color": "red" })).await.refused(422, "invalid_input"),
    ]
}

#[tokio::test]
async fn a_problem_has_the_members_of_rfc_9457_and_ours() {
    let app = TestApp::start().await;
    for refusal in errors(&app).await {
        let problem = &refusal.json;
        let code = text(problem, "code");
        let mut expected = vec!["code", "detail", "request_id", "status", "title", "type"];
        match code {
            "insufficient_scope" => expected.push("required_scope"),
            "plan_in_use" => expected.push("subscriptions"),
            "invalid_transition" => expected.push("allowed"),
            _ if [400, 422].contains(&refusal.status) && !["malformed_json", "duplicate_key"].contains(&code) => {
                expected.push("errors");
            }
            _ => {}
        }
        expected.sort_unstable();
        assert_eq!(members(problem), expected, "{problem}");
        assert!(text(problem, "title").len() > 5 && text(problem, "detail").ends_with('.'), "{problem}");
        assert_eq!(text(problem, "request_id"), refusal.header("x-request-id"));
        assert_eq!(refusal.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn the_type_of_a_problem_leads_to_its_entry_in_the_catalogue() {
    let app = TestApp::start().await;
    let catalogue = app.anonymous("GET", "/docs/errors").send().await.expect(200);
    assert_eq!(catalogue.header("content-type"), "text/html; charset=utf-8");
    let page = String::from_utf8(catalogue.bytes).unwrap();
    for refusal in errors(&app).await {
        let code = text(&refusal.json, "code");
        assert_eq!(text(&refusal.json, "type"), format!("/docs/errors#{code}"));
        let anchor = page.split_once(&format!("<section id=\"{code}\">")).expect(code).1;
        let entry = anchor.split_once("</section>").unwrap().0;
        assert!(entry.contains(text(&refusal.json, "title")) || page.matches(&format!("id=\"{code}\"")).count() > 1);
    }
}

#[tokio::test]
async fn all_errors_of_a_plan_are_reported_at_once() {
    let app = TestApp::start().await;
    let body = json!({
        "name": "", "product_id": 7, "variants": ["a", "", "a", 1], "slug": "Not A Slug", "price": "9.99",
        "currency": "XXX", "href": "ftp://example.com", "billing_cycle": "sometimes", "description": "\u{0}",
        "node_quota": 1.5, "features": null, "most_popular": "yes", "tier": 32_768, "is_active": 1,
        "id": "plan_1", "organization_id": "org_1", "a/b~c": true
    });
    let answer = app.post("/subscription-plans", &body).await.refused(422, "invalid_input");
    let mut faults = answer.faults();
    faults.sort_unstable();
    let expected = [
        "/a~1b~0c unknown_field",
        "/billing_cycle unknown_value",
        "/currency unknown_value",
        "/description invalid_text",
        "/features not_nullable",
        "/href invalid_format",
        "/id read_only_field",
        "/is_active invalid_type",
        "/most_popular invalid_type",
        "/name too_short",
        "/node_quota invalid_type",
        "/organization_id unknown_field",
        "/price invalid_type",
        "/product_id invalid_type",
        "/slug invalid_format",
        "/tier out_of_range",
        "/variants/1 too_short",
        "/variants/2 duplicate_item",
        "/variants/3 invalid_type",
    ];
    assert_eq!(faults, expected);
    let answer = app.post("/subscription-plans", &json!({})).await.refused(422, "required");
    assert_eq!(answer.faults(), ["/name required", "/slug required", "/price required", "/billing_cycle required"]);
}

#[tokio::test]
async fn all_errors_of_a_subscription_are_reported_at_once() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    // Inconsistencies are reported together with missing fields and references.
    let contradictions = json!({
        "starts_at": "2026-05-01T00:00:00Z", "renews_at": "2026-04-01T00:00:00Z", "ends_at": "2026-04-01T00:00:00Z",
        "status": "expired", "is_active": true
    });
    let reported = ["/renews_at inconsistent", "/ends_at inconsistent", "/is_active inconsistent"];
    let known = json!({ "user_id": records.user, "subscription_plan_id": "pro" });
    for (references, faults) in [
        (json!({}), &["/user_id required", "/subscription_plan_id required"][..]),
        (json!({ "user_id": "usr_1", "subscription_plan_id": "pro" }), &["/user_id not_found"][..]),
        (json!({ "user_id": records.user, "subscription_plan_id": "gone" }), &["/subscription_plan_id not_found"]),
        (known, &[]),
    ] {
        let body = super::support::with(&contradictions, &references);
        let answer = app.post("/subscriptions", &body).await.expect(422);
        assert_eq!(answer.faults(), [faults, &reported[..]].concat(), "{references}");
    }
    let answer = app.put(&records.subscription_path(), &contradictions).await.expect(422);
    assert_eq!(answer.faults(), reported);
    // A field that cannot be read is not blamed for contradicting others as well.
    let body = json!({ "starts_at": "soon", "renews_at": "2026-04-01T00:00:00Z", "status": "odd", "is_active": true });
    let answer = app.put(&records.subscription_path(), &body).await.refused(422, "invalid_input");
    assert_eq!(answer.faults(), ["/status unknown_value", "/starts_at invalid_format"]);
}

#[tokio::test]
async fn all_errors_of_a_payment_are_reported_at_once() {
    let app = TestApp::start().await;
    let body = json!({ "subscription_id": "sub_1", "amount": 1.234, "currency": "usd", "status": "odd", "date": null });
    let answer = app.post("/subscription-payments", &body).await.refused(422, "invalid_input");
    let mut faults = answer.faults();
    faults.sort_unstable();
    let expected =
        ["/amount too_many_decimals", "/date read_only_field", "/status unknown_value", "/subscription_id not_found"];
    assert_eq!(faults, expected);
}

#[tokio::test]
async fn an_error_has_a_pointer_and_a_remedy() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    let request = app.request("PUT", "/subscription-plans/pro?color=red&size=1").header("if-match", "x");
    let answer = request.json(&json!({ "tier": -1 })).send().await.refused(400, "invalid_parameter");
    assert_eq!(answer.faults(), ["color unknown_parameter", "size unknown_parameter", "if-match invalid_header"]);
    let errors = answer.json["errors"].as_array().unwrap();
    let places: Vec<Vec<&str>> = errors.iter().map(members).collect();
    assert_eq!(places[0], ["code", "detail", "parameter"]);
    assert_eq!(places[2], ["code", "detail", "header"]);
    let answer = app.put("/subscription-plans/pro", &json!({ "tier": -1, "price": -1 })).await.expect(422);
    for error in answer.json["errors"].as_array().unwrap() {
        assert_eq!(members(error), ["code", "detail", "pointer"]);
        assert!(text(error, "detail").len() > 5);
    }
}

#[tokio::test]
async fn a_body_that_is_not_an_object_has_one_error() {
    let app = TestApp::start().await;
    for body in [json!([]), json!(null), json!(1), json!("name"), json!(true), json!([{ "name": "Pro" }])] {
        let answer = app.post("/subscription-plans", &body).await.refused(422, "invalid_type");
        assert_eq!(answer.faults(), [" invalid_type"], "{body}");
    }
    assert_eq!(app.get("/subscription-plans").await.data(), &Value::Array(vec![]));
}
