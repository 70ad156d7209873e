//! API rules 1.7 (`docs/api.md`): any RFC 3339 instant with an offset in; UTC with `Z` and six digits out; years 1970–9999.

use super::support::{Records, text};
use perennial_testkit::TestApp;
use serde_json::{Value, json};

#[tokio::test]
async fn a_time_is_accepted_in_any_offset_and_returned_in_utc_with_six_digits() {
    let app = TestApp::start().await;
    let path = Records::create(&app).await.subscription_path();
    for (sent, reported) in [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01t10:00:00z", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01T10:00:00+00:00", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01T10:00:00-00:00", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01T10:00:00+05:30", "2026-05-01T04:30:00.000000Z"),
        ("2026-05-01T10:00:00-08:00", "2026-05-01T18:00:00.000000Z"),
        ("2026-05-01T23:30:00-01:00", "2026-05-02T00:30:00.000000Z"),
        ("2026-05-01T00:15:00+23:59", "2026-04-30T00:16:00.000000Z"),
        ("2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000000Z"),
        ("2026-05-01T10:00:00.1Z", "2026-05-01T10:00:00.100000Z"),
        ("2026-05-01T10:00:00.12Z", "2026-05-01T10:00:00.120000Z"),
        ("2026-05-01T10:00:00.123Z", "2026-05-01T10:00:00.123000Z"),
        ("2026-05-01T10:00:00.1234Z", "2026-05-01T10:00:00.123400Z"),
        ("2026-05-01T10:00:00.12345Z", "2026-05-01T10:00:00.123450Z"),
        ("2026-05-01T10:00:00.123456Z", "2026-05-01T10:00:00.123456Z"),
        ("2026-05-01T10:00:00.1234567Z", "2026-05-01T10:00:00.123456Z"),
        ("2026-05-01T10:00:00.12345678+01:00", "2026-05-01T09:00:00.123456Z"),
        ("2026-05-01T10:00:00.999999999Z", "2026-05-01T10:00:00.999999Z"),
        ("2026-05-01T10:00:00.000000999Z", "2026-05-01T10:00:00.000000Z"),
    ] {
        let answer = app.put(&path, &json!({ "ends_at": sent })).await.expect(200);
        assert_eq!(text(answer.data(), "ends_at"), reported, "{sent}");
        assert_eq!(text(app.get(&path).await.data(), "ends_at"), reported, "{sent}");
    }
}

#[tokio::test]
async fn the_years_run_from_1970_to_9999_in_utc() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    let path = records.subscription_path();
    for (sent, reported) in [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
        ("1969-12-31T23:30:00-01:00", "1970-01-01T00:30:00.000000Z"),
        ("0001-01-01T00:00:00Z", ""),
        ("0000-01-01T00:00:00Z", ""),
        ("1969-12-31T23:59:59Z", ""),
        ("1969-12-31T23:59:59.999999999Z", ""),
        ("1970-01-01T00:30:00+01:00", ""),
    ] {
        let answer = app.put(&path, &json!({ "starts_at": sent })).await;
        check(&answer.json, answer.status, "starts_at", sent, reported);
    }
    for (sent, reported) in [
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999Z"),
        ("9999-12-31T23:59:59-00:01", ""),
        ("9999-12-31T23:59:59.999999-23:59", ""),
    ] {
        let answer = app.put(&path, &json!({ "ends_at": sent })).await;
        check(&answer.json, answer.status, "ends_at", sent, reported);
    }
}

fn check(answer: &Value, status: u16, field: &str, sent: &str, reported: &str) {
    if reported.is_empty() {
        assert_eq!((status, &answer["code"]), (422, &json!("out_of_range")), "{sent}");
        assert_eq!(answer["errors"][0]["pointer"], format!("/{field}"));
    } else {
        assert_eq!((status, &answer["data"][field]), (200, &json!(reported)), "{sent}");
    }
}

#[tokio::test]
async fn what_is_no_instant_with_an_offset_is_422() {
    let app = TestApp::start().await;
    let path = Records::create(&app).await.subscription_path();
    for sent in [
        "",
        "now",
        "2026-05-01",
        "2026-05-01T10:00:00",
        "2026-05-01T10:00Z",
        "2026-05-01T10:00:00.Z",
        "2026-05-01T10:00:00.1234567890Z",
        "2026-05-01T10:00:00,5Z",
        "2026-05-01 10:00:00Z",
        "2026-05-01T10:00:00 Z",
        "2026-05-01T10:00:00+0100",
        "2026-05-01T10:00:00+01",
        "2026-05-01T10:00:00+24:00",
        "2026-05-01T10:00:00+01:60",
        "2026-05-01T10:00:00UTC",
        "2026-05-01T24:00:00Z",
        "2026-05-01T10:60:00Z",
        "2026-05-01T10:00:61Z",
        "2026-13-01T10:00:00Z",
        "2026-00-01T10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2026-04-31T10:00:00Z",
        "26-05-01T10:00:00Z",
        "+2026-05-01T10:00:00Z",
        "10000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        " 2026-05-01T10:00:00Z",
        "2026-05-01T10:00:00Z ",
        "2026-05-01T10:00:00Z\u{0}",
        "\u{662}026-05-01T10:00:00Z",
        "1777629600",
    ] {
        let answer = app.put(&path, &json!({ "ends_at": sent })).await.refused(422, "invalid_format");
        assert_eq!(answer.faults(), ["/ends_at invalid_format"], "{sent}");
    }
    for sent in [json!(1_777_629_600), json!(true), json!(["2026-05-01T10:00:00Z"])] {
        app.put(&path, &json!({ "ends_at": sent })).await.refused(422, "invalid_type");
    }
}

#[tokio::test]
async fn the_times_of_the_service_have_the_same_format() {
    let app = TestApp::start().await;
    let records = Records::create(&app).await;
    app.set_time("2026-03-10T12:00:00.000007Z");
    let answers = [
        app.put("/subscription-plans/pro", &json!({ "tier": 1 })).await.expect(200),
        app.put(&records.subscription_path(), &json!({ "status": "paused" })).await.expect(200),
        app.put(&records.payment_path(), &json!({ "status": "completed" })).await.expect(200),
    ];
    for answer in &answers {
        assert_eq!(answer.data()["created_at"], "2026-03-10T12:00:00.000000Z");
        assert_eq!(answer.data()["updated_at"], "2026-03-10T12:00:00.000007Z");
    }
    assert_eq!(answers[2].data()["date"], "2026-03-10T12:00:00.000007Z");
    let list = app.get("/subscriptions").await;
    assert_eq!(list.data()[0]["starts_at"], "2026-03-10T12:00:00.000000Z");
    assert_eq!(list.data()[0]["renews_at"], "2026-04-10T12:00:00.000000Z");
}
