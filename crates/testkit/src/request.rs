//! A request being put together. It goes over a real socket, on a connection of its own.

use crate::answer::Answer;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::net::TcpStream;

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
    pub(crate) fn new(address: SocketAddr, method: &str, target: &str) -> Self {
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

    /// Sends it and reads the whole answer.
    pub async fn send(self) -> Answer {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let mut request = http::Request::builder().method(self.method.as_str()).uri(&self.target);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            request = request.header("host", "test");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value.as_slice());
        }
        let response = sender.send_request(request.body(Full::new(self.body)).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        connection.abort();
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: parts.status.as_u16(), headers: parts.headers, bytes, json }
    }
}
