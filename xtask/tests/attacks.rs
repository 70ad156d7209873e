//! `docs/attacks.md` is true: every attack is there, and every test that it names is one.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::fs;
use std::path::{Path, PathBuf};

const ATTACKS: usize = 71;

/// A line of the table.
#[derive(Debug)]
struct Row {
    number: usize,
    tests: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn rows(page: &str) -> Vec<Row> {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let read = |line: &str| {
        let cells = cells(line);
        let [_, number, attack, answer, tests, _] = &cells[..] else { return None };
        let number = number.parse().ok()?;
        assert!(!attack.is_empty() && !answer.is_empty(), "{line}");
        let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some(Row { number, tests })
    };
    page.lines().filter_map(read).collect()
}

/// What is wrong with a page, given what a test is.
fn faults(page: &str, is_test: impl Fn(&str) -> bool) -> Vec<String> {
    let rows = rows(page);
    let mut faults = Vec::new();
    for number in 1..=ATTACKS {
        match rows.iter().filter(|row| row.number == number).count() {
            1 => {}
            count => faults.push(format!("attack {number} is there {count} times")),
        }
    }
    for row in &rows {
        if row.tests.is_empty() {
            faults.push(format!("attack {} has no test", row.number));
        }
        let unknown = row.tests.iter().filter(|test| !is_test(test));
        faults.extend(unknown.map(|test| format!("attack {}: there is no test {test}", row.number)));
    }
    faults
}

/// Whether the sources have a test of this path: crate, file (with its directories), function.
fn is_test(path: &str) -> bool {
    let parts: Vec<&str> = path.split("::").collect();
    let [package, file @ .., function] = &parts[..] else { return false };
    if *package == "console" {
        return is_test_of_the_console(file, function);
    }
    let home = if *package == "xtask" { root().join("xtask") } else { root().join("crates").join(package) };
    let within = |floor: &str, file: &[&str]| home.join(floor).join(file.join("/")).with_extension("rs");
    let mut places = vec![within("tests", file), within("src", file)];
    // The tests of a file may stand in the file itself.
    if let [file @ .., "tests"] = file {
        places.push(within("src", file));
    }
    places.iter().filter_map(|place| fs::read_to_string(place).ok()).any(|source| has_test(&source, function))
}

/// Whether the console has a unit test or a browser test of this name.
fn is_test_of_the_console(file: &[&str], name: &str) -> bool {
    let [file] = file else { return false };
    let home = root().join("console");
    let places =
        [home.join("test").join(format!("{file}.test.ts")), home.join("e2e/tests").join(format!("{file}.test.mjs"))];
    let call = format!("test(\"{name}\"");
    places.iter().filter_map(|place| fs::read_to_string(place).ok()).any(|source| source.contains(&call))
}

/// Whether this is the name of a test here: a function marked as one, or a name that a macro makes one of.
fn has_test(source: &str, function: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_it = |line: &str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ").and_then(|rest| rest.strip_prefix(function)).is_some_and(|rest| rest.starts_with('('))
    };
    let marked = lines.iter().enumerate().filter(|(_, line)| is_it(line)).any(|(place, _)| {
        let marks: Vec<&&str> = lines[..place].iter().rev().take_while(|line| line.starts_with("#[")).collect();
        marks.iter().any(|mark| mark.starts_with("#[test]") || mark.starts_with("#[tokio::test"))
            && !marks.iter().any(|mark| mark.starts_with("#[ignore"))
    });
    marked || made_by_a_macro(source, function)
}

/// The names after the first, between `on_one_and_two_servers!(` and its end, are tests.
fn made_by_a_macro(source: &str, function: &str) -> bool {
    source.split("on_one_and_two_servers!(").skip(1).filter_map(|rest| rest.split(')').next()).any(|names| {
        let mut names = names.split(',').map(str::trim);
        names.next();
        names.any(|name| name == function)
    })
}

#[test]
fn every_attack_has_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/attacks.md")).unwrap();
    let faults = faults(&page, is_test);
    assert!(faults.is_empty(), "docs/attacks.md:\n{}", faults.join("\n"));
    assert_eq!(rows(&page).len(), ATTACKS);
}

/// A test with the number of an attack in its name is on the page, in that row.
#[test]
fn every_test_named_for_an_attack_is_listed() {
    let page = fs::read_to_string(root().join("docs/attacks.md")).unwrap();
    let listed = rows(&page);
    let mut sources = vec![root().join("crates")];
    let mut found = 0;
    while let Some(path) = sources.pop() {
        if path.is_dir() {
            sources.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some(rest) = line.trim().trim_start_matches("async ").strip_prefix("fn attack_") else { continue };
            let name = format!("attack_{}", rest.split('(').next().unwrap());
            let number: usize = rest.split('_').next().unwrap().parse().unwrap();
            let row = listed.iter().find(|row| row.number == number).unwrap();
            let file = path.file_stem().unwrap().to_str().unwrap();
            let end = format!("::{file}::{name}");
            assert!(row.tests.iter().any(|test| test.ends_with(&end)), "attack {number} does not list …{end}");
            found += 1;
        }
    }
    assert!(found > 20, "the tests are found: {found}");
}

#[test]
fn a_missing_row_a_row_without_tests_and_an_unknown_test_are_found() {
    let lines: Vec<String> = (1..=ATTACKS).map(|number| format!("| {number} | a | b | `c::d::e` |")).collect();
    let page = lines.join("\n");
    assert!(faults(&page, |_| true).is_empty());
    assert_eq!(faults(&page, |_| false).len(), ATTACKS);
    let fault = |from: &str, to: &str| faults(&page.replace(from, to), |test| test == "c::d::e");
    assert_eq!(fault("| 7 |", "| x |"), ["attack 7 is there 0 times"]);
    assert_eq!(fault("| 7 |", "| 8 |").len(), 2);
    assert_eq!(fault("| 9 | a | b | `c::d::e` |", "| 9 | a | b | |"), ["attack 9 has no test"]);
    assert_eq!(fault("| 9 | a | b | `c::d::e` |", "| 9 | a | b | `c::d::f` |"), ["attack 9: there is no test c::d::f"]);
}

#[test]
fn what_is_not_a_test_is_told_from_one() {
    let source = "#[test]\nfn one() {}\n#[tokio::test]\n#[expect(x)]\nasync fn two() {}\nfn three() {}\n\
                  #[test]\n#[ignore]\nfn four() {}\non_one_and_two_servers!(\n  race,\n  five,\n  six\n);\n";
    for (name, is_one) in [("one", true), ("two", true), ("three", false), ("four", false), ("on", false)] {
        assert_eq!(has_test(source, name), is_one, "{name}");
    }
    assert!(has_test(source, "five") && has_test(source, "six") && !has_test(source, "race"));
    assert!(
        !is_test("http::providers::attacks_on_keys::attack_1_of_nobody") && !is_test("nowhere") && !is_test("a::b")
    );
}
