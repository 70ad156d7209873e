//! Canaries: after a session of calls, no credential and no key is anywhere but in its own file.

use crate::support::{MASTER_KEY, Place, Server, Setting};
use serde_json::json;
use std::path::Path;

const BOOTSTRAP: &str = "canary-bootstrap-0123456789-0123456789";

/// Every file below a directory, with its bytes.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

fn contains(bytes: &[u8], canary: &[u8]) -> bool {
    bytes.windows(canary.len()).any(|window| window == canary)
}

/// The canary itself, and the bytes that it encodes.
fn forms(canary: &str) -> Vec<Vec<u8>> {
    let spelled = |hex: &str| u8::from_str_radix(hex, 16).ok();
    let bytes: Option<Vec<u8>> = (0..canary.len() / 2).map(|at| spelled(canary.get(2 * at..2 * at + 2)?)).collect();
    std::iter::once(canary.as_bytes().to_vec()).chain(bytes).collect()
}

#[test]
fn neither_the_credential_nor_the_key_is_in_any_answer_log_metric_or_file() {
    let Setting { place, server, caller, user } = Setting::new();
    let first_run = server.logs();
    server.kill();
    let server = Server::start(place.serve_command().env("PERENNIAL_LOG", "trace"));
    let caller = server.caller(caller.client_id);
    let key = if place.is_postgres() {
        MASTER_KEY.to_owned()
    } else {
        std::fs::read_to_string(place.data().join("master.key")).unwrap().trim().to_owned()
    };
    let rotated = place.json(&["client", "rotate", "trusted"])["client_id"].as_str().unwrap().to_owned();
    let caller =
        server.caller(if caller.get("/subscriptions").status == 200 { caller.client_id } else { rotated.clone() });
    let body = json!({ "user_id": user, "subscription_plan_id": "pro" });
    let created = caller.post("/subscriptions", &body).expect(201);
    let mut said = vec![first_run, created.body, created.head];
    // Every kind of refusal, with the credential where it belongs and where it does not.
    let id = &caller.client_id;
    for (method, target, body) in [
        ("GET", format!("/subscription-plans/{id}"), None),
        ("GET", format!("/subscriptions?status={id}"), None),
        ("GET", format!("/subscriptions?{id}=1"), None),
        ("GET", format!("/subscriptions?cursor={id}"), None),
        ("PATCH", "/subscriptions".to_owned(), None),
        ("POST", "/subscriptions".to_owned(), Some(json!({}))),
        ("POST", "/subscription-plans".to_owned(), Some(json!([]))),
    ] {
        let answer = caller.call(method, &target, body.as_ref());
        assert!((400..500).contains(&answer.status), "{target}");
        // What the caller wrote into the query may come back in the sentence about it.
        if !target.contains('?') {
            said.extend([answer.body, answer.head]);
        }
    }
    for stranger in [format!("{id}x"), id.to_lowercase()] {
        let answer = server.caller(&stranger).get("/subscriptions").expect(401);
        assert!(!answer.body.contains(&stranger) && !answer.head.contains(&stranger));
    }
    said.push(server.metrics_page());
    said.push(server.logs());
    let while_running = files(&place.data());
    let (output, _) = server.stop("TERM");
    said.extend([output.stdout, output.stderr]);
    let events = place.json(&["events", "list"]).to_string();
    said.extend([events, place.json(&["client", "list"]).to_string()]);

    for canary in [place.first("trusted_client_id"), rotated, key] {
        for text in &said {
            assert!(!text.contains(&canary), "{text}");
        }
        for form in forms(&canary) {
            for (name, bytes) in while_running.iter().chain(&files(&place.data())) {
                let own = ["clients.json", "master.key"].contains(&name.as_str());
                assert!(own || !contains(bytes, &form), "{name} holds a secret");
            }
        }
    }
}

#[test]
fn a_bootstrap_id_is_in_no_file_at_all() {
    let place = Place::new();
    let server = Server::start(place.serve_command().env("PERENNIAL_BOOTSTRAP_CLIENT_ID", BOOTSTRAP));
    server.caller(BOOTSTRAP).get("/subscriptions").expect(200);
    server.stop("TERM");
    if place.data().exists() {
        for (name, bytes) in files(&place.data()) {
            assert!(!contains(&bytes, BOOTSTRAP.as_bytes()), "{name}");
        }
    }
}

#[test]
fn the_canaries_would_sing() {
    let place = Place::new();
    let _server = place.serve();
    let id = place.first("trusted_client_id");
    let kept = files(&place.data());
    let (_, bytes) = kept.iter().find(|(name, _)| name == "clients.json").unwrap();
    assert!(contains(bytes, id.as_bytes()));
    assert_eq!(forms("00ff"), [b"00ff".to_vec(), vec![0, 255]]);
    assert_eq!(forms("pk_x").len(), 1);
}
