//! OpenTelemetry: what a collector is sent, and that serving does not depend on one.

use crate::support::{Caller, Collector, Connection, Output, Place, Server, attribute, eventually, free_ports};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn told_of(place: &Place, url: &str) -> Command {
    std::fs::write(place.path().join("perennial.toml"), "[telemetry]\nmetrics_seconds = 1\n").unwrap();
    let mut command = place.serve_command();
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    command
}

fn plan(slug: &str) -> Value {
    json!({ "name": "Pro", "slug": slug, "price": 19.99, "billing_cycle": "monthly" })
}

/// Creates a plan within a trace.
#[track_caller]
fn create(caller: &Caller, slug: &str, flags: &str) {
    let trace = format!("traceparent: 00-{TRACE}-{CALLER}-{flags}");
    let headers = [caller.header(), trace, format!("x-request-id: create-{slug}")];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut connection = Connection::open(caller.address).unwrap();
    connection.call("POST", "/subscription-plans", &headers, Some(&plan(slug))).unwrap().expect(201);
}

fn is_create(span: &Value) -> bool {
    span["name"] == "POST /subscription-plans"
}

#[test]
fn a_trace_goes_on_from_the_caller_into_the_store() {
    let (place, collector) = (Place::new(), Collector::start());
    let mut command = told_of(&place, &collector.url());
    let server = Server::start(command.env("OTEL_SERVICE_NAME", "billing"));
    let caller = server.caller(place.first("trusted_client_id"));
    create(&caller, "secret-plan", "01");
    let request = collector.span(is_create);
    assert_eq!((&request["traceId"], &request["parentSpanId"]), (&json!(TRACE), &json!(CALLER)));
    assert_eq!((&request["kind"], &request["status"]), (&json!(2), &json!({})));
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/subscription-plans"),
        ("http.response.status_code", "201"),
        ("perennial.request_id", "create-secret-plan"),
    ] {
        assert_eq!(attribute(&request, key), value, "{request}");
    }
    let below = |name: &'static str| {
        let id = request["spanId"].clone();
        collector.span(move |span| span["name"] == name && span["parentSpanId"] == id)
    };
    let commit = below("store.commit");
    assert_eq!((&commit["traceId"], &commit["kind"]), (&json!(TRACE), &json!(3)));
    // A background job may write in the same batch.
    assert!(attribute(&commit, "perennial.batch_changes").parse::<u64>().unwrap() >= 1, "{commit}");
    assert!(attribute(&commit, "perennial.queue_micros").parse::<u64>().is_ok(), "{commit}");
    let system = if place.is_postgres() { "postgresql" } else { "sqlite" };
    assert_eq!(attribute(&commit, "db.system.name"), system);
    let nanos = |span: &Value, end: &str| span[end].as_str().unwrap().parse::<u64>().unwrap();
    assert!(nanos(&commit, "startTimeUnixNano") >= nanos(&request, "startTimeUnixNano"));
    assert!(nanos(&commit, "endTimeUnixNano") > nanos(&commit, "startTimeUnixNano"));
    caller.get("/subscription-plans/secret-plan").expect(200);
    let read = collector.span(|span| span["name"] == "GET /subscription-plans/{slug}");
    assert_eq!(read["parentSpanId"], Value::Null);
    assert!(read["traceId"] != TRACE && read["traceId"] != "0".repeat(32));
    let select = collector.span(|span| span["name"] == "store.read" && span["parentSpanId"] == read["spanId"]);
    assert!(attribute(&select, "db.query.text").contains("SELECT"), "{select}");
    let traces = collector.sent("/v1/traces");
    assert_eq!(attribute(&traces[0].body["resourceSpans"][0]["resource"], "service.name"), "billing");
    // The id of the request above holds the slug; nothing else may.
    let all = traces.iter().map(|sent| sent.body.to_string()).collect::<String>().replace("create-secret-plan", "");
    for secret in ["secret-plan", &caller.client_id, "19.99"] {
        assert!(!all.contains(secret), "{secret} is in {all}");
    }
}

#[test]
fn a_request_is_traced_if_its_caller_or_chance_says_so() {
    let (place, collector) = (Place::new(), Collector::start());
    let mut command = told_of(&place, &collector.url());
    std::fs::write(place.path().join("perennial.toml"), "[telemetry]\nsample_percent = 0\n").unwrap();
    let server = Server::start(&mut command);
    let caller = server.caller(place.first("trusted_client_id"));
    create(&caller, "unsampled", "00");
    create(&caller, "sampled", "01");
    caller.get("/subscription-plans").expect(200);
    let (output, _) = server.stop("TERM");
    assert!(!output.stderr.contains("\"WARN\""), "{}", output.stderr);
    let ids: Vec<String> = collector.spans().iter().map(|span| attribute(span, "perennial.request_id")).collect();
    assert!(ids.contains(&"create-sampled".to_owned()), "{ids:?}");
    assert!(!ids.contains(&"create-unsampled".to_owned()), "{ids:?}");
    // Neither are its reads and commits, which would otherwise begin traces of their own.
    let count = |name: &str| collector.spans().iter().filter(|span| span["name"] == name).count();
    assert_eq!((count("store.commit"), count("GET /subscription-plans")), (1, 0));
}

#[test]
fn the_metrics_are_those_of_the_page() {
    let (place, collector) = (Place::new(), Collector::start());
    let mut command = told_of(&place, &collector.url());
    let server = Server::start(command.env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k%3D1"));
    let caller = server.caller(place.first("trusted_client_id"));
    for slug in ["a", "b", "c"] {
        caller.post("/subscription-plans", &plan(slug)).expect(201);
    }
    let created = |point: &Value| {
        let labels = ["route", "method", "status"].map(|key| attribute(point, key));
        labels == ["/subscription-plans", "POST", "201"] && point["asInt"] == "3"
    };
    let right = |metric: &Value| metric["sum"]["dataPoints"].as_array().unwrap().iter().any(created);
    let requests = collector.metric("perennial_http_requests_total", right);
    assert_eq!(
        (&requests["sum"]["isMonotonic"], &requests["sum"]["aggregationTemporality"]),
        (&json!(true), &json!(2))
    );
    let last = collector.sent("/v1/metrics").pop().unwrap();
    assert!(last.head.contains("api-key: k=1\r\n"), "{}", last.head);
    let metrics = last.body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap().clone();
    let page = server.metrics_page();
    for line in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let metric =
            metrics.iter().find(|metric| metric["name"] == name).unwrap_or_else(|| panic!("{name} is not sent"));
        let form = if kind == "counter" { "sum" } else { kind };
        assert!(metric[form]["dataPoints"].is_array(), "{metric}");
    }
    assert!(page.contains("perennial_telemetry_spans_dropped_total 0\n"), "{page}");
}

#[test]
fn nothing_is_sent_without_an_endpoint() {
    let place = Place::new();
    // The default address of collectors; it may be in use on this machine.
    let usual = TcpListener::bind("127.0.0.1:4318");
    let server = Server::start(&mut told_of(&place, ""));
    create(&server.caller(place.first("trusted_client_id")), "pro", "01");
    assert!(!server.metrics_page().contains("perennial_telemetry"));
    server.stop("TERM");
    if let Ok(usual) = usual {
        usual.set_nonblocking(true).unwrap();
        assert!(usual.accept().is_err());
    }
}

#[test]
fn what_is_left_is_sent_before_the_end() {
    let (place, collector) = (Place::new(), Collector::start());
    let server = Server::start(&mut told_of(&place, &collector.url()));
    create(&server.caller(place.first("trusted_client_id")), "last", "01");
    server.stop("TERM");
    assert!(collector.spans().iter().any(is_create));
}

#[test]
fn a_collector_that_is_away_is_a_warning_and_nothing_else() {
    let place = Place::new();
    let (gone, _) = free_ports();
    let server = Server::start(&mut told_of(&place, &format!("http://127.0.0.1:{gone}")));
    serve_as_ever(&place, &server);
    let dropped = || {
        let page = server.metrics_page();
        let line = page.lines().find_map(|line| line.strip_prefix("perennial_telemetry_spans_dropped_total "));
        line.and_then(|count| count.parse::<u64>().ok()).filter(|count| *count > 0)
    };
    eventually(Duration::from_secs(10), "dropped spans", dropped);
    let (output, took) = server.stop("TERM");
    assert!(output.code == Some(0) && took < Duration::from_secs(5), "{took:?}");
    assert_eq!(output.stderr.matches("\"WARN\"").count(), 1, "{}", output.stderr);
}

#[test]
fn a_collector_that_never_answers_holds_nobody_up() {
    let place = Place::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::start(&mut told_of(&place, &format!("http://{}", silent.local_addr().unwrap())));
    serve_as_ever(&place, &server);
    let (output, took) = server.stop("TERM");
    assert!(output.code == Some(0) && took < Duration::from_secs(5), "{took:?}");
}

/// Three hundred requests, in far less time than one waiting for a collector would take.
#[track_caller]
fn serve_as_ever(place: &Place, server: &Server) {
    let caller = server.caller(place.first("trusted_client_id"));
    let (mut connection, header) = (Connection::open(caller.address).unwrap(), caller.header());
    let start = Instant::now();
    for _ in 0..300 {
        connection.call("GET", "/subscription-plans", &[&header], None).unwrap().expect(200);
    }
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[test]
fn a_collector_that_is_no_url_is_refused() {
    let place = Place::new();
    let mut command = place.serve_command();
    let output = Output::of(command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"));
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{}", output.stderr);
}
