//! Calls over real sockets: connections are pooled, and a pool belongs to endpoints of the same reach.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

#[path = "../../../identity/tests/issuer/certificate.rs"]
mod certificate;
mod webhooks;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use perennial_outbound::{Endpoint, FetchError, Limits, OutboundClient, Reach, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Sends the same response to every request and counts the connections.
async fn server(response: &'static str) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, SeqCst);
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                while matches!(stream.read(&mut request).await, Ok(1..)) {
                    stream.write_all(response.as_bytes()).await.unwrap();
                }
            });
        }
    });
    (address, connections)
}

fn client() -> OutboundClient {
    OutboundClient::without_roots(Limits::default()).unwrap()
}

async fn get(client: &OutboundClient, host: &str, reach: Reach) -> Result<Response, FetchError> {
    let endpoint = Endpoint::parse(&format!("http://{host}/"), reach).unwrap();
    client.send(&endpoint, Method::GET, HeaderMap::new(), Bytes::new()).await
}

const PRIVATE: Reach = Reach { private_addresses: true, plain_http: true };
const PUBLIC: Reach = Reach { private_addresses: false, plain_http: true };
const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

#[tokio::test]
async fn calls_share_a_connection() {
    let (address, connections) = server(HELLO).await;
    let client = client();
    for _ in 0..5 {
        let response = get(&client, &address.to_string(), PRIVATE).await.unwrap();
        assert_eq!((response.status, &response.body[..]), (StatusCode::OK, &b"hello"[..]));
    }
    assert_eq!(connections.load(SeqCst), 1);
}

#[tokio::test]
async fn an_open_connection_to_a_private_address_serves_no_public_endpoint() {
    let (address, connections) = server(HELLO).await;
    let client = client();
    let name = format!("localhost:{}", address.port());
    get(&client, &name, PRIVATE).await.unwrap();
    for host in [name, address.to_string()] {
        let refused = get(&client, &host, PUBLIC).await.unwrap_err();
        assert!(matches!(refused, FetchError::Forbidden(_)), "{refused:?}");
    }
    assert_eq!(connections.load(SeqCst), 1);
}

/// A server whose idle timeout ends just when the connection is used again.
#[tokio::test]
async fn a_pooled_connection_that_was_closed_is_reported_as_such_and_the_next_call_opens_another() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let _ = stream.read(&mut request).await;
            stream.write_all(HELLO.as_bytes()).await.unwrap();
            let _ = stream.read(&mut request).await;
        }
    });
    let client = client();
    get(&client, &address, PRIVATE).await.unwrap();
    assert_eq!(get(&client, &address, PRIVATE).await.unwrap_err(), FetchError::Closed);
    get(&client, &address, PRIVATE).await.unwrap();
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (address, connections) =
        server("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n").await;
    let response = get(&client(), &address.to_string(), PRIVATE).await.unwrap();
    assert_eq!(response.ok().unwrap_err(), FetchError::Redirect);
    assert_eq!(connections.load(SeqCst), 1);
}

#[tokio::test]
async fn a_response_that_never_comes_and_a_refused_connection_are_errors() {
    let (address, _) = server("").await;
    let limits = Limits { connect: Duration::from_millis(200), total: Duration::from_millis(300) };
    let client = OutboundClient::without_roots(limits).unwrap();
    assert_eq!(get(&client, &address.to_string(), PRIVATE).await.unwrap_err(), FetchError::TimedOut);
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let refused = get(&client, &closed.to_string(), PRIVATE).await.unwrap_err();
    assert!(matches!(refused, FetchError::Unreachable(_)), "{refused:?}");
}
