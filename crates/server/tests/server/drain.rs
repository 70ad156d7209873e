//! Graceful shutdown.

use crate::support::{GET, GET_SLOW, Running, SHORT, eventually, patient, soon};
use perennial_server::{Drained, ServerOptions};
use tokio::net::TcpStream;

#[tokio::test]
async fn requests_in_flight_finish_and_new_connections_are_rejected() {
    let server = Running::start(patient()).await;
    let mut peers = Vec::new();
    for _ in 0..100 {
        peers.push(server.sent(GET_SLOW).await);
    }
    eventually(|| server.gauges.requests_in_flight() == 100).await;
    let (service, address, gauges) = (server.service.clone(), server.address, server.gauges.clone());
    let serving = server.stop();
    soon(async { while TcpStream::connect(address).await.is_ok() {} }).await;
    assert_eq!(gauges.requests_in_flight(), 100);
    service.gate.add_permits(100);
    for peer in &mut peers {
        let response = peer.rest().await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.contains("connection: close"), "{response}");
        assert!(response.ends_with("hello"));
    }
    drop(peers);
    let drained = soon(serving).await.unwrap();
    assert_eq!((drained.finished, drained.aborted), (100, 0));
    assert_eq!(gauges.open_connections(), 0);
}

#[tokio::test]
async fn idle_and_silent_connections_close_at_once() {
    let server = Running::start(patient()).await;
    let mut idle = server.sent(GET).await;
    idle.response().await;
    let mut silent = server.connect().await;
    eventually(|| server.gauges.open_connections() == 2).await;
    let serving = server.stop();
    assert_eq!(idle.rest().await, "");
    assert_eq!(silent.rest().await, "");
    // Both clients leave their side open; that delays nothing.
    let drained = soon(serving).await.unwrap();
    assert_eq!(drained, Drained { finished: 0, aborted: 0 });
}

#[tokio::test]
async fn a_request_that_arrives_while_draining_receives_503() {
    let server = Running::start(patient()).await;
    let mut holder = server.sent(GET_SLOW).await;
    let mut late = server.sent(&GET[..10]).await;
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    let (service, address) = (server.service.clone(), server.address);
    let serving = server.stop();
    soon(async { while TcpStream::connect(address).await.is_ok() {} }).await;
    late.send(&GET[10..]).await;
    let response = late.rest().await;
    assert!(response.starts_with("HTTP/1.1 503") && response.ends_with("ShuttingDown"), "{response}");
    assert!(response.contains("connection: close"));
    service.gate.add_permits(1);
    assert!(holder.rest().await.ends_with("hello"));
    drop((holder, late));
    assert_eq!(soon(serving).await.unwrap().finished, 1);
}

#[tokio::test]
async fn what_does_not_finish_is_cut() {
    let server = Running::start(ServerOptions { drain_timeout: SHORT, ..patient() }).await;
    let mut stuck = server.sent(GET_SLOW).await;
    let _half = server.sent(&GET[..10]).await;
    let _preface = server.sent(b"PRI * ").await;
    eventually(|| server.gauges.requests_in_flight() == 1).await;
    eventually(|| server.gauges.open_connections() == 3).await;
    let gauges = server.gauges.clone();
    let drained = soon(server.stop()).await.unwrap();
    assert_eq!(drained, Drained { finished: 0, aborted: 1 });
    assert_eq!(stuck.rest().await, "");
    assert_eq!((gauges.open_connections(), gauges.requests_in_flight()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_under_load_leaves_no_request_without_a_response() {
    let server = Running::start(patient()).await;
    let clients: Vec<_> = (0..32)
        .map(|_| {
            let address = server.address;
            tokio::spawn(async move {
                let mut peer = crate::support::Peer(TcpStream::connect(address).await.unwrap());
                let mut responses = 0;
                loop {
                    peer.send(GET).await;
                    let response = peer.response().await;
                    responses += 1;
                    if response.contains("connection: close") {
                        return responses;
                    }
                }
            })
        })
        .collect();
    eventually(|| server.requests().len() > 500).await;
    let drained = soon(server.stop()).await.unwrap();
    assert_eq!(drained.aborted, 0);
    for client in clients {
        assert!(soon(client).await.unwrap() > 0);
    }
}
