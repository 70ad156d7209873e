//! `perennial export` and `import`: what goes out comes in again, on the other engine too, whole or not at all.

use crate::support::{Place, Setting, signal, snapshot_of_rows};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// A store with a small demo.
pub(crate) fn demo() -> Place {
    let place = Place::sqlite();
    place.run(&["demo", "--scale", "0.02", "--until", "2026-11-15T00:00:00Z"]).succeeded();
    place
}

/// Everything in a store, as a file next to it.
#[track_caller]
pub(crate) fn exported(place: &Place) -> String {
    let path = place.path().join("everything.ndjson");
    let _ = std::fs::remove_file(&path);
    place.run(&["export", "everything.ndjson"]).succeeded();
    std::fs::read_to_string(path).unwrap()
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_store_goes_out_and_in_and_through_the_other_engine_unchanged() {
    let (first, middle, last) = (demo(), Place::new(), Place::sqlite());
    let all = exported(&first);
    let lines = all.lines().count();
    assert!(lines > 2_000, "{lines}");
    let file = first.path().join("everything.ndjson");
    let done = middle.json(&["import", text(&file)]);
    assert_eq!((&done["made"], &done["unchanged"], &done["imported"]), (&json!(lines), &json!(0), &json!(true)));

    middle.run(&["export", "out/"]).succeeded();
    let out = middle.path().join("out");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 6);
    last.json(&["import", text(&out)]);
    assert!(snapshot_of_rows(&first) == snapshot_of_rows(&last), "rows differ");
    assert!(exported(&last) == all, "the second export differs from the first");

    // The same again changes nothing.
    let again = last.json(&["import", text(&out)]);
    assert_eq!((&again["made"], &again["unchanged"]), (&json!(0), &json!(lines)));
    assert!(snapshot_of_rows(&first) == snapshot_of_rows(&last), "rows differ after the second import");
    // A server makes of it what it needs, and serves it.
    let server = middle.serve();
    assert_eq!(server.caller(middle.first("trusted_client_id")).all("/subscription-plans").len(), 12);
}

#[test]
fn the_versions_of_a_plan_go_out_and_in() {
    let Setting { place, server, caller, .. } = Setting::new();
    for price in [20, 30] {
        caller.call("PUT", "/subscription-plans/pro", Some(&json!({ "price": price }))).expect(200);
    }
    let versions = place.json(&["plan", "versions", "pro"]);
    let reported: Vec<_> =
        versions.as_array().unwrap().iter().map(|one| (one["version"].clone(), one["price"].clone())).collect();
    assert_eq!(json!(reported), json!([[3, 30], [2, 20], [1, 19.99]]));
    let table = place.run(&["plan", "versions", "pro"]).succeeded();
    assert!(table.starts_with("VERSION  PRICE") && table.lines().count() == 4, "{table}");
    place.run(&["plan", "versions", "unknown"]).refused_with(&["no plan", "plan list"]);
    server.stop("TERM");
    for form in ["all.ndjson", "tables/"] {
        let csv: &[&str] = if form == "tables/" { &["--format", "csv"] } else { &[] };
        place.run(&[&["export", form], csv].concat()).succeeded();
        let other = Place::new();
        let file = place.path().join(form);
        other.json(&["import", text(&file)]);
        let again = other.json(&["import", text(&file)]);
        assert_eq!(again["made"], 0, "the same again changes nothing");
        let server = other.serve();
        let listed =
            server.caller(other.first("trusted_client_id")).get("/subscription-plans/pro/versions").expect(200);
        assert_eq!(listed.data(), versions, "{form}");
    }
}

#[test]
fn an_export_is_its_owners_and_replaces_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let place = demo();
    let written = exported(&place);
    let file = place.path().join("everything.ndjson");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    place.run(&["export", "everything.ndjson"]).refused_with(&["there already", "name another"]);
    assert!(place.run(&["export"]).succeeded() == written);
    place.run(&["export", "nowhere/file.ndjson"]).refused_with(&["nowhere", "cannot be written"]);
    place.run(&["import", "nowhere.ndjson"]).refused_with(&["nowhere.ndjson", "cannot be read"]);
    place.run(&["import", "data"]).refused_with(&["nothing to import", "users.ndjson"]);
}

#[test]
fn an_import_that_is_killed_leaves_nothing_and_goes_well_the_next_time() {
    let (first, second) = (demo(), Place::new());
    let all = exported(&first);
    // A store in use, with its own organization, clients and plan.
    let server = second.serve();
    let body = json!({ "name": "Own", "slug": "own", "price": 1, "billing_cycle": "weekly" });
    server.caller(second.first("trusted_client_id")).post("/subscription-plans", &body).expect(201);
    server.stop("TERM");
    let before = snapshot_of_rows(&second);
    assert!(before.len() > 5, "{}", before.len());
    for part in [all.len() / 10, all.len() / 2, all.len()] {
        let mut command = second.program();
        command.args(["import", "-", "--into", "default"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // What a pipe has taken has been read, but for its last few lines; the end never comes.
        stdin.write_all(&all.as_bytes()[..part]).unwrap();
        signal(child.id(), "KILL");
        assert_eq!(child.wait().unwrap().code(), None, "it was still at work");
        drop(stdin);
        assert!(snapshot_of_rows(&second) == before, "a killed import has left something");
    }
    let file = first.path().join("everything.ndjson");
    let done = second.json(&["import", text(&file), "--into", "default"]);
    // The organization stays behind.
    assert_eq!(done["made"], all.lines().count() - 1);
    assert_eq!(snapshot_of_rows(&second).len(), before.len() + all.lines().count() - 1);
}

#[test]
fn an_export_that_was_not_finished_is_no_import() {
    let (first, second) = (demo(), Place::new());
    first.run(&["export", "out/"]).succeeded();
    let out = first.path().join("out");
    first.run(&["export", "out/"]).refused_with(&["organizations.ndjson is there already"]);
    std::fs::rename(out.join("events.ndjson"), out.join("events.ndjson.draft")).unwrap();
    second.run(&["import", text(&out)]).refused_with(&["was not finished", "export again"]);
    std::fs::write(second.path().join("people.csv"), "email\r\n").unwrap();
    second.run(&["import", "people.csv"]).refused_with(&["the name of a table", "users.csv"]);
}

#[test]
fn records_go_into_an_organization_that_is_there() {
    let (first, second) = (demo(), Place::new());
    exported(&first);
    second.serve().stop("TERM");
    let file = first.path().join("everything.ndjson");
    let refused = second.run(&["import", text(&file)]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stdout.starts_with("everything.ndjson:1:") && refused.stdout.contains("--into"),
        "{}",
        refused.stdout
    );
    assert_eq!(
        refused.stdout.lines().count(),
        1,
        "errors that follow from the first are not reported: {}",
        refused.stdout
    );
    let done = second.json(&["import", text(&file), "--into", "default"]);
    assert_eq!(done["imported"], true);
    assert_eq!(second.json(&["plan", "list", "--limit", "50"]).as_array().unwrap().len(), 12);
    second.run(&["import", text(&file), "--into", "unknown"]).refused_with(&["no organization \"unknown\""]);
}
