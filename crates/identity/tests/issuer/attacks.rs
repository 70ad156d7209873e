//! The attacks on identity tokens, each by its name. Every one begins from a token that is accepted.

use crate::fixture::{Fixture, HERE, OURS, START, ada, at, claims, keyring, oidc, settings, verifier};
use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_fake_idp::{Key, PublicKey, Server, b64, hmac_sha256, token};
use perennial_identity::access::{AccessTokens, Grant};
use perennial_identity::key_set::KeySet;
use perennial_identity::local::LocalIssuer;
use perennial_identity::providers::{Audience, EmailVerified, Oidc, Provider, ProviderError};
use perennial_identity::signing::SigningKey;
use perennial_identity::verify::Verifier;
use rustls::RootCertStore;
use serde_json::json;

const REFUSED: &str = "invalid_identity_token";

#[tokio::test]
async fn good_tokens_of_every_algorithm_are_accepted() {
    for key in [Key::rsa(), Key::ec(), Key::ed()] {
        let fixture = Fixture::with(key, keyring(RootCertStore::empty()));
        let identity = fixture.verify(&fixture.token(|_, _| ()), 0).await.unwrap();
        assert_eq!((identity.issuer.as_str(), identity.subject.as_str()), (fixture.server.url.as_str(), "ada"));
        assert_eq!((identity.email, identity.auth_type), (ada(), "oidc"));
        if matches!(fixture.key, Key::Rsa(_)) {
            let header = json!({"alg": "PS256", "kid": "k1"});
            let token = token(&header, &fixture.claims(), |message| fixture.key.sign_pss(message));
            assert_eq!(fixture.outcome(&token, 0).await, "accepted");
        }
    }
}

#[tokio::test]
async fn attack_1_alg_none_in_any_spelling() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, "accepted");
    for alg in [json!("none"), json!("None"), json!("NONE"), json!("nOnE"), json!(""), json!(null), json!("eddsa")] {
        let header = json!({"alg": alg, "kid": "k1"});
        for signature in [Vec::new(), fixture.key.sign(b"x")] {
            let forged = token(&header, &fixture.claims(), |_| signature);
            assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{alg}");
        }
        let signed = token(&header, &fixture.claims(), |message| fixture.key.sign(message));
        assert_eq!(fixture.outcome(&signed, 0).await, REFUSED, "{alg}, signed");
    }
    let missing = token(&json!({"kid": "k1"}), &fixture.claims(), |message| fixture.key.sign(message));
    assert_eq!(fixture.outcome(&missing, 0).await, REFUSED);
    let unsigned = fixture.token(|_, _| ());
    assert_eq!(fixture.outcome(&unsigned[..=unsigned.rfind('.').unwrap()], 0).await, REFUSED);
}

#[tokio::test]
async fn attack_2_rs_to_hs_confusion() {
    let fixture = Fixture::with(Key::rsa(), keyring(RootCertStore::empty()));
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, "accepted");
    let PublicKey { jwk, der, pem } = fixture.key.public("k1");
    let modulus = data_encoding::BASE64URL_NOPAD.decode(jwk["n"].as_str().unwrap().as_bytes()).unwrap();
    let secrets = [pem.clone().into_bytes(), pem.trim_end().into(), der, jwk.to_string().into_bytes(), modulus];
    for secret in &secrets {
        for alg in ["HS256", "HS384", "HS512"] {
            let header = json!({"alg": alg, "kid": "k1"});
            let forged = token(&header, &fixture.claims(), |message| hmac_sha256(secret, message));
            assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{alg}");
        }
    }
    // A published symmetric key is everybody's.
    let oct = Key::Secret(vec![7; 32]);
    fixture.server.set(|issuer| issuer.keys = vec![oct.jwk("k2"), fixture.key.jwk("k1")]);
    let header = json!({"alg": "HS256", "kid": "k2"});
    let forged = token(&header, &fixture.claims(), |message| oct.sign(message));
    assert_eq!(fixture.outcome(&forged, 3600).await, REFUSED);
    // And a key is used with its own kind of algorithm only, or with the one it names.
    let header = json!({"alg": "EdDSA", "kid": "k1"});
    let forged = token(&header, &fixture.claims(), |message| Key::ed().sign(message));
    assert_eq!(fixture.outcome(&forged, 0).await, REFUSED);
    let mut named = fixture.key.jwk("k3");
    named["alg"] = json!("RS256");
    fixture.server.set(|issuer| issuer.keys = vec![named]);
    let header = json!({"alg": "PS256", "kid": "k3"});
    let other = token(&header, &fixture.claims(), |message| fixture.key.sign_pss(message));
    assert_eq!(fixture.outcome(&other, 0).await, REFUSED);
    assert_eq!(fixture.outcome(&fixture.token(|header, _| header["kid"] = json!("k3")), 0).await, "accepted");
}

#[tokio::test]
async fn attack_3_kid_with_a_path_sql_nul_or_8_kib() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, "accepted");
    let long = "k".repeat(8 * 1024);
    let kids = ["../../../../dev/null", "/etc/passwd", "' OR 1=1 --", "k1' UNION SELECT 'x", "k1\0", "\0", "", &long];
    for kid in kids {
        let forged = fixture.token(|header, _| header["kid"] = json!(kid));
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{kid:?}");
    }
    for kid in [json!(1), json!(["k1"]), json!({"k1": 1})] {
        let forged = fixture.token(|header, _| header["kid"] = kid.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{kid}");
    }
    assert_eq!(fixture.server.seen().keys, 2, "the first fetch and one for the unknown kids");
    assert_eq!(fixture.server.seen().requests(), 4, "nothing but discovery and keys was asked for");
}

#[tokio::test]
async fn attack_4_jku_x5u_and_jwk_headers_are_ignored() {
    let (fixture, evil) = (Fixture::new(), Server::start());
    let attacker = Key::ed();
    evil.set(|issuer| issuer.keys = vec![attacker.jwk("k1")]);
    let place = format!("{}/keys", evil.url);
    let pointers = json!({"jku": place, "x5u": place, "jwk": attacker.jwk("k1"), "x5c": ["AAAA"]});
    for (name, value) in pointers.as_object().unwrap() {
        let mut header = fixture.header();
        header[name] = value.clone();
        let forged = token(&header, &fixture.claims(), |message| attacker.sign(message));
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{name}");
        let good = token(&header, &fixture.claims(), |message| fixture.key.sign(message));
        assert_eq!(fixture.outcome(&good, 0).await, "accepted", "{name}");
    }
    assert_eq!(evil.seen().requests(), 0);
}

#[tokio::test]
async fn attack_4_an_unknown_crit_is_refused() {
    let fixture = Fixture::new();
    for crit in [json!(["x"]), json!(["b64"]), json!(["exp"]), json!([]), json!("x")] {
        let forged = fixture.token(|header, _| header["crit"] = crit.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{crit}");
    }
}

#[tokio::test]
async fn attack_5_the_same_kid_at_two_issuers() {
    let keyring = keyring(RootCertStore::empty());
    let (one, two) = (Server::start(), Server::start());
    let (key_of_one, key_of_two) = (Key::ed(), Key::ed());
    one.set(|issuer| issuer.keys = vec![key_of_one.jwk("k1")]);
    two.set(|issuer| issuer.keys = vec![key_of_two.jwk("k1")]);
    let verifier = verifier(keyring, vec![oidc(&one.url, HERE), oidc(&two.url, HERE)]);
    let header = json!({"alg": "EdDSA", "kid": "k1"});
    for (issuer, key, accepted) in
        [(&one, &key_of_one, true), (&two, &key_of_two, true), (&one, &key_of_two, false), (&two, &key_of_one, false)]
    {
        let token = token(&header, &claims(&issuer.url), |message| key.sign(message));
        assert_eq!(verifier.verify(&token, &ada(), at(0)).await.is_ok(), accepted);
    }
}

#[tokio::test]
async fn attack_6_ten_thousand_random_kids_cost_one_refetch_in_30_seconds() {
    let fixture = Fixture::new();
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 0).await, "accepted");
    for number in 0..10_000_i64 {
        let forged = fixture.token(|header, _| header["kid"] = json!(format!("random-{number}")));
        // Ninety seconds pass by the clock we are given: the refetches fall at 0, 30 and 60.
        assert_eq!(fixture.outcome(&forged, number * 90 / 10_000).await, REFUSED);
    }
    assert_eq!(fixture.server.seen().keys, 1 + 3);
    assert_eq!(fixture.outcome(&fixture.token(|_, _| ()), 90).await, "accepted");
}

#[tokio::test]
async fn attack_6_a_cold_flood_costs_one_fetch() {
    let fixture = Fixture::new();
    for number in 0..100 {
        let forged = fixture.token(|header, _| header["kid"] = json!(format!("random-{number}")));
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED);
    }
    assert_eq!(fixture.server.seen().keys, 1);
}

#[tokio::test]
async fn attack_7_a_token_for_another_audience_party_or_organization() {
    let fixture = Fixture::new();
    for aud in [json!("other"), json!(["other"]), json!([]), json!(""), json!("APP"), json!("app "), json!(["x", "y"])]
    {
        let forged = fixture.token(|_, claims| claims["aud"] = aud.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{aud}");
    }
    let forged = fixture.token(|_, claims| claims["azp"] = json!("other"));
    assert_eq!(fixture.outcome(&forged, 0).await, REFUSED);
    let audience = Audience::new(["app".to_owned()], ["web".to_owned()]).unwrap();
    let settings = Oidc { audience, ..settings(HERE) };
    let provider = Provider::oidc(&fixture.server.url, settings, EmailVerified::Required).unwrap();
    let strict = verifier(keyring(RootCertStore::empty()), vec![provider]);
    for (azp, accepted) in [(json!("web"), true), (json!("app"), false), (json!(null), false)] {
        let token = fixture.token(|_, claims| claims["azp"] = azp.clone());
        assert_eq!(strict.verify(&token, &ada(), at(0)).await.is_ok(), accepted, "{azp}");
    }
    assert!(strict.verify(&fixture.token(|_, _| ()), &ada(), at(0)).await.is_err(), "no azp");
    let (one, two) = (OrganizationId::from_bytes([1; 16]), OrganizationId::from_bytes([2; 16]));
    let token = LocalIssuer::new(&[7; 32], one).mint(&ada(), None, at(0));
    for (organization, accepted) in [(one, true), (two, false)] {
        let provider = Provider::local(LocalIssuer::new(&[7; 32], organization));
        let verifier = verifier(keyring(RootCertStore::empty()), vec![provider]);
        assert_eq!(verifier.verify(token.expose(), &ada(), at(0)).await.is_ok(), accepted);
    }
}

#[tokio::test]
async fn attack_8_iss_or_aud_missing_of_the_wrong_type_or_in_an_array() {
    let fixture = Fixture::new();
    let issuer = fixture.server.url.as_str();
    for claim in ["iss", "aud", "sub", "exp", "iat"] {
        let forged = fixture.token(|_, claims| drop(claims.as_object_mut().unwrap().remove(claim)));
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{claim} missing");
    }
    for (claim, value) in [
        ("iss", json!([issuer])),
        ("iss", json!([issuer, "https://evil"])),
        ("iss", json!(7)),
        ("iss", json!(null)),
        ("iss", json!(format!("{issuer}/"))),
        ("iss", json!(issuer.to_uppercase())),
        ("aud", json!(7)),
        ("aud", json!(null)),
        ("aud", json!(true)),
        ("aud", json!({"app": "app"})),
        ("aud", json!(["app", 7])),
        ("aud", json!([["app"]])),
        ("sub", json!("")),
        ("sub", json!(7)),
        ("sub", json!("a\0b")),
    ] {
        let forged = fixture.token(|_, claims| claims[claim] = value.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{claim} {value}");
    }
    let twice = fixture.claims().to_string().replacen('{', r#"{"iss":"https://evil","#, 1);
    let message = format!("{}.{}", b64(fixture.header().to_string().as_bytes()), b64(twice.as_bytes()));
    let forged = format!("{message}.{}", b64(&fixture.key.sign(message.as_bytes())));
    assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "iss twice");
}

#[tokio::test]
async fn attack_9_our_token_as_the_providers_and_a_providers_as_ours() {
    let fixture = Fixture::new();
    let organization = OrganizationId::from_bytes([1; 16]);
    let keys = KeySet::new(vec![SigningKey::generate(at(0)).unwrap()]);
    let ours = AccessTokens::new(OURS.to_owned());
    let grant = Grant {
        organization,
        user: UserId::from_bytes([2; 16]),
        client: ClientId::from_bytes([3; 16]),
        session: SessionId::from_bytes([4; 16]),
        auth_time: at(0),
    };
    let access = ours.issue(&keys, &grant, [5; 16], at(0)).unwrap();
    assert!(ours.verify(&keys, access.expose(), organization, at(0)).is_ok());
    assert_eq!(fixture.outcome(access.expose(), 0).await, REFUSED);
    // Whatever its claims, a token of our type is not an identity token.
    for typ in ["at+jwt", "AT+JWT", "application/at+jwt"] {
        let forged = fixture.token(|header, _| header["typ"] = json!(typ));
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{typ}");
    }
    let provider = Provider::oidc(OURS, settings(HERE), EmailVerified::Required).unwrap();
    let fault = Verifier::new(keyring(RootCertStore::empty()), vec![provider], OURS).err();
    assert_eq!(fault, Some(ProviderError::OwnIssuer(OURS.to_owned())));
    assert!(ours.verify(&keys, &fixture.token(|_, _| ()), organization, at(0)).is_err());
    let dressed_up = fixture.token(|header, claims| {
        header["typ"] = json!("at+jwt");
        header["kid"] = json!(keys.current(at(0)).unwrap().kid());
        claims["iss"] = json!(OURS);
        claims["aud"] = json!(organization);
        claims["sub"] = json!(grant.user);
        claims["client_id"] = json!(grant.client);
        claims["sid"] = json!(grant.session);
        claims["jti"] = json!("x");
        claims["auth_time"] = json!(START);
    });
    assert!(ours.verify(&keys, &dressed_up, organization, at(0)).is_err());
}

#[tokio::test]
async fn attack_10_exp_as_text_float_or_1e300_and_iat_in_the_future() {
    let fixture = Fixture::new();
    let later = START + 3600;
    for (claim, value) in [
        ("exp", json!(later.to_string())),
        ("exp", json!(1.8e9 + 3600.5)),
        ("exp", json!(1.8e9 + 3600.0)),
        ("exp", json!(1e300)),
        ("exp", json!(u64::MAX)),
        ("exp", json!(null)),
        ("exp", json!([later])),
        ("exp", json!(-1)),
        ("exp", json!(START - 60)),
        ("iat", json!(START + 61)),
        ("iat", json!(i64::MAX)),
        ("iat", json!(1e300)),
        ("iat", json!(START.to_string())),
        ("iat", json!(START - 24 * 3600 - 61)),
        ("nbf", json!(START + 61)),
        ("nbf", json!("0")),
        ("nbf", json!(null)),
    ] {
        let forged = fixture.token(|_, claims| claims[claim] = value.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, REFUSED, "{claim} {value}");
    }
}

#[tokio::test]
async fn attack_11_an_unverified_e_mail() {
    let fixture = Fixture::new();
    for verified in [json!(false), json!("true"), json!("false"), json!(1), json!(null), json!([true])] {
        let forged = fixture.token(|_, claims| claims["email_verified"] = verified.clone());
        assert_eq!(fixture.outcome(&forged, 0).await, "email_not_verified", "{verified}");
    }
    let silent = fixture.token(|_, claims| drop(claims.as_object_mut().unwrap().remove("email_verified")));
    assert_eq!(fixture.outcome(&silent, 0).await, "email_not_verified");
    // What a person can write about themselves counts for nothing.
    let metadata = json!({"email": "ada@example.com", "email_verified": true});
    let boasting = fixture.token(|_, claims| {
        claims["email_verified"] = json!(false);
        claims["user_metadata"] = metadata.clone();
    });
    assert_eq!(fixture.outcome(&boasting, 0).await, "email_not_verified");
    let other = fixture.token(|_, claims| claims["email"] = json!("eve@example.com"));
    assert_eq!(fixture.outcome(&other, 0).await, "email_mismatch");
    let none = fixture.token(|_, claims| drop(claims.as_object_mut().unwrap().remove("email")));
    assert_eq!(fixture.outcome(&none, 0).await, REFUSED);
}

#[tokio::test]
async fn attack_11_two_subjects_with_one_e_mail_are_two_identities() {
    let fixture = Fixture::new();
    let one = fixture.verify(&fixture.token(|_, _| ()), 0).await.unwrap();
    let two = fixture.verify(&fixture.token(|_, claims| claims["sub"] = json!("eve")), 0).await.unwrap();
    assert_eq!(one.email, two.email);
    assert_ne!((one.issuer, one.subject), (two.issuer, two.subject));
}
