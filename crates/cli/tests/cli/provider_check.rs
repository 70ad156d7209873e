//! `perennial provider check` against a provider that answers well, badly and not at all.

use crate::support::{Issuer, Output, Place};
use serde_json::{Value, json};

const LOCAL: [&str; 2] = ["--allow-private-addresses", "--allow-http"];

fn add_oidc(place: &Place, url: &str, rest: &[&str]) -> Value {
    let words = ["provider", "add", "--kind", "oidc", "--issuer", url, "--audience", "app"];
    place.json(&[&words[..], rest].concat())
}

/// What a check that must fail prints as JSON, and the sentence it ends with.
fn failed(place: &Place) -> (Value, String) {
    let Output { code, stdout, stderr } = place.run(&["provider", "check", "--json"]);
    assert_eq!(code, Some(1), "{stdout}");
    let data = serde_json::from_str::<Value>(&stdout).unwrap()["data"].take();
    (data, stderr)
}

#[test]
fn the_keys_are_fetched_and_told() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    assert_eq!(place.json(&["provider", "check"]), json!([]));
    let added = add_oidc(&place, &issuer.url, &LOCAL);
    let key = |kid: &str| json!({ "kid": kid, "algorithms": ["EdDSA"] });
    let seen = json!([{
        "issuer": issuer.url, "kind": "oidc", "source": "store", "usable": true,
        "keys": [key("first"), key("second")], "kept_seconds": 1200, "trouble": null,
    }]);
    assert_eq!(place.json(&["provider", "check"]), seen);
    issuer.publish(&["third"]);
    let text = place.run(&["provider", "check", &issuer.url]).succeeded();
    let expected = ["third  EdDSA", "1200 seconds"];
    assert!(expected.iter().all(|part| text.contains(part)) && !text.contains("first"), "{text}");
    place.run(&["provider", "check", added["id"].as_str().unwrap()]).succeeded();
    place.run(&["provider", "check", "https://nowhere"]).refused_with(&["https://nowhere"]);
}

#[test]
fn what_fails_is_told_with_what_to_do_and_an_exit_code() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    add_oidc(&place, &issuer.url, &LOCAL);
    let discovery = "/.well-known/openid-configuration";
    let keys = json!({ "issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url) });
    let stranger = json!({ "issuer": "https://evil.example.com", "jwks_uri": format!("{}/keys", issuer.url) });
    for (path, status, body, expected) in [
        (discovery, 404, json!({}), ["status 404", "check the issuer"]),
        (discovery, 302, json!({}), ["redirect", "redirects to"]),
        (discovery, 200, json!([]), ["discovery document", "right one"]),
        (discovery, 200, stranger, ["another issuer", "right one"]),
        ("/keys", 200, json!({ "keys": [] }), ["no key we can use", "right one"]),
    ] {
        issuer.set(discovery, 200, &keys);
        issuer.set(path, status, &body);
        let (data, sentence) = failed(&place);
        let trouble = data[0]["trouble"].as_str().unwrap();
        assert!(expected.iter().all(|part| trouble.contains(part)), "{trouble}");
        assert_eq!((&data[0]["usable"], &data[0]["keys"]), (&json!(false), &Value::Null));
        assert_eq!(sentence, "error: 1 of 1 providers cannot be used as they are\n");
    }
    issuer.set(discovery, 200, &keys);
    issuer.publish(&["first"]);
    place.run(&["provider", "check"]).succeeded();
}

#[test]
fn a_private_address_needs_the_operators_word() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    add_oidc(&place, &issuer.url, &["--allow-http"]);
    let (data, _) = failed(&place);
    let trouble = data[0]["trouble"].as_str().unwrap();
    assert!(trouble.contains("127.0.0.1") && trouble.contains("allow private addresses"), "{trouble}");
    assert_eq!(issuer.asked(), "", "nothing was sent there");
}

#[test]
fn keys_for_other_algorithms_are_no_use() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    add_oidc(&place, &issuer.url, &[&LOCAL[..], &["--algorithm", "RS256"]].concat());
    let (data, _) = failed(&place);
    assert!(data[0]["trouble"].as_str().unwrap().contains("algorithms"), "{data}");
}

#[test]
fn an_introspection_endpoint_is_asked_about_a_made_up_token() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    std::fs::write(place.path().join("secret"), "hunter2\n").unwrap();
    let endpoint = format!("{}/introspect", issuer.url);
    let words = ["provider", "add", "--kind", "introspection", "--issuer", &issuer.url, "--audience", "app"];
    let rest = ["--endpoint", &endpoint, "--client-id", "me", "--client-secret-file", "secret"];
    place.json(&[&words[..], &rest, &LOCAL].concat());
    issuer.set("/introspect", 200, &json!({ "active": false }));
    let text = place.run(&["provider", "check"]).succeeded();
    assert!(text.contains("the endpoint accepts our credentials"), "{text}");
    // The very secret of the file was sent, and no more than the file's one line.
    assert!(issuer.asked().contains("Basic bWU6aHVudGVyMg=="), "{}", issuer.asked());
    for (status, body, expected) in [
        (401, json!({}), "check the client id and the client secret"),
        (200, json!({ "active": true }), "made-up token active"),
        (200, json!({}), "introspection endpoint"),
    ] {
        issuer.set("/introspect", status, &body);
        let (data, _) = failed(&place);
        assert!(data[0]["trouble"].as_str().unwrap().contains(expected), "{data}");
    }
}

#[test]
fn one_that_fails_does_not_hide_the_others() {
    let place = Place::new();
    let _server = place.serve();
    let (well, gone) = (Issuer::start(), "http://127.0.0.1:1");
    add_oidc(&place, gone, &LOCAL);
    add_oidc(&place, &well.url, &LOCAL);
    let (data, sentence) = failed(&place);
    assert_eq!((&data[0]["usable"], &data[1]["usable"]), (&json!(false), &json!(true)));
    assert!(sentence.contains("1 of 2"), "{sentence}");
    place.run(&["provider", "check", &well.url]).succeeded();
    let text = place.run(&["provider", "check"]).stdout;
    assert!(text.contains("FAILED") && text.contains("see that the provider runs"), "{text}");
}
