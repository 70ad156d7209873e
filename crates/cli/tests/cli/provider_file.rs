//! `[[providers]]` in the configuration: what a server starts with, and what it refuses.

use crate::support::{Issuer, Output, Place, Server};
use serde_json::json;

fn write(place: &Place, text: &str) {
    std::fs::write(place.path().join("perennial.toml"), text).unwrap();
}

fn refused(text: &str, parts: &[&str]) {
    let place = Place::new();
    write(&place, text);
    let output = Output::of(&mut place.serve_command());
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
    output.refused_with(parts);
    assert!(!place.data().join("clients.json").exists(), "nothing is made by a server that cannot serve");
}

fn oidc(rest: &str) -> String {
    format!("[[providers]]\nkind = \"oidc\"\nissuer = \"https://id.example.com\"\n{rest}\n")
}

#[test]
fn a_provider_without_an_audience_is_no_way_to_start() {
    for rest in ["", "audience = []", "audience = [\"\"]"] {
        refused(&oidc(rest), &["provider 1 (https://id.example.com)", "at least one audience"]);
    }
}

#[test]
fn what_cannot_be_used_is_named_and_no_secret_is_repeated() {
    let audience = "audience = [\"app\"]";
    let good = oidc(audience);
    for (text, parts) in [
        (format!("{good}[[providers]]\nissuer = \"https://x\"\n{audience}"), ["provider 2 (https://x)", "kind"]),
        (format!("[[providers]]\nkind = \"oidc\"\n{audience}"), ["provider 1", "issuer"]),
        (oidc(&format!("{audience}\nsecret = \"hunter2\"")), ["`secret`", "oidc"]),
        (oidc(&format!("{audience}\nalgorithms = []")), ["algorithm", "RS256"]),
        (oidc(&format!("{audience}\nalgorithms = [\"HS256\"]")), ["line 5", "HS256"]),
        (oidc(&format!("{audience}\nemail_verified = \"maybe\"")), ["line 5", "issuer_guarantees"]),
        (oidc(&format!("{audience}\nsekret = \"hunter2\"")), ["line 5", "sekret"]),
        (oidc(&format!("{audience}\nsecret = 1234\nclient_secret = [\"hunter2\"]")), ["line", "text in quotes"]),
        (oidc(&format!("{audience}\njwks_url = \"http://id.example.com/keys\"")), ["must be https", "allow_http"]),
        (format!("{good}{good}"), ["https://id.example.com", "configured twice"]),
        (oidc(&format!("{audience}\norganization = \"nowhere\"")), ["\"nowhere\"", "perennial org list"]),
        (format!("public_url = \"https://id.example.com\"\n{good}"), ["own issuer", "https://id.example.com"]),
    ] {
        refused(&text, &parts);
    }
    let secret =
        |rest: &str| format!("[[providers]]\nkind = \"jwt_secret\"\nissuer = \"https://x\"\n{audience}\n{rest}\n");
    refused(&secret("secret = \"hunter2\""), &["at least 32 bytes"]);
    refused(&secret(""), &["jwt_secret needs `secret`"]);
    refused(&secret("secret_file = \"missing\""), &["missing", "cannot be read"]);
    refused(&secret("secret = \"hunter2\"\nsecret_file = \"f\""), &["not both"]);
}

#[test]
fn the_files_providers_are_listed_and_checked_and_come_before_the_stores() {
    let place = Place::new();
    let issuer = Issuer::start();
    drop(place.serve());
    let add = ["provider", "add", "--kind", "oidc", "--issuer", &issuer.url, "--audience", "store", "--allow-http"];
    let stored = place.json(&add);
    std::fs::write(place.path().join("secret"), "hunter2-hunter2-hunter2-hunter2-hunter2\n").unwrap();
    let url = &issuer.url;
    write(
        &place,
        &format!(
            "[[providers]]\nkind = \"oidc\"\nissuer = \"{url}\"\naudience = [\"file\"]\nallow_private_addresses = true\n\
             [[providers]]\norganization = \"default\"\nkind = \"jwt_secret\"\nissuer = \"https://x\"\n\
             audience = [\"app\"]\nsecret_file = \"secret\"\n"
        ),
    );
    let server = place.serve();
    let warnings: Vec<String> =
        server.logs().lines().filter(|line| line.contains("\"WARN\"")).map(str::to_owned).collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(warning.contains(url) && warning.contains(stored["id"].as_str().unwrap()), "{warning}");

    let listed = place.json(&["provider", "list"]);
    let seen: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["source"], one["overridden"], one["settings"]["audience"][0]]))
        .collect();
    let expected = [json!(["file", false, "file"]), json!(["file", false, "app"]), json!(["store", true, "store"])];
    assert_eq!(seen, expected);
    assert!(!listed.to_string().contains("hunter2") && !server.logs().contains("hunter2"));
    let output = place.run(&["provider", "check"]);
    assert_eq!(output.code, Some(1));
    let parts = ["first  EdDSA", "the secret opens", "the file's provider is used"];
    assert!(parts.iter().all(|part| output.stdout.contains(part)), "{}", output.stdout);
    place.run(&["provider", "remove", "https://x"]).refused_with(&["configuration file"]);
    place.run(&["provider", "remove", url]).succeeded();
    place.run(&["provider", "check"]).succeeded();
}

#[test]
fn the_local_provider_off_loopback_is_the_operators_word_and_is_told() {
    let warned = |text: &str, listen: &str| {
        let place = Place::new();
        write(&place, text);
        let server = Server::start(place.program().args(["serve", "--listen", listen]));
        server.logs().contains("local identity provider is enabled")
    };
    assert!(warned("local_provider = true", "0.0.0.0:0"));
    assert!(!warned("", "0.0.0.0:0"));
    assert!(!warned("local_provider = true", "127.0.0.1:0"));
}
