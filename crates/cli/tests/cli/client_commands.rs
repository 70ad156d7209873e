//! `perennial client`: what may be created, what is refused, and that a credential is shown once.

use crate::support::{Output, PATIENCE, Place, Server, eventually};
use serde_json::{Value, json};

const EVERY_TRUSTED_SCOPE: &str =
    "auth,plans:read,plans:write,subscriptions:read,subscriptions:write,payments:read,payments:write";

fn started() -> (Place, Server) {
    let place = Place::new();
    let server = place.serve();
    (place, server)
}

fn create<'a>(name: &'a str, kind: &'a str, scope: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["client", "create", "--name", name, "--kind", kind, "--scope", scope], more].concat()
}

#[test]
fn a_trusted_client_is_created_and_its_id_shown_this_once() {
    let (place, server) = started();
    let made = place.json(&create("billing", "trusted", "plans:read,plans:write", &["--cidr", "127.0.0.0/8"]));
    let id = made["client_id"].as_str().unwrap();
    assert!(id.starts_with("pk_") && id.len() == 35, "{id}");
    assert_eq!((&made["kind"], &made["scopes"]), (&json!("trusted"), &json!(["plans:read", "plans:write"])));
    assert_eq!(made["cidrs"], json!(["127.0.0.0/8"]));
    let caller = server.caller(id);
    caller.get("/subscription-plans").expect(200);
    assert_eq!(caller.get("/subscriptions").expect(403).json()["code"], "insufficient_scope");

    let said = place.run(&create("second", "trusted", EVERY_TRUSTED_SCOPE, &[])).succeeded();
    let other = said.lines().map(str::trim).find(|line| line.starts_with("pk_")).unwrap();
    assert!(said.contains("shown this once"), "{said}");
    server.caller(other).get("/subscriptions").expect(200);

    for words in [["client", "list"], ["events", "list"]] {
        let (human, json) = (place.run(&words).succeeded(), place.json(&words).to_string());
        for secret in [id, other, &place.first("trusted_client_id")] {
            assert!(!human.contains(secret) && !json.contains(secret), "{words:?} shows a credential");
        }
    }
    let (output, _) = server.stop("TERM");
    assert!(!output.stderr.contains(id) && !output.stderr.contains(other), "{}", output.stderr);
}

#[test]
fn a_public_client_is_created_with_its_origins() {
    let (place, server) = started();
    let origins = ["--origin", "https://app.example.com", "--origin", "http://localhost:*"];
    let made =
        place.json(&create("web", "public", "plans:read", &[&origins[..], &["--client-id", "web-shop"]].concat()));
    assert_eq!(made["client_id"], "web-shop");
    assert_eq!(made["origins"], json!(["https://app.example.com", "http://localhost:*"]));
    server.caller("web-shop").get("/subscription-plans").expect(200);
    // Without an id one is made, which is no secret and may be listed.
    let said = place.run(&create("app", "public", "plans:read", &[])).succeeded();
    let id = said.lines().map(str::trim).find(|line| line.starts_with("app-")).unwrap();
    server.caller(id).get("/subscription-plans").expect(200);
    let table = place.run(&["client", "list"]).succeeded();
    assert!(table.contains(id) && table.contains("web-shop") && table.contains("(hidden)"), "{table}");
}

#[test]
fn a_chosen_trusted_id_works_and_is_not_kept() {
    let (place, server) = started();
    let id = "chosen-0123456789-0123456789-0123456789";
    let made = place.json(&create("chosen", "trusted", "plans:read", &["--client-id", id]));
    assert_eq!(made["client_id"], id);
    server.caller(id).get("/subscription-plans").expect(200);
    assert!(!place.json(&["client", "list"]).to_string().contains(id));
    let again = place.run(&create("again", "trusted", "plans:read", &["--client-id", id]));
    let sentence = again.refused();
    assert!(sentence.contains("--client-id") && !sentence.contains(id), "{sentence}");
}

#[test]
fn a_public_id_is_unique_in_the_installation() {
    let (place, _server) = started();
    place.json(&["org", "create", "--name", "acme"]);
    for (id, org) in [("default", "default"), ("default", "acme")] {
        let output = place.run(&create("copy", "public", "plans:read", &["--client-id", id, "--org", org]));
        output.refused_with(&["has this id already", "--client-id"]);
    }
    let web = ["--client-id", "web", "--org", "acme"];
    place.json(&create("web", "public", "plans:read", &web));
    place.run(&create("web", "public", "plans:read", &["--client-id", "web"])).refused_with(&["--client-id"]);
}

#[test]
fn scopes_that_a_kind_may_not_hold_are_refused_by_name() {
    let (place, _server) = started();
    for scope in EVERY_TRUSTED_SCOPE.split(',').filter(|scope| !["auth", "plans:read"].contains(scope)) {
        place.run(&create("x", "public", scope, &[])).refused_with(&["public", scope, "plans:read"]);
    }
    for scope in ["subscriptions:read:own", "payments:read:own", "admin", ""] {
        place.run(&create("x", "trusted", scope, &[])).refused_with(&["trusted", scope, "plans:write"]);
    }
    place.run(&create("x", "public", "plans:read,plans:write", &[])).refused_with(&["\"plans:write\""]);
    assert_eq!(place.json(&["client", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn what_a_client_cannot_be_is_refused() {
    let (place, _server) = started();
    let cases: [(&str, &[&str], &str); 9] = [
        ("public", &["--client-id", "pk_looks-secret"], "--client-id"),
        ("public", &["--client-id", "no"], "--client-id"),
        ("public", &["--client-id", "with space"], "--client-id"),
        ("public", &["--cidr", "10.0.0.0/8"], "--cidr"),
        ("public", &["--origin", "app.example.com"], "--origin"),
        ("trusted", &["--client-id", "too-short"], "32"),
        ("trusted", &["--origin", "https://app.example.com"], "--origin"),
        ("trusted", &["--cidr", "10.0.0.0/99"], "--cidr"),
        ("trusted", &["--expires-at", "tomorrow"], "--expires-at"),
    ];
    for (kind, more, named) in cases {
        place.run(&create("x", kind, "plans:read", more)).refused_with(&[named]);
    }
    place.run(&create("", "trusted", "plans:read", &[])).refused_with(&["--name"]);
    place.run(&create("x", "trusted", "plans:read", &["--org", "nowhere"])).refused_with(&["\"nowhere\""]);
    let Output { code, stderr, .. } = place.run(&create("x", "secret", "plans:read", &[]));
    assert!(code == Some(2) && stderr.contains("public, trusted"), "{stderr}");
    assert_eq!(place.json(&["client", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn clients_are_listed_by_organization_and_named_by_id_or_name() {
    let (place, _server) = started();
    let acme = place.json(&["org", "create", "--name", "acme"]);
    let acme = acme["id"].as_str().unwrap();
    let made = place.json(&create("web", "public", "plans:read", &["--client-id", "acme-web", "--org", acme]));
    let listed = place.json(&["client", "list", "--org", "acme"]);
    assert_eq!(listed, place.json(&["client", "list", "--org", acme]));
    assert_eq!(listed, json!([made]));
    assert!(!place.json(&["client", "list"]).to_string().contains("acme-web"));
    // Another organization's client is not there to be switched off.
    let id = made["id"].as_str().unwrap();
    for name in ["web", id, "unknown"] {
        place.run(&["client", "disable", name]).refused_with(&["no client", name, "perennial client list"]);
    }
    place.json(&create("web", "public", "plans:read", &["--org", acme]));
    place.run(&["client", "disable", "web", "--org", acme]).refused_with(&["several clients", "its id"]);
    let disabled = place.json(&["client", "disable", id, "--org", acme]);
    assert!(disabled["disabled_at"].is_string());
}

#[test]
fn rotating_is_for_trusted_clients_that_work() {
    let (place, _server) = started();
    place.run(&["client", "rotate", "public"]).refused_with(&["public"]);
    place.json(&["client", "disable", "trusted"]);
    place.run(&["client", "rotate", "trusted"]).refused_with(&["disabled", "create another"]);
}

#[test]
fn disabling_twice_changes_nothing_and_is_told_once() {
    let (place, _server) = started();
    let first = place.json(&["client", "disable", "public"]);
    let listed = || place.json(&["events", "list"]);
    // On PostgreSQL the server gives it a position soon after the command.
    let events = eventually(PATIENCE, "an event with a position", || {
        Some(listed()).filter(|events| events[0]["sequence"].is_number())
    });
    assert_eq!((&events[0]["type"], &events[0]["record_id"]), (&json!("client.updated"), &first["id"]));
    assert_eq!(events[0]["before"]["disabled_at"], Value::Null);
    assert_eq!(events[0]["data"]["disabled_at"], first["disabled_at"]);
    assert_eq!(place.json(&["client", "disable", "public"]), first);
    assert_eq!(listed(), events);
    let listed = place.json(&["client", "list"]);
    assert!(listed.as_array().unwrap().contains(&first), "{listed}");
    let table = place.run(&["client", "list"]).succeeded();
    assert_eq!(table.matches(" disabled ").count(), 1, "{table}");
}
