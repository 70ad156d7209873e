//! All errors in a list's parameters are reported at once, before anything is read.

use super::support::*;
use perennial_testkit::TestApp;

#[tokio::test]
async fn a_malformed_parameter_is_rejected_by_name() {
    let app = TestApp::start().await;
    let long = "x".repeat(256);
    let instants =
        ["", "yesterday", "2026-03-10", "2026-03-10T12:00:00", "1969-12-31T23:59:59Z", "2026-13-01T00:00:00Z"];
    let mut cases: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for list in ["/subscriptions", "/subscription-plans"] {
        cases.push((list, "limit", vec!["", "0", "201", "-1", "1.0", "1e1", "ten", "99999999999999999999"]));
        cases.push((
            list,
            "sort",
            vec!["", "-", "--created_at", "id", "Created_at", "created_at,tier", "created_at desc"],
        ));
        cases.push((list, "is_active", vec!["", "1", "TRUE", "yes", "null"]));
        cases.push((list, "billing_cycle", vec!["", "hourly", "bimonthly", "biannual", "monthly,yearly"]));
    }
    for name in ["created_after", "created_before", "renews_after", "renews_before", "ends_after", "ends_before"] {
        cases.push(("/subscriptions", name, instants.to_vec()));
    }
    cases.push(("/subscriptions", "sort", vec!["tier", "updated_at", "renews_at;DROP TABLE subscriptions", "1"]));
    cases.push((
        "/subscriptions",
        "user_id",
        vec!["", "usr_", "ada", "plan_01h455vb4pex5vsknk084sn02q", "usr_01H455VB4PEX5VSKNK084SN02Q"],
    ));
    cases.push(("/subscriptions", "subscription_plan_id", vec!["", "Pro", "a b", "..", "plan_x"]));
    cases.push((
        "/subscriptions",
        "status",
        vec!["", "gone", "active,", ",active", "active,,paused", "active paused", " active"],
    ));
    cases.push(("/subscriptions", "external_subscription_id", vec!["", &long, "\0", "\u{202e}", "a\nb"]));
    cases.push(("/subscription-plans", "sort", vec!["slug", "renews_at", "price;--"]));
    cases.push(("/subscription-plans", "tier", vec!["", "-1", "1.0", "32768", "one"]));
    cases.push(("/subscription-plans", "most_popular", vec!["", "0", "False"]));
    cases.push(("/subscription-plans", "product_id", vec![&long, "\0", "\u{2066}"]));
    cases.push(("/subscription-plans", "variant", vec!["", &long, "\u{1f}", "\0"]));
    for (list, name, values) in cases {
        for value in values {
            let answer = app.get(&format!("{list}?{name}={}", encode(value))).await.refused(400, "invalid_parameter");
            assert_eq!(answer.faults(), [format!("{name} invalid_parameter")], "{value:?}");
        }
    }
}

#[tokio::test]
async fn an_unknown_parameter_is_rejected_by_name() {
    let app = TestApp::start().await;
    for (list, names) in [
        ("/subscriptions", ["tier", "page", "offset", "Status", "created_at"]),
        ("/subscription-plans", ["status", "slug", "user_id", "LIMIT", "created_after"]),
    ] {
        for name in names {
            let answer = app.get(&format!("{list}?{name}=1")).await.refused(400, "unknown_parameter");
            assert_eq!(answer.faults(), [format!("{name} unknown_parameter")]);
        }
    }
}

#[tokio::test]
async fn a_parameter_sent_twice_is_rejected_even_with_the_same_value() {
    let app = TestApp::start().await;
    for pair in
        ["status=active&status=paused", "status=active&status=active", "limit=1&limit=1", "sort=ends_at&s%6Frt=ends_at"]
    {
        let name = pair.split('=').next().unwrap();
        let answer = app.get(&format!("/subscriptions?{pair}")).await.refused(400, "invalid_parameter");
        assert_eq!(answer.faults(), [format!("{name} invalid_parameter")], "{pair}");
    }
}

#[tokio::test]
async fn all_errors_of_a_query_are_reported_at_once() {
    let app = TestApp::start().await;
    let target = "/subscriptions?limit=0&status=gone&color=red&sort=id&user_id=x&cursor=%zz&is_active=1&is_active=0";
    let answer = app.get(target).await.refused(400, "invalid_parameter");
    let mut faults = answer.faults();
    faults.sort();
    assert_eq!(
        faults,
        [
            "color unknown_parameter",
            "cursor invalid_parameter",
            "is_active invalid_parameter",
            "is_active invalid_parameter",
            "limit invalid_parameter",
            "sort invalid_parameter",
            "status invalid_parameter",
            "user_id invalid_parameter",
        ]
    );
}

#[tokio::test]
async fn every_limit_from_one_to_two_hundred_is_taken() {
    let app = TestApp::start().await;
    for list in ["/subscriptions", "/subscription-plans"] {
        for limit in [1, 2, 50, 100, 199, 200] {
            let answer = app.get(&page_target(list, limit, None)).await.expect(200);
            assert_eq!(answer.json["page"]["limit"], limit);
        }
    }
}

#[tokio::test]
async fn a_malformed_query_costs_no_read() {
    let app = TestApp::start().await;
    app.get("/subscriptions").await.expect(200);
    let before = app.app.db.metrics().statements;
    app.get("/subscriptions?subscription_plan_id=pro&limit=0").await.refused(400, "invalid_parameter");
    app.get("/subscriptions?cursor=forged").await.refused(400, "invalid_cursor");
    assert_eq!(app.app.db.metrics().statements, before);
}
