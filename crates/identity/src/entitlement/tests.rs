use super::*;
use crate::access::AccessTokens;
use crate::grant::Grant;
use crate::signing::SigningKey;
use perennial_domain::id::{ClientId, SessionId};

const NOW: i64 = 1_800_000_000;
const DAY: i64 = 24 * 3600;
const ISSUER: &str = "https://perennial.example.com";

fn at(seconds: i64) -> Time {
    Time::from_micros(seconds * 1_000_000).unwrap()
}

fn keys() -> KeySet {
    KeySet::new(vec![SigningKey::generate(at(NOW - 10)).unwrap()])
}

fn entitled(life: i64) -> Entitled {
    Entitled {
        organization: OrganizationId::from_bytes([1; 16]),
        user: UserId::from_bytes([2; 16]),
        issued_at: at(NOW),
        expires_at: at(NOW + life),
        refresh_after: at(NOW + life / 4),
        values: json!({"api-calls": "unlimited", "seats": 5, "sso": true}).as_object().unwrap().clone(),
    }
}

fn issued(keys: &KeySet, life: i64) -> String {
    issue(ISSUER, keys, &entitled(life), [9; 16], at(NOW)).unwrap().expose().to_owned()
}

fn accepted(keys: &KeySet, token: &str, now: i64) -> bool {
    verify(ISSUER, keys, token, entitled(0).organization, None, at(now)).is_ok()
}

/// A token of ours with another header or other claims, signed with our key.
fn forged(keys: &KeySet, edit: impl FnOnce(&mut Value, &mut Value)) -> String {
    let token = issued(keys, DAY);
    let mut parts = token.split('.').map(|part| BASE64URL_NOPAD.decode(part.as_bytes()).unwrap());
    let mut next = || serde_json::from_slice::<Value>(&parts.next().unwrap()).unwrap();
    let (mut header, mut claims) = (next(), next());
    edit(&mut header, &mut claims);
    seal(&header, &claims, |bytes| keys.current(at(NOW)).unwrap().sign(bytes))
}

#[test]
fn an_issued_token_verifies_until_it_expires() {
    let keys = keys();
    let token = issued(&keys, DAY);
    let read = verify(ISSUER, &keys, &token, entitled(0).organization, None, at(NOW + 1)).unwrap();
    assert_eq!(read, entitled(DAY));
    assert!(accepted(&keys, &token, NOW + DAY - 1));
    assert!(!accepted(&keys, &token, NOW + DAY));
    assert!(issue(ISSUER, &KeySet::default(), &entitled(1), [0; 16], at(NOW)).is_err());
}

/// Drill 4 of the entitlements: the last second of the longest token, whose key was replaced right after it signed.
#[test]
fn a_token_of_thirty_days_signed_just_before_a_rotation_verifies_on_its_last_day() {
    let old = SigningKey::generate(at(NOW - 30 * DAY)).unwrap();
    let new = SigningKey::generate(at(NOW + 1)).unwrap();
    let keys = KeySet::new(vec![old, new]);
    let token = issued(&keys, LONGEST_LIFE_SECONDS);
    for day in 0..30 {
        assert!(accepted(&keys, &token, NOW + day * DAY), "day {day}");
    }
    assert!(accepted(&keys, &token, NOW + LONGEST_LIFE_SECONDS - 1));
    assert!(!accepted(&keys, &token, NOW + LONGEST_LIFE_SECONDS));
    assert!(keys.spent(at(NOW + LONGEST_LIFE_SECONDS + 60)).is_empty());
}

#[test]
fn a_clock_that_was_set_back_is_refused() {
    let keys = keys();
    let token = issued(&keys, DAY);
    assert!(accepted(&keys, &token, NOW - 60), "clocks differ");
    assert!(!accepted(&keys, &token, NOW - 61));
    assert!(!accepted(&keys, &token, NOW - 365 * DAY));
    let seen_with =
        |seen: i64, now: i64| verify(ISSUER, &keys, &token, entitled(0).organization, Some(at(seen)), at(now)).is_ok();
    assert!(seen_with(NOW + 600, NOW + 540), "a newer token was seen, and clocks differ");
    assert!(!seen_with(NOW + 600, NOW + 539));
    assert!(seen_with(NOW - 600, NOW), "an older token does not matter");
}

#[test]
fn an_access_token_is_no_entitlement_token_nor_the_other_way_round() {
    let (keys, tokens) = (keys(), AccessTokens::new(ISSUER.to_owned()));
    let Entitled { organization, user, .. } = entitled(0);
    let (client, session) = (ClientId::from_bytes([3; 16]), SessionId::from_bytes([4; 16]));
    let grant = Grant { organization, user, client, session, auth_time: at(NOW) };
    let access = tokens.issue(&keys, &grant, [9; 16], at(NOW)).unwrap();
    assert!(tokens.verify(&keys, access.expose(), organization, at(NOW)).is_ok());
    assert!(!accepted(&keys, access.expose(), NOW));
    let token = issued(&keys, DAY);
    assert!(accepted(&keys, &token, NOW));
    assert!(tokens.verify(&keys, &token, organization, at(NOW)).is_err());
    // Even with every claim of the other kind, `typ` decides.
    let both = |typ: &str| {
        forged(&keys, |header, claims| {
            header["typ"] = json!(typ);
            claims["client_id"] = json!(client);
            claims["sid"] = json!(session);
            claims["auth_time"] = json!(NOW);
        })
    };
    assert!(tokens.verify(&keys, &both("at+jwt"), organization, at(NOW)).is_ok());
    assert!(tokens.verify(&keys, &both("ent+jwt"), organization, at(NOW)).is_err());
    assert!(accepted(&keys, &both("ent+jwt"), NOW));
    for typ in ["at+jwt", "JWT", "application/ent+jwt", "ENT+JWT", ""] {
        assert!(!accepted(&keys, &both(typ), NOW), "{typ}");
    }
}

#[test]
fn another_type_algorithm_key_issuer_organization_or_claim_is_refused() {
    let keys = keys();
    assert!(accepted(&keys, &forged(&keys, |_, _| ()), NOW));
    for (name, value) in [
        ("typ", json!(null)),
        ("alg", json!("none")),
        ("alg", json!("HS256")),
        ("kid", json!("other")),
        ("kid", json!(null)),
        ("crit", json!(["x"])),
    ] {
        let token = forged(&keys, |header, _| header[name] = value.clone());
        assert!(!accepted(&keys, &token, NOW), "{name} {value}");
    }
    for claim in ["iss", "aud", "sub", "iat", "exp", "jti", "refresh_after", "ent"] {
        for wrong in [json!(null), json!([]), json!(true), json!(-1), json!(1e300)] {
            let token = forged(&keys, |_, claims| claims[claim] = wrong.clone());
            assert!(!accepted(&keys, &token, NOW), "{claim} {wrong}");
        }
        let token = forged(&keys, |_, claims| drop(claims.as_object_mut().unwrap().remove(claim)));
        assert!(!accepted(&keys, &token, NOW), "{claim} is missing");
    }
    let token = issued(&keys, DAY);
    let organization = entitled(0).organization;
    assert!(verify("https://other", &keys, &token, organization, None, at(NOW)).is_err());
    assert!(verify(ISSUER, &keys, &token, OrganizationId::from_bytes([8; 16]), None, at(NOW)).is_err());
    assert!(!accepted(&self::keys(), &token, NOW), "another installation's key");
    let (signed, _) = token.rsplit_once('.').unwrap();
    assert!(!accepted(&keys, &format!("{signed}."), NOW));
    let header = BASE64URL_NOPAD.encode(json!({"typ": TYPE, "alg": "none"}).to_string().as_bytes());
    let (_, claims) = signed.split_once('.').unwrap();
    assert!(!accepted(&keys, &format!("{header}.{claims}."), NOW));
}
