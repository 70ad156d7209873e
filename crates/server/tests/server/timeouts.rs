//! Peers that are slow or silent, over HTTP/1.1.

use crate::support::{BIG, GET, GET_SLOW, LONG, Peer, Running, SHORT, eventually, patient, soon};
use perennial_server::ServerOptions;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::sleep;

fn short_header() -> ServerOptions {
    ServerOptions { header_timeout: SHORT, ..patient() }
}

fn short_write() -> ServerOptions {
    ServerOptions { write_timeout: SHORT, ..patient() }
}

#[tokio::test]
async fn a_silent_socket_is_closed() {
    let server = Running::start(short_header()).await;
    assert_eq!(server.connect().await.rest().await, "");
    assert_eq!(server.gauges.connections_timed_out(), 1);
}

#[tokio::test]
async fn a_partial_http2_preface_is_closed() {
    let server = Running::start(short_header()).await;
    for preface in ["P", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r"] {
        assert_eq!(server.talk(preface.as_bytes()).await, "");
    }
    server.connect().await.dribble(*b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r").await;
    eventually(|| server.gauges.connections_timed_out() == 3).await;
}

#[tokio::test]
async fn a_head_that_stops_is_closed() {
    let server = Running::start(short_header()).await;
    for filler in ["", &"x".repeat(5000)] {
        let head = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {filler}\r\n");
        assert_eq!(server.talk(head.as_bytes()).await, "");
    }
    assert_eq!(server.gauges.connections_timed_out(), 2);
}

#[tokio::test]
async fn a_dribbled_head_is_closed() {
    let server = Running::start(short_header()).await;
    let head = b"GET / HTTP/1.1\r\nx: ".iter().copied().chain(std::iter::repeat_n(b'x', 5000));
    server.connect().await.dribble(head).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_dribbled_second_head_is_closed() {
    let server = Running::start(short_header()).await;
    let mut peer = server.sent(GET).await;
    assert!(peer.response().await.ends_with("hello"));
    peer.dribble(std::iter::repeat_n(b'G', 5000)).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    assert_eq!(server.requests(), ["/"]);
}

#[tokio::test]
async fn an_idle_connection_is_not_a_slow_head() {
    let server = Running::start(short_header()).await;
    let mut peer = server.sent(GET).await;
    for _ in 0..2 {
        assert!(peer.response().await.ends_with("hello"));
        sleep(SHORT * 2).await;
        peer.send(GET).await;
    }
    assert!(peer.response().await.ends_with("hello"));
}

#[tokio::test]
async fn an_idle_connection_is_closed_at_the_idle_timeout() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..patient() }).await;
    let mut peer = server.sent(GET).await;
    assert!(peer.response().await.ends_with("hello"));
    assert_eq!(peer.rest().await, "");
    assert_eq!(server.gauges.connections_timed_out(), 0);
}

#[tokio::test]
async fn a_half_sent_pipelined_head_idles_and_no_longer() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..patient() }).await;
    let mut peer = server.sent(&[GET, b"GET / HT"].concat()).await;
    assert!(peer.response().await.ends_with("hello"));
    eventually(|| server.gauges.open_connections() == 0).await;
}

#[tokio::test]
async fn a_slow_handler_is_not_a_slow_peer() {
    let server =
        Running::start(ServerOptions { header_timeout: SHORT, write_timeout: SHORT, idle_timeout: SHORT, ..patient() })
            .await;
    let mut peer = server.sent(GET_SLOW).await;
    sleep(SHORT * 3).await;
    server.service.gate.add_permits(1);
    assert!(peer.response().await.ends_with("hello"));
}

async fn request_too_much(server: &Running) -> Peer {
    let peer = server.sent(b"GET /big HTTP/1.1\r\nhost: a\r\n\r\n").await;
    eventually(|| !server.requests().is_empty()).await;
    peer
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_cut() {
    let server = Running::start(short_write()).await;
    let mut peer = request_too_much(&server).await;
    eventually(|| server.gauges.open_connections() == 0).await;
    assert_eq!(server.gauges.connections_timed_out(), 1);
    assert!(peer.rest().await.len() < BIG);
}

#[tokio::test]
async fn a_peer_that_reads_drop_by_drop_is_cut() {
    let server = Running::start(short_write()).await;
    let mut peer = request_too_much(&server).await;
    let mut drops = [0; 4096];
    soon(async {
        while server.gauges.open_connections() > 0 {
            // The cut may arrive as a reset.
            let _ = peer.0.read(&mut drops).await;
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    assert_eq!(server.gauges.connections_timed_out(), 1);
}

#[tokio::test]
async fn a_peer_that_reads_gets_all_of_it() {
    let server =
        Running::start(ServerOptions { write_timeout: LONG, header_timeout: SHORT, idle_timeout: SHORT, ..patient() })
            .await;
    let mut peer = request_too_much(&server).await;
    assert!(peer.rest().await.len() > BIG);
}
