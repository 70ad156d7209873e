//! A receiver of webhooks: stores every request, and responds with the statuses that a test has prepared.

use super::{PATIENCE, eventually};
use perennial_identity::webhook_signature::WebhookKey;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it arrived.
#[derive(Clone)]
pub(crate) struct Received {
    head: String,
    body: String,
}

impl Received {
    /// A header's value; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(found, _)| *found == name).map(|(_, value)| value).next().unwrap_or_default()
    }

    pub(crate) fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks the headers and the signature, and returns the event.
    #[track_caller]
    pub(crate) fn verified(&self, secret: &str) -> Value {
        let (id, timestamp) = (self.header("webhook-id"), self.header("webhook-timestamp").parse().unwrap());
        let signature = WebhookKey::parse_secret(secret).unwrap().sign(id, timestamp, self.body.as_bytes());
        assert_eq!(self.header("webhook-signature"), signature);
        assert_eq!(self.header("content-type"), "application/json");
        assert_eq!(self.header("user-agent"), concat!("perennial/", env!("CARGO_PKG_VERSION")));
        let event = self.event();
        assert_eq!(event["id"], id);
        event
    }
}

#[derive(Default)]
struct Shared {
    received: Mutex<Vec<Received>>,
    statuses: Mutex<VecDeque<u16>>,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Listens until the test's process ends. It responds with these statuses, and then with 204.
    pub(crate) fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { statuses: Mutex::new(statuses.iter().copied().collect()), ..Shared::default() });
        let receiving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&receiving);
                std::thread::spawn(move || while take(&stream, &shared).is_some() {});
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hooks?from=test", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Waits for this many requests.
    #[track_caller]
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Received> {
        eventually(PATIENCE, "webhooks", || (self.received().len() >= count).then(|| self.received()))
    }
}

/// Reads one request and responds to it.
fn take(stream: &TcpStream, shared: &Shared) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let status = shared.statuses.lock().unwrap().pop_front().unwrap_or(204);
    shared.received.lock().unwrap().push(Received { head, body: String::from_utf8(body).ok()? });
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status} Status\r\ncontent-length: 0\r\nlocation: http://127.0.0.1:1/\r\n\r\n").ok()
}
