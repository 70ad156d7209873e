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
async fn a_body_is_read_whole_however_it_comes() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(format!("{}abc", post(3)).as_bytes()).await;
    assert!(peer.answer().await.ends_with("\r\n\r\nabc"));
    peer.send(post(6).as_bytes()).await;
    for part in ["ab", "cd", "ef"] {
        peer.send(part.as_bytes()).await;
        tokio::task::yield_now().await;
    }
    assert!(peer.answer().await.ends_with("\r\n\r\nabcdef"));
    peer.send(format!("{CHUNKED}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n").as_bytes()).await;
    assert!(peer.answer().await.ends_with("\r\n\r\nabc"));
    peer.send(post(0).as_bytes()).await;
    assert!(peer.answer().await.ends_with("\r\n\r\n"));
    peer.send(format!("{}{}", post(1000), "x".repeat(1000)).as_bytes()).await;
    assert!(peer.answer().await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_refused_before_it_is_sent() {
    let server = Running::start(patient()).await;
    let answer = server.talk(post(1001).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_refused() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(CHUNKED.as_bytes()).await;
    for _ in 0..11 {
        peer.send(format!("64\r\n{}\r\n", "x".repeat(100)).as_bytes()).await;
    }
    assert!(peer.rest().await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn an_uploader_who_does_not_listen_still_gets_the_answer() {
    let server = Running::start(patient()).await;
    let mut peer = server.sent(post(300_000).as_bytes()).await;
    eventually(|| server.asked() == ["/echo"]).await;
    // The answer is on its way, and without someone to read these they would call forth a reset.
    for _ in 0..30 {
        peer.send("x".repeat(10_000).as_bytes()).await;
        tokio::task::yield_now().await;
    }
    let answer = peer.rest().await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_slow_body_is_408() {
    let server = short_body().await;
    for head in [post(10), CHUNKED.to_owned()] {
        let answer = server.talk(head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    let mut peer = server.sent(post(1000).as_bytes()).await;
    peer.dribble(std::iter::repeat_n(b'x', 1000)).await;
    eventually(|| server.gauges.open_connections() == 0).await;
}

#[tokio::test]
async fn broken_chunks_are_an_aborted_body() {
    let server = Running::start(patient()).await;
    server.talk(format!("{CHUNKED}zz\r\n").as_bytes()).await;
    eventually(|| server.asked() == ["/echo", "aborted"]).await;
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it_unless_refused() {
    let server = Running::start(patient()).await;
    let head = |length| post(length).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    let mut peer = server.sent(head(3).as_bytes()).await;
    assert!(peer.answer().await.starts_with("HTTP/1.1 100 Continue"));
    peer.send(b"abc").await;
    assert!(peer.answer().await.ends_with("\r\n\r\nabc"));
    let mut peer = server.sent(head(2000).as_bytes()).await;
    assert!(peer.answer().await.starts_with("HTTP/1.1 413"));
}
