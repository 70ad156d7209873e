//! What an operator watches: whether it lives and is ready, the metrics on their own listener, the logs.

use crate::support::{Connection, Place, Server, Setting, free_ports};
use serde_json::Value;
use std::net::TcpListener;

/// The value of the one line that begins like this.
fn metric(page: &str, start: &str) -> u64 {
    let line = page.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} is not in\n{page}"));
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

#[test]
fn life_and_readiness_are_told_without_a_client() {
    let server = Place::new().serve();
    assert_eq!(server.get("/livez").expect(200).data()["status"], "live");
    server.wait_until_ready();
    server.get("/subscription-plans").expect(401);
}

#[test]
fn metrics_are_on_the_next_port_of_loopback() {
    let place = Place::new();
    let (port, next) = free_ports();
    let mut command = place.program();
    let server = Server::start(command.args(["serve", "--listen", &format!("0.0.0.0:{port}")]));
    assert_eq!(server.metrics.unwrap().to_string(), format!("127.0.0.1:{next}"));
    assert!(server.metrics_page().contains("perennial_process_resident_memory_bytes "));
}

#[test]
fn a_port_of_the_systems_choice_gives_metrics_on_another() {
    let server = Place::new().serve();
    let metrics = server.metrics.unwrap();
    assert!(metrics.ip().is_loopback() && metrics.port() != 0 && metrics.port() != server.address.port());
    server.metrics_page();
}

#[test]
fn the_two_listeners_answer_their_own_paths_only() {
    let server = Place::new().serve();
    server.get("/metrics").expect(404);
    let mut connection = Connection::open(server.metrics.unwrap()).unwrap();
    connection.call("GET", "/livez", &[], None).unwrap().expect(404);
    connection.call("GET", "/subscription-plans", &[], None).unwrap().expect(404);
    connection.call("POST", "/metrics", &[], None).unwrap().expect(405);
}

#[test]
fn a_taken_default_for_metrics_is_a_warning_and_the_server_runs() {
    let place = Place::new();
    let (port, next) = free_ports();
    let _taken = TcpListener::bind(("127.0.0.1", next)).unwrap();
    let mut command = place.program();
    let server = Server::start(command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]));
    assert_eq!(server.metrics, None);
    server.wait_until_ready();
    let logs = server.logs();
    let warnings: Vec<&str> = logs.lines().filter(|line| line.contains("\"WARN\"")).collect();
    let [warning] = warnings[..] else { panic!("{logs}") };
    assert!(warning.contains("--metrics-listen") && warning.contains(&next.to_string()), "{warning}");
}

#[test]
fn metrics_move_with_the_requests() {
    let setting = Setting::new();
    let created = "perennial_http_requests_total{route=\"/subscriptions\",method=\"POST\",status=\"201\"}";
    let before = setting.server.metrics_page();
    assert!(!before.contains(created), "{before}");
    for number in 0..3 {
        setting.caller.post("/subscriptions", &setting.subscription(&format!("e{number}"))).expect(201);
    }
    setting.caller.post("/subscriptions", &setting.subscription("e0")).expect(409);
    setting.caller.get("/nowhere").expect(404);
    let after = setting.server.metrics_page();
    assert_eq!(metric(&after, created), 3);
    assert_eq!(metric(&after, &created.replace("201", "409")), 1);
    assert_eq!(metric(&after, "perennial_http_requests_total{route=\"none\",method=\"none\",status=\"404\"}"), 1);
    let timed = "perennial_http_request_seconds_count{route=\"/subscriptions\",method=\"POST\"}";
    assert_eq!(metric(&after, timed), 4);
    let grown = |name: &str| metric(&after, name) - metric(&before, name);
    assert_eq!(grown("perennial_store_changes_total "), grown("perennial_store_batch_size_sum "));
    assert!(grown("perennial_store_changes_total ") >= 3);
    assert!(grown("perennial_store_statements_total ") >= 3);
    assert_eq!(metric(&after, "perennial_store_queue_depth "), 0);
    assert_eq!(metric(&after, "perennial_store_queue_capacity "), 4096);
    let memory = metric(&after, "perennial_process_resident_memory_bytes ");
    assert!((1 << 20..1 << 30).contains(&memory), "{memory}");
}

#[test]
fn off_a_terminal_every_line_of_the_log_is_json() {
    let place = Place::new();
    let server = Server::start(place.serve_command().env("PERENNIAL_LOG", "debug"));
    let caller = server.caller(place.first("trusted_client_id"));
    caller.get("/subscription-plans").expect(200);
    caller.get("/nowhere?line=%0Abreak").expect(404);
    let (output, _) = server.stop("TERM");
    assert_eq!(output.stdout, "");
    let mut messages = Vec::new();
    for line in output.stderr.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        for member in ["timestamp", "level", "message", "target"] {
            assert!(line[member].is_string(), "{line}");
        }
        messages.push(line["message"].as_str().unwrap().to_owned());
    }
    for message in ["listening", "request finished", "received the stop signal", "stopped"] {
        assert!(messages.iter().any(|said| said == message), "{messages:?}");
    }
}

#[test]
fn single_requests_are_logged_only_when_asked_for() {
    let server = Place::new().serve();
    server.get("/livez").expect(200);
    let (output, _) = server.stop("TERM");
    assert!(!output.stderr.contains("\"DEBUG\"") && output.stderr.contains("\"INFO\""), "{}", output.stderr);
}
