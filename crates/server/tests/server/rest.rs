//! Connections on which nothing is asked give back all but their socket, and nobody notices.

use crate::support::{GET, Peer, Running, SHORT, eventually, patient};
use perennial_server::ServerOptions;
use std::time::Duration;
use tokio::time::sleep;

const SOON: Duration = Duration::from_millis(10);

fn tired() -> ServerOptions {
    ServerOptions { rest_after: SOON, ..patient() }
}

/// A connection that was answered once and rests.
async fn resting(server: &Running) -> Peer {
    let mut peer = server.sent(GET).await;
    assert!(peer.answer().await.ends_with("hello"));
    eventually(|| server.gauges.resting_connections() == 1).await;
    peer
}

#[tokio::test]
async fn a_connection_that_rests_serves_again() {
    let server = Running::start(tired()).await;
    let mut peer = resting(&server).await;
    for _ in 0..2 {
        let body = "x".repeat(600);
        let request = format!("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 600\r\n\r\n{body}");
        // More than the first kilobyte, and the last bytes late.
        let request = [GET, request.as_bytes(), request.as_bytes()].concat();
        let (first, last) = request.split_at(request.len() - 5);
        peer.send(first).await;
        assert!(peer.answer().await.ends_with("hello"));
        assert!(peer.answer().await.ends_with(&body));
        peer.send(last).await;
        assert!(peer.answer().await.ends_with(&body));
        eventually(|| server.gauges.resting_connections() == 1).await;
    }
    drop(peer);
    eventually(|| server.gauges.open_connections() == 0).await;
    assert_eq!((server.gauges.resting_connections(), server.gauges.connections_timed_out()), (0, 0));
}

#[tokio::test]
async fn a_head_that_began_before_the_rest_ends_after_it() {
    let server = Running::start(tired()).await;
    let (first, last) = GET.split_at(8);
    let mut peer = server.sent(&[GET, first].concat()).await;
    assert!(peer.answer().await.ends_with("hello"));
    sleep(SOON * 5).await;
    peer.send(last).await;
    assert!(peer.answer().await.ends_with("hello"));
    assert_eq!(server.asked(), ["/", "/"]);
}

#[tokio::test]
async fn a_resting_connection_is_closed_when_its_time_is_up() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..tired() }).await;
    assert_eq!(resting(&server).await.rest().await, "");
    assert_eq!(server.gauges.connections_timed_out(), 0);
}

#[tokio::test]
async fn a_head_dribbled_after_a_rest_is_closed() {
    let server = Running::start(ServerOptions { header_timeout: SHORT, ..tired() }).await;
    let mut peer = resting(&server).await;
    peer.dribble(std::iter::repeat_n(b'G', 5000)).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    assert_eq!(server.asked(), ["/"]);
}

#[tokio::test]
async fn a_resting_connection_does_not_wake_as_http2() {
    let server = Running::start(tired()).await;
    let mut peer = resting(&server).await;
    peer.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await;
    // hyper hangs up without a word; what must not come is a frame.
    assert_eq!(peer.rest().await, "");
}

#[tokio::test]
async fn a_server_that_stops_closes_those_who_rest_and_hears_the_last_request() {
    let server = Running::start(tired()).await;
    let (mut silent, mut late) = (resting(&server).await, server.connect().await);
    late.send(GET).await;
    assert!(late.answer().await.ends_with("hello"));
    eventually(|| server.gauges.resting_connections() == 2).await;
    late.send(GET).await;
    let stopped = server.stop();
    // Whether it was read before the stop or after it, it is answered.
    assert!(late.answer().await.starts_with("HTTP/1.1 "));
    assert_eq!(silent.rest().await, "");
    assert_eq!(crate::support::soon(stopped).await.unwrap().aborted, 0);
}
