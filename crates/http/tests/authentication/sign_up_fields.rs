//! API rules 3.2 and 3.3 (`docs/api.md`): the fields of sign-up and sign-in: which are required, which are optional, and
//! when two addresses are equal.

use super::support::*;
use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};

/// Signs a new user up with the credentials and these fields.
async fn sign_up_with(app: &TestApp, name: &str, fields: &Value) -> Answer {
    present(app, SIGN_UP, &with(&app.credentials(&format!("{name}@example.com")), fields)).await
}

#[tokio::test]
async fn token_and_address_are_required_and_missed_together() {
    let app = TestApp::start().await;
    for target in [SIGN_UP, SIGN_IN] {
        let answer = present(&app, target, &json!({})).await.refused(422, "required");
        assert_eq!(answer.faults(), ["/access_token required", "/email required"]);
        let answer = present(&app, target, &json!({ "access_token": null, "email": null })).await.expect(422);
        assert_eq!(answer.faults(), ["/access_token not_nullable", "/email not_nullable"]);
        let answer = present(&app, target, &json!({ "access_token": 1, "email": [] })).await.expect(422);
        assert_eq!(answer.faults(), ["/access_token invalid_type", "/email invalid_type"]);
        let answer = present(&app, target, &json!({ "access_token": "", "email": "ada" })).await.expect(422);
        assert_eq!(answer.faults(), ["/access_token too_short", "/email invalid_format"]);
        for body in ["[]", "null", "1", "\"ada@example.com\""] {
            let answer = app.browser("POST", target).json_text(body).send().await.refused(422, "invalid_type");
            assert_eq!(answer.faults(), [" invalid_type"], "{body}");
        }
    }
    let answer = present(&app, REFRESH, &json!({})).await.expect(422);
    assert_eq!(answer.faults(), ["/refresh_token required"]);
    let answer = present(&app, REFRESH, &json!({ "refresh_token": "x", "email": "a@b.c" })).await.expect(422);
    assert_eq!(answer.faults(), ["/email unknown_field"]);
}

#[tokio::test]
async fn every_error_is_reported_at_once_and_before_the_token_is_checked() {
    let app = TestApp::start().await;
    let body = json!({
        "access_token": "no token at all", "email": "ada@example.com", "username": 1, "terms": "yes", "color": "red"
    });
    let mut faults = present(&app, SIGN_UP, &body).await.refused(422, "invalid_input").faults();
    faults.sort_unstable();
    assert_eq!(faults, ["/color unknown_field", "/terms invalid_type", "/username invalid_type"]);
    let body = json!({ "access_token": "no token at all", "email": "ada@example.com", "username": "ada" });
    let answer = present(&app, SIGN_IN, &body).await.refused(422, "unknown_field");
    assert_eq!(answer.faults(), ["/username unknown_field"], "a profile is accepted at sign-up only");
}

#[tokio::test]
async fn names_have_up_to_255_characters_and_may_be_empty() {
    let app = TestApp::start().await;
    for (number, field) in ["username", "first_name", "last_name"].into_iter().enumerate() {
        for (kind, value) in [("long", "é".repeat(255)), ("empty", String::new())] {
            let answer = sign_up_with(&app, &format!("{kind}{number}"), &json!({ field: value })).await.expect(201);
            assert_eq!(answer.data()["user"][field], value);
        }
        let answer = sign_up_with(&app, "new", &json!({ field: "é".repeat(256) })).await.refused(422, "too_long");
        assert_eq!(answer.faults(), [format!("/{field} too_long")]);
        for value in [json!("a\u{0}b"), json!("a\nb"), json!("\u{202E}abc"), json!("a\u{85}b")] {
            let answer = sign_up_with(&app, "new", &json!({ field: value })).await.refused(422, "invalid_text");
            assert_eq!(answer.faults(), [format!("/{field} invalid_text")]);
        }
    }
    let answer = sign_up_with(&app, "nfc", &json!({ "first_name": "Ame\u{301}lie" })).await.expect(201);
    assert_eq!(answer.data()["user"]["first_name"], "Am\u{e9}lie");
}

#[tokio::test]
async fn an_auth_type_has_up_to_64_characters_and_defaults_to_the_providers_kind() {
    let app = TestApp::start().await;
    let answer = sign_up_with(&app, "long", &json!({ "auth_type": "é".repeat(64) })).await.expect(201);
    assert_eq!(answer.data()["user"]["auth_type"], "é".repeat(64));
    sign_up_with(&app, "new", &json!({ "auth_type": "é".repeat(65) })).await.refused(422, "too_long");
    let answer = sign_up_with(&app, "null", &json!({ "auth_type": null })).await.expect(201);
    assert_eq!(answer.data()["user"]["auth_type"], "local");
    let answer = sign_up_with(&app, "none", &json!({})).await.expect(201);
    assert_eq!(answer.data()["user"]["auth_type"], "local");
}

#[tokio::test]
async fn what_is_left_out_or_null_is_null() {
    let app = TestApp::start().await;
    let nothing =
        json!({ "username": null, "first_name": null, "last_name": null, "terms": null, "notifications": null });
    for (name, fields) in [("left-out", &json!({})), ("null", &nothing)] {
        let answer = sign_up_with(&app, name, fields).await.expect(201);
        for field in members(&nothing) {
            assert_eq!(answer.data()["user"][field], Value::Null, "{name} {field}");
        }
    }
}

#[tokio::test]
async fn a_field_of_the_wrong_type_is_rejected() {
    let app = TestApp::start().await;
    for field in ["username", "first_name", "last_name", "auth_type"] {
        for value in [json!(1), json!(true), json!([]), json!({})] {
            let answer = sign_up_with(&app, "new", &json!({ field: value })).await.refused(422, "invalid_type");
            assert_eq!(answer.faults(), [format!("/{field} invalid_type")]);
        }
    }
    for field in ["terms", "notifications"] {
        for value in [json!(1), json!(0), json!("true"), json!(""), json!([]), json!({})] {
            let answer = sign_up_with(&app, "new", &json!({ field: value })).await.refused(422, "invalid_type");
            assert_eq!(answer.faults(), [format!("/{field} invalid_type")]);
        }
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM users").await, 0);
}

#[tokio::test]
async fn addresses_are_trimmed_composed_and_lowered_before_they_are_compared() {
    let app = TestApp::start().await;
    for (number, (reported, sent)) in [
        ("ada@example.com", "  ADA@Example.COM\t"),
        ("Z\u{fc}rich@example.com", "zu\u{308}rich@EXAMPLE.com"),
        // A letter whose small form alone has a composed one.
        ("\u{1f0}@example.com", "J\u{30c}@example.com"),
    ]
    .into_iter()
    .enumerate()
    {
        let subject = format!("subject {number}");
        let body = json!({ "access_token": app.identity_token(reported, Some(&subject)), "email": sent });
        let answer = present(&app, SIGN_UP, &body).await.expect(201);
        let email = text(&answer.data()["user"], "email").to_owned();
        // What is answered is what is accepted.
        let body = json!({ "access_token": app.identity_token(&email, Some(&subject)), "email": email });
        let answer = present(&app, SIGN_IN, &body).await.expect(200);
        assert_eq!(answer.data()["user"]["email"], email);
        present(&app, SIGN_UP, &credentials(&app, &email, "another")).await.refused(409, "email_taken");
    }
}

#[tokio::test]
async fn another_address_than_the_tokens_is_a_mismatch() {
    let app = TestApp::start().await;
    app.sign_up("eve@example.com").await;
    let events = app.events().await;
    for (target, reported) in [(SIGN_UP, "ada@example.com"), (SIGN_IN, "eve@example.com")] {
        for sent in ["a.da@example.com", "ada+x@example.com", "eve@example.co", "\u{435}ve@example.com"] {
            let body = json!({ "access_token": app.identity_token(reported, None), "email": sent });
            present(&app, target, &body).await.refused(401, "email_mismatch");
        }
    }
    assert_eq!(app.events().await, events);
}
