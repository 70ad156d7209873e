//! Limits of sizes, connections and requests; hosts and framing.

use crate::support::{GET, GET_SLOW, Running, eventually, patient};
use perennial_server::ServerOptions;
use std::process::Command;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

fn status(response: &str) -> &str {
    response.get(9..12).unwrap_or("none")
}

#[tokio::test]
async fn headers_over_the_limit_are_431_from_the_service() {
    let server = Running::start(patient()).await;
    for size in [17 * 1024, 40 * 1024] {
        let filler = "x".repeat(size);
        let mut peer = server.sent(format!("GET / HTTP/1.1\r\nhost: a\r\nx: {filler}\r\n\r\n").as_bytes()).await;
        let response = peer.response().await;
        assert_eq!(status(&response), "431");
        assert!(response.ends_with("HeadersTooLarge"));
    }
}

#[tokio::test]
async fn far_over_the_limit_is_431_from_hyper() {
    let server = Running::start(patient()).await;
    let filler = "x".repeat(200 * 1024);
    let request = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {filler}\r\n\r\n");
    assert_eq!(status(&server.talk(request.as_bytes()).await), "431");
    let lines = "a: b\r\n".repeat(101);
    let request = format!("GET / HTTP/1.1\r\nhost: a\r\n{lines}\r\n");
    assert_eq!(status(&server.talk(request.as_bytes()).await), "431");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_target_over_the_limit_is_414() {
    let server = Running::start(patient()).await;
    for size in [8 * 1024, 40 * 1024] {
        let filler = "x".repeat(size);
        let request = format!("GET /{filler} HTTP/1.1\r\nhost: a\r\n\r\n");
        let response = server.sent(request.as_bytes()).await.response().await;
        assert_eq!(status(&response), "414");
        assert!(response.ends_with("TargetTooLong"));
    }
}

#[tokio::test]
async fn a_request_names_exactly_one_host() {
    let server = Running::start(patient()).await;
    for (head, expected) in [
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nhost: a b\r\n\r\n", "400"),
        ("GET http://a/ HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200"),
        ("GET / HTTP/1.0\r\n\r\n", "200"),
    ] {
        let response = server.sent(head.as_bytes()).await.response().await;
        assert_eq!(status(&response), expected, "{head}");
        assert_eq!(response.ends_with("BadHost"), expected == "400");
    }
}

#[tokio::test]
async fn of_an_absolute_target_the_path_is_used() {
    let server = Running::start(patient()).await;
    let request = b"GET http://a/plans HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(status(&server.sent(request).await.response().await), "200");
    assert_eq!(server.requests(), ["/plans"]);
}

/// Requests that two servers might parse differently. None may reach the service as two requests.
#[tokio::test]
async fn nothing_is_smuggled() {
    let server = Running::start(patient()).await;
    let folded = server.talk(b"GET /a HTTP/1.1\r\nhost: a\r\nx: 1\r\n 2\r\n\r\n").await;
    assert_eq!(status(&folded), "400");
    let spaced = server.talk(b"GET /b HTTP/1.1\r\nhost : a\r\n\r\n").await;
    assert_eq!(status(&spaced), "400");
    let lengths = server.talk(b"POST /c HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab").await;
    assert_eq!(status(&lengths), "400");
    let encodings = server.talk(b"POST /d HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, x\r\n\r\n0\r\n\r\n").await;
    assert_eq!(status(&encodings), "400");
    let old = server.talk(b"POST /e HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n").await;
    assert_eq!(status(&old), "400");
    assert!(server.requests().is_empty());

    for fields in
        ["content-length: 40\r\ntransfer-encoding: chunked", "transfer-encoding: chunked\r\ncontent-length: 40"]
    {
        let request = format!(
            "POST /echo HTTP/1.1\r\nhost: a\r\n{fields}\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n"
        );
        // Chunked takes precedence, and the connection closes because what follows is not trusted.
        let response = server.talk(request.as_bytes()).await;
        assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{response}");
        assert_eq!(status(&response), "200");
    }
    assert_eq!(server.requests(), ["/echo", "/echo"]);
}

#[tokio::test]
async fn an_upgrade_request_is_ignored() {
    let server = Running::start(patient()).await;
    let head = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n";
    let mut peer = server.sent(head).await;
    assert_eq!(status(&peer.response().await), "200");
}

#[tokio::test]
async fn requests_beyond_the_limit_are_shed_at_once() {
    let server = Running::start(ServerOptions { max_in_flight: 2, ..patient() }).await;
    let mut slow = [server.sent(GET_SLOW).await, server.sent(GET_SLOW).await];
    eventually(|| server.gauges.requests_in_flight() == 2).await;
    let mut third = server.sent(GET).await;
    let response = third.response().await;
    assert_eq!(status(&response), "503");
    assert!(response.contains("retry-after: 1") && response.ends_with("Overloaded"));
    assert_eq!(server.gauges.requests_shed(), 1);
    server.service.gate.add_permits(2);
    for peer in &mut slow {
        assert_eq!(status(&peer.response().await), "200");
    }
    // The connection of the rejected request still works.
    eventually(|| server.gauges.requests_in_flight() == 0).await;
    third.send(GET).await;
    assert_eq!(status(&third.response().await), "200");
}

#[tokio::test]
async fn slow_bodies_do_not_block_other_requests() {
    let server = Running::start(ServerOptions { max_in_flight: 2, ..patient() }).await;
    let dribble = b"POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nx";
    let mut slow = [server.sent(dribble).await, server.sent(dribble).await];
    eventually(|| server.gauges.bodies_awaited() == 2).await;
    // Not even before they count as slow.
    assert_eq!(status(&server.sent(GET).await.response().await), "200");
    // The number of slow bodies has the same limit.
    let mut third = server.sent(dribble).await;
    assert_eq!(status(&third.response().await), "503");
    for peer in &mut slow {
        peer.send(&[b'x'; 99]).await;
        assert_eq!(status(&peer.response().await), "200");
    }
    eventually(|| server.gauges.requests_in_flight() == 0).await;
}

#[tokio::test]
async fn some_places_are_reserved_for_reads() {
    let server = Running::start(ServerOptions { max_in_flight: 4, ..patient() }).await;
    let write = b"POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";
    let mut slow = [server.sent(write).await, server.sent(write).await, server.sent(write).await];
    eventually(|| server.gauges.requests_in_flight() == 3).await;
    assert_eq!(status(&server.sent(write).await.response().await), "503");
    assert_eq!(status(&server.sent(GET).await.response().await), "200");
    server.service.gate.add_permits(3);
    for peer in &mut slow {
        assert_eq!(status(&peer.response().await), "200");
    }
    eventually(|| server.gauges.requests_in_flight() == 0).await;
    server.service.gate.add_permits(1);
    assert_eq!(status(&server.sent(write).await.response().await), "200");
}

#[tokio::test]
async fn a_request_whose_peer_disconnects_runs_to_its_end_and_no_further() {
    let server = Running::start(patient()).await;
    let peer = server.sent(GET_SLOW).await;
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    drop(peer);
    server.service.gate.add_permits(1);
    eventually(|| server.gauges.requests_in_flight() == 0).await;
    eventually(|| server.gauges.open_connections() == 0).await;
}

#[tokio::test]
async fn a_client_may_close_its_half_after_a_request() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(GET_SLOW).await;
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    peer.0.shutdown().await.unwrap();
    server.service.gate.add_permits(1);
    assert!(peer.rest().await.ends_with("hello"));
}

#[tokio::test]
async fn a_connection_over_the_limit_receives_503() {
    let server = Running::start(ServerOptions { max_connections: 2, ..patient() }).await;
    let first = server.connect().await;
    let _second = server.connect().await;
    eventually(|| server.gauges.open_connections() == 2).await;
    let response = server.talk(GET).await;
    assert_eq!(status(&response), "503");
    assert!(response.contains("retry-after: 1\r\n") && response.contains("connection: close\r\n"));
    assert!(response.contains("application/problem+json") && response.ends_with("Overloaded"));
    assert_eq!(server.gauges.connections_refused(), 1);
    drop(first);
    eventually(|| server.gauges.open_connections() == 1).await;
    assert_eq!(status(&server.sent(GET).await.response().await), "200");
}

/// Runs the next test in a process with few file descriptors.
#[test]
fn running_out_of_descriptors_is_survived() {
    let child = "limits::in_a_process_with_few_descriptors";
    let output = Command::new("sh")
        .args(["-c", r#"ulimit -n 48 && exec "$0" --exact "$1" --ignored"#])
        .arg(std::env::current_exe().unwrap())
        .arg(child)
        .env("FEW_DESCRIPTORS", "48")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[tokio::test]
#[ignore = "needs a separate process: see the test above"]
async fn in_a_process_with_few_descriptors() {
    assert!(std::env::var_os("FEW_DESCRIPTORS").is_some(), "run by the test above only");
    let server = Running::start(patient()).await;
    let mut peers = Vec::new();
    while let Ok(peer) = TcpStream::connect(server.address).await {
        peers.push(peer);
    }
    // The last ones wait in the kernel, because no descriptor was left to accept them.
    let last = peers.pop().unwrap();
    assert!(server.gauges.open_connections() < peers.len() + 1);
    peers.clear();
    let mut last = crate::support::Peer(last);
    last.send(GET).await;
    assert_eq!(status(&last.response().await), "200");
}
