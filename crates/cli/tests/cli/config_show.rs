//! `perennial config show`, `default` and `schema`: each value and where it comes from, and all there could be.

use crate::support::{MASTER_KEY, Output, Place, Server, snapshot};
use serde_json::{Value, json};
use std::process::Command;

const FILE: &str = "# ours
listen = \"127.0.0.1:9000\"
data_dir = \"from-file\"

[limits]
connections = 7

[[providers]]
preset = \"google\"
audience = [\"app\"]

[[providers]]
kind = \"jwt_secret\"
issuer = \"https://id.example.com\"
audience = [\"app\"]
secret = \"hunter2-hunter2-hunter2-hunter2-hunter2\"
";

/// The program with nothing in its environment but a path.
fn bare(place: &Place) -> Command {
    let mut command = place.program();
    command.env_remove("PERENNIAL_DATA_DIR");
    command
}

fn row(rows: &Value, key: &str) -> (Value, Value) {
    let found = rows.as_array().unwrap().iter().find(|row| row["key"] == key);
    let found = found.unwrap_or_else(|| panic!("no {key} in {rows}"));
    (found["value"].clone(), found["source"].clone())
}

#[test]
fn without_a_setting_every_value_is_the_default() {
    let place = Place::sqlite();
    let shown = Output::of(bare(&place).args(["config", "show"])).succeeded();
    snapshot("config-show-defaults", &shown);
    assert!(shown.lines().skip(1).all(|line| line.ends_with("default")), "{shown}");
    assert!(!place.path().join("data").exists(), "nothing was opened");
}

#[test]
fn each_value_is_shown_with_where_it_comes_from() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), FILE).unwrap();
    std::fs::write(place.path().join("url"), "postgres://u:hunter2@h/d\n").unwrap();
    let mut command = bare(&place);
    command.env("PERENNIAL_METRICS_LISTEN", "127.0.0.1:9999").env("PERENNIAL_DATABASE_URL_FILE", "url");
    command.env("PERENNIAL_MASTER_KEY", MASTER_KEY).env("PERENNIAL_LOG", "debug");
    command.args(["config", "show", "--public-url", "https://b.example.com", "--data-dir", "from-flag"]);
    let shown = Output::of(&mut command).succeeded();
    assert!(!shown.contains("hunter2") && !shown.contains(MASTER_KEY), "{shown}");
    snapshot("config-show", &shown);

    let rows = Output::of(command.arg("--json")).data();
    assert!(!rows.to_string().contains("hunter2"));
    let file = |line: u32| json!({ "from": "file", "file": "perennial.toml", "line": line });
    assert_eq!(row(&rows, "listen"), (json!("127.0.0.1:9000"), file(2)));
    assert_eq!(row(&rows, "limits.connections"), (json!(7), file(6)));
    assert_eq!(row(&rows, "providers[1].secret"), (json!("(secret)"), file(16)));
    assert_eq!(row(&rows, "data_dir"), (json!("from-flag"), json!({ "from": "flag", "flag": "--data-dir" })));
    let variable = |name: &str| json!({ "from": "environment", "variable": name });
    assert_eq!(row(&rows, "database_url"), (json!("(secret)"), variable("PERENNIAL_DATABASE_URL_FILE")));
    assert_eq!(row(&rows, "metrics_listen"), (json!("127.0.0.1:9999"), variable("PERENNIAL_METRICS_LISTEN")));
    assert_eq!(row(&rows, "limits.body_bytes"), (json!(262_144), json!({ "from": "default" })));
}

#[test]
fn what_follows_from_another_value_is_shown_as_it_will_be() {
    let place = Place::sqlite();
    let shown = |words: &[&str]| Output::of(bare(&place).args(["config", "show", "--json"]).args(words)).data();
    let rows = shown(&["--listen", "0.0.0.0:7000", "--data-dir", "d"]);
    assert_eq!(row(&rows, "metrics_listen").0, "127.0.0.1:7001");
    assert_eq!(row(&rows, "local_provider").0, false);
    assert_eq!(row(&rows, "master_key_file").0, "d/master.key");
    assert_eq!(row(&shown(&[]), "local_provider").0, true);
}

#[test]
fn a_wrong_file_is_refused_and_not_half_shown() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), "lissten = 1\nlimits = 2\n").unwrap();
    place.run(&["config", "show"]).refused_with(&["line 1", "`listen`", "`perennial config check` reports 1 more"]);
}

#[test]
fn a_server_starts_with_the_file_that_shows_the_defaults() {
    let place = Place::new();
    let text = Output::of(bare(&place).args(["config", "default"])).succeeded();
    std::fs::write(place.path().join("perennial.toml"), &text).unwrap();
    Server::start(&mut place.serve_command()).wait_until_ready();
    // It changes nothing: what is shown is the same, but for its source.
    let values = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row["value"].clone()).collect::<Vec<_>>();
    let with = Output::of(bare(&place).args(["config", "show", "--json"])).data();
    std::fs::remove_file(place.path().join("perennial.toml")).unwrap();
    let without = Output::of(bare(&place).args(["config", "show", "--json"])).data();
    assert_eq!(values(&with), values(&without));
    assert_eq!(row(&with, "limits.json_depth").1["from"], "file");
}

#[test]
fn the_schema_is_one_that_editors_read() {
    let text = Place::sqlite().run(&["config", "schema"]).succeeded();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["properties"]["listen"]["type"], "string");
    assert_eq!(schema["properties"]["limits"]["additionalProperties"], false);
    snapshot("config-schema", &text);
}
