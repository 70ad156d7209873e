//! API rules 3.4 (`docs/api.md`): its header and claims, who signed it, and by what name.

use super::support::*;
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use data_encoding::BASE64URL_NOPAD;
use perennial_app::clients;
use perennial_app::context::AppOptions;
use perennial_domain::clients::ClientKind;
use perennial_testkit::{Held, TestApp, TestOptions};
use serde_json::{Value, json};

fn part(token: &str, number: usize) -> Vec<u8> {
    BASE64URL_NOPAD.decode(token.split('.').nth(number).unwrap().as_bytes()).unwrap()
}

fn header(token: &str) -> Value {
    serde_json::from_slice(&part(token, 0)).unwrap()
}

fn claims(token: &str) -> Value {
    serde_json::from_slice(&part(token, 1)).unwrap()
}

/// Whether a key of the published set, the one the token names, has signed it.
async fn is_signed(app: &TestApp, token: &str) -> bool {
    let answer = app.anonymous("GET", "/.well-known/jwks.json").send().await.expect(200);
    let keys = answer.json["keys"].as_array().unwrap();
    let Some(key) = keys.iter().find(|key| key["kid"] == header(token)["kid"]) else { return false };
    assert_eq!(members(key), ["alg", "crv", "kid", "kty", "use", "x"], "public halves only");
    assert_eq!((&key["kty"], &key["crv"], &key["alg"]), (&json!("OKP"), &json!("Ed25519"), &json!("EdDSA")));
    let key = BASE64URL_NOPAD.decode(text(key, "x").as_bytes()).unwrap();
    let (signed, _) = token.rsplit_once('.').unwrap();
    UnparsedPublicKey::new(&ED25519, key).verify(signed.as_bytes(), &part(token, 2)).is_ok()
}

#[tokio::test]
async fn the_token_has_the_documented_claims_and_is_signed_with_the_published_key() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let known = clients::list(&app.app, app.organization).await.unwrap();
    let public = known.iter().find(|client| client.kind == ClientKind::Public).unwrap();
    let header = header(&ada.token);
    assert_eq!(members(&header), ["alg", "kid", "typ"]);
    assert_eq!((&header["typ"], &header["alg"]), (&json!("at+jwt"), &json!("EdDSA")));
    let claims = claims(&ada.token);
    let now = app.now().as_micros() / 1_000_000;
    assert_eq!(
        claims,
        json!({
            "iss": claims["iss"], "aud": app.organization.to_string(), "sub": ada.user_id(),
            "client_id": public.id.to_string(), "iat": now, "exp": now + 3600, "jti": claims["jti"],
            "sid": ada.session_id(), "auth_time": now
        })
    );
    assert!(text(&claims, "client_id").starts_with("cli_") && text(&claims, "aud").starts_with("org_"));
    assert!(text(&claims, "jti").len() >= 16);
    assert!(is_signed(&app, &ada.token).await);
    let (signed, _) = ada.token.rsplit_once('.').unwrap();
    assert!(!is_signed(&app, &format!("{signed}.{}", BASE64URL_NOPAD.encode(&[0; 64]))).await);
}

#[tokio::test]
async fn a_trusted_clients_token_names_its_record_and_never_its_credential() {
    let app = TestApp::start().await;
    let body = app.credentials("ada@example.com");
    let answer = app.request("POST", SIGN_UP).json(&body).send().await.expect(201);
    let claims = claims(&Held::of(&answer).token);
    let known = clients::list(&app.app, app.organization).await.unwrap();
    let trusted = known.iter().find(|client| client.kind == ClientKind::Trusted).unwrap();
    assert_eq!(claims["client_id"], trusted.id.to_string());
    assert!(!claims.to_string().contains("pk_") && !String::from_utf8_lossy(&answer.bytes).contains("pk_"));
}

#[tokio::test]
async fn refreshing_makes_a_new_token_that_remembers_when_the_person_signed_in() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    app.advance(3000);
    let refreshed = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    let (old, new) = (claims(&ada.token), claims(&refreshed.token));
    assert_eq!((&new["auth_time"], &new["sid"], &new["sub"]), (&old["auth_time"], &old["sid"], &old["sub"]));
    assert_eq!(new["iat"].as_i64().unwrap(), old["iat"].as_i64().unwrap() + 3000);
    assert_eq!(new["exp"].as_i64().unwrap(), old["exp"].as_i64().unwrap() + 3000);
    assert_ne!(new["jti"], old["jti"]);
}

#[tokio::test]
async fn an_installation_issues_under_one_name_on_every_server() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let issuer = claims(&ada.token)["iss"].clone();
    assert!(issuer.as_str().unwrap().starts_with("urn:"), "{issuer}");
    let kept = dump(&app).await;
    assert!(kept.contains(&("installation.issuer".to_owned(), issuer.as_str().unwrap().to_owned())));
    let elsewhere = TestApp::start().await;
    assert_ne!(claims(&elsewhere.sign_up("ada@example.com").await.token)["iss"], issuer, "it is random");
    if let Some(other_server) = app.second_server().await {
        let back = other_server.sign_in("ada@example.com").await;
        assert_eq!(claims(&back.token)["iss"], issuer);
        assert!(is_signed(&app, &back.token).await && is_signed(&other_server, &ada.token).await);
        other_server.logged_in(&ada.token).await.expect(200);
        app.logged_in(&back.token).await.expect(200);
    }
}

#[tokio::test]
async fn a_public_url_is_the_name_if_there_is_one() {
    let url = "https://billing.example.com";
    let options = AppOptions { public_url: Some(url.to_owned()), local_provider: true, ..AppOptions::default() };
    let app = TestApp::with(TestOptions { app: options, ..TestOptions::default() }).await;
    let ada = app.sign_up("ada@example.com").await;
    assert_eq!(claims(&ada.token)["iss"], url);
    app.logged_in(&ada.token).await.expect(200);
}

#[tokio::test]
async fn a_token_works_with_its_client_and_with_trusted_ones_that_hold_auth() {
    use perennial_domain::clients::Scope;
    let app = TestApp::start().await;
    client(&app, app.organization, "mobile", &[Scope::Auth]).await;
    client(&app, app.organization, "pk_backend_backend_backend_backend_be", &[Scope::Auth]).await;
    client(&app, app.organization, "pk_readers_readers_readers_readers_re", &[Scope::PlansRead]).await;
    let ada = app.sign_up("ada@example.com").await;
    let check = |id: &str, token: &str| app.anonymous("POST", CHECK).header("client-id", id).bearer(token).send();
    check("default", &ada.token).await.expect(200);
    check("pk_backend_backend_backend_backend_be", &ada.token).await.expect(200);
    check(TRUSTED, &ada.token).await.expect(200);
    check("mobile", &ada.token).await.refused(401, "invalid_token");
    check("pk_readers_readers_readers_readers_re", &ada.token).await.refused(403, "insufficient_scope");
    // A trusted client's own token is no public client's.
    let body = app.credentials("ada@example.com");
    let server = Held::of(&app.request("POST", SIGN_IN).json(&body).send().await.expect(200));
    check(TRUSTED, &server.token).await.expect(200);
    check("pk_backend_backend_backend_backend_be", &server.token).await.expect(200);
    check("default", &server.token).await.refused(401, "invalid_token");
}
