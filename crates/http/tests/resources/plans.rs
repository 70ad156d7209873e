//! API rules 4 (`docs/api.md`): what a plan is when it is made, how it is found, and its slug.

use super::support::{PLANS, Tenant, assert_errors, body, place, post_text, text};
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
        "most_popular": false, "tier": 0, "is_active": true, "version": 1, "billing": null, "entitlements": {},
        "created_at": "2026-03-10T12:00:00.000000Z", "updated_at": "2026-03-10T12:00:00.000000Z"
    });
    assert_eq!(created.json, json!({ "data": expected }));
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).json, created.json);
    assert_eq!(app.get(&format!("/subscription-plans/{id}")).await.expect(200).json, created.json);
}

#[tokio::test]
async fn a_plan_keeps_every_field_it_was_given() {
    let app = TestApp::start().await;
    let mut sent = json!({
        "name": "Großes Paket 🚀", "product_id": "prod_42", "variants": ["eu", "us", "EU"], "slug": "grosses-paket_2",
        "price": 0.05, "currency": "EUR", "href": "https://example.com/plans?x=1#top", "billing_cycle": "yearly",
        "description": "First line\n\tSecond line", "node_quota": 25, "features": " sso , ,audit log,,",
        "most_popular": true, "tier": 3, "is_active": false
    });
    let created = app.post(PLANS, &sent).await.expect(201);
    for server in ["id", "version", "billing", "entitlements", "created_at", "updated_at"] {
        sent[server] = created.data()[server].clone();
    }
    assert_eq!(created.data(), &sent);
    assert_eq!(app.get("/subscription-plans/grosses-paket_2").await.expect(200).data(), &sent);
}

#[tokio::test]
async fn the_missing_fields_of_a_plan_are_reported_at_once() {
    let app = TestApp::start().await;
    let answer = app.post(PLANS, &json!({})).await.refused(422, "required");
    assert_errors(answer, &["/name required", "/slug required", "/price required", "/billing_cycle required"], "{}");
}

#[tokio::test]
async fn errors_of_every_kind_are_reported_together() {
    let app = TestApp::start().await;
    let sent = json!({
        "slug": "Pro", "price": -1, "billing_cycle": "bimonthly", "currency": "XAU", "variants": ["a", "a", ""],
        "tier": 1.5, "most_popular": "yes", "description": null, "id": "plan_x", "color": "red"
    });
    let answer = app.post(PLANS, &sent).await.refused(422, "invalid_input");
    let expected = [
        "/name required",
        "/slug invalid_format",
        "/price out_of_range",
        "/billing_cycle ambiguous",
        "/currency unknown_value",
        "/variants/1 duplicate_item",
        "/variants/2 too_short",
        "/tier invalid_type",
        "/most_popular invalid_type",
        "/description not_nullable",
        "/id read_only_field",
        "/color unknown_field",
    ];
    assert_errors(answer, &expected, "");
}

#[tokio::test]
async fn what_the_service_sets_cannot_be_sent_with_a_new_plan() {
    let app = TestApp::start().await;
    let plan = app.plan("pro", json!({})).await;
    for member in ["id", "created_at", "updated_at"] {
        let mut sent = json!({ "name": "Pro", "slug": "other", "price": 1, "billing_cycle": "monthly" });
        sent[member] = plan[member].clone();
        assert_errors(app.post(PLANS, &sent).await, &[&format!("/{member} read_only_field")], member);
        sent[member] = json!(null);
        assert_errors(app.post(PLANS, &sent).await, &[&format!("/{member} read_only_field")], member);
    }
    let mut sent = json!({ "name": "Pro", "slug": "other", "price": 1, "billing_cycle": "monthly" });
    sent["organization_id"] = json!("org_01h455vb4pex5vsknk084sn02q");
    assert_errors(app.post(PLANS, &sent).await, &["/organization_id unknown_field"], "organization_id");
    app.get("/subscription-plans/other").await.refused(404, "not_found");
}

#[tokio::test]
async fn slugs_are_lower_case_words_joined_by_single_marks() {
    let app = TestApp::start().await;
    let longest = "a".repeat(100);
    for slug in ["a", "9", "pro-monthly", "a_b-c_1", "plan", "plans_1", "plan-pro", longest.as_str()] {
        app.plan(slug, json!({})).await;
        assert_eq!(app.get(&format!("{PLANS}/{slug}")).await.expect(200).data()["slug"], slug);
    }
    let too_long = "a".repeat(101);
    for (slug, code) in [
        ("", "too_short"),
        (too_long.as_str(), "too_long"),
        ("Pro", "invalid_format"),
        ("-pro", "invalid_format"),
        ("pro-", "invalid_format"),
        ("_pro", "invalid_format"),
        ("pro_", "invalid_format"),
        ("a--b", "invalid_format"),
        ("a-_b", "invalid_format"),
        ("a b", "invalid_format"),
        ("a.b", "invalid_format"),
        ("..", "invalid_format"),
        ("a/b", "invalid_format"),
        ("a%2Fb", "invalid_format"),
        ("%00", "invalid_format"),
        ("pro\n", "invalid_format"),
        ("prо", "invalid_format"),
        ("cafe\u{301}", "invalid_format"),
        ("plan_pro", "invalid_format"),
        ("plan_01h455vb4pex5vsknk084sn02q", "invalid_format"),
    ] {
        let sent = json!({ "name": "Pro", "slug": slug, "price": 1, "billing_cycle": "monthly" });
        assert_errors(app.post(PLANS, &sent).await, &[&format!("/slug {code}")], slug);
    }
}

#[tokio::test]
async fn a_path_that_no_slug_can_be_is_a_plain_404() {
    let app = TestApp::start().await;
    app.plan("pro", json!({})).await;
    app.get("/subscription-plans/p%72o").await.expect(200);
    for path in [
        "..",
        "%2e%2e",
        "%2F",
        "pro%2F",
        "%00",
        "pro%00",
        "PRO",
        "Pro",
        "pr%D0%BE",
        "cafe%CC%81",
        "%ff",
        "%zz",
        "plan_pro",
        "plan_",
        "sub_01h455vb4pex5vsknk084sn02q",
        "plan_01H455VB4PEX5VSKNK084SN02Q",
        "unknown",
        "plan_01h455vb4pex5vsknk084sn02q",
    ] {
        let target = format!("{PLANS}/{path}");
        app.get(&target).await.refused(404, "not_found");
        app.put(&target, &json!({ "tier": 1 })).await.refused(404, "not_found");
        app.delete(&target).await.refused(404, "not_found");
    }
    app.get("/subscription-plans/pro").await.expect(200);
}

#[tokio::test]
async fn a_live_plan_keeps_its_slug_to_itself() {
    let app = TestApp::start().await;
    let plan = app.plan("pro", json!({ "is_active": false })).await;
    let sent = json!({ "name": "Other", "slug": "pro", "price": 1, "billing_cycle": "yearly" });
    app.post(PLANS, &sent).await.refused(409, "slug_taken");
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data(), &plan);
    let wrong = json!({ "name": "Other", "slug": "pro", "price": -1, "billing_cycle": "yearly" });
    assert_errors(app.post(PLANS, &wrong).await, &["/price out_of_range"], "input is judged before uniqueness");
}

#[tokio::test]
async fn a_deleted_plans_slug_is_free_again() {
    let app = TestApp::start().await;
    let first = app.plan("pro", json!({ "tier": 1 })).await;
    app.delete("/subscription-plans/pro").await.expect(200);
    let second = app.plan("pro", json!({ "tier": 2 })).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data(), &second);
    app.get(&place(PLANS, &first)).await.refused(404, "not_found");
    app.delete("/subscription-plans/pro").await.expect(200);
    app.plan("pro", json!({ "tier": 3 })).await;
}

#[tokio::test]
async fn a_plans_id_serves_wherever_its_slug_does() {
    let app = TestApp::start().await;
    let by_id = place(PLANS, &app.plan("pro", json!({})).await);
    assert_eq!(app.put(&by_id, &json!({ "tier": 7 })).await.expect(200).data()["tier"], 7);
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data()["tier"], 7);
    assert_eq!(app.delete(&by_id).await.expect(200).data()["slug"], "pro");
    app.get("/subscription-plans/pro").await.refused(404, "not_found");
}

#[tokio::test]
async fn a_plan_without_a_currency_takes_its_organizations() {
    let app = TestApp::start().await;
    let tenant = Tenant::create(&app, "jpy").await;
    let sent = json!({ "name": "Pro", "slug": "pro", "price": 1999, "billing_cycle": "monthly" });
    assert_eq!(tenant.post(PLANS, &sent).await.expect(201).data()["currency"], "JPY");
    let sent = json!({ "name": "Pro", "slug": "euro", "price": 19.99, "currency": "eUr", "billing_cycle": "monthly" });
    assert_eq!(tenant.post(PLANS, &sent).await.expect(201).data()["currency"], "EUR");
    let sent = json!({ "name": "Pro", "slug": "cents", "price": 19.99, "billing_cycle": "monthly" });
    assert_errors(tenant.post(PLANS, &sent).await, &["/price too_many_decimals"], "yen have no decimals");
    assert_eq!(text(&app.plan("cents", json!({})).await, "currency"), "USD");
}

#[tokio::test]
async fn a_price_is_not_judged_by_a_currency_that_is_wrong_itself() {
    let app = TestApp::start().await;
    let base = [("name", "\"Pro\""), ("slug", "\"pro\""), ("price", "1.2345"), ("billing_cycle", "\"monthly\"")];
    let answer = post_text(&app, PLANS, &body(&base, &[("currency", "\"dollar\"")])).await;
    assert_errors(answer, &["/currency unknown_value"], "");
}
