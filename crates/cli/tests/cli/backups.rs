//! Backups of a store that is being written to, and what a restore brings back.

use crate::support::{Connection, Output, PATIENCE, Place, Setting, eventually, skipped};
use perennial_store::Sql;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const ROUNDS: usize = 4;
const WRITERS: usize = 6;

static CREATED: Sql = Sql::new("SELECT COUNT(*) FROM events WHERE kind = 'subscription.created'");
static WITH_EVENT: Sql = Sql::new(
    "SELECT COUNT(*) FROM subscriptions s JOIN events e ON e.record_id = s.id WHERE e.kind = 'subscription.created'",
);

/// A place that has the master key of another, and no store.
pub(crate) fn with_key_of(place: &Place) -> Place {
    let other = Place::sqlite();
    std::fs::create_dir(other.data()).unwrap();
    std::fs::copy(place.data().join("master.key"), other.data().join("master.key")).unwrap();
    other
}

/// The external ids of all subscriptions, with their record ids, in a place without a running server.
pub(crate) fn held(place: &Place, client_id: &str) -> BTreeMap<String, String> {
    let server = place.serve();
    let text = |record: &Value, name: &str| record[name].as_str().unwrap().to_owned();
    let records = server.caller(client_id).all("/subscriptions");
    let held = records.iter().map(|one| (text(one, "external_subscription_id"), text(one, "id"))).collect();
    server.stop("TERM");
    held
}

#[test]
fn a_restore_holds_every_write_acknowledged_before_the_backup_began() {
    let Setting { place, server, caller, user } = Setting::at(Place::sqlite());
    let acknowledged: Mutex<BTreeMap<String, String>> = Mutex::default();
    let (stop, address, header) = (AtomicBool::new(false), server.address, caller.header());
    let write = |writer: usize| {
        let mut connection = Connection::open(address).unwrap();
        for number in 0.. {
            let external = format!("{writer}-{number}");
            let body = json!({
                "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": external
            });
            let answer = connection.call("POST", "/subscriptions", &[&header], Some(&body)).unwrap().expect(201);
            let id = answer.data()["id"].as_str().unwrap().to_owned();
            acknowledged.lock().unwrap().insert(external, id);
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
    };
    let taken = std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || write(writer));
        }
        let mut taken = Vec::new();
        for round in 0..ROUNDS {
            let enough = 50 * (round + 1);
            eventually(PATIENCE, "writes", || (acknowledged.lock().unwrap().len() >= enough).then_some(()));
            let before = acknowledged.lock().unwrap().clone();
            let file = format!("backup-{round}");
            place.run(&["backup", "create", &file]).succeeded();
            taken.push((file, before));
        }
        stop.store(true, Ordering::Relaxed);
        taken
    });
    let all = acknowledged.into_inner().unwrap();
    for (file, before) in taken {
        let restored = with_key_of(&place);
        let path = place.path().join(&file);
        let report = restored.json(&["backup", "restore", path.to_str().unwrap()]);
        assert_eq!(report["master_key"], "at_hand");
        let held = held(&restored, &caller.client_id);
        let lost: Vec<_> = before.iter().filter(|(external, id)| held.get(*external) != Some(*id)).collect();
        assert!(lost.is_empty(), "acknowledged before {file} and not in it: {lost:?}");
        let known: BTreeSet<&String> = all.keys().collect();
        assert!(held.keys().all(|external| known.contains(external)), "more than was ever written");
        assert_eq!(report["rows"]["subscriptions"], held.len());
        // One moment: no record without its event, no event without its record.
        assert_eq!(restored.number(&WITH_EVENT), restored.number(&CREATED));
        assert_eq!(report["rows"]["subscriptions"], restored.number(&CREATED));
        assert!(all.len() > held.len(), "the writers went on");
    }
    drop(server);
}

#[test]
fn a_backup_is_one_private_file_and_nothing_beside_it() {
    let Setting { place, caller, server, .. } = Setting::at(Place::sqlite());
    let backups = place.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    // What a backup that was killed left behind is no obstacle.
    std::fs::write(backups.join("one.db.draft"), "half a backup").unwrap();
    let made = place.json(&["backup", "create", "backups/one.db"]);
    let file = backups.join("one.db");
    let metadata = std::fs::metadata(&file).unwrap();
    assert_eq!(made, json!({ "file": "backups/one.db", "bytes": metadata.len() }));
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read(&file).unwrap()[18..20], [1, 1], "it needs no log");

    // Even on a medium that cannot be written, and it stays as it is.
    let before = std::fs::read(&file).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o400)).unwrap();
    let report = place.json(&["backup", "verify", "backups/one.db"]);
    assert_eq!(report["schema_version"], report["program_schema_version"]);
    assert_eq!(report["master_key"], "at_hand");
    assert_eq!(report["rows"]["subscriptions"], 0);
    assert_eq!(report["rows"]["plans"], 1);
    assert_eq!(report["rows"]["signing_keys"], 1);
    assert!(report["last_event_at"].as_str().unwrap().ends_with('Z'));
    let said = place.run(&["backup", "verify", "backups/one.db"]).succeeded();
    assert!(
        said.contains("is whole") && said.contains("plans") && said.contains("the configured master key"),
        "{said}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(&backups).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["one.db"]);
    caller.get("/subscription-plans").expect(200);
    drop(server);
}

#[test]
fn a_replaced_store_is_kept_and_its_log_is_not_taken_for_the_new_ones() {
    let setting = Setting::at(Place::sqlite());
    let (body, later) = (setting.subscription("before"), setting.subscription("after"));
    let Setting { place, server, caller, .. } = setting;
    caller.post("/subscriptions", &body).expect(201);
    place.run(&["backup", "create", "backup"]).succeeded();
    caller.post("/subscriptions", &later).expect(201);
    // The last write is in the log alone, as after a power cut.
    server.kill();
    assert!(place.data().join("perennial.db-wal").exists());

    let report = place.json(&["backup", "restore", "backup", "--replace"]);
    let replaced = place.data().join("perennial.db.replaced");
    assert_eq!(report["replaced"], replaced.to_str().unwrap());
    assert!(!place.data().join("perennial.db-wal").exists());
    assert_eq!(held(&place, &caller.client_id).keys().collect::<Vec<_>>(), ["before"]);

    // What was replaced is a whole store: it can be restored like any backup.
    place.run(&["backup", "restore", "backup", "--replace"]).refused_with(&["perennial.db.replaced", "already exists"]);
    let other = with_key_of(&place);
    other.run(&["backup", "restore", replaced.to_str().unwrap()]).succeeded();
    assert_eq!(held(&other, &caller.client_id).keys().collect::<Vec<_>>(), ["after", "before"]);
}

#[test]
fn a_store_that_is_damaged_can_be_replaced() {
    let setting = Setting::at(Place::sqlite());
    let body = setting.subscription("stored");
    let Setting { place, server, caller, .. } = setting;
    caller.post("/subscriptions", &body).expect(201);
    place.run(&["backup", "create", "backup"]).succeeded();
    server.stop("TERM");
    std::fs::write(place.data().join("perennial.db"), [0x5a; 3 * 4096]).unwrap();
    place.run(&["backup", "restore", "backup", "--replace"]).succeeded();
    assert_eq!(std::fs::read(place.data().join("perennial.db.replaced")).unwrap(), [0x5a; 3 * 4096]);
    assert_eq!(held(&place, &caller.client_id).keys().collect::<Vec<_>>(), ["stored"]);
}

#[test]
fn no_string_in_a_backup_works_as_a_token() {
    let Setting { place, server, caller, .. } = Setting::at(Place::sqlite());
    let identity = place.run(&["identity", "token", "--email", "eve@example.com"]).succeeded();
    let body = json!({ "access_token": identity.trim(), "email": "eve@example.com" });
    let session = caller.post("/authentication/sign-up", &body).expect(201).data();
    place.run(&["backup", "create", "backup"]).succeeded();
    let bytes = std::fs::read(place.path().join("backup")).unwrap();
    let contains = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(contains("eve@example.com"), "the person is there, so the session is");
    let key = std::fs::read_to_string(place.data().join("master.key")).unwrap();
    let (token, refresh) = (session["token"].as_str().unwrap(), session["refresh_token"].as_str().unwrap());
    let signature = token.rsplit('.').next().unwrap();
    for secret in [token, signature, refresh, &refresh[4..], key.trim(), &caller.client_id, &caller.client_id[3..]] {
        assert!(!contains(secret), "{secret}");
    }
    // And whatever in it looks like one is refused.
    for candidate in printable(&bytes).filter(|text| text.starts_with("prt_") || text.starts_with("eyJ")) {
        let body = json!({ "refresh_token": candidate });
        assert_ne!(caller.post("/authentication/refresh-token", &body).status, 200, "{candidate}");
    }
    drop(server);
}

/// The runs of characters that a token may be made of.
fn printable(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let runs = bytes.split(|byte| !(byte.is_ascii_alphanumeric() || b"._-".contains(byte)));
    runs.filter(|run| run.len() >= 20).filter_map(|run| std::str::from_utf8(run).ok())
}

#[test]
fn progress_is_shown_on_a_terminal() {
    let Setting { place, server, .. } = Setting::at(Place::sqlite());
    if !Path::new("/usr/bin/script").exists() {
        return skipped("needs `script` of util-linux for a terminal");
    }
    let line = format!("{} backup create backup", env!("CARGO_BIN_EXE_perennial"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(place.path()).env_clear();
    command.envs(place.program().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let shown = Output::of(&mut command).succeeded();
    assert!(shown.contains("100 %") && shown.contains("Wrote backup"), "{shown}");
    drop(server);
}
