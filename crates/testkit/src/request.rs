//! A request to a service under test, and the connection that carries it over a real socket.

use crate::answer::Answer;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// A request to a service under test.
#[derive(Clone, Debug)]
pub struct Request {
    address: SocketAddr,
    method: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Bytes,
}

impl Request {
    /// A request without headers.
    pub fn new(address: SocketAddr, method: &str, target: &str) -> Self {
        Self { address, method: method.into(), target: target.into(), headers: Vec::new(), body: Bytes::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    /// Takes a header away again.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Sends JSON.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.raw(body.to_string()).header("content-type", "application/json")
    }

    /// Sends these bytes as JSON, whatever they are.
    #[must_use]
    pub fn json_text(self, body: impl Into<Bytes>) -> Self {
        self.raw(body).header("content-type", "application/json")
    }

    /// Sends these bytes, without saying what they are.
    #[must_use]
    pub fn raw(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it on a new connection and reads the whole response.
    pub async fn send(self) -> Answer {
        Connection::open(self.address).await.send(self).await
    }

    fn into_http(self) -> http::Request<Full<Bytes>> {
        let mut request = http::Request::builder().method(self.method.as_str()).uri(&self.target);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", "test");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value.as_slice());
        }
        request.body(Full::new(self.body)).unwrap()
    }
}

/// An open connection; one request at a time. It stays open until it is dropped, so that many requests need few sockets.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<hyper::Result<()>>,
}

impl Connection {
    /// Opens one.
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        Self { sender, driver: tokio::spawn(connection) }
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&mut self, request: Request) -> Answer {
        self.sender.ready().await.unwrap();
        let response = self.sender.send_request(request.into_http()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: parts.status.as_u16(), headers: parts.headers, bytes, json }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Sends all of them at once; the answers come in the order of the requests.
pub async fn all_at_once(requests: impl IntoIterator<Item = Request>) -> Vec<Answer> {
    let sent: Vec<_> = requests.into_iter().map(|request| tokio::spawn(request.send())).collect();
    let mut answers = Vec::with_capacity(sent.len());
    for answer in sent {
        answers.push(answer.await.unwrap());
    }
    answers
}
