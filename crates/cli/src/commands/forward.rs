//! One attempt to deliver an event to a developer's receiver: signed as a webhook, printed as one line.

use crate::failure::Failure;
use crate::output;
use bytes::Bytes;
use perennial_app::context::Clock;
use perennial_identity::webhook_signature::WebhookKey;
use perennial_outbound::{Destinations, WebhookClient, WebhookError};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// As long as the service waits for an endpoint.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Where events are sent, and the key that signs them.
pub(super) struct Target {
    client: WebhookClient,
    url: String,
    key: WebhookKey,
}

/// An attempt and its outcome.
pub(super) struct Attempt {
    event: Named,
    outcome: Result<u16, WebhookError>,
    duration: Duration,
}

/// The members of an event that an attempt needs.
#[derive(Deserialize)]
struct Named {
    id: String,
    #[serde(rename = "type")]
    event_type: String,
    record_id: String,
}

impl Target {
    /// `flag` is the name of the flag that has the URL.
    pub(super) fn new(flag: &str, url: &str, key: WebhookKey) -> Result<Self, Failure> {
        // A developer's receiver is on this machine or in a private network.
        let destinations = Destinations::with_private_networks();
        destinations.check(url).map_err(|error| Failure::new(format!("{flag} {url:?} {error}")))?;
        let client = WebhookClient::with_system_roots(destinations)
            .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
        Ok(Self { client, url: url.to_owned(), key })
    }

    /// Sends an event once.
    pub(super) async fn send(&self, event: &str, clock: &Clock) -> Result<Attempt, Failure> {
        let named: Named = serde_json::from_str(event)
            .map_err(|error| Failure::new(format!("the feed has a malformed event: {error}")))?;
        let timestamp = clock.now().as_micros() / 1_000_000;
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("user-agent", concat!("perennial/", env!("CARGO_PKG_VERSION")).to_owned()),
            ("webhook-id", named.id.clone()),
            ("webhook-timestamp", timestamp.to_string()),
            ("webhook-signature", self.key.sign(&named.id, timestamp, event.as_bytes())),
        ];
        let start = tokio::time::Instant::now();
        let body = Bytes::copy_from_slice(event.as_bytes());
        let response = self.client.post(&self.url, &headers, body, TIMEOUT).await;
        let outcome = response.map(|response| response.status);
        Ok(Attempt { event: named, outcome, duration: start.elapsed() })
    }
}

impl Attempt {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.outcome, Ok(200..300))
    }

    /// The status, or why there is none.
    pub(super) fn result(&self) -> String {
        match &self.outcome {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Prints one line: type, record, status.
    pub(super) fn print(&self, json: bool) -> Result<(), Failure> {
        let Named { id, event_type, record_id } = &self.event;
        let milliseconds = self.duration.as_millis();
        if json {
            let (status, error) = (self.outcome.as_ref().ok(), self.outcome.as_ref().err().map(|error| error.as_str()));
            let line = json!({
                "event_id": id, "event_type": event_type, "record_id": record_id,
                "status": status, "error": error, "duration_ms": milliseconds,
            });
            return output::write(&format!("{line}\n"));
        }
        output::write(&format!("{event_type:<26}  {record_id}  {}  {milliseconds} ms\n", self.result()))
    }
}
