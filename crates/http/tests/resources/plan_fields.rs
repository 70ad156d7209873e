//! API rules 4.1 (`docs/api.md`): every field of a plan, at its bound and one over, on create and on update.

use super::support::{PLANS, assert_errors, body, long, post_text, put_text};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

const PLAN: &[(&str, &str)] =
    &[("name", "\"Pro\""), ("slug", "\"pro\""), ("price", "19.99"), ("billing_cycle", "\"monthly\"")];

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(item).collect::<Vec<_>>().join(","))
}

fn link(length: usize) -> String {
    let start = "https://example.com/";
    format!("\"{start}{}\"", "a".repeat(length - start.len()))
}

/// Creates a plan that differs in one field, and gives the field back.
async fn created_with(app: &TestApp, number: usize, field: &str, value: &str) -> Value {
    let slug = format!("\"plan-{number}\"");
    let answer = post_text(app, PLANS, &body(PLAN, &[("slug", &slug), (field, value)])).await.expect(201);
    let kept = answer.data()[field].clone();
    let read = app.get(answer.header("location")).await.expect(200);
    assert_eq!(read.data(), answer.data());
    kept
}

#[tokio::test]
async fn every_field_takes_its_bounds() {
    let app = TestApp::start().await;
    let fields = [
        ("name", long(1)),
        ("name", long(255)),
        ("product_id", "\"\"".into()),
        ("product_id", long(255)),
        ("variants", "[]".into()),
        ("variants", list(100, |n| format!("\"{n}\""))),
        ("variants", format!("[{},{}]", long(1), long(255))),
        ("price", "0".into()),
        ("price", "999999999999".into()),
        ("href", link(2_048)),
        ("href", "\"http://localhost:3000\"".into()),
        ("href", "\"HTTPS://EXAMPLE.com/Ä\"".into()),
        ("description", "\"\"".into()),
        ("description", long(5_000)),
        ("node_quota", "0".into()),
        ("node_quota", "2147483647".into()),
        ("features", "\"\"".into()),
        ("features", long(10_000)),
        ("features", "\" a,b ,, c \"".into()),
        ("tier", "0".into()),
        ("tier", "32767".into()),
        ("most_popular", "true".into()),
        ("most_popular", "false".into()),
        ("is_active", "true".into()),
        ("is_active", "false".into()),
        ("product_id", "null".into()),
        ("href", "null".into()),
    ];
    for (number, (field, value)) in fields.iter().enumerate() {
        let expected: Value = serde_json::from_str(value).unwrap();
        assert_eq!(created_with(&app, number, field, value).await, expected, "{field}");
    }
}

#[tokio::test]
async fn every_field_rejects_what_lies_one_over() {
    let app = TestApp::start().await;
    for (field, value, fault) in [
        ("name", "\"\"".to_owned(), "/name too_short"),
        ("name", long(256), "/name too_long"),
        ("name", "\"a\\nb\"".into(), "/name invalid_text"),
        ("product_id", long(256), "/product_id too_long"),
        ("variants", list(101, |n| format!("\"{n}\"")), "/variants too_long"),
        ("variants", "[\"a\",\"\"]".into(), "/variants/1 too_short"),
        ("variants", format!("[{}]", long(256)), "/variants/0 too_long"),
        ("variants", "[\"a\",\"b\",\"a\"]".into(), "/variants/2 duplicate_item"),
        ("variants", "[\"é\",\"e\u{301}\"]".into(), "/variants/1 duplicate_item"),
        ("price", "-0.01".into(), "/price out_of_range"),
        ("price", "999999999999.01".into(), "/price out_of_range"),
        ("price", "1000000000000".into(), "/price out_of_range"),
        ("price", "19.999".into(), "/price too_many_decimals"),
        ("href", link(2_049), "/href too_long"),
        ("href", "\"\"".into(), "/href too_short"),
        ("href", "\"example.com\"".into(), "/href invalid_format"),
        ("href", "\"ftp://example.com\"".into(), "/href invalid_format"),
        ("href", "\"javascript:alert(1)\"".into(), "/href invalid_format"),
        ("href", "\"https://\"".into(), "/href invalid_format"),
        ("href", "\"https:example.com\"".into(), "/href invalid_format"),
        ("href", "\"https:/example.com\"".into(), "/href invalid_format"),
        ("href", "\"https:\\\\\\\\example.com\"".into(), "/href invalid_format"),
        ("href", "\" https://example.com\"".into(), "/href invalid_format"),
        ("description", long(5_001), "/description too_long"),
        ("node_quota", "-1".into(), "/node_quota out_of_range"),
        ("node_quota", "2147483648".into(), "/node_quota out_of_range"),
        ("node_quota", "1e400".into(), "/node_quota out_of_range"),
        ("node_quota", "0.5".into(), "/node_quota invalid_type"),
        ("features", long(10_001), "/features too_long"),
        ("tier", "-1".into(), "/tier out_of_range"),
        ("tier", "32768".into(), "/tier out_of_range"),
        ("tier", "1.5".into(), "/tier invalid_type"),
        ("currency", "\"XAU\"".into(), "/currency unknown_value"),
        ("currency", "\"US\"".into(), "/currency unknown_value"),
        ("currency", "\"\"".into(), "/currency unknown_value"),
        ("billing_cycle", "\"hourly\"".into(), "/billing_cycle unknown_value"),
        ("billing_cycle", "\"\"".into(), "/billing_cycle unknown_value"),
    ] {
        assert_errors(post_text(&app, PLANS, &body(PLAN, &[(field, &value)])).await, &[fault], fault);
    }
    app.get("/subscription-plans/pro").await.refused(404, "not_found");
}

#[tokio::test]
async fn every_field_rejects_other_json_types() {
    let app = TestApp::start().await;
    for field in ["name", "product_id", "slug", "href", "billing_cycle", "currency", "description", "features"] {
        for value in ["1", "true", "[]", "{}"] {
            let fault = format!("/{field} invalid_type");
            assert_errors(post_text(&app, PLANS, &body(PLAN, &[(field, value)])).await, &[&fault], value);
        }
    }
    for field in ["price", "node_quota", "tier", "most_popular", "is_active", "variants"] {
        for value in ["\"1\"", "\"true\"", "{}"] {
            let fault = format!("/{field} invalid_type");
            assert_errors(post_text(&app, PLANS, &body(PLAN, &[(field, value)])).await, &[&fault], value);
        }
    }
    for (field, value) in [("price", "true"), ("tier", "false"), ("most_popular", "1"), ("is_active", "0")] {
        let fault = format!("/{field} invalid_type");
        assert_errors(post_text(&app, PLANS, &body(PLAN, &[(field, value)])).await, &[&fault], value);
    }
    let answer = post_text(&app, PLANS, &body(PLAN, &[("variants", "[1, null, \"a\", [\"b\"]]")])).await;
    let faults = ["/variants/0 invalid_type", "/variants/1 invalid_type", "/variants/3 invalid_type"];
    assert_errors(answer, &faults, "variants");
}

#[tokio::test]
async fn null_is_rejected_where_a_plan_cannot_be_empty() {
    let app = TestApp::start().await;
    for field in [
        "name",
        "slug",
        "price",
        "billing_cycle",
        "currency",
        "variants",
        "description",
        "node_quota",
        "features",
        "most_popular",
        "tier",
        "is_active",
    ] {
        let fault = format!("/{field} not_nullable");
        assert_errors(post_text(&app, PLANS, &body(PLAN, &[(field, "null")])).await, &[&fault], field);
    }
}

#[tokio::test]
async fn an_update_holds_the_same_bounds_and_changes_nothing_when_rejected() {
    let app = TestApp::start().await;
    let plan = app.plan("pro", json!({})).await;
    for (field, value, code) in [
        ("price", "-0.01".to_owned(), "out_of_range"),
        ("price", "1000000000000".into(), "out_of_range"),
        ("price", "0.001".into(), "too_many_decimals"),
        ("price", "\"1\"".into(), "invalid_type"),
        ("billing_cycle", "\"biannual\"".into(), "ambiguous"),
        ("billing_cycle", "\"hourly\"".into(), "unknown_value"),
        ("description", long(5_001), "too_long"),
        ("node_quota", "2147483648".into(), "out_of_range"),
        ("node_quota", "-1".into(), "out_of_range"),
        ("features", long(10_001), "too_long"),
        ("most_popular", "1".into(), "invalid_type"),
        ("tier", "32768".into(), "out_of_range"),
        ("tier", "-1".into(), "out_of_range"),
        ("is_active", "\"false\"".into(), "invalid_type"),
    ] {
        let answer = put_text(&app, "/subscription-plans/pro", &body(&[], &[(field, &value)])).await;
        assert_errors(answer, &[&format!("/{field} {code}")], &value);
    }
    for field in
        ["price", "billing_cycle", "description", "node_quota", "features", "most_popular", "tier", "is_active"]
    {
        let answer = put_text(&app, "/subscription-plans/pro", &body(&[], &[(field, "null")])).await;
        assert_errors(answer, &[&format!("/{field} not_nullable")], field);
    }
    assert_eq!(app.get("/subscription-plans/pro").await.expect(200).data(), &plan);
    for (field, value) in [
        ("price", "999999999999".to_owned()),
        ("description", long(5_000)),
        ("node_quota", "2147483647".into()),
        ("features", long(10_000)),
        ("tier", "32767".into()),
    ] {
        let answer = put_text(&app, "/subscription-plans/pro", &body(&[], &[(field, &value)])).await.expect(200);
        assert_eq!(answer.data()[field], serde_json::from_str::<Value>(&value).unwrap(), "{field}");
    }
}
