//! A collector of traces and metrics: takes what is sent to it over HTTP and keeps it.

use super::{PATIENCE, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What was sent in one request.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Collector {
    /// Listens until the test's process ends.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let sent = Arc::<Mutex<Vec<Sent>>>::default();
        let kept = Arc::clone(&sent);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || while take(&stream, &kept).is_some() {});
            }
        });
        Self { address, sent }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that was sent to this path so far.
    pub(crate) fn sent(&self, path: &str) -> Vec<Sent> {
        self.sent.lock().unwrap().iter().filter(|sent| sent.path == path).cloned().collect()
    }

    /// Every span so far.
    pub(crate) fn spans(&self) -> Vec<Value> {
        let documents = self.sent("/v1/traces");
        let spans = |sent: &Sent| sent.body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        documents.iter().flat_map(spans).collect()
    }

    /// The first span like this one, once it is there.
    #[track_caller]
    pub(crate) fn span(&self, like: impl Fn(&Value) -> bool) -> Value {
        eventually(PATIENCE, "a span", || self.spans().into_iter().find(&like))
    }

    /// The last report of a metric, once there is one that is right.
    #[track_caller]
    pub(crate) fn metric(&self, name: &str, right: impl Fn(&Value) -> bool) -> Value {
        eventually(PATIENCE, name, || {
            let last = self.sent("/v1/metrics").pop()?;
            let metrics = last.body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap().clone();
            metrics.into_iter().find(|metric| metric["name"] == name).filter(&right)
        })
    }
}

/// Reads one request and answers it.
fn take(stream: &TcpStream, kept: &Mutex<Vec<Sent>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    kept.lock().unwrap().push(Sent { path, head, body: serde_json::from_slice(&body).unwrap() });
    let mut stream = stream;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").ok()
}

/// The value of an attribute, whatever its type, as text; empty if there is none.
pub(crate) fn attribute(place: &Value, key: &str) -> String {
    let attributes = place["attributes"].as_array().cloned().unwrap_or_default();
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    let value = found.and_then(|attribute| attribute["value"].as_object()?.values().next().cloned());
    value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).unwrap_or_default()
}
