//! Records from elsewhere, without ids of ours: they are known by what people know them by, and twice is once.

use crate::support::{Place, snapshot_of_rows};
use serde_json::json;

const USERS: &str =
    "email,first_name,created_at\nAda@Example.com,Ada,2026-01-01T00:00:00Z\nbob@example.com,,2026-01-02T00:00:00Z\n";
const PLANS: &str =
    "slug,name,price,currency,billing_cycle,created_at\npro,Pro,19.99,usd,monthly,2026-01-01T00:00:00Z\n";
const SUBSCRIPTIONS: &str = "external_subscription_id,user_id,subscription_plan_id,billing_cycle,status,is_active,starts_at,created_at\n\
    old-1,ada@example.com,pro,monthly,active,true,2026-01-03T00:00:00Z,2026-01-03T00:00:00Z\n";
const PAYMENTS: &str = "external_payment_id,subscription_id,amount,currency,status,date,created_at\n\
    old-p1,old-1,19.99,USD,paid,2026-01-03T00:00:00Z,2026-01-03T00:00:00Z\n";

fn write(place: &Place, payments: &str) {
    let directory = place.path().join("old");
    std::fs::create_dir_all(&directory).unwrap();
    let files = [("users", USERS), ("plans", PLANS), ("subscriptions", SUBSCRIPTIONS), ("payments", payments)];
    for (name, text) in files {
        std::fs::write(directory.join(format!("{name}.csv")), text).unwrap();
    }
}

#[test]
fn records_without_ids_are_known_by_their_names_and_come_in_once() {
    let place = Place::new();
    place.serve().stop("TERM");
    write(&place, PAYMENTS);
    let before = snapshot_of_rows(&place).len();
    let done = place.json(&["import", "old", "--into", "default"]);
    assert_eq!((&done["made"], &done["refused"]), (&json!(5), &json!(0)));
    let rows = snapshot_of_rows(&place);
    assert_eq!(rows.len(), before + 10, "five records and their events");
    let again = place.json(&["import", "old", "--into", "default"]);
    assert_eq!((&again["made"], &again["unchanged"]), (&json!(0), &json!(5)));
    assert!(rows == snapshot_of_rows(&place), "a second import changed something");

    let server = place.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    let subscription = caller.get("/subscriptions?external_subscription_id=old-1").expect(200).data()[0].clone();
    let plan = caller.get("/subscription-plans/pro").expect(200).data();
    assert_eq!(subscription["subscription_plan_id"], plan["id"]);
    assert_eq!(
        (&plan["variants"], &plan["is_active"], &plan["updated_at"]),
        (&json!([]), &json!(true), &plan["created_at"])
    );
    let user = place.json(&["user", "get", "ada@example.com"]);
    assert_eq!((&user["id"], &user["first_name"]), (&subscription["user_id"], &json!("Ada")));
}

#[test]
fn a_name_that_nobody_has_is_told() {
    let place = Place::new();
    place.serve().stop("TERM");
    write(
        &place,
        &format!(
            "{PAYMENTS}old-p2,old-2,1,USD,pending,,2026-01-03T00:00:00Z\n,old-1,1,USD,pending,,2026-01-03T00:00:00Z\n"
        ),
    );
    let output = place.run(&["import", "old", "--into", "default", "--dry-run"]);
    let reported: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(
        reported,
        [
            "payments.csv:3:8: subscription_id names a record that is neither here nor above (not_found)",
            "payments.csv:4:1: id is required where there is no external_payment_id (required)",
        ]
    );
}
