//! Attack 33: no credential is in a log, an error, a `Debug`, or the database; and nothing that is in the
//! database works as a token.

use super::support::*;
use crate::log;
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use perennial_app::clients::Credential;
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::sessions::{Credentials, Granted, Secret, SignedIn};
use perennial_testkit::{Held, TestApp};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::marker::PhantomData;

/// Every credential of a person's way through the endpoints, good ones and bad ones.
async fn spend(app: &TestApp) -> Vec<String> {
    let body = app.credentials("ada@example.com");
    let ada = Held::of(&present(app, SIGN_UP, &body).await.expect(201));
    let refreshed = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    app.logged_in(&refreshed.token).await.expect(200);
    app.request("POST", CHECK).bearer(&refreshed.token).send().await.expect(200);
    let (forged, stale) = ("prt_forged-refresh-token", "eyJ.forged.access-token");
    app.refresh(forged).await.refused(401, "invalid_refresh_token");
    app.logged_in(stale).await.refused(401, "invalid_token");
    let wrong = json!({ "access_token": "forged-identity-token", "email": "ada@example.com" });
    present(app, SIGN_IN, &wrong).await.refused(401, "invalid_identity_token");
    let wrong = json!({ "access_token": body["access_token"], "email": "eve@example.com", "refresh_token": forged });
    present(app, SIGN_IN, &wrong).await.expect(422);
    let stranger = "pk_stranger_stranger_stranger_strange";
    app.anonymous("POST", CHECK).header("client-id", stranger).send().await.refused(401, "invalid_client");
    app.request("POST", CHECK).header("client-id", stranger).send().await.refused(400, "invalid_header");
    app.request("POST", CHECK).header("origin", ORIGIN).send().await.refused(403, "client_not_for_browsers");
    app.browser("POST", CHECK).bearer(&ada.token).bearer(stale).send().await.refused(400, "invalid_header");
    let identity = text(&body, "access_token").to_owned();
    vec![
        identity,
        ada.token,
        ada.refresh_token,
        refreshed.token,
        refreshed.refresh_token,
        TRUSTED.to_owned(),
        stranger.to_owned(),
        forged.to_owned(),
        stale.to_owned(),
        "forged-identity-token".to_owned(),
    ]
}

/// A secret and the parts of it that are as good as the whole: of a JWT, each of its three parts but the header.
fn parts(secret: &str) -> Vec<&str> {
    let jwt: Vec<&str> = secret.split('.').collect();
    let mut parts = vec![secret];
    if let [_, claims, signature] = jwt.as_slice() {
        parts.extend([*claims, *signature]);
    }
    parts.extend(secret.strip_prefix("prt_").into_iter().chain(secret.strip_prefix("pk_")));
    parts
}

#[tokio::test]
async fn secrets_in_logs() {
    log::listen();
    let app = TestApp::start().await;
    let secrets = spend(&app).await;
    app.browser("POST", CHECK).header("x-request-id", "the-log-listens").send().await.expect(401);
    assert!(!log::lines("the-log-listens").is_empty());
    for secret in secrets.iter().flat_map(|secret| parts(secret)) {
        assert_eq!(log::lines(secret), Vec::<String>::new());
    }
}

#[tokio::test]
async fn secrets_in_errors() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let (identity, token, refresh) =
        (app.identity_token("ada@example.com", None), ada.token.clone(), ada.refresh_token.clone());
    let secrets = [identity.as_str(), &token, &refresh, TRUSTED];
    let post = |target: &str| app.request("POST", target).bearer(&token);
    for request in [
        post(SIGN_UP).json(&json!({ "access_token": identity, "email": "eve@example.com" })),
        post(SIGN_UP).json(&json!({ "access_token": identity, "email": "ada@example.com", "terms": 1 })),
        post(SIGN_UP).json(&json!({ "access_token": [identity], "email": "ada@example.com" })),
        post(SIGN_UP).json_text(format!("{{\"access_token\": \"{identity}\"")),
        post(SIGN_IN).json(&json!({ "access_token": token, "email": "ada@example.com" })),
        post(REFRESH).json(&json!({ "refresh_token": token })),
        post(REFRESH).json(&json!({ "refresh_token": { "refresh_token": refresh } })),
        post(REFRESH).json_text(format!("{{\"refresh_token\": {refresh}}}")),
        post(REFRESH).json(&json!({ "refresh_token": refresh })),
        post(CHECK).bearer(&token),
        app.browser("POST", CHECK).bearer(&refresh),
        app.browser("POST", CHECK).header("authorization", TRUSTED),
        app.request("DELETE", &account_of("eve")).bearer(&token),
    ] {
        let answer = request.send().await;
        assert!(answer.status >= 400, "{}", answer.status);
        let whole = format!("{:?} {}", answer.headers, String::from_utf8_lossy(&answer.bytes));
        for secret in secrets.into_iter().flat_map(parts) {
            assert!(!whole.contains(secret), "{secret} in {whole}");
        }
    }
}

/// Whether a type can be printed: methods of the type take precedence over those of a trait for all types.
struct Printable<T>(PhantomData<T>);

trait Unprintable {
    const DEBUG: bool = false;
}

impl<T> Unprintable for Printable<T> {}

impl<T: Debug> Printable<T> {
    const DEBUG: bool = true;
}

#[test]
fn secrets_in_debug() {
    let printed = [
        ("the probe itself", Printable::<String>::DEBUG),
        ("the person who is signed in", Printable::<SignedIn>::DEBUG),
        ("a secret", Printable::<Secret>::DEBUG),
        ("what a person shows", Printable::<Credentials>::DEBUG),
        ("what a person is given", Printable::<Granted>::DEBUG),
        ("a trusted client's credential", Printable::<Credential>::DEBUG),
        ("the master key", Printable::<MasterKey>::DEBUG),
        ("the keys derived from it", Printable::<Keys>::DEBUG),
    ];
    for (name, can_be_printed) in printed {
        assert_eq!(can_be_printed, name == "the probe itself", "{name}");
    }
}

#[tokio::test]
async fn secrets_in_the_database_file() {
    let app = TestApp::start().await;
    let mut secrets = spend(&app).await;
    let master = [7_u8; 32];
    secrets.extend([HEXLOWER.encode(&master), BASE64.encode(&master), BASE64URL_NOPAD.encode(&master)]);
    let (dump, files) = (dump(&app).await, app.store().files());
    assert_eq!(files.is_empty(), app.store().is_postgres());
    assert!(app.store().is_postgres() || contains(&files, b"ada@example.com"), "the files are those of the store");
    for secret in secrets.iter().flat_map(|secret| parts(secret)) {
        assert_eq!(places(&dump, secret), Vec::<&str>::new(), "{secret}");
        assert_eq!(places(&dump, &HEXLOWER.encode(secret.as_bytes())), Vec::<&str>::new(), "{secret} as bytes");
        assert!(!contains(&files, secret.as_bytes()), "{secret}");
        for encoding in [BASE64URL_NOPAD, BASE64] {
            let Ok(bytes) = encoding.decode(secret.as_bytes()) else { continue };
            assert_eq!(places(&dump, &HEXLOWER.encode(&bytes)), Vec::<&str>::new(), "{secret} decoded");
            assert!(!contains(&files, &bytes), "{secret} decoded");
        }
    }
    assert!(!contains(&files, &master));
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[tokio::test]
async fn a_string_of_a_database_dump_used_as_a_token() {
    let app = TestApp::start().await;
    // One session is as it began, one was refreshed, both with the client that will try.
    let ada = Held::of(&app.post(SIGN_UP, &app.credentials("ada@example.com")).await.expect(201));
    let refresh = json!({ "refresh_token": ada.refresh_token });
    let ada = Held::of(&app.post(REFRESH, &refresh).await.expect(200));
    app.post(SIGN_IN, &app.credentials("ada@example.com")).await.expect(200);
    app.plan("pro", json!({})).await;
    let known = app.events().await;
    let mut guesses = BTreeSet::new();
    for (_, value) in dump(&app).await {
        let bytes = HEXLOWER.decode(value.replace('-', "").as_bytes()).unwrap_or_default();
        let encoded = BASE64URL_NOPAD.encode(&bytes);
        guesses.extend([format!("prt_{value}"), format!("prt_{encoded}"), encoded, value]);
    }
    guesses.insert(ada.session_id().to_owned());
    guesses.insert(format!("prt_{}", ada.session_id()));
    assert!(guesses.len() > 100);
    for guess in guesses.iter().filter(|guess| !guess.is_empty() && !guess.contains(char::is_control)) {
        let request = app.request("POST", CHECK).header("authorization", format!("Bearer {guess}"));
        assert_eq!(request.send().await.status, 401, "{guess} is an access token");
        let refresh = app.post(REFRESH, &json!({ "refresh_token": guess })).await;
        refresh.refused(401, "invalid_refresh_token");
        // Nor does it name a trusted client.
        if !guess.contains(' ') && guess != "default" {
            let request = app.anonymous("POST", CHECK).header("client-id", guess);
            assert_eq!(request.send().await.status, 401, "{guess} is a client");
        }
    }
    assert_eq!(app.events().await, known);
    app.post(REFRESH, &json!({ "refresh_token": ada.refresh_token })).await.expect(200);
}
