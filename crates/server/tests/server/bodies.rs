//! Request bodies: too large, too slow, and in time.

use crate::support::{Running, SHORT, eventually, patient};
use perennial_server::ServerOptions;

const CHUNKED: &str = "POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";

fn post(length: usize) -> String {
    format!("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n")
}

async fn short_body() -> Running {
    Running::start(ServerOptions { body_timeout: SHORT, ..patient() }).await
}

#[tokio::test]
async fn a_body_is_read_whole_however_it_arrives() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(format!("{}abc", post(3)).as_bytes()).await;
    assert!(peer.response().await.ends_with("\r\n\r\nabc"));
    peer.send(post(6).as_bytes()).await;
    for part in ["ab", "cd", "ef"] {
        peer.send(part.as_bytes()).await;
        tokio::task::yield_now().await;
    }
    assert!(peer.response().await.ends_with("\r\n\r\nabcdef"));
    peer.send(format!("{CHUNKED}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n").as_bytes()).await;
    assert!(peer.response().await.ends_with("\r\n\r\nabc"));
    peer.send(post(0).as_bytes()).await;
    assert!(peer.response().await.ends_with("\r\n\r\n"));
    peer.send(format!("{}{}", post(1000), "x".repeat(1000)).as_bytes()).await;
    assert!(peer.response().await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_rejected_before_it_is_sent() {
    let server = Running::start(patient()).await;
    let response = server.talk(post(1001).as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 413"), "{response}");
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_rejected() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(CHUNKED.as_bytes()).await;
    for _ in 0..11 {
        peer.send(format!("64\r\n{}\r\n", "x".repeat(100)).as_bytes()).await;
    }
    assert!(peer.rest().await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn a_client_that_keeps_uploading_still_receives_the_response() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(post(300_000).as_bytes()).await;
    eventually(|| server.requests() == ["/echo"]).await;
    // The response is on its way. If these bytes were not read, they would cause a reset.
    for _ in 0..30 {
        peer.send("x".repeat(10_000).as_bytes()).await;
        tokio::task::yield_now().await;
    }
    let response = peer.rest().await;
    assert!(response.starts_with("HTTP/1.1 413"), "{response}");
}

#[tokio::test]
async fn a_slow_body_is_408() {
    let server = short_body().await;
    for head in [post(10), CHUNKED.to_owned()] {
        let response = server.talk(head.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 408"), "{response}");
    }
    let mut peer = server.sent(post(1000).as_bytes()).await;
    peer.dribble(std::iter::repeat_n(b'x', 1000)).await;
    eventually(|| server.gauges.open_connections() == 0).await;
}

#[tokio::test]
async fn broken_chunks_are_an_aborted_body() {
    let server = Running::start(patient()).await;
    server.talk(format!("{CHUNKED}zz\r\n").as_bytes()).await;
    eventually(|| server.requests() == ["/echo", "aborted"]).await;
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it_unless_refused() {
    let server = Running::start(patient()).await;
    let head = |length| post(length).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    let mut peer = server.sent(head(3).as_bytes()).await;
    assert!(peer.response().await.starts_with("HTTP/1.1 100 Continue"));
    peer.send(b"abc").await;
    assert!(peer.response().await.ends_with("\r\n\r\nabc"));
    let mut peer = server.sent(head(2000).as_bytes()).await;
    assert!(peer.response().await.starts_with("HTTP/1.1 413"));
}
