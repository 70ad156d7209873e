//! `perennial copy`: a whole store on the other engine and back, and a server that continues there.

use crate::records::sign_up;
use crate::support::{Connection, Output, Place, Server, skipped, snapshot_of_rows};
use crate::transfers::{demo, exported, text};
use perennial_store::Sql;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

static ERASED: Sql = Sql::new("SELECT COUNT(*) FROM users WHERE deleted_at IS NOT NULL AND email IS NULL");

/// A request of a browser, with this token.
fn as_user(server: &Server, method: &str, target: &str, session: &Value) -> u16 {
    let bearer = format!("authorization: Bearer {}", session["token"].as_str().unwrap());
    let mut connection = Connection::open(server.address).unwrap();
    connection.call(method, target, &["client-id: default", &bearer], None).unwrap().status
}

/// The same request with the same key; answers whether the answer is one of before.
fn is_replayed(server: &Server, client: &str) -> bool {
    let body = json!({ "name": "Ünïque", "slug": "own", "price": 0.01, "billing_cycle": "weekly", "variants": ["a"] });
    let client = format!("client-id: {client}");
    let mut connection = Connection::open(server.address).unwrap();
    let headers = [client.as_str(), "idempotency-key: once"];
    let answer = connection.call("POST", "/subscription-plans", &headers, Some(&body)).unwrap().expect(201);
    answer.header("idempotency-replayed") == "true"
}

#[test]
fn a_store_is_copied_with_all_a_server_needs_and_every_row_is_compared() {
    let (first, middle, last) = (demo(), Place::new(), Place::sqlite());
    // The rows are compared later, and figures would change until then.
    let server = Server::start(first.serve_command().env("PERENNIAL_ANALYTICS_ENABLED", "false"));
    let client = first.first("trusted_client_id");
    assert!(!is_replayed(&server, &client));
    let (ada, eve) = (sign_up(&first, &server, "ada@example.com"), sign_up(&first, &server, "eve@example.com"));
    let erase = format!("/authentication/delete-my-account/{}", eve["user"]["auth_id"].as_str().unwrap());
    assert_eq!(as_user(&server, "DELETE", &erase, &eve), 200);

    let price = json!({ "price": 2 });
    server.caller(client.clone()).call("PUT", "/subscription-plans/own", Some(&price)).expect(200);

    // While the server runs, of one moment.
    let data = middle.data();
    let target = middle.url().unwrap_or(text(&data)).to_owned();
    let done = first.json(&["copy", "--from", text(&first.data()), "--to", &target]);
    server.stop("TERM");
    assert_eq!(done["equal"], true);
    for (table, rows) in [
        ("clients", 2),
        ("plans", 13),
        ("plan_versions", 1),
        ("sessions", 1),
        ("idempotency_keys", 1),
        ("installation", 1),
    ] {
        assert_eq!(done["tables"][table], rows, "{table}: {done}");
    }
    first.json(&["copy", "--from", &target, "--to", text(&last.data())]);
    let rows = snapshot_of_rows(&first);
    let positions = done["tables"]["feed"].as_u64().unwrap();
    assert_eq!(done["rows"], rows.len() as u64 + positions);
    assert!(rows == snapshot_of_rows(&last), "rows differ");
    assert_eq!(last.number(&ERASED), 1);

    first.run(&["copy", "--to", text(&last.data())]).refused_with(&["holds data", "--to"]);
    first.run(&["copy", "--from", "nowhere", "--to", "other"]).refused_with(&["no store in nowhere", "--from"]);
    // The one thing that is not in a store.
    std::fs::copy(first.data().join("master.key"), last.data().join("master.key")).unwrap();
    let server = last.serve();
    assert_eq!(as_user(&server, "POST", "/authentication/user-logged-in", &ada), 200, "her session is still live");
    assert_eq!(as_user(&server, "POST", "/authentication/user-logged-in", &eve), 401);
    assert!(is_replayed(&server, &client), "a key that was used stays used");
}

#[test]
fn progress_is_shown_on_a_terminal() {
    if !Path::new("/usr/bin/script").exists() {
        return skipped("needs `script` of util-linux for a terminal");
    }
    let (first, second) = (demo(), Place::new());
    exported(&first);
    let on_terminal = |place: &Place, words: &str| {
        let line = format!("{} {words}", env!("CARGO_BIN_EXE_perennial"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(place.path()).env_clear();
        command.envs(place.program().get_envs().filter_map(|(name, value)| Some((name, value?))));
        Output::of(&mut command).succeeded()
    };
    let file = first.path().join("everything.ndjson");
    for (place, words) in [
        (&first, "export again.ndjson".to_owned()),
        (&second, format!("import {}", file.display())),
        (&second, "copy --to ./copied".to_owned()),
    ] {
        let shown = on_terminal(place, &words);
        assert!(shown.contains("records, ") && shown.contains("/s") && shown.contains(" left"), "{words}: {shown}");
    }
}
