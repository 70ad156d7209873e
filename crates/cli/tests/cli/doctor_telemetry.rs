//! `perennial doctor` on the collector of traces and metrics.

use crate::doctor::Seen;
use crate::support::{Collector, Issuer, Place, free_ports};
use serde_json::json;
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

fn doctor(place: &Place, collector: &str) -> Command {
    let mut command = place.program();
    command.args(["doctor", "--json"]).env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
    command
}

#[test]
fn a_collector_that_takes_what_it_is_sent_is_sent_nothing() {
    let (place, collector) = (Place::new(), Collector::start());
    let mut command = doctor(&place, &collector.url());
    let seen = Seen::of(command.env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k%3D1"));
    seen.has_no_problem();
    for (path, nothing) in
        [("/v1/traces", json!({ "resourceSpans": [] })), ("/v1/metrics", json!({ "resourceMetrics": [] }))]
    {
        seen.says("telemetry", "ok", &[&format!("{}{path}", collector.url())]);
        let [sent] = &collector.sent(path)[..] else { panic!("{path} was not asked once") };
        assert_eq!(sent.body, nothing);
        assert!(sent.head.contains("api-key: k=1\r\n"), "{}", sent.head);
    }
    // Without one there is nothing to look at.
    let seen = Seen::at(&place, &[]);
    assert!(!seen.data.to_string().contains("telemetry"), "{:#}", seen.data);
}

#[test]
fn a_collector_that_is_away_is_a_warning() {
    let place = Place::new();
    let (gone, _) = free_ports();
    let seen = Seen::of(&mut doctor(&place, &format!("http://127.0.0.1:{gone}")));
    seen.has_no_problem();
    for path in ["/v1/traces", "/v1/metrics"] {
        seen.says("telemetry", "warning", &[path, "no connection", "4318"]);
    }
}

#[test]
fn a_collector_that_never_answers_is_not_waited_for() {
    let place = Place::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let seen = Seen::of(&mut doctor(&place, &format!("http://{}", silent.local_addr().unwrap())));
    // Five seconds for both at once, and what all the rest takes on a busy machine.
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    seen.has_no_problem();
    assert_eq!(seen.found("telemetry", "warning").len(), 2, "{:#}", seen.data);
}

#[test]
fn what_a_collector_refuses_says_what_to_do() {
    let place = Place::new();
    // It need not be a collector to refuse.
    let refusing = Issuer::start();
    refusing.set("/v1/traces", 401, &json!({}));
    let seen = Seen::of(&mut doctor(&place, &refusing.url));
    seen.says("telemetry", "warning", &["/v1/traces", "status 401", "OTEL_EXPORTER_OTLP_HEADERS"]);
    seen.says("telemetry", "warning", &["/v1/metrics", "status 404", "without /v1/traces"]);
    let mut command = doctor(&place, &refusing.url);
    let seen = Seen::of(command.env("OTEL_EXPORTER_OTLP_HEADERS", "hunter2"));
    seen.has_one_problem("telemetry", &["OTEL_EXPORTER_OTLP_HEADERS", "name=value"]);
    assert!(!seen.data.to_string().contains("hunter2"));
}
