//! The first run on an empty store: what it makes, where it keeps it, and that it happens once.

use crate::support::{Place, Server, Setting, Starting, skipped};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const BOOTSTRAP: &str = "bootstrap-0123456789-0123456789-0123456789";

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn clients(place: &Place) -> Vec<Value> {
    place.json(&["client", "list"]).as_array().unwrap().clone()
}

#[test]
fn what_is_secret_is_readable_by_its_owner_alone() {
    let place = Place::without_schema();
    let _server = place.serve();
    assert_eq!(mode(&place.data()), 0o700);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place.data()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.path());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.retain(|name| ["clients.json", "master.key"].contains(&name.as_str()));
    names.sort();
    // On PostgreSQL the key is the operator's and stays where it is.
    let expected: &[&str] = if place.is_postgres() { &["clients.json"] } else { &["clients.json", "master.key"] };
    assert_eq!(names, expected);
}

#[test]
fn both_clients_work_with_all_they_may_hold() {
    let place = Place::without_schema();
    let server = place.serve();
    let organization = place.first("organization_id");
    let trusted = server.caller(place.first("trusted_client_id"));
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    assert_eq!(trusted.post("/subscription-plans", &plan).expect(201).data()["currency"], "USD");
    trusted.get("/subscriptions").expect(200);
    let public = server.caller(place.first("public_client_id"));
    assert_eq!(public.client_id, "default");
    assert_eq!(public.get("/subscription-plans").expect(200).data().as_array().unwrap().len(), 1);
    assert_eq!(public.get("/subscriptions").expect(401).json()["code"], "token_required");
    assert_eq!(public.post("/subscription-plans", &plan).expect(403).json()["code"], "insufficient_scope");

    let made = clients(&place);
    assert_eq!(made.len(), 2);
    assert!(made.iter().all(|client| client["organization_id"] == organization.as_str()));
    let public = made.iter().find(|client| client["kind"] == "public").unwrap();
    let own = ["subscriptions:read:own", "payments:read:own", "invoices:read:own", "entitlements:read:own"];
    assert_eq!(public["scopes"], json!([&["auth", "plans:read"][..], &own].concat()));
    let trusted = made.iter().find(|client| client["kind"] == "trusted").unwrap();
    assert_eq!(trusted["scopes"].as_array().unwrap().len(), 19);
    assert_eq!(place.json(&["org", "list"])[0]["name"], "default");
}

#[test]
fn a_generated_id_is_pk_and_32_letters_and_digits_and_never_the_same() {
    let ids = [(); 2].map(|()| {
        let place = Place::without_schema();
        drop(place.serve());
        place.first("trusted_client_id")
    });
    for id in &ids {
        let random = id.strip_prefix("pk_").unwrap();
        assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    }
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn off_a_terminal_only_the_file_is_named() {
    let place = Place::without_schema();
    let (output, _) = place.serve().stop("TERM");
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains(&place.data().join("clients.json").display().to_string()), "{}", output.stderr);
    assert!(!output.stderr.contains(&place.first("trusted_client_id")), "{}", output.stderr);
    assert!(!output.stderr.contains("pk_"), "{}", output.stderr);
}

#[test]
fn a_bootstrap_id_is_the_trusted_id_and_no_file_is_written() {
    let place = Place::without_schema();
    let server = Server::start(place.serve_command().env("PERENNIAL_BOOTSTRAP_CLIENT_ID", BOOTSTRAP));
    server.caller(BOOTSTRAP).get("/subscriptions").expect(200);
    assert!(!place.data().join("clients.json").exists());
    let (output, _) = server.stop("TERM");
    assert!(!output.stdout.contains(BOOTSTRAP) && !output.stderr.contains(BOOTSTRAP));
    // Later it changes nothing: the store has its clients.
    let other = "another-bootstrap-0123456789-0123456789";
    let server = Server::start(place.serve_command().env("PERENNIAL_BOOTSTRAP_CLIENT_ID", other));
    server.caller(BOOTSTRAP).get("/subscriptions").expect(200);
    server.caller(other).get("/subscriptions").expect(401);
    assert_eq!(clients(&place).len(), 2);
}

#[test]
fn a_second_start_makes_nothing_new() {
    let place = Place::without_schema();
    place.serve().stop("TERM");
    let file = std::fs::read(place.data().join("clients.json")).unwrap();
    let (made, written) = (clients(&place), place.events());
    let server = place.serve();
    assert_eq!(std::fs::read(place.data().join("clients.json")).unwrap(), file);
    assert_eq!(clients(&place), made);
    assert_eq!(place.events(), written);
    server.caller(place.first("trusted_client_id")).get("/subscriptions").expect(200);
    // Nor does one whose file was moved to a safer place.
    server.stop("TERM");
    std::fs::remove_file(place.data().join("clients.json")).unwrap();
    drop(place.serve());
    assert!(!place.data().join("clients.json").exists());
}

#[test]
fn only_a_server_on_loopback_trusts_pages_of_this_machine() {
    let place = Place::without_schema();
    let _server = place.serve();
    let public = clients(&place).into_iter().find(|client| client["kind"] == "public").unwrap();
    assert_eq!(public["origins"], json!(["http://localhost:*", "http://127.0.0.1:*"]));

    let place = Place::without_schema();
    let mut command = place.program();
    let _server = Server::start(command.args(["serve", "--listen", "0.0.0.0:0"]));
    let public = clients(&place).into_iter().find(|client| client["kind"] == "public").unwrap();
    assert_eq!(public["origins"], json!([]));
}

#[test]
fn a_store_that_was_migrated_but_never_served_still_has_its_first_run_ahead() {
    let place = Place::without_schema();
    place.run(&["migrate"]).succeeded();
    place.run(&["org", "create", "--name", "default"]).refused_with(&["perennial serve"]);
    place.run(&["client", "list"]).refused_with(&["perennial serve"]);
    let server = place.serve();
    server.caller(place.first("trusted_client_id")).get("/subscriptions").expect(200);
}

#[test]
fn eight_servers_starting_at_once_make_one_set() {
    let Some(place) = Place::postgres_without_schema() else { return skipped("needs PERENNIAL_TEST_POSTGRES") };
    let places: Vec<Place> = (0..8).map(|_| place.elsewhere()).collect();
    let starting: Vec<_> = places.iter().map(|place| Starting::spawn(&mut place.serve_command())).collect();
    let servers: Vec<Server> = starting.into_iter().map(|starting| starting.listening().unwrap()).collect();

    let winners: Vec<&Place> = places.iter().filter(|place| place.data().join("clients.json").exists()).collect();
    let [winner] = winners[..] else { panic!("{} servers made clients", winners.len()) };
    let trusted = winner.first("trusted_client_id");
    for server in &servers {
        server.wait_until_ready();
        server.caller(&trusted).get("/subscriptions").expect(200);
        server.caller("default").get("/subscription-plans").expect(200);
    }
    assert_eq!(place.json(&["org", "list"]).as_array().unwrap().len(), 1);
    let mut kinds: Vec<Value> = clients(&place).into_iter().map(|client| client["kind"].clone()).collect();
    kinds.sort_by_key(ToString::to_string);
    assert_eq!(kinds, ["public", "trusted"]);
    assert_eq!(place.json(&["events", "list"]).as_array().unwrap().len(), 3);
}

#[test]
fn a_second_start_says_what_is_there() {
    let Setting { place, server, caller, user } = Setting::new();
    place.run(&["org", "create", "--name", "acme"]).succeeded();
    for number in 0..3 {
        let body =
            json!({ "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": number.to_string() });
        caller.post("/subscriptions", &body).expect(201);
    }
    assert!(!server.logs().contains("an existing store"), "{}", server.logs());
    server.stop("TERM");
    let logs = place.serve().logs();
    let line = logs.lines().find(|line| line.contains("an existing store")).unwrap_or_else(|| panic!("{logs}"));
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["organizations"], &line["subscriptions"]), (&json!(2), &json!(3)));
}
