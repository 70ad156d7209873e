//! `perennial connection` with a store that no server runs on: what is created, shown, changed, rotated and removed.

use crate::support::{Place, masked, snapshot};

#[test]
fn a_connection_is_added_changed_rotated_and_removed() {
    let place = Place::new();
    drop(place.serve());
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write("key", "sk_test_canary\n");
    write("secret", "whsec_canary\n");
    write("next", "whsec_next\n");
    let mut text = String::new();
    let mut run = |words: &[&str]| {
        let printed = place.run(&[&["connection"], words].concat()).succeeded();
        assert!(!printed.contains("canary") && !printed.contains("whsec"), "{printed}");
        text.extend(["$ ", words[0], "\n", &printed, "\n"]);
    };
    let files = ["--api-key-file", "key", "--webhook-secret-file", "secret"];
    run(&[&["add", "stripe", "--name", "main"][..], &files, &["--mode", "test"]].concat());
    run(&["list"]);
    run(&["get", "main"]);
    run(&["update", "main", "--drift", "alert", "--requests-per-minute", "30"]);
    run(&["disable", "main"]);
    run(&["enable", "main"]);
    run(&["rotate", "main", "--webhook-secret-file", "next"]);
    run(&["rotate", "main", "--drop-previous"]);
    run(&["inbox", "main"]);
    run(&["retry", "main"]);
    run(&["remove", "main"]);
    snapshot("connection-commands", &masked(&text));

    place.run(&["connection", "get", "main"]).refused_with(&["\"main\""]);
    let unreachable = ["--base-url", "http://127.0.0.1:9", "--allow-http", "--allow-private-addresses"];
    let add = [&["connection", "add", "paddle", "--name", "away"][..], &files, &unreachable].concat();
    place.run(&add).succeeded();
    place.run(&["connection", "check", "away"]).refused();
    place.run(&add).refused_with(&["has this name"]);
}
