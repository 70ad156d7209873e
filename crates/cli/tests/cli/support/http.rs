//! Calls to a running server: the client of `perennial-harness`, with text in place of bytes.

use super::PATIENCE;
use serde_json::Value;
use std::io::{self, Write};
use std::net::SocketAddr;

/// A response of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The headers, as lines.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn of(answer: perennial_harness::Response) -> io::Result<Self> {
        let head = answer.headers.iter().flat_map(|(name, value)| [name.as_str(), ": ", value, "\r\n"]).collect();
        let body = String::from_utf8(answer.body).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Self { status: answer.status, head, body })
    }

    /// The body as JSON; null if it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// What is in the envelope.
    pub(crate) fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// A header's value; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(found, _)| *found == name).map(|(_, value)| value).next().unwrap_or_default()
    }

    /// Compares the status with the expected one, and shows the body if it differs.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }
}

/// A keep-alive connection.
pub(crate) struct Connection(perennial_harness::Connection);

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        perennial_harness::Connection::open_within(address, PATIENCE).map(Self)
    }

    /// One request and its response. Header lines come as `name: value`.
    pub(crate) fn call(
        &mut self,
        method: &str,
        target: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        let headers: Vec<(&str, &str)> = headers.iter().filter_map(|line| line.split_once(": ")).collect();
        let body = body.map(Value::to_string);
        self.0.call(method, target, &headers, body.as_deref()).and_then(Answer::of)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.stream().write_all(bytes)
    }

    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        self.0.receive("GET").and_then(Answer::of)
    }
}

/// A client of a running server; every call uses a new connection.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    pub(crate) client_id: String,
}

impl Caller {
    /// The header that names the client.
    pub(crate) fn header(&self) -> String {
        format!("client-id: {}", self.client_id)
    }

    #[track_caller]
    pub(crate) fn call(&self, method: &str, target: &str, body: Option<&Value>) -> Answer {
        let mut connection = Connection::open(self.address).unwrap();
        connection.call(method, target, &[&self.header()], body).unwrap()
    }

    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.call("GET", target, None)
    }

    #[track_caller]
    pub(crate) fn post(&self, target: &str, body: &Value) -> Answer {
        self.call("POST", target, Some(body))
    }

    /// Every event of the feed so far.
    #[track_caller]
    pub(crate) fn all_events(&self) -> Vec<Value> {
        self.get("/events?limit=200").expect(200).data().as_array().unwrap().clone()
    }

    /// Every record of a list, page after page.
    #[track_caller]
    pub(crate) fn all(&self, path: &str) -> Vec<Value> {
        let mut connection = Connection::open(self.address).unwrap();
        let (mut records, mut target) = (Vec::new(), format!("{path}?limit=200"));
        loop {
            let answer = connection.call("GET", &target, &[&self.header()], None).unwrap().expect(200).json();
            records.extend(answer["data"].as_array().unwrap().iter().cloned());
            match answer["page"]["next_cursor"].as_str() {
                Some(cursor) => target = format!("{path}?limit=200&cursor={cursor}"),
                None => return records,
            }
        }
    }
}
