//! HTTP/2 with prior knowledge: a real client, and one that sends arbitrary frames.

use crate::support::{LONG, Peer, Running, SHORT, eventually, patient, soon};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use perennial_server::ServerOptions;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `GET`, `http`, `/`, and the authority `a`, from HPACK's static table.
const GET: &[u8] = &[0x82, 0x86, 0x84, 0x41, 1, b'a'];
/// The same for `/big`.
const GET_BIG: &[u8] = &[0x82, 0x86, 0x04, 4, b'/', b'b', b'i', b'g', 0x41, 1, b'a'];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The preface, settings, and then these bytes.
fn opening(then: &[u8]) -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, b""), then].concat()
}

/// The next frame's kind, flags, stream and payload; `None` at the end.
async fn next_frame(peer: &mut Peer) -> Option<(u8, u8, u32, Vec<u8>)> {
    soon(async {
        let mut head = [0; 9];
        peer.0.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        peer.0.read_exact(&mut payload).await.ok()?;
        Some((kind, flags, u32::from_be_bytes(stream), payload))
    })
    .await
}

/// The kinds of all frames until the end. Replies to pings.
async fn kinds_to_the_end(peer: &mut Peer) -> Vec<u8> {
    let mut kinds = Vec::new();
    while let Some((kind, flags, _, payload)) = next_frame(peer).await {
        kinds.push(kind);
        if kind == PING && flags == 0 {
            peer.send(&frame(PING, 1, 0, &payload)).await;
        }
    }
    kinds
}

async fn client(server: &Running) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = soon(handshake).await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(path: &str) -> Request<Full<Bytes>> {
    let target = format!("http://a{path}");
    Request::post(target).body(Full::from("abc")).unwrap()
}

fn short_header() -> ServerOptions {
    ServerOptions { header_timeout: SHORT, ..patient() }
}

#[tokio::test]
async fn a_client_with_prior_knowledge_is_served() {
    let server = Running::start(patient()).await;
    let sender = client(&server).await;
    let requests = (0..200).map(|_| {
        let mut sender = sender.clone();
        tokio::spawn(async move {
            let response = sender.send_request(request("/echo")).await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            response.into_body().collect().await.unwrap().to_bytes()
        })
    });
    for request in requests.collect::<Vec<_>>() {
        assert_eq!(soon(request).await.unwrap(), "abc");
    }
    assert_eq!(server.gauges.requests_in_flight(), 0);
}

#[tokio::test]
async fn sizes_and_hosts_are_checked_as_in_http1() {
    let server = Running::start(patient()).await;
    let mut sender = client(&server).await;
    let mut large = request("/");
    let filler = "x".repeat(17 * 1024).parse().unwrap();
    large.headers_mut().insert("x", filler);
    let response = soon(sender.send_request(large)).await.unwrap();
    assert_eq!(response.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    assert!(response.headers().contains_key("retry-after"), "ours");
    let long = request(&format!("/{}", "x".repeat(9 * 1024)));
    let response = soon(sender.send_request(long)).await.unwrap();
    assert_eq!(response.status(), StatusCode::URI_TOO_LONG);

    let nameless = frame(HEADERS, END_STREAM | END_HEADERS, 1, &GET[..3]);
    let mut peer = server.sent(&opening(&nameless)).await;
    let status = loop {
        let (kind, _, _, payload) = next_frame(&mut peer).await.expect("an response");
        if kind == HEADERS {
            break payload[0];
        }
    };
    assert_eq!(status, 0x8c, "HPACK's static entry for :status 400");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_preface_without_settings_is_closed() {
    let server = Running::start(short_header()).await;
    server.sent(PREFACE).await.rest().await;
    assert_eq!(server.gauges.connections_timed_out(), 1);
}

#[tokio::test]
async fn an_unfinished_header_block_is_closed() {
    let server = Running::start(short_header()).await;
    let half = frame(HEADERS, END_STREAM, 1, &GET[..3]);
    server.sent(&opening(&half)).await.rest().await;
    server.sent(&opening(&half[..11])).await.rest().await;
    eventually(|| server.gauges.connections_timed_out() == 2).await;
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn dribbled_continuations_are_closed() {
    let server = Running::start(short_header()).await;
    let half = frame(HEADERS, END_STREAM, 1, &GET[..3]);
    let mut peer = server.sent(&opening(&half)).await;
    let bytes = frame(CONTINUATION, 0, 1, b"\0\x01x\x01x");
    peer.dribble(bytes.into_iter().cycle().take(5000)).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
}

/// Even while another request of the same connection is being handled.
#[tokio::test]
async fn an_unfinished_header_block_next_to_a_request_is_closed() {
    let server = Running::start(short_header()).await;
    let slow = [&GET[..2], &[0x04, 5], b"/slow", &GET[3..]].concat();
    let whole = frame(HEADERS, END_STREAM | END_HEADERS, 1, &slow);
    let half = frame(HEADERS, END_STREAM, 3, GET);
    server.sent(&opening(&[whole, half].concat())).await.rest().await;
    assert_eq!(server.requests(), ["/slow"]);
    eventually(|| server.gauges.requests_in_flight() == 0).await;
}

#[tokio::test]
async fn pings_are_not_slow_heads() {
    let server = Running::start(short_header()).await;
    let mut peer = server.sent(&opening(b"")).await;
    for _ in 0..10 {
        sleep(SHORT / 4).await;
        peer.send(&frame(PING, 0, 0, b"12345678")).await;
    }
    peer.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, GET)).await;
    eventually(|| server.requests() == ["/"]).await;
}

#[tokio::test]
async fn an_idle_connection_gets_goaway_though_it_pings() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..patient() }).await;
    let mut peer = server.sent(&opening(b"")).await;
    peer.send(&frame(PING, 0, 0, b"12345678")).await;
    assert!(kinds_to_the_end(&mut peer).await.contains(&GO_AWAY));
}

#[tokio::test]
async fn an_idle_connection_that_ignores_goaway_is_cut() {
    let server = Running::start(ServerOptions { idle_timeout: SHORT, ..short_header() }).await;
    let _peer = server.sent(&opening(b"")).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    eventually(|| server.gauges.open_connections() == 0).await;
}

/// With windows this small, the socket's buffer is never full.
#[tokio::test]
async fn a_response_blocked_by_flow_control_is_cut() {
    let server = Running::start(ServerOptions { write_timeout: SHORT, ..patient() }).await;
    let tiny_window = frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 1]);
    let ask = frame(HEADERS, END_STREAM | END_HEADERS, 1, GET_BIG);
    let opening = [PREFACE, &tiny_window, &ask].concat();
    let mut peer = server.sent(&opening).await;
    let mut body_bytes = 0;
    while let Some((kind, _, _, payload)) = next_frame(&mut peer).await {
        body_bytes += if kind == DATA { payload.len() } else { 0 };
    }
    assert_eq!(body_bytes, 1);
    assert_eq!(server.gauges.connections_timed_out(), 1);
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_cut() {
    let server = Running::start(ServerOptions { write_timeout: SHORT, ..patient() }).await;
    let wide_window = frame(SETTINGS, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]);
    let wide_connection = frame(8, 0, 0, &[0x7f, 0, 0, 0]);
    let ask = frame(HEADERS, END_STREAM | END_HEADERS, 1, GET_BIG);
    let opening = [PREFACE, &wide_window, &wide_connection, &ask].concat();
    let _peer = server.sent(&opening).await;
    eventually(|| server.gauges.connections_timed_out() == 1).await;
    eventually(|| server.gauges.open_connections() == 0).await;
}

/// No response is waiting here: only the socket shows that the peer does not read.
#[tokio::test]
async fn a_peer_that_pings_and_does_not_read_is_cut() {
    let server = Running::start(ServerOptions { write_timeout: SHORT, ..patient() }).await;
    let mut peer = server.sent(&opening(b"")).await;
    let pings = frame(PING, 0, 0, b"12345678").repeat(1000);
    soon(async { while peer.0.write_all(&pings).await.is_ok() {} }).await;
    assert_eq!(server.gauges.connections_timed_out(), 1);
}

#[tokio::test]
async fn rapid_resets_end_in_goaway() {
    let server = Running::start(patient()).await;
    let flood: Vec<u8> = (0..2000)
        .flat_map(|n| {
            let open = frame(HEADERS, END_STREAM | END_HEADERS, 2 * n + 1, GET);
            [open, frame(RESET, 0, 2 * n + 1, &[0, 0, 0, 8])].concat()
        })
        .collect();
    let mut peer = server.sent(&opening(&flood)).await;
    assert!(kinds_to_the_end(&mut peer).await.contains(&GO_AWAY));
    eventually(|| server.gauges.requests_in_flight() == 0).await;
}

#[tokio::test]
async fn a_flood_of_continuations_ends_in_goaway() {
    let server = Running::start(patient()).await;
    let mut flood = frame(HEADERS, END_STREAM, 1, GET);
    for _ in 0..2000 {
        flood.extend(frame(CONTINUATION, 0, 1, b""));
    }
    let mut peer = server.sent(&opening(&flood)).await;
    assert!(kinds_to_the_end(&mut peer).await.contains(&GO_AWAY));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn requests_in_flight_finish_after_goaway() {
    let server = Running::start(patient()).await;
    let mut sender = client(&server).await;
    let slow = tokio::spawn(sender.send_request(request("/slow")));
    let mut idle = server.sent(&opening(b"")).await;
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    eventually(|| server.gauges.open_connections() == 2).await;
    let service = server.service.clone();
    let serving = server.stop();
    assert!(kinds_to_the_end(&mut idle).await.contains(&GO_AWAY));
    service.gate.add_permits(1);
    let response = soon(slow).await.unwrap().unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "hello");
    let drained = soon(serving).await.unwrap();
    assert_eq!((drained.finished, drained.aborted), (1, 0));
}

#[tokio::test]
async fn what_does_not_finish_is_cut() {
    let server = Running::start(ServerOptions { drain_timeout: SHORT, header_timeout: LONG, ..patient() }).await;
    let mut sender = client(&server).await;
    let slow = tokio::spawn(sender.send_request(request("/slow")));
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    let drained = soon(server.stop()).await.unwrap();
    assert_eq!((drained.finished, drained.aborted), (0, 1));
    assert!(soon(slow).await.unwrap().is_err());
}

/// More requests at once than one round starts: the others wait, and are rejected if the wait is too long.
#[tokio::test]
async fn a_flood_waits_or_is_rejected_when_the_queue_is_too_old() {
    let flood: Vec<u8> =
        (0..200).flat_map(|number| frame(HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, GET)).collect();
    for (max_wait, all_are_served) in [(LONG, true), (Duration::ZERO, false)] {
        let server = Running::start(ServerOptions { max_wait, ..patient() }).await;
        let _peer = server.sent(&opening(&flood)).await;
        let shed = || usize::try_from(server.gauges.requests_shed()).unwrap();
        eventually(|| server.requests().len() + shed() == 200).await;
        assert_eq!(shed() == 0, all_are_served, "{} were shed", shed());
        assert!(server.requests().len() >= 64, "{}", server.requests().len());
        eventually(|| server.gauges.requests_in_flight() == 0).await;
    }
}
