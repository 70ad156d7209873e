//! Dumps of a store that is being written to: the feed of each is complete, of one moment, and in order.

use crate::support::{Caller, Connection, MASTER_KEY, Output, PATIENCE, Place, Setting, eventually, skipped};
use perennial_store::Sql;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const WRITERS: usize = 4;
const ROUNDS: usize = 2;

static EVENTS: Sql = Sql::new("SELECT COUNT(*) FROM events");

/// Creates subscriptions and changes each of them twice, until it is stopped.
fn write(address: SocketAddr, header: &str, user: &str, writes: &AtomicUsize, stop: &AtomicBool) {
    let mut connection = Connection::open(address).unwrap();
    let body = json!({ "user_id": user, "subscription_plan_id": "pro" });
    while !stop.load(Ordering::Relaxed) {
        let made = connection.call("POST", "/subscriptions", &[header], Some(&body)).unwrap().expect(201).data();
        let target = format!("/subscriptions/{}", made["id"].as_str().unwrap());
        for quantity in [2, 3] {
            let change = json!({ "quantity": quantity });
            connection.call("PUT", &target, &[header], Some(&change)).unwrap().expect(200);
        }
        writes.fetch_add(3, Ordering::Relaxed);
    }
}

/// Stops the writers, also if the test fails: it would wait for them otherwise.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The whole feed.
fn feed(caller: &Caller) -> Vec<Value> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = caller.get(&format!("/events?limit=200{cursor}")).expect(200).json();
        events.extend(page["data"].as_array().unwrap().iter().cloned());
        cursor = format!("&cursor={}", page["page"]["next_cursor"].as_str().unwrap());
        if page["page"]["has_more"] == false {
            return events;
        }
    }
}

/// Serves a dump, and compares the feed with the events and the records. Returns the number of events.
#[track_caller]
fn check(name: &str, place: &Place, client_id: Option<&str>) -> usize {
    let server = place.serve();
    let caller = server.caller(client_id.map_or_else(|| place.first("trusted_client_id"), str::to_owned));
    // A dump of PostgreSQL can have events that were not placed; the server does that within moments.
    let events = eventually(PATIENCE, name, || {
        let events = feed(&caller);
        (i64::try_from(events.len()).unwrap() >= place.number(&EVENTS)).then_some(events)
    });
    let number = |event: &Value| event["sequence"].as_i64().unwrap();
    assert!(events.is_sorted_by(|one, next| number(one) < number(next)), "{name}: positions");
    let mut chains: HashMap<&str, Vec<&Value>> = HashMap::new();
    for event in events.iter().filter(|event| event["type"].as_str().unwrap().starts_with("subscription.")) {
        chains.entry(event["record_id"].as_str().unwrap()).or_default().push(event);
    }
    for record in caller.all("/subscriptions") {
        let chain = chains.remove(record["id"].as_str().unwrap()).unwrap_or_default();
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { panic!("{name}: {record} has no event") };
        assert_eq!((&first["type"], &first["before"]), (&json!("subscription.created"), &Value::Null), "{name}");
        assert!(chain.windows(2).all(|pair| pair[0]["data"] == pair[1]["before"]), "{name}: a gap or disorder");
        assert_eq!(last["data"], record, "{name}: the record and its last event are of different moments");
    }
    assert!(chains.is_empty(), "{name}: events without a record");
    server.stop("TERM");
    events.len()
}

/// A program of PostgreSQL.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

fn run(program: &Path, arguments: &[&str]) {
    Output::of(Command::new(program).args(arguments)).succeeded();
}

/// Gives a place on SQLite the master key of another.
fn give_key(place: &Place, other: &Place) {
    std::fs::create_dir_all(other.data()).unwrap();
    let key = std::fs::read(place.data().join("master.key")).unwrap_or_else(|_| MASTER_KEY.into());
    let mut file = std::fs::OpenOptions::new();
    let mut file = file.create_new(true).write(true).mode(0o600).open(other.data().join("master.key")).unwrap();
    std::io::Write::write_all(&mut file, &key).unwrap();
}

/// What was made of the store in a round.
struct Round {
    export: PathBuf,
    copy: Place,
    dump: PathBuf,
}

fn dump(place: &Place, round: usize) -> Round {
    let (export, dump) = (format!("export-{round}.ndjson"), format!("dump-{round}"));
    place.run(&["export", &export]).succeeded();
    let (copy, data) = (Place::sqlite(), place.data());
    let from = place.url().unwrap_or_else(|| data.to_str().unwrap());
    place.run(&["copy", "--from", from, "--to", copy.data().to_str().unwrap()]).succeeded();
    give_key(place, &copy);
    match (place.url(), program("pg_dump")) {
        (None, _) => drop(place.run(&["backup", "create", &dump]).succeeded()),
        (Some(url), Some(pg_dump)) => {
            let file = format!("--file={}", place.path().join(&dump).display());
            run(&pg_dump, &["--format=custom", &file, &format!("--dbname={url}")]);
        }
        (Some(_), None) => skipped("needs `pg_dump`"),
    }
    Round { export: place.path().join(export), copy, dump: place.path().join(dump) }
}

/// The place that a dump is restored to; none if there is no program for it.
fn restored(place: &Place, dump: &Path) -> Option<Place> {
    let file = dump.to_str().unwrap();
    if !place.is_postgres() {
        let other = Place::sqlite();
        give_key(place, &other);
        other.run(&["backup", "restore", file]).succeeded();
        return Some(other);
    }
    let (pg_restore, other) = (program("pg_restore").filter(|_| dump.exists())?, Place::postgres_without_schema()?);
    let target = format!("--dbname={}", other.url()?);
    run(&pg_restore, &["--single-transaction", "--no-owner", &target, file]);
    Some(other)
}

#[test]
fn exports_copies_and_dumps_of_a_store_under_load_have_a_complete_feed() {
    let Setting { place, server, caller, user } = Setting::new();
    let (stop, writes, header) = (AtomicBool::new(false), AtomicUsize::new(0), caller.header());
    let rounds: Vec<Round> = std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        for _ in 0..WRITERS {
            scope.spawn(|| write(server.address, &header, &user, &writes, &stop));
        }
        let rounds = (1..=ROUNDS).map(|round| {
            eventually(PATIENCE, "writes", || (writes.load(Ordering::Relaxed) >= 60 * round).then_some(()));
            dump(&place, round)
        });
        rounds.collect()
    });
    server.stop("TERM");
    let total = check("the original", &place, Some(&caller.client_id));
    for Round { export, copy, dump } in rounds {
        let imported = Place::sqlite();
        imported.run(&["import", export.to_str().unwrap()]).succeeded();
        // A server makes clients for an organization that has none.
        assert!(check("an import", &imported, None) > 60);
        let copied = check("a copy", &copy, Some(&caller.client_id));
        assert!(copied > 60 && copied < total, "{copied} of {total}: the writers went on");
        if let Some(restored) = restored(&place, &dump) {
            let events = check("a dump", &restored, Some(&caller.client_id));
            assert!(events > 60 && events < total, "{events} of {total}: the writers went on");
        }
    }
}
