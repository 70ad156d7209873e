//! Every statement of the store is prepared on both migrated databases, in place of a check at compile time.
//! The list is held against the sources, so that no statement can stay out of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{PlanId, UserId};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_store::statements::{self, Statement};
use perennial_store::{Position, Value, plans, subscriptions};

use crate::support::{Place, connect};

#[tokio::test]
async fn every_statement_can_be_prepared_on_sqlite() {
    let place = Place::empty_sqlite();
    place.open().await.migrate().await.unwrap();
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    for Statement { name, sqlite, .. } in everything() {
        let prepared = connection.prepare(&sqlite).map(|statement| statement.parameter_count());
        assert!(prepared.is_ok(), "{name} {prepared:?}: {sqlite}");
    }
}

#[tokio::test]
async fn every_statement_can_be_prepared_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    place.open().await.migrate().await.unwrap();
    let client = connect(&place.url()).await;
    for Statement { name, postgres, .. } in everything() {
        for text in postgres {
            let prepared = client.prepare(&text).await;
            assert!(prepared.is_ok(), "{name} {:?}: {text}", prepared.err());
        }
    }
}

#[test]
fn every_statement_in_the_sources_is_in_the_list() {
    let named: Vec<String> = statements::all().into_iter().map(|statement| statement.name).collect();
    let by_hand = named.iter().filter(|name| name.contains("::"));
    let listed: BTreeSet<String> = by_hand.cloned().collect();
    let written = written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(written.len() > 30, "the sources were searched: {written:?}");
    let missing: Vec<_> = written.difference(&listed).collect();
    assert!(missing.is_empty(), "not in crates/store/src/statements.rs: {missing:?}");
    let removed: Vec<_> = listed.difference(&written).collect();
    assert!(removed.is_empty(), "in the list, but nowhere in the sources: {removed:?}");
    assert_eq!(named.iter().collect::<BTreeSet<_>>().len(), named.len(), "a name is in the list twice");
}

#[test]
fn every_statement_of_the_sources_is_found_whatever_its_visibility() {
    let source = "//! static DOC: Sql = x;\npub(crate) static A: Sql = Sql::new(\"\");\nstatic B: Insert = y;\n\
                  static TABLE: Table = z;\n    pub static C: LazyLock<Sql> =\n#[cfg(test)]\nmod tests { static D: Sql = w; }";
    assert_eq!(declared(source), ["A", "B", "C"]);
}

/// The committed list of statements, so that they can be searched and reviewed. With `PERENNIAL_UPDATE_SNAPSHOTS=1` the
/// test writes it.
#[test]
fn the_committed_statements_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("statements.sql");
    let mut text =
        "-- Every statement of the store, written by a test of it. `$` marks the parameters on both engines.\n"
            .to_owned();
    for Statement { name, sqlite, postgres } in statements::all() {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (sqlite, postgres) = (one_line(&sqlite).replace('?', "$"), one_line(&postgres[0]));
        let _ = write!(text, "\n-- {name}\n{}", wrapped(&postgres));
        if sqlite != postgres {
            let _ = write!(text, "-- {name} (SQLite)\n{}", wrapped(&sqlite));
        }
    }
    if std::env::var_os("PERENNIAL_UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "statements.sql has changed: run this test with PERENNIAL_UPDATE_SNAPSHOTS=1 and review"
    );
}

/// Lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.len() + word.len() + 1 > 119 {
            lines.push_str(&line);
            lines.push('\n');
            "   ".clone_into(&mut line);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    format!("{lines}{line};\n")
}

fn everything() -> Vec<Statement> {
    let mut all = statements::all();
    let after = Position { values: vec![Value::Uuid([9; 16])] };
    all.extend(statements::operator_pages(None));
    all.extend(statements::operator_pages(Some(&after)));
    for descending in [false, true] {
        for sort in
            [plans::Sort::Tier, plans::Sort::Price, plans::Sort::Name, plans::Sort::Created, plans::Sort::Updated]
        {
            let bare = plans::Query { sort, descending, ..plans::Query::default() };
            let full = plans::Query {
                is_active: Some(true),
                billing_cycle: Some(BillingCycle::Monthly),
                tier: Some(1),
                most_popular: Some(false),
                product_id: Some("p".into()),
                variant: Some("v".into()),
                ..bare.clone()
            };
            for after in [None, Some(plan_position(sort))] {
                all.extend(statements::plans_page(&bare, after.clone()));
                all.extend(statements::plans_page(&full, after));
            }
        }
        for sort in [subscriptions::Sort::Created, subscriptions::Sort::Renews, subscriptions::Sort::Ends] {
            all.extend(statements::subscriptions_page(&every_filter(sort, descending), None));
        }
    }
    all
}

/// A page with every filter there is; the shapes of a page are taken through one by one with their plans.
pub(crate) fn every_filter(sort: subscriptions::Sort, descending: bool) -> subscriptions::Query {
    let at = Some(Time::from_micros(1).unwrap());
    let range = subscriptions::Range { after: at, before: at };
    subscriptions::Query {
        user_id: Some(UserId::from_bytes([2; 16])),
        plan_id: Some(PlanId::from_bytes([3; 16])),
        statuses: vec![SubscriptionStatus::Active, SubscriptionStatus::Paused],
        is_active: Some(true),
        billing_cycle: Some(BillingCycle::Monthly),
        external_id: Some("e".into()),
        created: range,
        renews: range,
        ends: range,
        sort,
        descending,
    }
}

fn plan_position(sort: plans::Sort) -> Position {
    let id = Value::Uuid([9; 16]);
    let values = match sort {
        plans::Sort::Tier => vec![Value::Int(1), "slug".into()],
        plans::Sort::Price => vec![Value::Int(1), id],
        plans::Sort::Name => vec!["name".into(), id],
        plans::Sort::Created => vec![id],
        plans::Sort::Updated => vec![Value::time(1), id],
    };
    Position { values }
}

/// `file::NAME` of every statement under a directory.
fn written(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(written(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.file_stem().unwrap().to_str().unwrap();
            let source = std::fs::read_to_string(&path).unwrap();
            found.extend(declared(&source).into_iter().map(|name| format!("{file}::{name}")));
        }
    }
    found
}

/// The names of the statements a source declares outside its comments and its own tests.
fn declared(source: &str) -> Vec<&str> {
    let (code, _) = source.split_once("#[cfg(test)]").unwrap_or((source, ""));
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .filter_map(|line| {
            let (_, declaration) = line.split_once("static ")?;
            let (name, kind) = declaration.split_once(':')?;
            let kind = kind.trim_start();
            ["Sql ", "LazyLock<Sql> ", "Insert "].iter().any(|known| kind.starts_with(known)).then_some(name)
        })
        .collect()
}
