//! The program next to a later version of itself: on PostgreSQL both serve at once; on SQLite the file was migrated by the
//! later version and is opened by this one again.

use crate::support::{Output, Place, Server};
use perennial_store::{Migration, Migrations};
use serde_json::json;

fn later(oldest_program: i64) -> Migration {
    Migration {
        version: Migrations::sqlite().version() + 1,
        name: "later",
        text: "ALTER TABLE plans ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        oldest_program,
        indexes: &[],
    }
}

#[track_caller]
fn serves(place: &Place, server: &Server, slug: &str) {
    server.wait_until_ready();
    let caller = server.caller(place.first("trusted_client_id"));
    let body = json!({ "name": "Pro", "slug": slug, "price": 1, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &body).expect(201);
    caller.get(&format!("/subscription-plans/{slug}")).expect(200);
}

#[test]
fn the_program_serves_on_a_later_schema_that_is_compatible_and_starts_on_it() {
    let place = Place::new();
    let server = place.serve();
    serves(&place, &server, "before");
    if place.is_postgres() {
        place.migrate_later(later(Migrations::sqlite().version()));
        serves(&place, &server, "second");
        server.stop("TERM");
    } else {
        server.stop("TERM");
        place.migrate_later(later(Migrations::sqlite().version()));
    }
    serves(&place, &place.serve(), "again");
    let seen = crate::doctor::Seen::at(&place, &[]);
    seen.has_no_problem();
    seen.says("schema", "ok", &["newer", "compatible"]);
}

#[test]
fn a_copy_that_would_leave_out_newer_columns_is_refused() {
    let place = Place::sqlite();
    drop(place.serve());
    place.migrate_later(later(Migrations::sqlite().version()));
    let (from, to) = (place.data(), place.path().join("copy"));
    let words = ["copy", "--from", from.to_str().unwrap(), "--to", to.to_str().unwrap()];
    place.run(&words).refused_with(&["would not copy", "run the newer program"]);
}

#[test]
fn the_program_does_not_start_on_a_later_schema_that_is_not_compatible() {
    let place = Place::new();
    drop(place.serve());
    place.migrate_later(later(Migrations::sqlite().version() + 1));
    Output::of(&mut place.serve_command()).refused_with(&["schema version", "run the newer program"]);
}
