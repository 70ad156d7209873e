//! Scheduled backups, compaction, and what pruning next to a server leaves on the disk.

use crate::backups::{held, with_key_of};
use crate::support::{PATIENCE, Place, Setting, eventually};
use perennial_store::Sql;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// About 60 MB of events, one hour after 1970.
static MANY_EVENTS: Sql = Sql::new(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
     INSERT INTO events (organization_id, id, kind, record_id, client_id, request_id, at, before, after)
     SELECT id, unhex('00000000000070008000' || printf('%012x', i)), 'plan.created', id, NULL, NULL, 0, NULL,
            hex(zeroblob(1000))
     FROM organizations, n",
);
static PLANS: Sql = Sql::new("SELECT COUNT(*) FROM plans");
static EVENTS: Sql = Sql::new("SELECT COUNT(*) FROM events");
const BEFORE: &str = "9999-01-01T00:00:00Z";

fn scheduled(directory: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return BTreeSet::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "backup")).collect()
}

fn metric(page: &str, name: &str) -> u64 {
    let line = page.lines().find(|line| line.starts_with(&format!("{name} "))).expect("the metric");
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_scheduled_backup_holds_every_write_acknowledged_before_it_began() {
    let place = Place::sqlite();
    let directory = place.path().join("elsewhere");
    let settings = "[backup]\nevery = \"1s\"\nkeep = 2\ndirectory = \"elsewhere\"\n";
    std::fs::write(place.path().join("perennial.toml"), settings).unwrap();
    let setting = Setting::at(place);
    let bodies: Vec<_> = (0..20).map(|number| setting.subscription(&number.to_string())).collect();
    let Setting { place, server, caller, .. } = setting;
    for body in &bodies {
        caller.post("/subscriptions", body).expect(201);
    }
    // One may have been under way; the second new one began after the last write.
    let known = scheduled(&directory).last().cloned();
    let newer = || scheduled(&directory).into_iter().filter(|path| Some(path) > known.as_ref());
    let file = eventually(PATIENCE, "a backup", || newer().nth(1));
    // Restored at once: the schedule keeps two.
    let kept = place.path().join("stored");
    std::fs::copy(&file, &kept).unwrap();
    eventually(PATIENCE, "another backup", || newer().find(|path| *path > file));
    eventually(PATIENCE, "two backups", || (scheduled(&directory).len() <= 2).then_some(()));
    let page = server.metrics_page();
    assert_eq!(metric(&page, "perennial_backup_interval_seconds"), 1);
    assert!(metric(&page, "perennial_last_backup_timestamp_seconds") > 1_700_000_000);

    let restored = with_key_of(&place);
    restored.run(&["backup", "restore", kept.to_str().unwrap()]).succeeded();
    let held: BTreeSet<String> = held(&restored, &caller.client_id).into_keys().collect();
    assert_eq!(held, (0..20).map(|number| number.to_string()).collect());
}

#[test]
fn a_scheduled_backup_that_fails_is_reported_and_old_ones_stay() {
    let place = Place::sqlite();
    let settings = "[backup]\nevery = \"1s\"\nkeep = 1\n";
    std::fs::write(place.path().join("perennial.toml"), settings).unwrap();
    let directory = place.data().join("backups");
    let server = place.serve();
    eventually(PATIENCE, "a backup", || scheduled(&directory).pop_last());
    let aside = place.path().join("aside");
    std::fs::rename(&directory, &aside).unwrap();
    eventually(PATIENCE, "a report", || server.logs().contains("a scheduled backup failed").then_some(()));
    assert!(!scheduled(&aside).is_empty());
    server.wait_until_ready();
}

#[test]
fn scheduled_backups_are_refused_on_postgres() {
    let place = Place::sqlite();
    let settings = "database_url = \"postgres://localhost/none\"\n[backup]\nevery = \"60s\"\n";
    std::fs::write(place.path().join("perennial.toml"), settings).unwrap();
    let mut serve = place.serve_command();
    serve.env("PERENNIAL_MASTER_KEY", crate::support::MASTER_KEY);
    crate::support::Output::of(&mut serve).refused_with(&["backup.every", "SQLite only", "WAL archiving"]);
    let mut check = place.program();
    check.args(["config", "check"]).env("PERENNIAL_MASTER_KEY", crate::support::MASTER_KEY);
    let output = crate::support::Output::of(&mut check);
    assert!(format!("{}{}", output.stdout, output.stderr).contains("backup.every"), "{output:?}");
}

/// How many times the log was begun anew, which SQLite counts in its header.
fn restarts(log: &Path) -> u32 {
    let mut header = [0; 16];
    std::fs::File::open(log).unwrap().read_exact(&mut header).unwrap();
    u32::from_be_bytes(header[12..].try_into().unwrap())
}

#[test]
fn pruning_next_to_an_idle_server_reuses_the_log_and_compacting_shrinks_the_file() {
    let Setting { place, server, caller, .. } = Setting::at(Place::sqlite());
    server.stop("TERM");
    place.tamper(&MANY_EVENTS);
    let (store, log) = (place.data().join("perennial.db"), place.data().join("perennial.db-wal"));
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let server = place.serve();
    // The last thing the server does is a read: nothing makes it look at the log again.
    server.caller(&caller.client_id).get("/subscription-plans").expect(200);
    let events = place.number(&EVENTS);
    assert!(events > 30_000, "{events}");
    let state = || place.json(&["analytics", "status"])[0]["state"] == "current";
    eventually(PATIENCE, "figures that include every event", || state().then_some(()));
    let before = restarts(&log);
    assert_eq!(place.json(&["events", "prune", "--before", BEFORE])["pruned"], events - 1, "the newest event stays");
    assert!(restarts(&log) > before, "the log only grew, to {} bytes", size(&log));
    assert_eq!(metric(&server.metrics_page(), "perennial_wal_bytes"), size(&log));
    place.run(&["compact"]).refused_with(&["another server is using"]);
    server.stop("TERM");

    let before = size(&store);
    let plans = place.number(&PLANS);
    let done = place.json(&["compact"]);
    assert_eq!(done["bytes_after"], size(&store));
    assert!(size(&store) < before / 4, "{} of {before} bytes", size(&store));
    assert_eq!(done["freed_bytes"], done["bytes_before"].as_u64().unwrap() - done["bytes_after"].as_u64().unwrap());
    assert!(!place.data().join("perennial.db.draft").exists());
    let server = place.serve();
    assert_eq!(place.number(&PLANS), plans);
    let plan = json!({ "name": "New", "slug": "new", "price": 1, "billing_cycle": "monthly" });
    server.caller(&caller.client_id).post("/subscription-plans", &plan).expect(201);
}

#[test]
fn compacting_says_what_to_run_on_postgres() {
    let place = Place::sqlite();
    let words = ["compact", "--database-url", "postgres://localhost/none"];
    place.run(&words).refused_with(&["PostgreSQL", "VACUUM", "pg_repack"]);
}
