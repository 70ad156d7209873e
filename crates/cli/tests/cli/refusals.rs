//! Why a server does not start: one clear sentence and a non-zero exit, whatever is wrong.

use crate::support::{MASTER_KEY, Output, Place, Server, skipped};
use perennial_store::Sql;
use std::net::TcpListener;

const OTHER_KEY: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

static FUTURE_MIGRATION: Sql = Sql::new(
    "INSERT INTO schema_migrations (version, name, checksum, applied_at)
     SELECT 999, '0999_future', checksum, applied_at FROM schema_migrations WHERE version = 1",
);

#[test]
fn a_port_in_use_names_the_address_and_the_flag() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    place.run(&["serve", "--listen", &address]).refused_with(&[&address, "another program", "--listen"]);
    assert!(!place.data().exists(), "nothing is made by a server that cannot serve");
}

#[test]
fn a_metrics_port_in_use_names_its_own_flag() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = Output::of(place.serve_command().args(["--metrics-listen", &address]));
    output.refused_with(&[&address, "another program", "--metrics-listen"]);
    assert!(!place.data().join("clients.json").exists(), "nothing is made by a server that cannot serve");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let place = Place::new();
    std::fs::write(place.path().join("file"), "").unwrap();
    let below = place.path().join("file/data").display().to_string();
    place.run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", &below]).refused_with(&[&below, "--data-dir"]);
}

#[test]
fn a_file_that_is_no_store_is_named() {
    let place = Place::sqlite();
    std::fs::create_dir(place.data()).unwrap();
    std::fs::write(place.data().join("perennial.db"), "this is a letter, not a database ".repeat(100)).unwrap();
    let directory = place.data().display().to_string();
    Output::of(&mut place.serve_command()).refused_with(&[&directory, "not a database", "--data-dir"]);
}

#[test]
fn postgres_needs_a_master_key_from_the_operator() {
    let Some(place) = Place::postgres_without_schema() else { return skipped("needs PERENNIAL_TEST_POSTGRES") };
    let output = Output::of(place.serve_command().env_remove("PERENNIAL_MASTER_KEY"));
    output.refused_with(&["PERENNIAL_MASTER_KEY", "openssl rand -hex 32", "every server"]);
    assert!(!place.data().exists());
    // Not even the schema was made.
    assert_eq!(place.json(&["migrate"])["applied"][0], "0001_foundation");
}

#[test]
fn a_malformed_master_key_is_refused_and_not_printed() {
    for key in ["", "canary", &MASTER_KEY[2..], &format!("{MASTER_KEY}00")] {
        let place = Place::new();
        let output = Output::of(place.serve_command().env("PERENNIAL_MASTER_KEY", key));
        assert!(key.is_empty() || !output.stderr.contains(key), "{}", output.stderr);
        output.refused_with(&["PERENNIAL_MASTER_KEY", "32 bytes"]);
    }
    let place = Place::new();
    std::fs::write(place.path().join("key"), "canary").unwrap();
    let mut command = place.serve_command();
    command.env_remove("PERENNIAL_MASTER_KEY").env("PERENNIAL_MASTER_KEY_FILE", "key");
    Output::of(&mut command).refused_with(&["key", "32 bytes"]);
    std::fs::remove_file(place.path().join("key")).unwrap();
    Output::of(&mut command).refused_with(&["key", "cannot be read"]);
}

#[test]
fn a_master_key_may_come_from_a_file_of_any_name() {
    let place = Place::new();
    std::fs::write(place.path().join("key"), format!("{MASTER_KEY}\n")).unwrap();
    std::fs::write(place.path().join("perennial.toml"), "master_key_file = \"key\"").unwrap();
    let mut command = place.serve_command();
    command.env_remove("PERENNIAL_MASTER_KEY");
    Server::start(&mut command).wait_until_ready();
    assert!(!place.data().join("master.key").exists());
    Output::of(command.env("PERENNIAL_MASTER_KEY_FILE", "missing")).refused_with(&["missing"]);
}

#[test]
fn a_server_with_another_master_key_does_not_start() {
    let place = Place::new();
    drop(place.serve());
    let output = Output::of(place.serve_command().env("PERENNIAL_MASTER_KEY", OTHER_KEY));
    output.refused_with(&["another master key"]);
    place.serve().wait_until_ready();
}

#[test]
fn a_store_whose_key_is_gone_does_not_get_a_new_one() {
    let place = Place::sqlite();
    drop(place.serve());
    let key = place.data().join("master.key");
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    Output::of(&mut place.serve_command()).refused_with(&["missing", &key.display().to_string()]);
    assert!(!key.exists());
    std::fs::write(&key, kept).unwrap();
    place.serve().wait_until_ready();
}

#[test]
fn a_schema_newer_than_the_program_is_left_alone() {
    let place = Place::new();
    drop(place.serve());
    place.tamper(&FUTURE_MIGRATION);
    Output::of(&mut place.serve_command()).refused_with(&["999", "newer program"]);
    place.run(&["org", "list"]).refused_with(&["999", "newer program"]);
    place.run(&["migrate"]).refused_with(&["999", "newer program"]);
}

#[test]
fn a_schema_that_becomes_newer_makes_a_running_server_unready() {
    let place = Place::new();
    let server = place.serve();
    server.wait_until_ready();
    place.tamper(&FUTURE_MIGRATION);
    server.get("/readyz").expect(503);
    server.get("/livez").expect(200);
}

#[test]
fn a_data_directory_has_one_server() {
    let place = Place::sqlite();
    let first = place.serve();
    let directory = place.data().display().to_string();
    Output::of(&mut place.serve_command()).refused_with(&["another server", &directory]);
    first.wait_until_ready();
    // The lock goes with the process, however it ends.
    first.kill();
    place.serve().wait_until_ready();
}

#[test]
fn ids_of_another_store_are_not_overwritten_nor_lost() {
    let place = Place::new();
    std::fs::create_dir(place.data()).unwrap();
    let path = place.data().join("clients.json");
    std::fs::write(&path, "another store's").unwrap();
    Output::of(&mut place.serve_command()).refused_with(&[&path.display().to_string()]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "another store's");
    // The refusal came before anything was made whose only copy would have been that file.
    std::fs::remove_file(&path).unwrap();
    let server = place.serve();
    server.caller(place.first("trusted_client_id")).get("/subscription-plans").expect(200);
}
