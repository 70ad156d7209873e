//! The tokens that the functions of docs/verify-tokens.md are run with. `PERENNIAL_UPDATE_SNAPSHOTS=1` writes them.

use super::*;
use crate::access::AccessTokens;
use crate::grant::Grant;
use crate::signing::SigningKey;
use perennial_domain::id::{ClientId, SessionId};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/entitlement-token-vectors.json");
const ISSUER: &str = "https://perennial.example.com";
const AUDIENCE: &str = "org_01m7en9jj4fmkbf5f65w770rra";
const NOW: i64 = 1_800_000_000;
const DAY: i64 = 24 * 3600;

fn at(seconds: i64) -> Time {
    Time::from_micros(seconds * 1_000_000).unwrap()
}

fn keys(fill: u8) -> KeySet {
    KeySet::new(vec![SigningKey::of_seed(&[fill; 32], at(NOW - DAY))])
}

fn entitled(organization: OrganizationId) -> Entitled {
    Entitled {
        organization,
        user: UserId::from_bytes([2; 16]),
        issued_at: at(NOW),
        expires_at: at(NOW + DAY),
        refresh_after: at(NOW + DAY / 4),
        values: json!({"api-calls": "unlimited", "seats": 5, "sso": true}).as_object().unwrap().clone(),
    }
}

/// The same token with another header or other claims, signed with our key.
fn forged(keys: &KeySet, token: &str, edit: impl FnOnce(&mut Value, &mut Value)) -> String {
    let mut parts = token.split('.').map(|part| BASE64URL_NOPAD.decode(part.as_bytes()).unwrap());
    let mut next = || serde_json::from_slice::<Value>(&parts.next().unwrap()).unwrap();
    let (mut header, mut claims) = (next(), next());
    edit(&mut header, &mut claims);
    seal(&header, &claims, |bytes| keys.current(at(NOW)).unwrap().sign(bytes))
}

#[test]
fn the_vectors_of_the_guide_are_what_is_signed() {
    let (ours, others) = (keys(7), keys(8));
    let organization: OrganizationId = AUDIENCE.parse().unwrap();
    let signed = |issuer: &str, keys: &KeySet, entitled: &Entitled| {
        issue(issuer, keys, entitled, [9; 16], at(NOW)).unwrap().expose().to_owned()
    };
    let token = signed(ISSUER, &ours, &entitled(organization));
    let (client, session) = (ClientId::from_bytes([3; 16]), SessionId::from_bytes([4; 16]));
    let grant = Grant { organization, user: UserId::from_bytes([2; 16]), client, session, auth_time: at(NOW) };
    let access = AccessTokens::new(ISSUER.to_owned()).issue(&ours, &grant, [9; 16], at(NOW)).unwrap();
    let (body, _) = token.rsplit_once('.').unwrap();
    let unsigned = forged(&ours, &token, |header, _| header["alg"] = json!("none"));
    let (unsigned, _) = unsigned.rsplit_once('.').unwrap();
    let foreign_kid = forged(&others, &token, |_, _| ());
    let case = |name: &str, token: &str, seen: i64, now: i64| {
        let verified = verify(ISSUER, &ours, token, organization, (seen > 0).then(|| at(seen)), at(now));
        json!({"name": name, "token": token, "seen": seen, "now": now, "valid": verified.is_ok()})
    };
    let cases = json!([
        case("valid", &token, 0, NOW),
        case("last second", &token, NOW, NOW + DAY - 1),
        case("clock a minute behind", &token, 0, NOW - 60),
        case("expired", &token, 0, NOW + DAY),
        case("clock set back a year", &token, 0, NOW - 365 * DAY),
        case("clock before the newest token", &token, NOW + 600, NOW + 539),
        case("access token", access.expose(), 0, NOW),
        case("typ JWT", &forged(&ours, &token, |header, _| header["typ"] = json!("JWT")), 0, NOW),
        case("no typ", &forged(&ours, &token, |header, _| drop(header.as_object_mut().unwrap().remove("typ"))), 0, NOW),
        case("alg none", &format!("{unsigned}."), 0, NOW),
        case("alg HS256", &forged(&ours, &token, |header, _| header["alg"] = json!("HS256")), 0, NOW),
        case("crit", &forged(&ours, &token, |header, _| header["crit"] = json!(["exp"])), 0, NOW),
        case("no signature", &format!("{body}."), 0, NOW),
        case("key of another installation", &signed(ISSUER, &others, &entitled(organization)), 0, NOW),
        case("signed by another key under our name", &foreign_kid, 0, NOW),
        case("another issuer", &signed("https://other.example.com", &ours, &entitled(organization)), 0, NOW),
        case("another organization", &signed(ISSUER, &ours, &entitled(OrganizationId::from_bytes([1; 16]))), 0, NOW),
        case("no exp", &forged(&ours, &token, |_, claims| drop(claims.as_object_mut().unwrap().remove("exp"))), 0, NOW),
        case("not a token", "e30.e30", 0, NOW),
    ]);
    let valid = cases.as_array().unwrap().iter().filter(|case| case["valid"] == true).count();
    assert_eq!((valid, cases.as_array().unwrap().len()), (3, 19));
    let set: Value = serde_json::from_str(&ours.jwks_json(at(NOW))).unwrap();
    let text = format!("{:#}\n", json!({"jwks": set, "cases": cases}));
    if std::env::var_os("PERENNIAL_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(VECTORS, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(VECTORS).unwrap(), text, "run with PERENNIAL_UPDATE_SNAPSHOTS=1");
}
