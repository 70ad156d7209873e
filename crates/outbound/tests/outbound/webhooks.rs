//! Webhook endpoints that misbehave: the status line decides, time and memory are bounded, and no connection is opened to
//! an address that is not allowed.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use bytes::Bytes;
use perennial_outbound::lookup::{self, Lookup};
use perennial_outbound::{Destinations, UrlError, WebhookClient, WebhookError, WebhookResponse};
use rustls::RootCertStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::certificate::Certificate;

const TOTAL: Duration = Duration::from_millis(600);

/// Serves every connection with `respond` and counts them.
async fn server<F>(respond: impl Fn(TcpStream) -> F + Send + 'static) -> (SocketAddr, Arc<AtomicUsize>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, connections) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, SeqCst);
            tokio::spawn(respond(stream));
        }
    });
    (address, connections)
}

/// Sends the same bytes to every request.
async fn fixed(response: &'static [u8]) -> (SocketAddr, Arc<AtomicUsize>) {
    server(move |mut stream| async move {
        let mut request = vec![0; 4096];
        while matches!(stream.read(&mut request).await, Ok(1..)) {
            let _ = stream.write_all(response).await;
        }
    })
    .await
}

fn client_with(networks: &[&str], lookup: Lookup) -> WebhookClient {
    let networks: Vec<_> = networks.iter().map(|network| network.parse().unwrap()).collect();
    WebhookClient::new(RootCertStore::empty(), Destinations::new(&networks).unwrap(), lookup).unwrap()
}

fn client() -> WebhookClient {
    client_with(&["127.0.0.0/8"], lookup::system())
}

async fn post(client: &WebhookClient, url: &str) -> Result<WebhookResponse, WebhookError> {
    client.post(url, &[], Bytes::from_static(b"{}"), TOTAL).await
}

async fn status(response: &'static [u8]) -> Result<u16, WebhookError> {
    let (address, _) = fixed(response).await;
    post(&client(), &format!("http://{address}/")).await.map(|response| response.status)
}

#[tokio::test]
async fn a_response_has_its_status_its_retry_after_and_its_body() {
    let (address, connections) =
        fixed(b"HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: 4\r\n\r\na\0\xffb").await;
    let client = client();
    for _ in 0..3 {
        let response = post(&client, &format!("http://{address}/hook")).await.unwrap();
        let expected = WebhookResponse { status: 503, retry_after: Some("120".into()), body: b"a\0\xffb".to_vec() };
        assert_eq!(response, expected);
    }
    assert_eq!(connections.load(SeqCst), 1, "connections are pooled");
}

#[tokio::test]
async fn the_status_line_decides_even_if_the_body_is_cut_or_slow() {
    let (cut, _) = server(|mut stream| async move {
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc").await;
    })
    .await;
    let (slow, _) = server(|mut stream| async move {
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 1000\r\n\r\n").await;
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let client = client();
    let cut = post(&client, &format!("http://{cut}/")).await.unwrap();
    assert_eq!((cut.status, cut.body.as_slice()), (200, &b"abc"[..]));
    let started = Instant::now();
    let slow = post(&client, &format!("http://{slow}/")).await.unwrap();
    assert_eq!(slow.status, 202);
    assert!(slow.body.len() < 1_000 && started.elapsed() < 3 * TOTAL, "{:?}", started.elapsed());
}

#[tokio::test]
async fn an_endless_body_is_read_to_its_limit_and_the_connection_is_closed() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let (address, _) = server(move |mut stream| {
        let counter = Arc::clone(&counter);
        async move {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n").await;
            let chunk = vec![b'x'; 64 * 1024];
            while stream.write_all(&chunk).await.is_ok() {
                counter.fetch_add(chunk.len(), SeqCst);
            }
            counter.fetch_add(1, SeqCst);
        }
    })
    .await;
    let response = post(&client(), &format!("http://{address}/")).await.unwrap();
    assert_eq!((response.status, response.body.len()), (200, 16 * 1024));
    while sent.load(SeqCst).is_multiple_of(1024) {
        tokio::task::yield_now().await;
    }
    assert!(sent.load(SeqCst) < 64 * 1024 * 1024, "the rest is not read");
}

#[tokio::test]
async fn slow_headers_are_a_timeout_and_other_failures_have_their_names() {
    assert_eq!(status(b"").await, Err(WebhookError::Timeout));
    assert_eq!(status(b"HTTP/1.1 200 OK\r\nx-slow: ").await, Err(WebhookError::Timeout));
    assert_eq!(status(b"\0\0\0\0garbage\r\n\r\n").await, Err(WebhookError::ProtocolError));
    assert_eq!(status(b"SSH-2.0-OpenSSH_9.2\r\n\r\n").await, Err(WebhookError::ProtocolError));
    let long: &'static [u8] = [b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &vec![b'a'; 20_000], b"\r\n\r\n"].concat().leak();
    assert_eq!(status(long).await, Err(WebhookError::ProtocolError));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(post(&client(), &format!("http://{closed}/")).await, Err(WebhookError::ConnectFailed));
    let (plain, _) = fixed(b"HTTP/1.1 200 OK\r\n\r\n").await;
    assert_eq!(post(&client(), &format!("https://{plain}/")).await, Err(WebhookError::TlsFailed));
    let unknown: Lookup = Arc::new(|_| Box::pin(async { Err(std::io::ErrorKind::NotFound.into()) }));
    let client = client_with(&[], unknown);
    assert_eq!(post(&client, "https://nowhere.example/").await, Err(WebhookError::DnsFailed));
}

#[tokio::test]
async fn a_redirect_is_a_response_like_any_other() {
    let (address, connections) =
        fixed(b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(post(&client(), &format!("http://{address}/")).await.unwrap().status, 302);
    assert_eq!(connections.load(SeqCst), 1);
}

#[tokio::test]
async fn a_name_that_turns_to_a_private_address_is_not_connected_to() {
    let (address, connections) = fixed(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let lookups = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&lookups);
    let rebinding: Lookup = Arc::new(move |_| {
        let first = counter.fetch_add(1, SeqCst) == 0;
        let found: IpAddr = if first { "8.8.8.8" } else { "127.0.0.1" }.parse().unwrap();
        Box::pin(async move { Ok(vec![found]) })
    });
    let client = client_with(&[], rebinding);
    let url = format!("https://rebinding.example:{}/", address.port());
    assert_eq!(client.check(&url).await, Ok(()));
    assert_eq!(post(&client, &url).await, Err(WebhookError::AddressNotAllowed));
    assert_eq!(client.check(&url).await, Err(UrlError::Address));
    assert_eq!((lookups.load(SeqCst), connections.load(SeqCst)), (3, 0));
}

#[tokio::test]
async fn addresses_are_checked_again_for_every_connection() {
    let (address, connections) = fixed(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = address.port();
    let closed = client_with(&["10.0.0.0/8"], lookup::fixed(vec![[127, 0, 0, 1].into()]));
    for url in ["http://127.0.0.1", "http://a.example", "http://[::ffff:127.0.0.1]", "https://[::ffff:169.254.169.254]"]
    {
        assert_eq!(post(&closed, &format!("{url}:{port}/")).await, Err(WebhookError::AddressNotAllowed), "{url}");
    }
    assert_eq!(connections.load(SeqCst), 0);
    let public = client_with(&["127.0.0.0/8"], lookup::fixed(vec![[8, 8, 8, 8].into()]));
    assert_eq!(post(&public, "http://public.example/").await, Err(WebhookError::AddressNotAllowed), "http is private");
    let open = client_with(&["127.0.0.0/8"], lookup::fixed(vec![[169, 254, 169, 254].into(), [127, 0, 0, 1].into()]));
    assert_eq!(post(&open, &format!("http://a.example:{port}/")).await.unwrap().status, 200);
}

#[tokio::test]
async fn https_works_with_a_trusted_certificate_only() {
    let certificate = Certificate::new();
    let acceptor = certificate.acceptor();
    let (address, _) = server(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            let _ = stream.read(&mut [0; 4096]).await;
        }
    })
    .await;
    let destinations = Destinations::new(&["127.0.0.0/8".parse().unwrap()]).unwrap();
    let trusting = WebhookClient::new(certificate.roots(), destinations, lookup::system()).unwrap();
    let url = format!("https://{address}/");
    assert_eq!(post(&trusting, &url).await.unwrap().status, 204);
    assert_eq!(post(&client(), &url).await, Err(WebhookError::TlsFailed));
}
