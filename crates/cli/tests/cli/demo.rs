//! `perennial demo` and `perennial serve --demo`: a reproducible year of data, in an unused store.

use crate::support::{Place, Server, snapshot_of_rows};
use perennial_store::Sql;
use serde_json::json;

const SMALL: [&str; 5] = ["demo", "--scale", "0.05", "--until", "2026-11-15T00:00:00Z"];

static STATUSES: Sql = Sql::new("SELECT COUNT(DISTINCT status) FROM subscriptions");
static ORPHANS: Sql = Sql::new(
    "SELECT COUNT(*) FROM subscriptions
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.id = subscriptions.revision)
        OR NOT EXISTS (SELECT 1 FROM users WHERE users.id = subscriptions.user_id)",
);

#[test]
fn a_demo_is_the_same_for_the_same_seed_and_is_made_once() {
    let (one, two, other) = (Place::new(), Place::new(), Place::new());
    let made = one.json(&SMALL)["made"].clone();
    assert_eq!((&made["plans"], &made["users"], &made["subscriptions"]), (&json!(12), &json!(250), &json!(1_000)));
    assert_eq!(two.json(&SMALL)["made"], made);
    other.json(&[&SMALL[..], &["--seed", "2"]].concat());
    let rows = snapshot_of_rows(&one);
    assert!(rows.len() > 5_000, "{}", rows.len());
    assert!(rows == snapshot_of_rows(&two), "the same seed made other rows");
    assert!(rows != snapshot_of_rows(&other), "another seed made the same rows");
    assert_eq!((one.number(&STATUSES), one.number(&ORPHANS)), (9, 0));
    assert_eq!(one.json(&SMALL), json!({ "made": null }));
    assert!(rows == snapshot_of_rows(&one), "a second run changed something");
}

#[test]
fn a_server_takes_a_demo_over_and_makes_none_of_a_store_in_use() {
    let place = Place::new();
    place.run(&SMALL).succeeded();
    let server = place.serve();
    let plans = server.caller(place.first("trusted_client_id")).all("/subscription-plans");
    assert_eq!(plans.len(), 12);
    if !place.is_postgres() {
        place.run(&SMALL).refused_with(&["another server", "stop it"]);
    }
    server.stop("TERM");
    // With `--demo` it finds its own data and continues.
    let server = Server::start(place.serve_command().arg("--demo"));
    server.stop("TERM");

    let used = Place::new();
    used.serve().stop("TERM");
    used.run(&["user", "create", "--email", "ada@example.com"]).succeeded();
    used.run(&SMALL).refused_with(&["no demo", "--data-dir"]);
    used.run(&["demo", "--scale", "0"]).refused_with(&["--scale", "0.01"]);
    used.run(&["demo", "--until", "soon"]).refused_with(&["--until", "RFC 3339"]);
}

#[test]
fn a_store_that_a_server_has_made_and_nobody_used_takes_a_demo() {
    let place = Place::new();
    place.serve().stop("TERM");
    assert_eq!(place.json(&SMALL)["made"]["plans"], 12);
    assert_eq!(place.json(&["org", "list"]).as_array().unwrap().len(), 1);
}
