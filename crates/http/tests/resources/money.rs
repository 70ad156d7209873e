//! API rules 1.8, 4.1 and 6.1 (`docs/api.md`): amounts are exact. Each is returned digit by digit or rejected, never
//! rounded.

use super::support::{Base, PAYMENTS, PLANS, assert_errors, body, place, post_text, put_text, text};
use perennial_testkit::{Answer, TestApp};
use serde_json::json;

/// What came in, in which currency, and the bytes that must come out.
const EXACT: &[(&str, &str, &str)] = &[
    ("19.99", "USD", "19.99"),
    ("0.1", "USD", "0.1"),
    ("0.2", "USD", "0.2"),
    ("0.3", "USD", "0.3"),
    ("0.30", "EUR", "0.3"),
    ("1.10", "EUR", "1.1"),
    ("4.35", "GBP", "4.35"),
    ("1.005e1", "USD", "10.05"),
    ("8192.55", "USD", "8192.55"),
    ("0.01", "USD", "0.01"),
    ("0.07", "USD", "0.07"),
    ("999999999998.99", "USD", "999999999998.99"),
    ("999999999999", "USD", "999999999999"),
    ("999999999999.00", "USD", "999999999999"),
    ("9.99999999999e11", "USD", "999999999999"),
    ("0", "USD", "0"),
    ("-0", "USD", "0"),
    ("-0.00", "USD", "0"),
    ("0e5", "USD", "0"),
    ("10.0", "USD", "10"),
    ("1e1", "USD", "10"),
    ("100E-2", "USD", "1"),
    ("5.0000000000000000000000000000", "USD", "5"),
    ("1999", "JPY", "1999"),
    ("1999.0", "JPY", "1999"),
    ("999999999999", "KRW", "999999999999"),
    ("1.234", "KWD", "1.234"),
    ("0.001", "BHD", "0.001"),
    ("999999999998.999", "TND", "999999999998.999"),
    ("1.2345", "CLF", "1.2345"),
    ("0.0001", "UYW", "0.0001"),
    ("999999999998.9999", "CLF", "999999999998.9999"),
];

/// What is rejected, in which currency, and why.
const REFUSED: &[(&str, &str, &str)] = &[
    ("19.999", "USD", "too_many_decimals"),
    ("0.30000000000000004", "USD", "too_many_decimals"),
    ("19.990000000000001", "USD", "too_many_decimals"),
    ("0.00001", "CLF", "too_many_decimals"),
    ("1e-400", "USD", "too_many_decimals"),
    ("0.1", "JPY", "too_many_decimals"),
    ("1.2345", "KWD", "too_many_decimals"),
    ("1.23456", "CLF", "too_many_decimals"),
    ("-0.01", "USD", "out_of_range"),
    ("-1", "JPY", "out_of_range"),
    ("999999999999.01", "USD", "out_of_range"),
    ("999999999999.0001", "CLF", "out_of_range"),
    ("1000000000000", "USD", "out_of_range"),
    ("1e12", "USD", "out_of_range"),
    ("1e400", "USD", "out_of_range"),
    ("-1e400", "USD", "out_of_range"),
    ("9223372036854775807", "USD", "out_of_range"),
    ("9223372036854775808", "USD", "out_of_range"),
    ("-9223372036854775808", "USD", "out_of_range"),
    ("18446744073709551616", "USD", "out_of_range"),
    ("1844674407370955.1616", "USD", "out_of_range"),
    ("99999999999999999999999999999999999999999999999999", "USD", "out_of_range"),
];

/// Holds the very bytes of a member against what was expected.
#[track_caller]
fn assert_bytes(answer: &Answer, member: &str, expected: &str) {
    let text = String::from_utf8(answer.bytes.clone()).unwrap();
    assert!(text.contains(&format!("\"{member}\":{expected},")), "{member} should be {expected}: {text}");
}

#[tokio::test]
async fn an_amount_comes_out_as_it_went_in() {
    let base = Base::start().await;
    let subscription = format!("\"{}\"", text(&base.subscribe(json!({})).await, "id"));
    for (amount, currency, expected) in EXACT {
        let currency = format!("\"{currency}\"");
        let members = [("subscription_id", subscription.as_str()), ("amount", amount), ("currency", &currency)];
        let created = post_text(&base.app, PAYMENTS, &body(&members, &[])).await.expect(201);
        assert_bytes(&created, "amount", expected);
        assert_bytes(&base.app.get(&place(PAYMENTS, created.data())).await.expect(200), "amount", expected);
        let updated = put_text(&base.app, &place(PAYMENTS, created.data()), &body(&[("amount", amount)], &[])).await;
        assert_eq!(updated.expect(200).header("etag"), created.header("etag"), "{amount} is no change");
    }
}

#[tokio::test]
async fn a_price_comes_out_as_it_went_in() {
    let app = TestApp::start().await;
    for (number, (price, currency, expected)) in EXACT.iter().enumerate() {
        let (slug, currency) = (format!("\"p{number}\""), format!("\"{currency}\""));
        let members = [("name", "\"P\""), ("slug", slug.as_str()), ("billing_cycle", "\"daily\"")];
        let money = [("price", *price), ("currency", currency.as_str())];
        let created = post_text(&app, PLANS, &body(&members, &money)).await.expect(201);
        assert_bytes(&created, "price", expected);
        let read = app.get(created.header("location")).await.expect(200);
        assert_bytes(&read, "price", expected);
        assert_bytes(&app.delete(created.header("location")).await.expect(200), "price", expected);
    }
}

#[tokio::test]
async fn what_cannot_be_stored_exactly_is_rejected() {
    let base = Base::start().await;
    let subscription = format!("\"{}\"", text(&base.subscribe(json!({})).await, "id"));
    for (amount, currency, code) in REFUSED {
        let currency = format!("\"{currency}\"");
        let members = [("subscription_id", subscription.as_str()), ("amount", amount), ("currency", &currency)];
        let answer = post_text(&base.app, PAYMENTS, &body(&members, &[])).await;
        assert_errors(answer, &[&format!("/amount {code}")], amount);
        let members = [("name", "\"P\""), ("slug", "\"p\""), ("billing_cycle", "\"daily\"")];
        let money = [("price", *amount), ("currency", currency.as_str())];
        let answer = post_text(&base.app, PLANS, &body(&members, &money)).await;
        assert_errors(answer, &[&format!("/price {code}")], amount);
    }
}

#[tokio::test]
async fn what_is_no_number_of_json_is_malformed() {
    let app = TestApp::start().await;
    for price in ["NaN", "Infinity", "-Infinity", "+1", "01", ".5", "5.", "0x10", "1_000", "1,5"] {
        let members = [("name", "\"P\""), ("slug", "\"p\""), ("billing_cycle", "\"daily\""), ("price", price)];
        post_text(&app, PLANS, &body(&members, &[])).await.refused(400, "malformed_json");
    }
}

#[tokio::test]
async fn another_currency_validates_the_stored_amount() {
    let base = Base::start().await;
    let at = place(PAYMENTS, &base.pay(json!({ "amount": 19.99, "currency": "USD" })).await);
    let answer = base.app.put(&at, &json!({ "currency": "JPY" })).await;
    assert_errors(answer, &["/amount too_many_decimals"], "the merged record counts");
    let both = base.app.put(&at, &json!({ "currency": "jpy", "amount": 2000 })).await.expect(200);
    assert_bytes(&both, "amount", "2000");
    assert_eq!(both.data()["currency"], "JPY");
    let answer = base.app.put(&at, &json!({ "amount": 0.5 })).await;
    assert_errors(answer, &["/amount too_many_decimals"], "JPY");
    let answer = base.app.put(&at, &json!({ "currency": "XAU", "amount": 0.5 })).await;
    assert_errors(answer, &["/currency unknown_value"], "an unknown currency judges nothing");
    base.app.put(&at, &json!({ "currency": "clf", "amount": 0.0001 })).await.expect(200);
}

#[tokio::test]
async fn currencies_are_accepted_in_any_case_and_returned_in_upper_case() {
    let base = Base::start().await;
    for (sent, reported) in [("usd", "USD"), ("Eur", "EUR"), ("gBp", "GBP"), ("JPY", "JPY")] {
        assert_eq!(base.pay(json!({ "currency": sent, "amount": 1 })).await["currency"], reported);
        let plan =
            base.app.plan(&format!("p-{}", reported.to_lowercase()), json!({ "currency": sent, "price": 1 })).await;
        assert_eq!(plan["currency"], reported);
    }
}
