//! A receiver of webhooks: stores every request, and responds with the statuses that a test has prepared.

use super::{PATIENCE, eventually};
use perennial_identity::webhook_signature::WebhookKey;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A request as it arrived.
#[derive(Clone)]
pub(crate) struct Received(perennial_harness::Received);

impl Received {
    /// A header's value; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.0.header(name).unwrap_or_default()
    }

    pub(crate) fn event(&self) -> Value {
        self.0.json()
    }

    /// Checks the headers and the signature, and returns the event.
    #[track_caller]
    pub(crate) fn verified(&self, secret: &str) -> Value {
        let (id, timestamp) = (self.header("webhook-id"), self.header("webhook-timestamp").parse().unwrap());
        let signature = WebhookKey::parse_secret(secret).unwrap().sign(id, timestamp, &self.0.body);
        assert_eq!(self.header("webhook-signature"), signature);
        assert_eq!(self.header("content-type"), "application/json");
        assert_eq!(self.header("user-agent"), concat!("perennial/", env!("CARGO_PKG_VERSION")));
        let event = self.event();
        assert_eq!(event["id"], id);
        event
    }
}

pub(crate) struct Receiver {
    receiver: perennial_harness::Receiver,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// It responds with these statuses, and then with 204.
    pub(crate) fn start(statuses: &[u16]) -> Self {
        let statuses = Mutex::new(statuses.iter().copied().collect::<VecDeque<_>>());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stored = Arc::clone(&requests);
        let receiver = perennial_harness::Receiver::start(move |request| {
            stored.lock().unwrap().push(Received(request));
            statuses.lock().unwrap().pop_front().unwrap_or(204)
        });
        Self { receiver: receiver.unwrap(), received: requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hooks?from=test", self.receiver.address())
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for this many requests.
    #[track_caller]
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Received> {
        eventually(PATIENCE, "webhooks", || (self.received().len() >= count).then(|| self.received()))
    }
}
