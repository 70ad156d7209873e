//! `perennial identity token`: a token of the local provider, made with the store's master key and no other.

use crate::support::{Output, Place};
use serde_json::Value;

const OTHER_KEY: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

/// The claims of a token, without verification.
fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&decode(payload)).unwrap()
}

/// Base64url without padding.
fn decode(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |byte: u8| ALPHABET.iter().position(|known| *known == byte).unwrap();
    let mut bytes = Vec::new();
    for part in text.as_bytes().chunks(4) {
        let number = part.iter().fold(0, |number, byte| number << 6 | digit(*byte)) << (6 * (4 - part.len()));
        bytes.extend(&number.to_be_bytes()[5..4 + part.len()]);
    }
    bytes
}

#[test]
fn a_token_is_alone_on_standard_output() {
    let place = Place::new();
    let _server = place.serve();
    let printed = place.run(&["identity", "token", "--email", " Ada@Example.com "]).succeeded();
    let token = printed.strip_suffix('\n').unwrap();
    assert!(token.split('.').count() == 3 && !token.contains(char::is_whitespace), "{printed}");
    let said = claims(token);
    let organization = place.json(&["org", "list"])[0]["id"].clone();
    assert_eq!((&said["iss"], &said["aud"]), (&"urn:perennial:local".into(), &organization));
    assert_eq!((&said["email"], &said["email_verified"]), (&"ada@example.com".into(), &true.into()));
    let again = place.json(&["identity", "token", "--email", "ada@example.com"]);
    assert_eq!(claims(again["token"].as_str().unwrap())["sub"], said["sub"], "always the same");
    let other = place.json(&["identity", "token", "--email", "bob@example.com"]);
    assert_ne!(claims(other["token"].as_str().unwrap())["sub"], said["sub"]);
    let named = place.json(&["identity", "token", "--email", "ada@example.com", "--subject", "auth0|7"]);
    assert_eq!(claims(named["token"].as_str().unwrap())["sub"], "auth0|7");
}

#[test]
fn a_token_needs_an_address_an_organization_and_the_stores_own_key() {
    let place = Place::new();
    let _server = place.serve();
    let words = ["identity", "token", "--email", "ada@example.com"];
    place.run(&["identity", "token", "--email", "ada"]).refused_with(&["--email"]);
    place.run(&[&words[..], &["--subject", ""]].concat()).refused_with(&["--subject"]);
    place.run(&[&words[..], &["--org", "nowhere"]].concat()).refused_with(&["\"nowhere\""]);
    let with_key = |key: &str| Output::of(place.program().env("PERENNIAL_MASTER_KEY", key).args(words));
    with_key(OTHER_KEY).refused_with(&["another master key"]);
    with_key("nonsense").refused_with(&["PERENNIAL_MASTER_KEY", "32 bytes"]);
    let file = place.data().join("master.key");
    if file.exists() {
        std::fs::remove_file(&file).unwrap();
    }
    let output = Output::of(place.program().env_remove("PERENNIAL_MASTER_KEY").args(words));
    output.refused_with(&["master key", "PERENNIAL_MASTER_KEY"]);
}

#[test]
fn the_help_says_where_such_a_token_is_accepted() {
    let help = Place::new().run(&["identity", "token", "--help"]).succeeded();
    for part in ["loopback", "local_provider = true", "master key"] {
        assert!(help.contains(part), "{help}");
    }
}
