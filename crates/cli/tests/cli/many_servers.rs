//! Two servers on one database, changing the same records field by field; on SQLite, where a directory has one server,
//! as many writers on that one. `PERENNIAL_TEST_SECONDS` makes it longer.

use crate::support::{Connection, Server, Setting};
use perennial_store::Sql;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// No multiple of how often a value comes back, so that every visit changes something.
const ROWS: usize = 100;
const CYCLES: [&str; 3] = ["monthly", "quarterly", "yearly"];

static DEADLOCKS: Sql = Sql::new("SELECT deadlocks::BIGINT FROM pg_stat_database WHERE datname = current_database()");

/// A field that only one writer changes, so that its last acknowledged value must be stored.
#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    value: fn(usize) -> Value,
}

const FIELDS: [Field; 4] = [
    Field { name: "external_subscription_id", value: |turn| json!(format!("turn-{turn}")) },
    Field { name: "renews_at", value: |turn| json!(instant(turn)) },
    Field { name: "billing_cycle", value: |turn| json!(CYCLES[turn % CYCLES.len()]) },
    Field { name: "ends_at", value: |turn| if turn % 7 == 0 { Value::Null } else { json!(instant(turn)) } },
];

fn instant(turn: usize) -> String {
    format!("2100-01-01T00:00:00.{:06}Z", turn % 1_000_000)
}

/// Changes one field of every row in turn until time is up; answers the last value each row was acknowledged with.
fn update(server: &Server, client: &str, ids: &[String], field: Field, until: Instant) -> (Vec<Value>, usize) {
    let mut connection = Connection::open(server.address).unwrap();
    let mut last = vec![None; ids.len()];
    let mut turn = 0;
    // Every row at least once, however slow the machine.
    while Instant::now() < until || turn < ids.len() {
        let row = turn % ids.len();
        let value = (field.value)(turn);
        let target = format!("/subscriptions/{}", ids[row]);
        if let Some(reported) = &last[row] {
            let record = connection.call("GET", &target, &[client], None).unwrap().expect(200).data();
            assert_eq!(&record[field.name], reported, "a field of {} was undone", ids[row]);
        }
        let answer =
            connection.call("PUT", &target, &[client], Some(&json!({ field.name: value }))).unwrap().expect(200);
        assert_eq!(answer.data()[field.name], value);
        last[row] = Some(value);
        turn += 1;
    }
    (last.into_iter().flatten().collect(), turn)
}

#[test]
fn two_servers_changing_the_same_rows_lose_no_field_and_never_deadlock() {
    let setting = Setting::new();
    let seconds = std::env::var("PERENNIAL_TEST_SECONDS").map_or(3, |text| text.parse().unwrap());
    let body = json!({ "user_id": setting.user, "subscription_plan_id": "pro", "starts_at": "2026-01-01T00:00:00Z" });
    let create = |_| setting.caller.post("/subscriptions", &body).expect(201).data()["id"].as_str().unwrap().to_owned();
    let ids: Vec<String> = (0..ROWS).map(create).collect();

    let place = setting.place.elsewhere();
    let other = place.is_postgres().then(|| place.serve());
    let servers = [&setting.server, other.as_ref().unwrap_or(&setting.server)];
    let (client, until) = (setting.caller.header(), Instant::now() + Duration::from_secs(seconds));
    let outcomes: Vec<(Vec<Value>, usize)> = std::thread::scope(|scope| {
        let writers: Vec<_> = FIELDS
            .iter()
            .enumerate()
            .map(|(number, field)| {
                let (server, client, ids) = (servers[number % 2], &client, &ids);
                // All begin at the same row, so that they meet, and an external id is of one row only.
                scope.spawn(move || update(server, client, ids, *field, until))
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });

    let mut lost = Vec::new();
    for (row, id) in ids.iter().enumerate() {
        for server in servers {
            let record =
                server.caller(&setting.caller.client_id).get(&format!("/subscriptions/{id}")).expect(200).data();
            for (field, (last, _)) in FIELDS.iter().zip(&outcomes) {
                if record[field.name] != last[row] {
                    lost.push(format!("{id}.{} is {}, not {}", field.name, record[field.name], last[row]));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    if place.is_postgres() {
        assert_eq!(setting.place.number(&DEADLOCKS), 0);
    }
    for server in servers {
        let logs = server.logs();
        assert!(!logs.contains("deadlock") && !logs.contains("\"ERROR\""), "{logs}");
    }
    let updates: usize = outcomes.iter().map(|(_, count)| count).sum();
    eprintln!("{updates} updates of {ROWS} rows in {seconds} s, no field lost, no deadlock");
}
