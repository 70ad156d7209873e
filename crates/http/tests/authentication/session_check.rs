//! API rules 3.4 (`docs/api.md`): the user of a token, for how long it is valid, and what a check costs.

use super::support::*;
use perennial_store::Sql;
use perennial_testkit::TestApp;
use serde_json::json;

const REQUIRED: &str = "Bearer";
const INVALID: &str = "Bearer error=\"invalid_token\"";

#[tokio::test]
async fn the_holder_of_a_token_sees_themselves_and_nothing_more() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let answer = app.logged_in(&ada.token).await.expect(200);
    assert_eq!(answer.json, json!({ "data": { "user": ada.user } }));
    assert_eq!(
        members(&ada.user),
        [
            "auth_id",
            "auth_provider",
            "auth_token_status_id",
            "auth_type",
            "created_at",
            "email",
            "first_name",
            "id",
            "last_name",
            "notifications",
            "organization_id",
            "role",
            "terms",
            "updated_at",
            "username"
        ]
    );
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn without_a_token_it_is_401_token_required() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let check = || app.browser("POST", CHECK);
    for (name, request) in [
        ("no header", check()),
        ("an empty one", check().header("authorization", "")),
        ("the scheme alone", check().header("authorization", "Bearer")),
        ("no token behind it", check().header("authorization", "Bearer  ")),
        ("another scheme", check().header("authorization", "Basic YWRhOmFkYQ==")),
        ("another scheme with a good token", check().header("authorization", format!("Token {}", ada.token))),
        ("the token alone", check().header("authorization", &ada.token)),
    ] {
        let answer = request.send().await.refused(401, "token_required");
        assert_eq!(answer.header("www-authenticate"), REQUIRED, "{name}");
    }
}

#[tokio::test]
async fn a_bad_token_is_401_invalid_token() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let (signed, signature) = ada.token.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let eve = app.sign_up("eve@example.com").await;
    let (other, _) = eve.token.rsplit_once('.').unwrap();
    for (name, token) in [
        ("garbage", "garbage".to_owned()),
        ("no signature", format!("{signed}.")),
        ("another token's signature", format!("{other}.{signature}")),
        ("no claims", format!("{header}..{signature}")),
        ("a refresh token", ada.refresh_token.clone()),
        ("two tokens", format!("{} {}", ada.token, ada.token)),
        ("a very long one", "a".repeat(9_000)),
    ] {
        let answer = app.logged_in(&token).await.refused(401, "invalid_token");
        assert_eq!(answer.header("www-authenticate"), INVALID, "{name}");
    }
    let bytes = [b"Bearer \xff\xfe".as_slice(), ada.token.as_bytes()].concat();
    let answer = app.browser("POST", CHECK).header("authorization", bytes).send().await.refused(401, "invalid_token");
    assert_eq!(answer.header("www-authenticate"), INVALID);
    app.logged_in(&ada.token).await.expect(200);
}

#[tokio::test]
async fn a_token_dies_after_an_hour() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for path in [CHECK, TOKENS] {
        let method = if path == TOKENS { "GET" } else { "POST" };
        app.set_time("2026-03-10T12:59:59.999999Z");
        call(&app, method, path, &ada.token).await.expect(200);
        app.set_time("2026-03-10T13:00:00Z");
        let answer = call(&app, method, path, &ada.token).await.refused(401, "invalid_token");
        assert_eq!(answer.header("www-authenticate"), INVALID);
    }
    call(&app, "POST", LOGOUT, &ada.token).await.refused(401, "invalid_token");
    // The session outlives it.
    let refreshed = app.refresh(&ada.refresh_token).await.expect(200);
    app.logged_in(text(refreshed.data(), "token")).await.expect(200);
}

#[tokio::test]
async fn the_scheme_is_read_in_any_case_and_the_header_once() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        let request = app.browser("POST", CHECK).header("authorization", format!("{scheme} {}", ada.token));
        request.send().await.expect(200);
    }
    for second in [ada.token.as_str(), "garbage"] {
        let twice = app.browser("POST", CHECK).bearer(&ada.token).bearer(second);
        assert_eq!(twice.send().await.refused(400, "invalid_header").faults(), ["authorization invalid_header"]);
    }
}

#[tokio::test]
async fn a_check_costs_one_read_and_the_session_is_read_every_time() {
    static END: Sql = Sql::new("UPDATE sessions SET revoked_at = signed_in_at");
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.logged_in(&ada.token).await.expect(200);
    for _ in 0..20 {
        let (answer, statements) = cost(&app, app.browser("POST", CHECK).bearer(&ada.token)).await;
        answer.expect(200);
        assert_eq!(statements, 1, "the session with its user, and nothing else");
    }
    // Ended directly in the database, so that only the row shows it.
    execute(&app, &END).await;
    let (answer, statements) = cost(&app, app.browser("POST", CHECK).bearer(&ada.token)).await;
    answer.refused(401, "invalid_token");
    assert_eq!(statements, 1);
}

#[tokio::test]
async fn a_bad_token_costs_no_read_at_all() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.logged_in(&ada.token).await.expect(200);
    let (signed, _) = ada.token.rsplit_once('.').unwrap();
    for token in ["garbage".to_owned(), format!("{signed}."), ada.refresh_token] {
        let (answer, statements) = cost(&app, app.browser("POST", CHECK).bearer(&token)).await;
        answer.refused(401, "invalid_token");
        assert_eq!(statements, 0, "{token}");
    }
}
