//! Attacks on the claims of a token. The signature is always valid, and every rejection is the same.

use super::support::{ADA, SIGN_IN, SIGN_UP, Service, at_acme, claims, found_acme, header, oidc, sign_in, sign_up};
use perennial_testkit::Held;
use serde_json::{Value, json};

#[tokio::test]
async fn attack_7_a_token_for_another_audience_or_party() {
    let service = Service::start().await;
    for aud in [json!("other"), json!(["other"]), json!([]), json!(""), json!("APP"), json!("app "), json!(["x", "y"])]
    {
        service.assert_rejected(&service.token(|_, claims| claims["aud"] = aud.clone()), &aud).await;
    }
    service.assert_rejected(&service.token(|_, claims| claims["azp"] = json!("other")), "azp").await;
    let strangers = service.token(|_, claims| claims["aud"] = json!(["app", "other"]));
    service.assert_rejected(&strangers, "another audience next to ours, without an authorized party").await;
}

#[tokio::test]
async fn attack_7_a_party_that_the_operator_did_not_authorize() {
    let service = Service::with(|_, options| {
        options.app.providers[0].description.settings.authorized_parties = vec!["web".to_owned()];
    })
    .await;
    for azp in [json!("app"), json!("other"), json!(null), json!(["web"])] {
        service.assert_rejected(&service.token(|_, claims| claims["azp"] = azp.clone()), &azp).await;
    }
    service.assert_rejected(&service.token(|_, _| ()), "no azp").await;
    let good = service.token(|_, claims| claims["azp"] = json!("web"));
    sign_up(&service.app, &good).await.expect(201);
}

#[tokio::test]
async fn attack_7_a_token_for_another_organization() {
    let service = Service::with(|issuer, options| {
        options.app.providers[0].organization = "acme".to_owned();
        let mut ours = oidc(&issuer.url);
        ours.settings.audience = vec!["ours".to_owned()];
        options
            .app
            .providers
            .push(perennial_app::providers::Configured { organization: "default".to_owned(), description: ours });
    })
    .await;
    found_acme(&service.app).await;
    let acmes = service.token(|_, _| ());
    at_acme(&service.app, SIGN_UP, &acmes).await.expect(201);
    service.assert_rejected(&acmes, "one issuer, two organizations, an audience each").await;
    let ours = service.token(|_, claims| claims["aud"] = json!("ours"));
    sign_in(&service.app, &ours).await.refused(404, "user_not_found");
    at_acme(&service.app, SIGN_IN, &ours).await.refused(401, "invalid_identity_token");
    let local = service.app.identity_token(ADA, None);
    at_acme(&service.app, SIGN_IN, &local).await.refused(401, "invalid_identity_token");
}

#[tokio::test]
async fn attack_8_iss_or_aud_missing_of_the_wrong_type_or_in_an_array() {
    let service = Service::start().await;
    let issuer = service.issuer.url.as_str();
    for claim in ["iss", "aud", "sub", "exp", "iat", "email"] {
        let forged = service.token(|_, claims| drop(claims.as_object_mut().unwrap().remove(claim)));
        service.assert_rejected(&forged, claim).await;
    }
    for (claim, value) in [
        ("iss", json!([issuer])),
        ("iss", json!([issuer, "https://evil.example.com"])),
        ("iss", json!({ "iss": issuer })),
        ("iss", json!(7)),
        ("iss", json!(null)),
        ("iss", json!(format!("{issuer}/"))),
        ("iss", json!(issuer.to_uppercase())),
        ("iss", json!("https://evil.example.com")),
        ("aud", json!(7)),
        ("aud", json!(null)),
        ("aud", json!(true)),
        ("aud", json!({ "app": "app" })),
        ("aud", json!(["app", 7])),
        ("aud", json!([["app"]])),
        ("sub", json!("")),
        ("sub", json!(7)),
        ("sub", json!("a\0b")),
        ("email", json!([ADA])),
        ("email", json!("unknown")),
    ] {
        let forged = service.token(|_, claims| claims[claim] = value.clone());
        service.assert_rejected(&forged, format!("{claim} {value}")).await;
    }
}

#[tokio::test]
async fn attack_9_our_token_as_the_providers_and_a_providers_as_ours() {
    let service = Service::with(|_, _| ()).await;
    let theirs = service.token(|_, _| ());
    let ada = Held::of(&sign_up(&service.app, &theirs).await.expect(201));
    service.assert_rejected(&ada.token, "our access token").await;
    service.assert_rejected(&ada.refresh_token, "our refresh token").await;
    for typ in ["at+jwt", "AT+JWT", "application/at+jwt"] {
        service.assert_rejected(&service.token(|header, _| header["typ"] = json!(typ)), typ).await;
    }
    service.app.logged_in(&theirs).await.refused(401, "invalid_token");
    let check = service.app.request("POST", "/authentication/user-logged-in");
    check.clone().bearer(&ada.token).send().await.expect(200);
    check.clone().bearer(&theirs).send().await.refused(401, "invalid_token");
    let ours = service.issuer.token("k1", &part(&ada.token, 0), &part(&ada.token, 1));
    check.bearer(&ours).send().await.refused(401, "invalid_token");
}

/// The header or the claims of a token.
fn part(token: &str, number: usize) -> Value {
    let part = token.split('.').nth(number).unwrap();
    serde_json::from_slice(&perennial_fake_idp::from_b64(part)).unwrap()
}

#[tokio::test]
async fn attack_10_exp_as_text_float_or_1e300_and_iat_in_the_future() {
    let service = Service::start().await;
    let now = service.now();
    let later = now + 3600;
    for (claim, value) in [
        ("exp", json!(later.to_string())),
        ("exp", serde_json::from_str(&format!("{later}.5")).unwrap()),
        ("exp", serde_json::from_str(&format!("{later}.0")).unwrap()),
        ("exp", json!(1e300)),
        ("exp", json!(u64::MAX)),
        ("exp", json!(null)),
        ("exp", json!([later])),
        ("exp", json!(-1)),
        ("iat", json!(now + 61)),
        ("iat", json!(i64::MAX)),
        ("iat", json!(1e300)),
        ("iat", json!(now.to_string())),
        ("nbf", json!(i64::MAX)),
        ("nbf", json!("0")),
        ("nbf", json!(null)),
    ] {
        let forged = service.token(|_, claims| claims[claim] = value.clone());
        service.assert_rejected(&forged, format!("{claim} {value}")).await;
    }
}

#[tokio::test]
async fn attack_11_an_unverified_e_mail() {
    let service = Service::start().await;
    for verified in [json!(false), json!("true"), json!("false"), json!(1), json!(null), json!([true])] {
        let forged = service.token(|_, claims| {
            claims["email_verified"] = verified.clone();
            claims["user_metadata"] = json!({ "email": ADA, "email_verified": true });
        });
        assert_eq!(service.outcome(&forged).await, "email_not_verified", "{verified}");
    }
    let other = service.token(|_, claims| claims["email"] = json!("eve@example.com"));
    sign_in(&service.app, &other).await.refused(401, "email_mismatch");
}

#[tokio::test]
async fn attack_11_two_subjects_with_one_e_mail_are_never_linked() {
    let service = Service::start().await;
    let eves = service.token(|_, claims| claims["sub"] = json!("eve"));
    sign_up(&service.app, &eves).await.refused(409, "email_taken");
    sign_in(&service.app, &eves).await.refused(404, "user_not_found");
    // Nor when a known user takes over the address at the provider.
    let mut claims = claims(&service.app, &service.issuer.url);
    claims["sub"] = json!("eve");
    claims["email"] = json!("eve@example.com");
    let token = service.issuer.token("k1", &header(), &claims);
    let body = json!({ "access_token": token, "email": "eve@example.com" });
    let eve = Held::of(&service.app.post(SIGN_UP, &body).await.expect(201));
    sign_in(&service.app, &eves).await.refused(409, "email_taken");
    let ada = Held::of(&sign_in(&service.app, &service.token(|_, _| ())).await.expect(200));
    assert_ne!(ada.user_id(), eve.user_id());
}
