//! Valid tokens of every algorithm, with keys from discovery or from a configured URL.

use super::support::{REFUSED, Service, claims, issuer, oidc, options, outcome, sign_in};
use perennial_app::providers::Algorithm;
use perennial_fake_idp::Issuer;
use perennial_testkit::{Held, TestApp};
use serde_json::json;

const KEYS: [(&str, &str); 4] = [("r", "RS256"), ("p", "PS256"), ("e", "ES256"), ("d", "EdDSA")];

/// An issuer with a key for each algorithm.
fn issuer_of_all() -> Issuer {
    let issuer = issuer();
    let keys = KEYS.map(|(kid, algorithm)| issuer.make(kid, algorithm).jwk).to_vec();
    issuer.set(|behavior| behavior.keys = keys);
    issuer
}

async fn sign_up_and_in_with_each(app: &TestApp, issuer: &Issuer) {
    for (kid, algorithm) in KEYS {
        let email = format!("{kid}@example.com");
        let mut claims = claims(app, &issuer.url);
        claims["sub"] = json!(kid);
        claims["email"] = json!(email);
        let token = issuer.token(kid, &json!({ "alg": algorithm, "kid": kid }), &claims);
        let body = json!({ "access_token": token, "email": email });
        let up = Held::of(&app.post("/authentication/sign-up", &body).await.expect(201));
        let back = Held::of(&app.post("/authentication/sign-in", &body).await.expect(200));
        assert_eq!(up.user_id(), back.user_id(), "{algorithm}");
        let user = &back.user;
        assert_eq!((&user["auth_id"], &user["auth_provider"]), (&json!(kid), &json!(issuer.url)), "{algorithm}");
        assert_eq!(user["auth_type"], "oidc", "{algorithm}");
    }
}

#[tokio::test]
async fn people_sign_up_and_in_with_every_algorithm_of_an_issuer_that_is_discovered() {
    let issuer = issuer_of_all();
    let app = TestApp::with(options(vec![("default", oidc(&issuer.url))])).await;
    sign_up_and_in_with_each(&app, &issuer).await;
    let seen = issuer.seen();
    assert_eq!((seen.discovery, seen.keys, seen.requests()), (1, 1, 2));
}

#[tokio::test]
async fn people_sign_up_and_in_with_every_algorithm_of_keys_at_a_fixed_address() {
    let issuer = issuer_of_all();
    let mut description = oidc(&issuer.url);
    description.settings.jwks_url = Some(format!("{}/keys", issuer.url));
    let app = TestApp::with(options(vec![("default", description)])).await;
    sign_up_and_in_with_each(&app, &issuer).await;
    assert_eq!((issuer.seen().keys, issuer.seen().requests()), (1, 1));
}

#[tokio::test]
async fn an_algorithm_that_the_operator_left_out_is_rejected() {
    let service = Service::with(|issuer, options| {
        issuer.rotate("k1", "RS256");
        options.app.providers[0].description.settings.algorithms = vec![Algorithm::Rs256];
    })
    .await;
    for (algorithm, expected) in [("RS256", "user_not_found"), ("PS256", REFUSED)] {
        let token = service.token(|header, _| header["alg"] = json!(algorithm));
        assert_eq!(outcome(&sign_in(&service.app, &token).await), expected, "{algorithm}");
    }
}
