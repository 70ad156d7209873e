//! Graceful shutdown: requests in flight complete, acknowledged writes are stored, and the exit code is 0, in time.

use crate::support::{Connection, PATIENCE, Place, Server, Setting, eventually};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(10);
const WRITERS: usize = 8;

/// What the writers know when their connections have closed.
#[derive(Default)]
struct Journal {
    /// Answered with 201.
    acknowledged: Vec<String>,
    /// Sent, and either refused or never answered.
    unanswered: Vec<String>,
}

/// Creates one subscription after another until the server goes away, or is not going to.
fn write(setting: &Setting, writer: usize, acknowledged: &AtomicUsize) -> Journal {
    let mut journal = Journal::default();
    let Ok(mut connection) = Connection::open(setting.server.address) else { return journal };
    let deadline = Instant::now() + PATIENCE;
    for number in 0.. {
        assert!(Instant::now() < deadline, "the server heard no signal");
        let external = format!("w{writer}-{number}");
        let body = setting.subscription(&external);
        match connection.call("POST", "/subscriptions", &[&setting.caller.header()], Some(&body)) {
            Ok(answer) if answer.status == 201 => {
                journal.acknowledged.push(external);
                acknowledged.fetch_add(1, Ordering::Relaxed);
                if answer.header("connection") == "close" {
                    return journal;
                }
            }
            Ok(answer) if answer.json()["code"] == "overloaded" => journal.unanswered.push(external),
            Ok(answer) => {
                assert_eq!((answer.status, answer.json()["code"].as_str()), (503, Some("shutting_down")));
                journal.unanswered.push(external);
                return journal;
            }
            Err(error) => {
                let gone = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
                assert!(gone.contains(&error.kind()), "{error}");
                journal.unanswered.push(external);
                return journal;
            }
        }
    }
    journal
}

fn externals(place: &Place, server: &Server) -> Vec<String> {
    let caller = server.caller(place.first("trusted_client_id"));
    let text = |record: &Value| record["external_subscription_id"].as_str().unwrap().to_owned();
    caller.all("/subscriptions").iter().map(text).collect()
}

fn stops_cleanly_under_load(signal: &str) {
    let setting = Setting::new();
    let acknowledged = AtomicUsize::new(0);
    let journals: Vec<Journal> = std::thread::scope(|scope| {
        let (setting, acknowledged) = (&setting, &acknowledged);
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(setting, writer, acknowledged))).collect();
        eventually(PATIENCE, "some load", || (acknowledged.load(Ordering::Relaxed) >= 200).then_some(()));
        setting.server.signal(signal);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let Setting { place, server, .. } = setting;
    let (output, took) = server.ended();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(took < LONGEST, "{took:?}");
    assert!(output.stderr.contains("\"aborted\":0"), "{}", output.stderr);

    let kept = externals(&place, &place.serve());
    let once: BTreeSet<&String> = kept.iter().collect();
    assert_eq!(once.len(), kept.len(), "something is there twice");
    let acknowledged: BTreeSet<&String> = journals.iter().flat_map(|journal| &journal.acknowledged).collect();
    assert!(acknowledged.len() >= 200);
    let lost: Vec<_> = acknowledged.difference(&once).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    // What took effect was in flight, and what was in flight must be answered.
    let silent: Vec<_> =
        journals.iter().flat_map(|journal| &journal.unanswered).filter(|id| once.contains(id)).collect();
    assert!(silent.is_empty(), "done and never answered: {silent:?}");
}

#[test]
fn sigterm_under_load_answers_what_is_in_flight_and_loses_nothing() {
    stops_cleanly_under_load("TERM");
}

#[test]
fn sigint_under_load_answers_what_is_in_flight_and_loses_nothing() {
    stops_cleanly_under_load("INT");
}

/// A request whose head and half of whose body have been sent.
fn half_sent(setting: &Setting, external: &str) -> (Connection, String) {
    let body = setting.subscription(external).to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /subscriptions HTTP/1.1\r\nhost: x\r\n{}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        setting.caller.header(),
        body.len()
    );
    let mut connection = Connection::open(setting.server.address).unwrap();
    connection.write(format!("{head}{first}").as_bytes()).unwrap();
    (connection, rest.to_owned())
}

fn wait_for_in_flight(setting: &Setting, count: usize) {
    let line = format!("perennial_http_requests_in_flight {count}\n");
    eventually(PATIENCE, "requests in flight", || setting.server.metrics_page().contains(&line).then_some(()));
}

#[test]
fn requests_that_began_before_the_signal_are_answered_after_it() {
    let setting = Setting::new();
    let mut held: Vec<_> = (0..10).map(|number| half_sent(&setting, &format!("held-{number}"))).collect();
    wait_for_in_flight(&setting, held.len());
    setting.server.signal("TERM");
    let refused = || TcpStream::connect(setting.server.address).err().map(drop);
    eventually(PATIENCE, "an end to accepting", refused);
    for (connection, rest) in &mut held {
        connection.write(rest.as_bytes()).unwrap();
        connection.answer().unwrap().expect(201);
    }
    let Setting { place, server, .. } = setting;
    let (output, took) = server.ended();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(took < LONGEST, "{took:?}");
    assert!(output.stderr.contains("\"finished\":10,\"aborted\":0"), "{}", output.stderr);
    assert_eq!(externals(&place, &place.serve()).len(), 10);
}

#[test]
fn a_request_that_never_ends_holds_nothing_up_for_longer_than_ten_seconds() {
    let setting = Setting::new();
    let _held = half_sent(&setting, "held");
    wait_for_in_flight(&setting, 1);
    let (output, took) = setting.server.stop("TERM");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(took < LONGEST, "{took:?}");
    assert!(output.stderr.contains("\"finished\":0,\"aborted\":1"), "{}", output.stderr);
}

#[test]
fn a_server_that_stopped_leaves_one_file_behind_and_starts_again() {
    let setting = Setting::new();
    setting.caller.post("/subscriptions", &setting.subscription("stored")).expect(201);
    let Setting { place, server, .. } = setting;
    let (output, _) = server.stop("TERM");
    assert_eq!(output.code, Some(0));
    // What the write-ahead log held is in the database.
    assert!(!place.data().join("perennial.db-wal").exists());
    assert_eq!(externals(&place, &place.serve()), ["stored"]);
}

#[test]
fn a_server_whose_logs_nobody_reads_any_more_serves_and_stops() {
    let place = Place::new();
    let server = Server::start_unread(&mut place.serve_command());
    server.wait_until_ready();
    let (output, _) = server.stop("TERM");
    assert_eq!(output.code, Some(0));
}
