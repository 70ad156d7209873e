//! A request being put together. It goes over a real socket.

use crate::answer::Answer;
use crate::connection::Connection;
use bytes::Bytes;
use http_body_util::Full;
use serde_json::Value;
use std::net::SocketAddr;

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

    /// Sends it on a connection of its own and reads the whole answer.
    pub async fn send(self) -> Answer {
        Connection::open(self.address).await.send(self).await
    }

    pub(crate) fn into_http(self) -> http::Request<Full<Bytes>> {
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

/// Sends all of them at once; the answers come in the order of the requests.
pub async fn all_at_once(requests: impl IntoIterator<Item = Request>) -> Vec<Answer> {
    let sent: Vec<_> = requests.into_iter().map(|request| tokio::spawn(request.send())).collect();
    let mut answers = Vec::with_capacity(sent.len());
    for answer in sent {
        answers.push(answer.await.unwrap());
    }
    answers
}
