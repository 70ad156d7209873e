//! kill -9 while writing, ten times: everything acknowledged is there afterwards, once, with its event.
//! What was sent and not acknowledged is sent again with its key, and is there once too.

use crate::support::{Connection, PATIENCE, Server, Setting, eventually};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const KILLS: usize = 10;
const WRITERS: usize = 8;
/// A store that was killed is ready again within this.
const READY: Duration = Duration::from_secs(2);

/// What one writer knows: its acknowledged subscriptions with their ids, and the one nobody answered.
#[derive(Default)]
struct Journal {
    acknowledged: Vec<(String, String)>,
    open: Option<String>,
}

/// One create with a key that belongs to its external id; `None` if the server went away.
fn create(connection: &mut Connection, client: &str, user: &str, external: &str) -> Option<String> {
    let body = serde_json::json!({
        "user_id": user, "subscription_plan_id": "pro", "external_subscription_id": external
    });
    let key = format!("idempotency-key: {external}");
    let answer = connection.call("POST", "/subscriptions", &[client, &key], Some(&body)).ok()?;
    Some(answer.expect(201).data()["id"].as_str().unwrap().to_owned())
}

/// Writes until the server goes away.
fn write(server: &Server, client: &str, user: &str, name: &str, count: &AtomicUsize) -> Journal {
    let mut journal = Journal::default();
    let mut connection = Connection::open(server.address).unwrap();
    for number in 0.. {
        let external = format!("{name}-{number}");
        match create(&mut connection, client, user, &external) {
            Some(id) => {
                journal.acknowledged.push((external, id));
                count.fetch_add(1, Ordering::Relaxed);
            }
            None => {
                journal.open = Some(external);
                break;
            }
        }
    }
    journal
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed_ten_times() {
    let Setting { place, mut server, caller, user } = Setting::new();
    let client = caller.header();
    let mut acknowledged: BTreeMap<String, String> = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    for round in 0..KILLS {
        let count = AtomicUsize::new(0);
        let journals: Vec<Journal> = std::thread::scope(|scope| {
            let (server, client, user, count) = (&server, &client, &user, &count);
            let start = |writer| scope.spawn(move || write(server, client, user, &format!("{round}-{writer}"), count));
            let writers: Vec<_> = (0..WRITERS).map(start).collect();
            // Each round is cut at another point of the writers' and the batches' rhythm.
            let enough = 20 + round * 17;
            eventually(PATIENCE, "writes", || (count.load(Ordering::Relaxed) >= enough).then_some(()));
            server.signal("KILL");
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        let (output, _) = server.ended();
        assert_eq!(output.code, None, "it was killed, not stopped");
        let start = std::time::Instant::now();
        server = place.serve();
        slowest = slowest.max(start.elapsed());
        server.get("/readyz").expect(200);

        let mut connection = Connection::open(server.address).unwrap();
        for journal in journals {
            acknowledged.extend(journal.acknowledged);
            let external = journal.open.expect("the kill left every writer without an answer");
            let id = create(&mut connection, &client, &user, &external).unwrap();
            acknowledged.insert(external, id);
        }
        holds_exactly(&server, &caller.client_id, &acknowledged);
    }
    assert!(acknowledged.len() >= KILLS * 20);
    assert!(slowest < READY, "{slowest:?}");
    eprintln!("{KILLS} kills, {} acknowledged, none lost; ready again after at most {slowest:?}", acknowledged.len());

    // And every one of them has the one event of its making.
    let events = place.json(&["events", "list", "--limit", "65535"]);
    let events = events.as_array().unwrap();
    let created: Vec<&str> = events
        .iter()
        .filter(|event| event["kind"] == "subscription.created")
        .map(|event| event["record_id"].as_str().unwrap())
        .collect();
    let told: BTreeSet<&str> = created.iter().copied().collect();
    assert_eq!(told.len(), created.len(), "a record was made twice");
    assert_eq!(told, acknowledged.values().map(String::as_str).collect());
}

/// The list has what was acknowledged, under the ids that were acknowledged, and nothing else.
fn holds_exactly(server: &Server, client_id: &str, acknowledged: &BTreeMap<String, String>) {
    let records = server.caller(client_id).all("/subscriptions");
    let text = |record: &Value, name: &str| record[name].as_str().unwrap().to_owned();
    let found: BTreeMap<String, String> =
        records.iter().map(|record| (text(record, "external_subscription_id"), text(record, "id"))).collect();
    assert_eq!(found.len(), records.len(), "something is there twice");
    let lost: Vec<_> = acknowledged.iter().filter(|(external, id)| found.get(*external) != Some(id)).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert_eq!(found.len(), acknowledged.len(), "something is there that nobody was told of");
}
