//! Providers that publish no keys: a shared secret, and token introspection.

use super::support::{
    ADA, REFUSED, SIGN_IN, UNAVAILABLE, claims, introspection, issuer, oidc, options, outcome, sign_in, sign_up,
};
use perennial_app::providers::{Description, EmailVerified, ProviderKind, Secret, Settings};
use perennial_fake_idp::{Issuer, ResponseMode, hmac_sha256, token};
use perennial_testkit::{Held, TestApp};
use serde_json::{Value, json};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const SHARING: &str = "https://sharing.example.com";

fn jwt_secret(email_verified: EmailVerified) -> Description {
    let settings = Settings { audience: vec!["app".to_owned()], email_verified, ..Settings::default() };
    let secret = Some(Secret::new(SECRET.to_owned()));
    Description { issuer: SHARING.to_owned(), kind: ProviderKind::JwtSecret, settings, secret }
}

fn shared(header: &Value, claims: &Value, secret: &str) -> String {
    token(header, claims, |message| hmac_sha256(secret.as_bytes(), message))
}

#[tokio::test]
async fn a_shared_secret_signs_people_up_and_in_and_forgeries_are_rejected() {
    let app = TestApp::with(options(vec![("default", jwt_secret(EmailVerified::Required))])).await;
    let (header, claims) = (json!({ "alg": "HS256", "typ": "JWT" }), claims(&app, SHARING));
    let good = shared(&header, &claims, SECRET);
    let up = Held::of(&sign_up(&app, &good).await.expect(201));
    assert_eq!((&up.user["auth_type"], &up.user["auth_provider"]), (&json!("jwt_secret"), &json!(SHARING)));
    assert_eq!(outcome(&sign_in(&app, &good).await), "accepted");
    for (forged_header, secret) in [
        (json!({ "alg": "HS256" }), "0123456789abcdef0123456789abcdeg"),
        (json!({ "alg": "HS256" }), ""),
        (json!({ "alg": "HS384" }), SECRET),
        (json!({ "alg": "none" }), SECRET),
        (json!({ "alg": "EdDSA" }), SECRET),
        (json!({ "alg": "HS256", "typ": "at+jwt" }), SECRET),
    ] {
        let forged = shared(&forged_header, &claims, secret);
        assert_eq!(outcome(&sign_in(&app, &forged).await), REFUSED, "{forged_header} {secret}");
    }
    for (claim, value) in [("aud", json!("other")), ("exp", json!("9999999999")), ("azp", json!("other"))] {
        let mut spoilt = claims.clone();
        spoilt[claim] = value;
        assert_eq!(outcome(&sign_in(&app, &shared(&header, &spoilt, SECRET)).await), REFUSED, "{claim}");
    }
}

#[tokio::test]
async fn an_issuer_that_guarantees_addresses_need_not_say_so_and_must_not_deny_it() {
    for (rule, said, expected) in [
        (EmailVerified::Required, None, "email_not_verified"),
        (EmailVerified::IssuerGuarantees, None, "user_not_found"),
        (EmailVerified::IssuerGuarantees, Some(false), "email_not_verified"),
    ] {
        let app = TestApp::with(options(vec![("default", jwt_secret(rule))])).await;
        let mut claims = claims(&app, SHARING);
        claims.as_object_mut().unwrap().remove("email_verified");
        if let Some(said) = said {
            claims["email_verified"] = json!(said);
        }
        let answer = sign_in(&app, &shared(&json!({ "alg": "HS256" }), &claims, SECRET)).await;
        assert_eq!(outcome(&answer), expected, "{rule:?} {said:?}");
    }
}

fn active(issuer: &Issuer, edit: impl FnOnce(&mut Value)) {
    let mut said = json!({ "active": true, "sub": "ada", "aud": "app", "email": ADA, "email_verified": true });
    edit(&mut said);
    issuer.set(|behavior| behavior.introspection = said);
}

#[tokio::test]
async fn an_opaque_token_is_introspected_each_time() {
    let issuer = issuer();
    let app = TestApp::with(options(vec![("default", introspection(&issuer.url))])).await;
    active(&issuer, |_| ());
    let up = Held::of(&sign_up(&app, "opaque&x=1").await.expect(201));
    assert_eq!((&up.user["auth_type"], &up.user["auth_id"]), (&json!("introspection"), &json!("ada")));
    let (authorization, form) = issuer.seen().asked.unwrap();
    assert_eq!(authorization, "Basic cGVyZW5uaWFsOmNhbmFyeStzZWNyZXQ=");
    assert_eq!(form, "token=opaque%26x%3D1&token_type_hint=access_token");
    assert_eq!(outcome(&sign_in(&app, "opaque&x=1").await), "accepted");
    for (field, value, expected) in [
        ("active", json!(false), REFUSED),
        ("aud", json!("other"), REFUSED),
        ("iss", json!("https://evil.example.com"), REFUSED),
        ("sub", json!(""), REFUSED),
        ("exp", json!(1), REFUSED),
        ("email", json!("eve@example.com"), "email_mismatch"),
        ("email_verified", json!(false), "email_not_verified"),
        ("sub", json!("eve"), "user_not_found"),
        ("active", json!("yes"), UNAVAILABLE),
    ] {
        active(&issuer, |said| said[field] = value.clone());
        assert_eq!(outcome(&sign_in(&app, "opaque").await), expected, "{field} {value}");
    }
    active(&issuer, |_| ());
    for response_mode in [
        ResponseMode::Broken,
        ResponseMode::Long(256 * 1024 + 1),
        ResponseMode::Redirect(format!("{}/elsewhere", issuer.url)),
    ] {
        issuer.set(|behavior| behavior.response_mode = response_mode);
        assert_eq!(sign_in(&app, "opaque").await.refused(503, UNAVAILABLE).header("retry-after"), "1");
    }
    issuer.set(|behavior| behavior.response_mode = ResponseMode::Normal);
    assert_eq!(outcome(&sign_in(&app, "opaque").await), "accepted");
    let seen = issuer.seen();
    assert_eq!((seen.introspection, seen.requests()), (15, 15), "asked each time, and nothing else");
}

#[tokio::test]
async fn a_token_that_is_not_a_jwt_is_rejected_without_an_introspection_provider() {
    let issuer = issuer();
    let app = TestApp::with(options(vec![("default", oidc(&issuer.url))])).await;
    for opaque in ["opaque", "a.b.c", "..", "e30.e30.e30.e30.e30", " ", "\u{0}"] {
        let answer = app.post(SIGN_IN, &json!({ "access_token": opaque, "email": ADA })).await;
        assert!([401, 422].contains(&answer.status), "{opaque:?}: {}", answer.json);
    }
    sign_in(&app, "opaque").await.refused(401, REFUSED);
    assert_eq!(issuer.seen().requests(), 0);
}

#[tokio::test]
async fn an_organization_without_a_provider_accepts_no_token() {
    let mut options = options(vec![]);
    options.app.local_provider = false;
    let app = TestApp::with(options).await;
    assert_eq!(sign_in(&app, "opaque").await.refused(503, UNAVAILABLE).header("retry-after"), "1");
}

/// Characters that no engine can compress, the same each time.
fn noise(count: usize, draw: impl Fn(u32) -> char) -> String {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(7), next).skip(1).take(count).map(|state| draw(state >> 12)).collect()
}

#[tokio::test]
async fn an_identity_that_is_too_long_for_an_index_is_rejected_on_every_engine() {
    let letter = |number: u32| char::from(b'a' + u8::try_from(number % 26).unwrap());
    let issuer = format!("https://{}", noise(2_040, letter));
    let description = Description { issuer: issuer.clone(), ..jwt_secret(EmailVerified::Required) };
    let app = TestApp::with(options(vec![("default", description)])).await;
    let ideograph = |number: u32| char::from_u32(0x2_0000 + number % 0xa000).unwrap();
    let mut claims = claims(&app, &issuer);
    for (count, outcome_expected) in [(255, REFUSED), (129, REFUSED), (128, "accepted")] {
        claims["sub"] = json!(noise(count, ideograph));
        let long = shared(&json!({ "alg": "HS256" }), &claims, SECRET);
        let answer = sign_up(&app, &long).await;
        assert_eq!(answer.status, if count == 128 { 201 } else { 401 }, "{count}: {}", answer.json);
        assert_eq!(outcome(&answer), outcome_expected, "{count}");
    }
}
