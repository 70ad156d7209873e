//! `perennial doctor` compares the ledger of revenue figures with the subscriptions.

use crate::doctor::Seen;
use crate::support::Place;
use perennial_store::Sql;

static SPOIL: Sql = Sql::new(
    "UPDATE analytics_movements SET mrr = '1' WHERE user_id = \
     (SELECT user_id FROM analytics_movements WHERE mrr <> '0' ORDER BY user_id LIMIT 1)",
);

#[test]
fn a_ledger_row_that_was_changed_by_hand_is_found() {
    let place = Place::new();
    place.run(&["demo", "--scale", "0.02", "--until", "2026-11-15T00:00:00Z"]).succeeded();
    drop(place.serve());
    place.run(&["analytics", "rebuild"]).succeeded();
    let seen = Seen::at(&place, &[]);
    seen.says("analytics", "ok", &["equals the subscriptions of 1 organization"]);
    place.tamper(&SPOIL);
    let remedies =
        ["the ledger of default differs", "1 customer", "analytics check", "analytics rebuild --org default"];
    Seen::at(&place, &[]).has_one_problem("analytics", &remedies);
    place.run(&["analytics", "rebuild"]).succeeded();
    Seen::at(&place, &[]).says("analytics", "ok", &["equals"]);
}

#[test]
fn what_was_not_read_yet_is_no_difference() {
    let place = Place::new();
    place.run(&["demo", "--scale", "0.02", "--until", "2026-11-15T00:00:00Z"]).succeeded();
    Seen::at(&place, &[]).says("analytics", "ok", &["1 not compared yet"]);
}

#[test]
fn a_disabled_ledger_is_not_compared() {
    let place = Place::new();
    drop(place.serve());
    let mut doctor = place.program();
    doctor.args(["doctor", "--json"]).env("PERENNIAL_ANALYTICS_ENABLED", "false");
    Seen::of(&mut doctor).says("analytics", "ok", &["disabled"]);
}
