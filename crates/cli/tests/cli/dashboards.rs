//! What `deploy/` watches is there to be watched: every metric that the dashboard and the alerts name is on the page of a
//! running server, with the labels they ask for.

use crate::support::Setting;
use std::collections::BTreeSet;

const DASHBOARD: &str = include_str!("../../../../deploy/grafana-dashboard.json");
const ALERTS: &str = include_str!("../../../../deploy/alerts.yaml");

/// Every metric of ours that a text names.
fn named(text: &str) -> BTreeSet<&str> {
    let is_part = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
    let words = text.split(|character| !is_part(character));
    words.filter(|word| word.starts_with("perennial_")).collect()
}

/// The words before `=`, `=~` or `!=` in braces, and those in `by (…)`.
fn labels(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for rest in text.split("by (").skip(1) {
        found.extend(rest.split(')').next().unwrap_or_default().split(',').map(str::trim));
    }
    for rest in text.split('{').skip(1) {
        let selector = rest.split('}').next().unwrap_or_default();
        let names = selector.split(',').filter_map(|part| part.split_once('=')).map(|(name, _)| name.trim());
        found.extend(names.filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase())));
    }
    found
}

/// The page of a server that has answered something.
fn page() -> String {
    let setting = Setting::new();
    setting.caller.get("/subscriptions").expect(200);
    setting.server.metrics_page()
}

#[test]
fn every_metric_of_the_dashboard_and_the_alerts_is_on_the_page() {
    let page = page();
    // A counter with labels has no line before its first event, but a type.
    let shown: BTreeSet<&str> = page
        .lines()
        .map(|line| line.strip_prefix("# TYPE ").unwrap_or(line))
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(['{', ' ']).next().unwrap_or_default())
        .collect();
    for (file, text, least) in [("grafana-dashboard.json", DASHBOARD, 15), ("alerts.yaml", ALERTS, 6)] {
        let named = named(text);
        assert!(named.len() >= least, "{file} names {named:?}");
        let missing: Vec<_> = named.difference(&shown).collect();
        assert!(missing.is_empty(), "{file} names what no server shows: {missing:?}");
    }
}

#[test]
fn every_label_they_ask_for_is_one() {
    // Prometheus adds these two itself.
    let mut known = BTreeSet::from(["instance", "job"]);
    // Counters of payment providers have them once there is a connection.
    known.extend(["kind", "object", "outcome", "status"]);
    let page = page();
    known.extend(labels(&page));
    for text in [&DASHBOARD.replace("\\\"", "\""), ALERTS] {
        let asked = labels(text);
        assert!(asked.len() >= 3, "{asked:?}");
        let unknown: Vec<_> = asked.difference(&known).collect();
        assert!(unknown.is_empty(), "unknown labels: {unknown:?}");
    }
}

#[test]
fn the_dashboard_is_json_and_watches_all_there_is() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    assert_eq!(dashboard["title"], "Perennial");
    let page = page();
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let names: Vec<&str> = types.filter_map(|line| line.split(' ').next()).collect();
    // A bound, not a reading: the alerts hold the queue against it.
    let unwatched: Vec<_> = names.iter().filter(|name| !DASHBOARD.contains(*name)).collect();
    assert_eq!(unwatched, [&"perennial_store_queue_capacity"]);
}
