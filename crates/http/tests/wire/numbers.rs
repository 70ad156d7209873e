//! API rules 1.8 (`docs/api.md`): parsed from their text, returned in shortest form. Attack 23: never rounded.

use super::support::{plan_with, text};
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

/// The digits of a field in the bytes of a response.
fn digits<'a>(answer: &'a Answer, field: &str) -> &'a str {
    let body = std::str::from_utf8(&answer.bytes).unwrap();
    let rest = body.split_once(&format!("\"{field}\":")).unwrap().1;
    rest.split([',', '}']).next().unwrap()
}

#[tokio::test]
async fn an_amount_is_stored_exactly_and_returned_in_shortest_form() {
    let app = TestApp::start().await;
    for (number, (sent, reported)) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("-0e5", "0"),
        ("0e999999999999999999999", "0"),
        ("0.00", "0"),
        ("10", "10"),
        ("10.0", "10"),
        ("10.00000000000000000000000000000000000000000000000000", "10"),
        ("1e1", "10"),
        ("1E+1", "10"),
        ("100e-1", "10"),
        ("0.1e2", "10"),
        ("19.90", "19.9"),
        ("19.99", "19.99"),
        ("1999e-2", "19.99"),
        ("0.01", "0.01"),
        ("0.07", "0.07"),
        ("0.29", "0.29"),
        ("1.15", "1.15"),
        ("4503599627370.49e-1", "450359962737.049"),
        ("90071992547.41", "90071992547.41"),
        ("999999999999", "999999999999"),
        ("999999999998.99", "999999999998.99"),
    ]
    .into_iter()
    .enumerate()
    {
        let slug = format!("p{number}");
        let answer = plan_with(&app, &slug, "price", sent).await;
        if reported.split_once('.').is_some_and(|(_, decimals)| decimals.len() > 2) {
            answer.refused(422, "too_many_decimals");
            continue;
        }
        assert_eq!(digits(&answer.expect(201), "price"), reported, "{sent}");
        let read = app.get(&format!("/subscription-plans/{slug}")).await;
        assert_eq!(digits(&read, "price"), reported, "{sent}");
    }
}

#[tokio::test]
async fn an_amount_that_does_not_fit_is_rejected_and_never_rounded() {
    let app = TestApp::start().await;
    let many_zeros = format!("1{}", "0".repeat(400));
    let many_digits = format!("0.{}", "3".repeat(400));
    for (sent, code) in [
        ("-1", "out_of_range"),
        ("-0.01", "out_of_range"),
        ("-1e400", "out_of_range"),
        ("1e400", "out_of_range"),
        ("1e99999999999999999999999", "out_of_range"),
        ("1000000000000", "out_of_range"),
        ("999999999999.01", "out_of_range"),
        ("9223372036854775807", "out_of_range"),
        ("9223372036854775808", "out_of_range"),
        ("-9223372036854775808", "out_of_range"),
        ("18446744073709551616", "out_of_range"),
        ("340282366920938463463374607431768211456", "out_of_range"),
        (&many_zeros, "out_of_range"),
        (&many_digits, "out_of_range"),
        ("0.1e400", "out_of_range"),
        ("19.999", "too_many_decimals"),
        ("0.001", "too_many_decimals"),
        ("1e-3", "too_many_decimals"),
        ("1e-400", "too_many_decimals"),
        ("1e-99999999999999999999999", "too_many_decimals"),
        ("19.990000000000001", "too_many_decimals"),
        ("19.98999999999999999", "too_many_decimals"),
        ("0.1000000000000000055511151231257827", "too_many_decimals"),
        ("999999999998.9999999999999", "too_many_decimals"),
    ] {
        let answer = plan_with(&app, "pro", "price", sent).await.refused(422, code);
        assert_eq!(answer.faults(), [format!("/price {code}")], "{sent}");
    }
}

#[tokio::test]
async fn an_amount_has_at_most_the_decimals_of_its_currency() {
    let app = TestApp::start().await;
    let user = app.user("ada@example.com").await;
    app.plan("pro", json!({})).await;
    let subscription = app.subscription(&user, "pro", json!({})).await;
    let id = text(&subscription, "id");
    for (currency, fits, does_not) in [
        ("JPY", "5", "5.1"),
        ("jpy", "500e-2", "0.5"),
        ("KRW", "5.000", "5.001"),
        ("USD", "5.12", "5.123"),
        ("eur", "5.120000", "5.121"),
        ("KWD", "5.123", "5.1234"),
        ("BHD", "0.001", "0.0001"),
        ("CLF", "5.1234", "5.12345"),
    ] {
        let body = |amount: &str| format!(r#"{{"subscription_id":"{id}","amount":{amount},"currency":"{currency}"}}"#);
        let post = |amount: &str| app.request("POST", "/subscription-payments").json_text(body(amount));
        let created = post(fits).send().await.expect(201);
        assert_eq!(text(created.data(), "currency"), currency.to_uppercase());
        let refused = post(does_not).send().await.refused(422, "too_many_decimals");
        assert_eq!(refused.faults(), ["/amount too_many_decimals"], "{currency}");
        let slug = format!("in-{}", currency.to_lowercase());
        let plan = format!(r#"{does_not},"currency":"{currency}""#);
        plan_with(&app, &slug, "price", &plan).await.refused(422, "too_many_decimals");
        let plan = format!(r#"{fits},"currency":"{currency}""#);
        if currency != "jpy" {
            plan_with(&app, &slug, "price", &plan).await.expect(201);
        }
    }
}

#[tokio::test]
async fn a_whole_number_may_be_written_in_any_way_that_means_it() {
    let app = TestApp::start().await;
    for (number, (sent, reported)) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("10", "10"),
        ("10.0", "10"),
        ("10.000000000000000000000000000000000000000000000000", "10"),
        ("1e1", "10"),
        ("1E1", "10"),
        ("1000e-2", "10"),
        ("2147483647", "2147483647"),
        ("2147483647.0", "2147483647"),
        ("2.147483647e9", "2147483647"),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = plan_with(&app, &format!("p{number}"), "node_quota", sent).await.expect(201);
        assert_eq!(digits(&answer, "node_quota"), reported, "{sent}");
    }
}

#[tokio::test]
async fn a_whole_number_that_is_none_or_does_not_fit_is_422() {
    let app = TestApp::start().await;
    for (field, sent, code) in [
        ("node_quota", "-1", "out_of_range"),
        ("node_quota", "2147483648", "out_of_range"),
        ("node_quota", "9223372036854775807", "out_of_range"),
        ("node_quota", "9223372036854775808", "out_of_range"),
        ("node_quota", "-9223372036854775809", "out_of_range"),
        ("node_quota", "1e400", "out_of_range"),
        ("node_quota", "1.5", "invalid_type"),
        ("node_quota", "0.1", "invalid_type"),
        ("node_quota", "1e-1", "invalid_type"),
        ("node_quota", "1.0000000000000000001", "invalid_type"),
        ("node_quota", "9007199254740993.5", "invalid_type"),
        ("tier", "32768", "out_of_range"),
        ("tier", "-1", "out_of_range"),
        ("tier", "0.5", "invalid_type"),
    ] {
        let answer = plan_with(&app, "pro", field, sent).await.refused(422, code);
        assert_eq!(answer.faults(), [format!("/{field} {code}")], "{sent}");
    }
}

#[tokio::test]
async fn text_where_a_number_belongs_is_422() {
    let app = TestApp::start().await;
    for field in ["price", "node_quota", "tier"] {
        for sent in [r#""1""#, r#""""#, r#""1.00""#, "true", "[1]", "{}", r#""NaN""#] {
            let answer = plan_with(&app, "pro", field, sent).await.refused(422, "invalid_type");
            assert_eq!(answer.faults(), [format!("/{field} invalid_type")], "{sent}");
        }
        // What is no JSON number at all is no JSON.
        for sent in ["NaN", "Infinity", "-", "1.", ".1", "01", "+1", "1e", "0x1", "1_000", "١"] {
            plan_with(&app, "pro", field, sent).await.refused(400, "malformed_json");
        }
    }
}
