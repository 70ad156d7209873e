//! A proxy that is missing in `trusted_proxies`: the server logs it once, and `perennial doctor` reports it.

use crate::doctor::Seen;
use crate::support::{Connection, Place, Server, free_ports};

/// A server on a port that is known beforehand, so that the doctor finds its metrics.
fn serve(place: &Place, listen: &str) -> Server {
    Server::start(place.program().args(["serve", "--listen", listen]))
}

fn forwarded(server: &Server) {
    let headers = ["client-id: default", "x-forwarded-for: 198.51.100.7"];
    let mut connection = Connection::open(server.address).unwrap();
    for _ in 0..3 {
        connection.call("GET", "/subscription-plans", &headers, None).unwrap().expect(200);
    }
}

#[test]
fn an_untrusted_proxy_is_logged_once_and_reported() {
    let place = Place::new();
    let (port, _) = free_ports();
    let listen = format!("127.0.0.1:{port}");
    let server = serve(&place, &listen);
    assert_eq!(Seen::at(&place, &["--listen", &listen]).found("proxies", "warning"), [""; 0]);
    forwarded(&server);
    Seen::at(&place, &["--listen", &listen]).says("proxies", "warning", &["3 requests", "trusted_proxies", "sign-in"]);
    let logs = server.logs();
    assert_eq!(logs.matches("x-forwarded-for").count(), 1, "{logs}");
    assert!(server.metrics_page().contains("perennial_untrusted_forwarded_total 3"));
}

#[test]
fn a_trusted_proxy_is_not_reported() {
    let place = Place::new();
    let (port, _) = free_ports();
    let listen = format!("127.0.0.1:{port}");
    std::fs::write(place.path().join("perennial.toml"), "trusted_proxies = [\"127.0.0.1/32\"]\n").unwrap();
    let server = serve(&place, &listen);
    forwarded(&server);
    assert_eq!(Seen::at(&place, &["--listen", &listen]).found("proxies", "warning"), [""; 0]);
    assert!(!server.logs().contains("x-forwarded-for"), "{}", server.logs());
}
