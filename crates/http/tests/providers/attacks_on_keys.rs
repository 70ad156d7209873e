//! Attacks on how a token is signed and on the key it names. Every one begins from a token that is accepted, and every
//! rejection is the same.

use super::support::{REFUSED, Service, claims, header, issuer, oidc, options, outcome, sign_in, sign_up};
use perennial_fake_idp::{Key, PublicKey, from_b64, hmac_sha256, token};
use perennial_testkit::TestApp;
use serde_json::json;

#[tokio::test]
async fn attack_1_alg_none_in_any_spelling() {
    let service = Service::start().await;
    let good = service.token(|_, _| ());
    assert_eq!(service.outcome(&good).await, "accepted");
    for alg in [json!("none"), json!("None"), json!("NONE"), json!("nOnE"), json!(""), json!(null), json!("eddsa")] {
        let header = json!({ "alg": alg, "kid": "k1" });
        service.assert_rejected(&token(&header, &service.claims(), |_| Vec::new()), &alg).await;
        service.assert_rejected(&service.issuer.token("k1", &header, &service.claims()), &alg).await;
    }
    let missing = service.issuer.token("k1", &json!({ "kid": "k1" }), &service.claims());
    service.assert_rejected(&missing, "missing").await;
    service.assert_rejected(&good[..=good.rfind('.').unwrap()], "no signature").await;
    service.assert_rejected(&good[..good.rfind('.').unwrap()], "no third part").await;
}

#[tokio::test]
async fn attack_2_rs_to_hs_confusion() {
    let service = Service::start().await;
    let PublicKey { jwk, der, pem } = service.issuer.rotate("k2", "RS256");
    let header = json!({ "alg": "RS256", "kid": "k2" });
    let good = service.issuer.token("k2", &header, &service.claims());
    assert_eq!(service.outcome(&good).await, "accepted");
    let (modulus, jwk) = (from_b64(jwk["n"].as_str().unwrap()), jwk.to_string());
    for secret in [pem.as_bytes(), pem.trim_end().as_bytes(), &der, jwk.as_bytes(), &modulus] {
        for alg in ["HS256", "HS384", "HS512", "EdDSA", "ES256"] {
            let header = json!({ "alg": alg, "kid": "k2" });
            let forged = token(&header, &service.claims(), |message| hmac_sha256(secret, message));
            service.assert_rejected(&forged, alg).await;
        }
    }
}

#[tokio::test]
async fn attack_2_a_symmetric_key_among_the_published_ones_is_everybodys() {
    let service = Service::start().await;
    let oct = Key::Secret(vec![7; 32]);
    service.issuer.set(|behavior| behavior.keys.push(oct.jwk("k2")));
    let header = json!({ "alg": "HS256", "kid": "k2" });
    let forged = token(&header, &service.claims(), |message| oct.sign(message));
    service.assert_rejected(&forged, "oct").await;
    assert_eq!(service.outcome(&service.token(|_, _| ())).await, "accepted");
}

#[tokio::test]
async fn attack_3_kid_with_a_path_sql_nul_or_8_kib() {
    let service = Service::start().await;
    let long = "k".repeat(8 * 1024);
    let kids = ["../../../../dev/null", "/etc/passwd", "' OR 1=1 --", "k1' UNION SELECT 'x", "k1\0", "\0", "", &long];
    for kid in kids.map(|kid| json!(kid)).into_iter().chain([json!(1), json!(["k1"]), json!({ "k1": 1 })]) {
        service.assert_rejected(&service.token(|header, _| header["kid"] = kid.clone()), &kid).await;
    }
    assert_eq!(service.outcome(&service.token(|_, _| ())).await, "accepted");
    let seen = service.issuer.seen();
    assert_eq!((seen.keys, seen.discovery, seen.other), (2, 2, 0), "the first fetch, and one for unknown kids");
}

#[tokio::test]
async fn attack_4_jku_x5u_and_jwk_headers_are_ignored_and_nothing_is_fetched() {
    let (service, evil) = (Service::start().await, issuer());
    let jwk = evil.rotate("k1", "EdDSA").jwk;
    let place = format!("{}/keys", evil.url);
    let before = service.issuer.seen();
    let pointers = json!({ "jku": place, "x5u": place, "jwk": jwk, "x5c": ["AAAA"], "kid": place });
    for (name, value) in pointers.as_object().unwrap() {
        let mut header = header();
        header[name] = value.clone();
        service.assert_rejected(&evil.token("k1", &header, &service.claims()), name).await;
        if name != "kid" {
            let good = service.issuer.token("k1", &header, &service.claims());
            assert_eq!(service.outcome(&good).await, "accepted", "{name}");
        }
    }
    assert_eq!(evil.seen().requests(), 0);
    assert_eq!(service.issuer.seen().keys, before.keys + 1, "only the unknown kid was looked for");
}

#[tokio::test]
async fn attack_4_an_unknown_crit_is_rejected() {
    let service = Service::start().await;
    for crit in [json!(["x"]), json!(["b64"]), json!(["exp"]), json!([]), json!("x")] {
        let forged = service.token(|header, _| {
            header["crit"] = crit.clone();
            header["x"] = json!(true);
        });
        service.assert_rejected(&forged, &crit).await;
    }
}

#[tokio::test]
async fn attack_5_the_same_kid_at_two_issuers() {
    let (one, two) = (issuer(), issuer());
    one.rotate("k1", "EdDSA");
    two.rotate("k1", "EdDSA");
    let app = TestApp::with(options(vec![("default", oidc(&one.url)), ("default", oidc(&two.url))])).await;
    let header = header();
    let of_one = claims(&app, &one.url);
    sign_up(&app, &one.token("k1", &header, &of_one)).await.expect(201);
    // The second issuer's keys are available as well.
    let of_two = claims(&app, &two.url);
    sign_in(&app, &two.token("k1", &header, &of_two)).await.refused(404, "user_not_found");
    for (forger, said) in [(&two, &of_one), (&one, &of_two)] {
        assert_eq!(outcome(&sign_in(&app, &forger.token("k1", &header, said)).await), REFUSED);
    }
    assert_eq!(outcome(&sign_in(&app, &one.token("k1", &header, &of_one)).await), "accepted");
}
