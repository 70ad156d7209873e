//! Idle connections release everything but their socket, and clients do not notice.

use crate::support::{GET, Peer, Running, SHORT, eventually, patient};
use perennial_server::ServerOptions;
use std::time::Duration;
use tokio::time::sleep;

const SOON: Duration = Duration::from_millis(10);

fn short_rest() -> ServerOptions {
    ServerOptions { rest_after: SOON, ..patient() }
}

/// A connection that had one response and is idle.
async fn idle(server: &Running) -> Peer {
    let mut peer = server.sent(GET).await;
    assert!(peer.response().await.ends_with("hello"));
    eventually(|| server.gauges.resting_connections() == 1).await;
    peer
}

#[tokio::test]
async fn an_idle_connection_serves_again() {
    let server = Running::start(short_rest()).await;
    let mut peer = idle(&server).await;
    for _ in 0..2 {
        let body = "x".repeat(600);
        let request = format!("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 600\r\n\r\n{body}");
        // More than the first kilobyte, and the last bytes late.
        let request = [GET, request.as_bytes(), request.as_bytes()].concat();
        let (first, last) = request.split_at(request.len() - 5);
        peer.send(first).await;
        assert!(peer.response().await.ends_with("hello"));
        assert!(peer.response().await.ends_with(&body));
        peer.send(last).await;
        assert!(peer.response().await.ends_with(&body));
        eventually(|| server.gauges.resting_connections() == 1).await;
    }
    drop(peer);
    eventually(|| server.gauges.open_connections() == 0).await;
    assert_eq!((server.gauges.resting_connections(), server.gauges.connections_timed_out()), (0, 0));
}

#[tokio::test]
async fn a_head_that_began_before_the_release_ends_after_it() {
    let server = Running::start(short_rest()).await;
    let (first, last) = GET.split_at(8);
    let mut peer = server.sent(&[GET, first].concat()).await;
    assert!(peer.response().await.ends_with("hello"));
    sleep(SOON * 5).await;
    peer.send(last).await;
    assert!(peer.response().await.ends_with("hello"));
    assert_eq!(server.requests(), ["/", "/"]);
}

#[tokio::test]
async fn a_released_connection_is_closed_at_the_idle_timeout() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..short_rest() }).await;
    assert_eq!(idle(&server).await.rest().await, "");
    assert_eq!(server.gauges.connections_timed_out(), 0);
}

#[tokio::test]
async fn a_slow_head_after_a_release_is_closed() {
    let server = Running::start(ServerOptions { header_timeout: SHORT, ..short_rest() }).await;
    let mut peer = idle(&server).await;
    peer.dribble(std::iter::repeat_n(b'G', 5000)).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    assert_eq!(server.requests(), ["/"]);
}

#[tokio::test]
async fn a_resting_connection_does_not_wake_as_http2() {
    let server = Running::start(short_rest()).await;
    let mut peer = idle(&server).await;
    peer.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await;
    // hyper closes without a response; what must not arrive is a frame.
    assert_eq!(peer.rest().await, "");
}

#[tokio::test]
async fn a_server_that_stops_closes_idle_connections_and_handles_the_last_request() {
    let server = Running::start(short_rest()).await;
    let (mut silent, mut late) = (idle(&server).await, server.connect().await);
    late.send(GET).await;
    assert!(late.response().await.ends_with("hello"));
    eventually(|| server.gauges.resting_connections() == 2).await;
    late.send(GET).await;
    let stopped = server.stop();
    // It receives a response, whether it was read before the stop or after it.
    assert!(late.response().await.starts_with("HTTP/1.1 "));
    assert_eq!(silent.rest().await, "");
    assert_eq!(crate::support::soon(stopped).await.unwrap().aborted, 0);
}
