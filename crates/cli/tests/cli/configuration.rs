//! Where a setting comes from: a flag beats the environment, which beats the file, which beats the default.

use crate::support::{MASTER_KEY, Output, Place, Server, free_ports};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

fn write_file(place: &Place, text: &str) {
    std::fs::write(place.path().join("perennial.toml"), text).unwrap();
}

/// Whether the server made this data directory its own.
fn holds(directory: &Path) -> bool {
    directory.join("clients.json").exists()
}

#[test]
fn without_a_setting_it_listens_on_port_8080_of_this_machine_alone() {
    let place = Place::new();
    // Ours or another program's: now the port is taken, and the refusal names the address that was wanted.
    let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 8080));
    Output::of(place.program().arg("serve")).refused_with(&["127.0.0.1:8080"]);
}

#[test]
fn without_a_setting_the_data_is_beside_the_program_that_was_started() {
    let place = Place::new();
    let server = Server::start(place.serve_command().env_remove("PERENNIAL_DATA_DIR"));
    assert!(holds(&place.path().join("data")));
    assert_eq!(place.path().join("data/perennial.db").exists(), !place.is_postgres());
    server.wait_until_ready();
}

#[test]
fn the_file_is_read_from_the_working_directory() {
    let place = Place::new();
    let (port, metrics) = free_ports();
    write_file(
        &place,
        &format!(
            "listen = \"127.0.0.1:{port}\"\nmetrics_listen = \"127.0.0.1:{metrics}\"\ndata_dir = \"from-file\"\n\
             [limits]\nbody_bytes = 100\n"
        ),
    );
    let server = Server::start(place.program().env_remove("PERENNIAL_DATA_DIR").arg("serve"));
    assert_eq!(server.address.to_string(), format!("127.0.0.1:{port}"));
    assert_eq!(server.metrics.unwrap().to_string(), format!("127.0.0.1:{metrics}"));
    assert!(holds(&place.path().join("from-file")));
    let ids = std::fs::read_to_string(place.path().join("from-file/clients.json")).unwrap();
    let ids: serde_json::Value = serde_json::from_str(&ids).unwrap();
    let caller = server.caller(ids["trusted_client_id"].as_str().unwrap());
    caller.post("/subscription-plans", &serde_json::json!({ "name": "x".repeat(100) })).expect(413);
}

#[test]
fn another_file_can_be_named() {
    let place = Place::new();
    write_file(&place, "this is not read");
    std::fs::write(place.path().join("other.toml"), "data_dir = \"other\"").unwrap();
    let mut command = place.serve_command();
    let server = Server::start(command.env_remove("PERENNIAL_DATA_DIR").args(["--config", "other.toml"]));
    assert!(holds(&place.path().join("other")));
    drop(server);
    place.run(&["serve", "--config", "missing.toml"]).refused_with(&["missing.toml", "cannot be read"]);
}

#[test]
fn the_environment_beats_the_file() {
    let place = Place::new();
    write_file(&place, "listen = \"127.0.0.1:1\"\nmetrics_listen = \"127.0.0.1:1\"\ndata_dir = \"from-file\"\n");
    let (port, metrics) = free_ports();
    let mut command = place.program();
    command.arg("serve").env("PERENNIAL_LISTEN", format!("127.0.0.1:{port}"));
    command.env("PERENNIAL_METRICS_LISTEN", format!("127.0.0.1:{metrics}")).env("PERENNIAL_DATA_DIR", "from-env");
    let server = Server::start(&mut command);
    assert_eq!(server.address.port(), port);
    assert_eq!(server.metrics.unwrap().port(), metrics);
    assert!(holds(&place.path().join("from-env")) && !place.path().join("from-file").exists());
}

#[test]
fn a_flag_beats_the_environment_and_the_file() {
    let place = Place::new();
    write_file(&place, "listen = \"127.0.0.1:1\"\nmetrics_listen = \"127.0.0.1:1\"\ndata_dir = \"from-file\"\n");
    let (port, metrics) = free_ports();
    let mut command = place.program();
    command.env("PERENNIAL_LISTEN", "127.0.0.1:2").env("PERENNIAL_METRICS_LISTEN", "127.0.0.1:2");
    command.env("PERENNIAL_DATA_DIR", "from-env").args(["serve", "--data-dir", "from-flag"]);
    command.args(["--listen", &format!("127.0.0.1:{port}"), "--metrics-listen", &format!("127.0.0.1:{metrics}")]);
    let server = Server::start(&mut command);
    assert_eq!(server.address.port(), port);
    assert_eq!(server.metrics.unwrap().port(), metrics);
    assert!(holds(&place.path().join("from-flag")));
    assert!(!place.path().join("from-env").exists() && !place.path().join("from-file").exists());
}

/// Three databases that cannot be reached, distinguished by the cause.
#[test]
fn the_database_url_follows_the_same_order() {
    const FILE: &str = "ftp://file";
    const ENVIRONMENT: &str = "postgres://u@127.0.0.1:1/environment";
    let (from_file, from_environment, from_flag) = ("must start with postgres://", "refused", "port");
    let place = Place::sqlite();
    let serve = |environment: Option<&str>, flag: Option<&str>| {
        let mut command = place.serve_command();
        command.env("PERENNIAL_MASTER_KEY", MASTER_KEY);
        if let Some(url) = environment {
            command.env("PERENNIAL_DATABASE_URL", url);
        }
        if let Some(url) = flag {
            command.args(["--database-url", url]);
        }
        Output::of(&mut command)
    };
    write_file(&place, &format!("database_url = \"{FILE}\""));
    serve(None, None).refused_with(&[from_file]);
    serve(Some(ENVIRONMENT), None).refused_with(&[from_environment]);
    serve(Some(ENVIRONMENT), Some("postgres://u@127.0.0.1:nonsense/flag")).refused_with(&[from_flag]);
    serve(None, Some("postgres://u@127.0.0.1:nonsense/flag")).refused_with(&[from_flag]);
}

#[test]
fn every_other_command_finds_the_store_by_the_same_settings() {
    let place = Place::sqlite();
    drop(place.serve());
    let elsewhere = Place::sqlite();
    let data = place.data().display().to_string();
    let by_flag = Output::of(elsewhere.program().args(["org", "list", "--json", "--data-dir", &data])).data();
    write_file(&elsewhere, &format!("data_dir = \"{data}\""));
    let by_file =
        Output::of(elsewhere.program().env_remove("PERENNIAL_DATA_DIR").args(["org", "list", "--json"])).data();
    let by_environment = place.json(&["org", "list"]);
    assert_eq!(by_flag.as_array().unwrap().len(), 1);
    assert_eq!(by_flag, by_file);
    assert_eq!(by_flag, by_environment);
}
