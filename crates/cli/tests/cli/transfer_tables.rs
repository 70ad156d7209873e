//! Tables: what goes out as CSV comes in again, and an error in a cell is reported with its line and column.

use crate::support::Place;
use crate::transfers::{demo, exported, text};
use serde_json::json;

/// The tables of a store, and one of them.
fn tables(place: &Place, name: &str) -> String {
    place.run(&["export", "tables/", "--format", "csv"]).succeeded();
    std::fs::read_to_string(place.path().join("tables").join(name)).unwrap()
}

#[test]
fn tables_go_out_and_in_like_lines() {
    let (first, second) = (demo(), Place::new());
    first.run(&["export", "--format", "csv"]).refused_with(&["name a directory"]);
    first.run(&["export", "all.csv"]).refused_with(&["name a directory"]);
    assert!(!first.path().join("all.csv").exists());
    let plans = tables(&first, "plans.csv");
    assert!(plans.starts_with("organization_id,id,slug,name,") && plans.lines().count() == 13, "{plans}");
    let done = second.json(&["import", text(&first.path().join("tables"))]);
    assert_eq!((&done["imported"], &done["refused"]), (&json!(true), &json!(0)));
    assert!(exported(&second) == exported(&first), "what came in differs");
}

/// The same row with something else in the cell of a field.
fn with(row: &str, head: &str, field: &str, cell: &str) -> String {
    let place = head.split(',').position(|name| name == field).unwrap();
    let mut cells: Vec<&str> = row.split(',').collect();
    cells[place] = cell;
    cells.join(",")
}

#[test]
fn each_fault_of_a_table_is_told_with_its_line_and_column() {
    let (first, second) = (demo(), Place::new());
    let users = tables(&first, "users.csv");
    let organizations = std::fs::read(first.path().join("tables/organizations.csv")).unwrap();
    std::fs::create_dir(second.path().join("bad")).unwrap();
    std::fs::write(second.path().join("bad/organizations.csv"), organizations).unwrap();
    let mut rows = users.lines();
    let head = rows.next().unwrap();
    let rows: Vec<&str> = rows.take(12).collect();
    let two_lines = with(rows[9], head, "first_name", "\"Ada\nLovelace\"");
    let planted = [
        (rows[0].to_owned(), None),
        (with(rows[1], head, "email", "invalid"), Some(("email", "invalid_format"))),
        (with(rows[2], head, "terms", "yes"), Some(("terms", "invalid_type"))),
        (with(rows[3], head, "created_at", "yesterday"), Some(("created_at", "invalid_format"))),
        (with(rows[4], head, "session_epoch", "-1"), Some(("session_epoch", "out_of_range"))),
        (with(rows[5], head, "created_at", ""), Some(("created_at", "not_nullable"))),
        (with(rows[6], head, "subject", "alone"), Some(("subject", "inconsistent"))),
        (format!("{},more", rows[7]), Some(("organization_id", "malformed"))),
        (with(rows[8], head, "last_name", "Love\"lace"), Some(("last_name", "malformed"))),
        // A name of two lines is no name, and the next line is counted from the second.
        (two_lines, Some(("first_name", "invalid_text"))),
        (with(rows[10], head, "email", "also invalid"), Some(("email", "invalid_format"))),
        (rows[11].to_owned(), None),
    ];
    let (mut file, mut expected) = (vec![head.to_owned()], Vec::new());
    for (row, fault) in &planted {
        let line = file.join("\n").lines().count() + 1;
        let place = |field: &str| head.split(',').position(|name| name == field).unwrap();
        expected.extend(fault.map(|(field, code)| {
            let before: usize = row.split(',').take(place(field)).map(|cell| cell.chars().count() + 1).sum();
            // The one error whose column is that of the quotes.
            let inside = if row.contains("Love\"lace") { "Love".len() } else { 0 };
            (line, before + inside + 1, code.to_owned())
        }));
        file.push(row.clone());
    }
    std::fs::write(second.path().join("bad/users.csv"), file.join("\n")).unwrap();
    let output = second.run(&["import", "bad", "--dry-run", "--json"]);
    assert_eq!(output.code, Some(1));
    let reported: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let number = |fault: &serde_json::Value, name: &str| usize::try_from(fault[name].as_u64().unwrap()).unwrap();
    let found: Vec<(usize, usize, String)> = reported["data"]["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (number(fault, "line"), number(fault, "column"), fault["code"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), 10);
}

#[test]
fn a_head_that_is_wrong_is_told_and_what_is_right_of_a_table_is_taken() {
    let (first, second) = (demo(), Place::new());
    let plans = tables(&first, "plans.csv");
    second.run(&["import", text(&first.path().join("tables/organizations.csv"))]).succeeded();
    std::fs::write(second.path().join("plans.csv"), plans.replacen("slug", "snail", 1)).unwrap();
    let reported = second.run(&["import", "plans.csv"]).stdout;
    assert!(
        reported.contains("plans.csv:1:20: snail is no field of a plan") && reported.contains("slug is required"),
        "{reported}"
    );
    // A program that knows no empty texts leaves the cell of one empty; a mark at the beginning does no harm.
    let written = plans.replacen("pro-monthly", "Pro Monthly", 1).replace(",\"\",", ",,");
    std::fs::write(second.path().join("plans.csv"), format!("\u{feff}{written}")).unwrap();
    let done = second.json(&["import", "plans.csv", "--skip-bad", "refused.csv"]);
    assert_eq!((&done["made"], &done["refused"]), (&json!(11), &json!(1)));
    let refused = std::fs::read_to_string(second.path().join("refused.csv")).unwrap();
    assert_eq!(refused.lines().count(), 2, "{refused}");
    assert!(refused.starts_with("organization_id,id,slug,") && refused.contains("Pro Monthly"), "{refused}");
    // Corrected, it is taken as well.
    std::fs::write(second.path().join("plans.csv"), refused.replacen("Pro Monthly", "pro-monthly", 1)).unwrap();
    assert_eq!(second.json(&["import", "plans.csv"])["made"], 1);
    let all = text(&first.path().join("tables")).to_owned();
    second.run(&["import", &all, "--skip-bad", "more.csv"]).refused_with(&["one table at a time"]);
}
