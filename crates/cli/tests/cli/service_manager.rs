//! Under a service manager and behind a proxy: notifications and `/readyz` at start and stop.

use crate::support::{PATIENCE, Place, Server, Setting, eventually};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

/// The manager's end of the socket.
struct Manager(UnixDatagram);

impl Manager {
    fn listen(address: &SocketAddr) -> Self {
        let socket = UnixDatagram::bind_addr(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(socket)
    }

    /// The next word.
    fn heard(&self) -> String {
        let mut bytes = [0; 512];
        let length = self.0.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    /// The next word that is no sign of life.
    fn heard_of_state(&self) -> String {
        std::iter::repeat_with(|| self.heard()).find(|word| word != "WATCHDOG=1").unwrap()
    }
}

#[test]
fn the_service_manager_hears_of_readiness_of_life_and_of_the_end() {
    let place = Place::new();
    let path = place.path().join("notify");
    let manager = Manager::listen(&SocketAddr::from_pathname(&path).unwrap());
    let mut command = place.serve_command();
    let server = Server::start(command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000"));
    let listening = format!("READY=1\nSTATUS=listening on {}", server.address);
    assert_eq!(manager.heard_of_state(), listening);
    server.wait_until_ready();
    let start = Instant::now();
    for _ in 0..5 {
        assert_eq!(manager.heard(), "WATCHDOG=1");
    }
    assert!(start.elapsed() >= Duration::from_millis(250), "every 100 ms: {:?}", start.elapsed());
    server.signal("TERM");
    assert_eq!(manager.heard_of_state(), "STOPPING=1");
    assert_eq!(server.ended().0.code, Some(0));
}

#[test]
fn a_socket_without_a_path_is_spoken_to_as_well_and_no_watchdog_is_fed_unasked() {
    let place = Place::new();
    let name = format!("perennial-test-{}", place.path().display());
    let manager = Manager::listen(&SocketAddr::from_abstract_name(&name).unwrap());
    let server = Server::start(place.serve_command().env("NOTIFY_SOCKET", format!("@{name}")));
    assert!(manager.heard().starts_with("READY=1\n"));
    server.signal("INT");
    assert_eq!(manager.heard(), "STOPPING=1");
    assert_eq!(server.ended().0.code, Some(0));
}

#[test]
fn a_service_manager_that_is_not_there_keeps_nobody_from_serving() {
    let place = Place::new();
    let server = Server::start(place.serve_command().env("NOTIFY_SOCKET", place.path().join("missing")));
    server.wait_until_ready();
    let (output, _) = server.stop("TERM");
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("NOTIFY_SOCKET cannot be used"), "{}", output.stderr);
}

/// A server that received SIGTERM and waits for `stop_delay_seconds`.
fn leaving(seconds: u16) -> Setting {
    let place = Place::new();
    std::fs::write(place.path().join("perennial.toml"), format!("stop_delay_seconds = {seconds}\n")).unwrap();
    let setting = Setting::at(place);
    setting.server.signal("TERM");
    eventually(PATIENCE, "a server that leaves", || (setting.server.get("/readyz").status == 503).then_some(()));
    setting
}

#[test]
fn between_the_signal_and_the_end_only_readiness_is_refused() {
    let setting = leaving(2);
    let start = Instant::now();
    let answer = setting.server.get("/readyz").expect(503);
    assert_eq!((answer.json()["code"].as_str(), answer.header("retry-after")), (Some("shutting_down"), "1"));
    setting.server.get("/livez").expect(200);
    setting.caller.post("/subscriptions", &setting.subscription("late")).expect(201);
    assert!(start.elapsed() < Duration::from_millis(1_500), "this machine is too slow to tell");
    let (output, took) = setting.server.ended();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(!output.stderr.contains("\"ERROR\""), "nothing is wrong: {}", output.stderr);
    assert!(took > Duration::from_millis(300) && took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn told_to_stop_twice_it_does_not_wait() {
    let setting = leaving(600);
    let (output, took) = setting.server.stop("TERM");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(took < Duration::from_secs(10), "{took:?}");
}
