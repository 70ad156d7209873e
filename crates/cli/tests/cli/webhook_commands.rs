//! `perennial webhook`: what each command prints, that a secret is shown once, and that a copy of a store sends nothing.

use crate::support::{Output, Place, masked, snapshot};
use serde_json::json;

const PRIVATE: &str = "PERENNIAL_WEBHOOKS_PRIVATE_NETWORKS";

/// Runs `perennial webhook` where loopback addresses are allowed.
fn run(place: &Place, words: &[&str]) -> Output {
    Output::of(place.program().env(PRIVATE, "127.0.0.0/8,::1/128").arg("webhook").args(words))
}

#[test]
fn every_command_prints_what_it_did_and_a_secret_once() {
    let place = Place::sqlite();
    drop(place.serve());
    let created = run(&place, &["create", "--url", "http://127.0.0.1:9/", "--types", "plan.*", "--json"]).data();
    let (id, secret) = (created["id"].as_str().unwrap(), created["secret"].as_str().unwrap());
    let event = place.json(&["events", "list"])[0]["id"].as_str().unwrap().to_owned();
    let mut text = String::new();
    for words in [
        &["create", "--url", "https://203.1.113.7/", "--signature", "ed25519", "--active", "false"][..],
        &["update", id, "--description", "Orders", "--types", "plan.*,payment.created", "--payload", "thin"],
        &["list"],
        &["get", id],
        &["retry", id, "--event", &event],
        &["retry", id, "--since", "1970-01-01T00:00:00Z"],
        &["undelivered", id],
        &["seek", id, "--to", "newest"],
        &["attempts", id],
        &["rotate-secret", id, "--overlap-seconds", "0"],
        &["update", id, "--active", "false"],
        &["delete", id],
    ] {
        let printed = run(&place, words).succeeded();
        assert!(!printed.contains(secret), "{words:?} shows a secret");
        text.extend(["$ ", words[0], "\n", &printed, "\n"]);
    }
    let hide = |word: &str| match ["whsec_", "whpk_"].iter().find(|prefix| word.starts_with(**prefix)) {
        Some(prefix) => format!("{prefix}…{}", &word[word.trim_end().len()..]),
        None => word.to_owned(),
    };
    let shown: String = masked(&text).split_inclusive([' ', '\n']).map(hide).collect();
    snapshot("webhook-commands", &shown);
}

#[test]
fn a_sample_that_fails_has_an_exit_code_and_wrong_words_are_explained() {
    let place = Place::sqlite();
    drop(place.serve());
    let id = run(&place, &["create", "--url", "http://127.0.0.1:9/", "--json"]).data()["id"].clone();
    let id = id.as_str().unwrap();
    assert!(run(&place, &["ping", id]).refused().contains("The sample failed: connect_failed."));
    let attempts = run(&place, &["attempts", id, "--outcome", "failed", "--json"]).data();
    assert_eq!((&attempts[0]["trigger"], &attempts[0]["error"]), (&json!("ping"), &json!("connect_failed")));
    let failed = run(&place, &["ping", id, "--json"]);
    let printed: serde_json::Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, &printed["data"]["outcome"]), (Some(1), &json!("failed")));
    let words = ["trigger", "plan.created", "--endpoint", id];
    let said = Output::of(place.program().env(PRIVATE, "127.0.0.0/8").args(words)).refused();
    assert!(said.contains("The sample failed: connect_failed."), "{said}");
    for (words, expected) in [
        (&["create", "--url", "http://127.0.0.1:9/", "--types", "plan.eaten"][..], "--types must be an event type"),
        (&["create", "--url", "http://169.254.169.254/"], "url must lead to a public address"),
        (&["get", "hook_01h455vb4pex5vsknk084sn02q"], "there is no webhook"),
        (&["seek", id, "--to", "tomorrow"], "--to must be oldest, newest or a time"),
        (&["attempts", id, "--outcome", "lost"], "--outcome cannot be \"lost\""),
        (&["retry", id, "--event", "evt_01h455vb4pex5vsknk084sn02q"], "event_id names no event of the feed"),
    ] {
        let said = run(&place, words).refused();
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    // Without the setting the network is private.
    assert!(place.run(&["webhook", "create", "--url", "http://127.0.0.1:9/"]).refused().contains("url must"));
}

#[test]
fn a_copy_sends_nothing_unless_it_is_told_to() {
    let place = Place::sqlite();
    drop(place.serve());
    let id = run(&place, &["create", "--url", "http://127.0.0.1:9/", "--json"]).data()["id"].clone();
    for (to, more, state, reason) in
        [("staging", &[][..], "disabled", json!("copied")), ("moved", &["--keep-webhooks"], "active", json!(null))]
    {
        place.run(&[&["copy", "--to", to], more].concat()).succeeded();
        std::fs::copy(place.data().join("master.key"), place.path().join(to).join("master.key")).unwrap();
        let copied = run(&place, &["get", id.as_str().unwrap(), "--data-dir", to, "--json"]).data();
        assert_eq!((&copied["state"], &copied["disabled_reason"]), (&json!(state), &reason), "{to}");
    }
    let here = run(&place, &["get", id.as_str().unwrap(), "--json"]).data();
    assert_eq!(here["state"], "active");
}
