//! `perennial doctor` on a store that is well, on none, and on one whose faults were planted: what it finds inside.

use crate::support::{Issuer, MASTER_KEY, Output, Place, snapshot};
use perennial_store::Sql;
use serde_json::{Value, json};

/// What the doctor said and how it left.
pub(crate) struct Seen {
    pub(crate) code: Option<i32>,
    pub(crate) data: Value,
}

impl Seen {
    /// Asks the doctor, who must answer in JSON whatever is wrong.
    #[track_caller]
    pub(crate) fn at(place: &Place, words: &[&str]) -> Self {
        Self::of(place.program().args(["doctor", "--json"]).args(words))
    }

    #[track_caller]
    pub(crate) fn of(command: &mut std::process::Command) -> Self {
        let Output { code, stdout, stderr } = Output::of(command);
        let data = serde_json::from_str::<Value>(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"))["data"].take();
        let problems = data["problems"].as_u64().unwrap();
        assert_eq!(code, Some(i32::from(problems > 0)), "{data:#}");
        assert_eq!(stderr.is_empty(), problems == 0, "{stderr}");
        for finding in data["checks"].as_array().unwrap() {
            assert_eq!(finding["level"] == "ok", finding["advice"].is_null(), "it has a remedy: {finding}");
        }
        Self { code, data }
    }

    /// What was found at this level by this check.
    pub(crate) fn found(&self, check: &str, level: &str) -> Vec<String> {
        let findings = self.data["checks"].as_array().unwrap().iter();
        let those = findings.filter(|finding| finding["check"] == check && finding["level"] == level);
        those.map(|finding| format!("{} {}", finding["found"], finding["advice"])).collect()
    }

    /// Exactly one finding of this check at this level contains all of this.
    #[track_caller]
    pub(crate) fn says(&self, check: &str, level: &str, parts: &[&str]) {
        let found = self.found(check, level);
        let fits = |text: &&String| parts.iter().all(|part| text.contains(part));
        assert_eq!(found.iter().filter(fits).count(), 1, "{check} {level} {parts:?}: {:#}", self.data);
    }

    /// This is the only problem.
    #[track_caller]
    pub(crate) fn has_one_problem(&self, check: &str, parts: &[&str]) {
        self.says(check, "problem", parts);
        assert_eq!((self.code, &self.data["problems"]), (Some(1), &json!(1)), "{:#}", self.data);
    }

    /// Nothing keeps a server from working.
    #[track_caller]
    pub(crate) fn has_no_problem(&self) {
        assert_eq!((self.code, &self.data["problems"]), (Some(0), &json!(0)), "{:#}", self.data);
    }
}

#[test]
fn a_store_that_is_well_has_no_problem_beside_a_server_and_without() {
    let place = Place::new();
    let server = place.serve();
    for next_to_a_server in [true, false] {
        let seen = Seen::at(&place, &[]);
        seen.has_no_problem();
        let well = ["configuration", "proxies", "data_directory", "permissions", "master_key", "schema", "clock"];
        for check in [&well[..], &["signing_keys", "providers"]].concat() {
            assert_eq!(seen.found(check, "ok").len(), 1, "{check} {next_to_a_server}: {:#}", seen.data);
        }
        if next_to_a_server {
            server.signal("TERM");
        }
    }
    server.ended();
    let text = place.run(&["doctor"]).stdout;
    assert!(text.lines().any(|line| line.starts_with("ok       schema")), "{text}");
}

#[test]
fn before_the_first_run_there_is_nothing_wrong_and_nothing_is_made() {
    let place = Place::without_schema();
    let seen = Seen::at(&place, &[]);
    seen.has_no_problem();
    if place.is_postgres() {
        seen.says("schema", "warning", &["empty", "perennial serve"]);
        assert_eq!(place.json(&["migrate"])["applied"][0], "0001_foundation");
    } else {
        seen.says("store", "warning", &["none", "perennial serve"]);
        seen.says("master_key", "ok", &["first run"]);
    }
    assert!(!place.data().exists());
}

/// Every file below a directory: its name, its bytes and when it was last written.
fn files(place: &Place) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
    let mut files: Vec<_> = std::fs::read_dir(place.data())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap(), entry.metadata().unwrap().modified().unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn looking_changes_no_byte() {
    let place = Place::sqlite();
    place.serve().stop("TERM");
    let before = files(&place);
    Seen::at(&place, &[]).has_no_problem();
    assert!(files(&place) == before, "after a clean stop");
    // A restored backup has no log, and gets none from being looked at.
    let backup = place.path().join("backup");
    place.run(&["backup", "create", "backup"]).succeeded();
    std::fs::copy(backup, place.data().join("perennial.db")).unwrap();
    let before = files(&place);
    Seen::at(&place, &[]).has_no_problem();
    assert!(files(&place) == before, "on a backup");
    // What a server that was killed has left in the log is read, and left there.
    let server = place.serve();
    place.json(&["org", "create", "--name", "acme"]);
    server.kill();
    let kept = |files: Vec<(String, Vec<u8>, _)>| -> Vec<_> {
        files.into_iter().filter(|(name, ..)| !name.ends_with("-shm")).collect()
    };
    let before = kept(files(&place));
    assert!(before.iter().any(|(name, bytes, _)| name.ends_with("-wal") && !bytes.is_empty()));
    Seen::at(&place, &[]).has_no_problem();
    assert!(kept(files(&place)) == before, "after a crash");
}

static AN_HOUR_AHEAD: Sql =
    Sql::split("UPDATE events SET at = at + 3600000000", "UPDATE events SET at = at + INTERVAL '1 hour'");
static HALF_A_MINUTE_AHEAD: Sql =
    Sql::split("UPDATE events SET at = at + 30000000", "UPDATE events SET at = at + INTERVAL '30 seconds'");

#[test]
fn a_clock_behind_the_newest_event_is_found() {
    let place = Place::new();
    drop(place.serve());
    place.tamper(&HALF_A_MINUTE_AHEAD);
    let seen = Seen::at(&place, &[]);
    seen.has_no_problem();
    seen.says("clock", "warning", &["newest event", "NTP"]);
    place.tamper(&AN_HOUR_AHEAD);
    Seen::at(&place, &[]).has_one_problem("clock", &["newest event", "36", "seconds ahead", "NTP"]);
}

static OLDER: Sql =
    Sql::new("DELETE FROM schema_migrations WHERE version = (SELECT MAX(version) FROM schema_migrations)");
static NEWER: Sql = Sql::new(
    "INSERT INTO schema_migrations (version, name, checksum, applied_at)
     SELECT 999, '0999_future', checksum, applied_at FROM schema_migrations WHERE version = 1",
);
static EDITED: Sql = Sql::split(
    "UPDATE schema_migrations SET checksum = x'00' WHERE version = 1",
    "UPDATE schema_migrations SET checksum = '\\x00' WHERE version = 1",
);

#[test]
fn a_schema_of_another_version_is_found() {
    for (sql, parts) in [
        (&OLDER, ["has version", "perennial migrate"]),
        (&NEWER, ["999", "newer program"]),
        (&EDITED, ["0001_foundation", "another content"]),
    ] {
        let place = Place::new();
        drop(place.serve());
        place.tamper(sql);
        Seen::at(&place, &[]).has_one_problem("schema", &parts);
    }
}

static LONG_AGO: Sql = Sql::split(
    "UPDATE signing_keys SET active_from = active_from - 40 * 86400000000",
    "UPDATE signing_keys SET active_from = active_from - INTERVAL '40 days'",
);

#[test]
fn a_signing_key_that_nobody_replaced_is_found_and_not_replaced() {
    let place = Place::new();
    drop(place.serve());
    place.tamper(&LONG_AGO);
    for _ in 0..2 {
        let seen = Seen::at(&place, &[]);
        seen.has_no_problem();
        seen.says("signing_keys", "warning", &["40 days", "see that one runs"]);
    }
}

#[test]
fn a_master_key_that_is_missing_wrong_or_another_is_found() {
    let place = Place::new();
    drop(place.serve());
    let with = |key: Option<&str>| {
        let mut command = place.program();
        command.args(["doctor", "--json"]).env_remove("PERENNIAL_MASTER_KEY");
        command.envs(key.map(|key| ("PERENNIAL_MASTER_KEY", key)));
        Seen::of(&mut command)
    };
    with(Some(&MASTER_KEY.replace('0', "f"))).has_one_problem("master_key", &["another master key"]);
    let short = with(Some("hunter2"));
    short.has_one_problem("master_key", &["32 bytes"]);
    assert!(!short.data.to_string().contains("hunter2"));
    if !place.is_postgres() {
        std::fs::remove_file(place.data().join("master.key")).unwrap();
    }
    with(None).has_one_problem("master_key", &["missing", "PERENNIAL_MASTER_KEY"]);
    assert!(!place.data().join("master.key").exists());
}

#[test]
fn a_provider_that_cannot_be_reached_is_found() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = Issuer::start();
    let add = |url: &str| {
        let words =
            ["provider", "add", "--kind", "oidc", "--audience", "app", "--allow-private-addresses", "--allow-http"];
        place.json(&[&words[..], &["--issuer", url]].concat());
    };
    add(&issuer.url);
    let seen = Seen::at(&place, &[]);
    seen.has_no_problem();
    seen.says("providers", "ok", &[&issuer.url, "of default", "2 keys"]);
    add("http://127.0.0.1:1");
    let seen = Seen::at(&place, &[]);
    seen.has_one_problem("providers", &["http://127.0.0.1:1", "see that the provider runs"]);
    seen.says("providers", "ok", &[&issuer.url]);
}

#[test]
fn a_file_that_is_no_store_is_found() {
    let place = Place::sqlite();
    std::fs::create_dir(place.data()).unwrap();
    std::fs::write(place.data().join("perennial.db"), "this is a letter, not a database ".repeat(100)).unwrap();
    std::fs::write(place.data().join("master.key"), format!("{MASTER_KEY}\n")).unwrap();
    Seen::at(&place, &[]).says("store", "problem", &["not a database", "backup restore"]);
}

#[test]
fn a_person_is_told_line_by_line() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), "lissten = 1\ntrusted_proxies = [\"0.0.0.0/0\"]\n").unwrap();
    std::fs::write(place.path().join("file"), "").unwrap();
    let output = place.run(&["doctor", "--data-dir", "file", "--listen", "0.0.0.0:8080"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), "error: there are 3 problems\n"));
    snapshot("doctor", &output.stdout.replace(&place.path().display().to_string(), "/place"));
}
