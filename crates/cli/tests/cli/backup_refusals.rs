//! When there is no backup and no restore, and that nothing has changed then.

use crate::backups::{held, with_key_of};
use crate::support::{Place, Setting};
use perennial_store::Sql;

static NEWER: Sql =
    Sql::new("INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (99, '0099_later', x'00', 0)");

#[test]
fn a_backup_overwrites_nothing() {
    let Setting { place, server, .. } = Setting::at(Place::sqlite());
    std::fs::write(place.path().join("backup"), "precious").unwrap();
    place.run(&["backup", "create", "backup"]).refused_with(&["backup already exists", "choose another file"]);
    assert_eq!(std::fs::read(place.path().join("backup")).unwrap(), b"precious");
    assert!(!place.path().join("backup.draft").exists());
    let live = place.data().join("perennial.db");
    place.run(&["backup", "create", live.to_str().unwrap()]).refused_with(&["already exists"]);
    place.run(&["backup", "create", "nowhere/backup"]).refused_with(&["directory nowhere does not exist", "create it"]);
    drop(server);
}

#[test]
fn without_a_store_there_is_no_backup() {
    let place = Place::sqlite();
    place.run(&["backup", "create", "backup"]).refused_with(&["there is no store in", "--data-dir"]);
    assert!(!place.path().join("backup").exists() && !place.data().exists());
}

#[test]
fn what_is_no_backup_or_not_whole_is_refused_and_changes_nothing() {
    let Setting { place, server, caller, .. } = Setting::at(Place::sqlite());
    place.run(&["backup", "create", "whole"]).succeeded();
    let whole = std::fs::read(place.path().join("whole")).unwrap();
    let mut damaged = whole.clone();
    damaged[4096..3 * 4096].fill(0x5a);
    let live = place.data().join("perennial.db");
    for (name, bytes, reason) in [
        ("empty", Vec::new(), "it is not a backup"),
        ("text", b"hello, this is some text and no database at all".to_vec(), "it is not a backup"),
        ("cut", whole[..whole.len() - 4096].to_vec(), "it is damaged"),
        ("damaged", damaged, "it is damaged"),
        ("live", std::fs::read(&live).unwrap(), "it is the file of a store"),
    ] {
        std::fs::write(place.path().join(name), bytes).unwrap();
        place.run(&["backup", "verify", name]).refused_with(&[name, reason]);
        let path = place.path().join(name);
        let other = with_key_of(&place);
        other.run(&["backup", "restore", path.to_str().unwrap()]).refused_with(&[reason]);
        let left: Vec<_> = std::fs::read_dir(other.data()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "master.key" || name == "perennial.lock"), "{left:?}");
    }
    place.run(&["backup", "verify", "nowhere"]).refused_with(&["nowhere"]);
    caller.get("/subscription-plans").expect(200);
    drop(server);
}

#[test]
fn a_backup_of_a_later_version_is_refused() {
    let Setting { place, server, .. } = Setting::at(Place::sqlite());
    server.stop("TERM");
    place.tamper(&NEWER);
    place.run(&["backup", "create", "newer"]).succeeded();
    place.run(&["backup", "verify", "newer"]).refused_with(&["schema version 99", "run the newer program"]);
}

#[test]
fn a_running_server_is_never_replaced() {
    let Setting { place, server, caller, .. } = Setting::at(Place::sqlite());
    place.run(&["backup", "create", "backup"]).succeeded();
    place.run(&["backup", "restore", "backup"]).refused_with(&["another server is using"]);
    place.run(&["backup", "restore", "backup", "--replace"]).refused_with(&["another server is using"]);
    caller.get("/subscription-plans").expect(200);
    server.stop("TERM");
}

#[test]
fn a_store_is_replaced_only_on_request() {
    let setting = Setting::at(Place::sqlite());
    let later = setting.subscription("later");
    let Setting { place, server, caller, .. } = setting;
    place.run(&["backup", "create", "backup"]).succeeded();
    caller.post("/subscriptions", &later).expect(201);
    server.stop("TERM");
    place.run(&["backup", "restore", "backup"]).refused_with(&["already contains a store", "--replace"]);
    assert_eq!(held(&place, &caller.client_id).len(), 1);
    // A WAL without its store counts as a store: next to a restored file it would be applied to that.
    let lonely = with_key_of(&place);
    std::fs::write(lonely.data().join("perennial.db-wal"), "a log").unwrap();
    let path = place.path().join("backup");
    lonely.run(&["backup", "restore", path.to_str().unwrap()]).refused_with(&["already contains a store"]);
}

#[test]
fn a_backup_of_another_master_key_is_refused() {
    let Setting { place, server, .. } = Setting::at(Place::sqlite());
    place.run(&["backup", "create", "backup"]).succeeded();
    server.stop("TERM");
    let path = place.path().join("backup");
    let other = Place::sqlite();
    std::fs::create_dir(other.data()).unwrap();
    std::fs::write(other.data().join("master.key"), "ab".repeat(32)).unwrap();
    assert_eq!(other.json(&["backup", "verify", path.to_str().unwrap()])["master_key"], "other");
    other.run(&["backup", "restore", path.to_str().unwrap()]).refused_with(&["another master key"]);
    assert!(!other.data().join("perennial.db").exists());

    // Where there is none, it is said that it will be needed.
    let none = Place::sqlite();
    let said = none.run(&["backup", "restore", path.to_str().unwrap()]).succeeded();
    assert!(said.contains("not configured"), "{said}");
    let refused = none.run(&["serve", "--listen", "127.0.0.1:0"]).refused();
    assert!(refused.contains("master key"), "{refused}");
}

#[test]
fn on_postgresql_its_own_tools_are_named() {
    let place = Place::sqlite();
    let url = ["--database-url", "postgres://user:hunter2@127.0.0.1:1/none"];
    for (words, line) in [
        (["backup", "create", "f"], "pg_dump --format=custom --file=f \"$PERENNIAL_DATABASE_URL\""),
        (["backup", "verify", "f"], "pg_restore --list f"),
        (["backup", "restore", "f"], "pg_restore --single-transaction --no-owner"),
    ] {
        let said = place.run(&[&words[..], &url[..]].concat()).refused();
        assert!(said.contains(line) && !said.contains("hunter2"), "{said}");
    }
}
