//! One signed request to an endpoint, and what becomes of its response.

use super::client::client;
use super::secrets::SigningKeys;
use crate::context::App;
use perennial_domain::id::{EventId, WebhookAttemptId};
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::{Attempt, AttemptError, Outcome, Response, Trigger};
use perennial_domain::webhooks::{WebhookEndpoint, retry_after_seconds};
use perennial_outbound::{WebhookError, WebhookResponse};
use std::time::Duration;
use tokio::time::Instant;

/// The most bytes of a response that are stored.
const MAX_STORED_BYTES: usize = 1024;

/// Sends an event to a URL, signed with every valid key.
pub(crate) async fn send(
    app: &App,
    url: &str,
    keys: &SigningKeys,
    event_id: EventId,
    body: &str,
    timeout: Duration,
) -> Response {
    let now = app.clock.now();
    let [id, timestamp, signature] = keys.headers(event_id, now.as_micros().div_euclid(1_000_000), body.as_bytes());
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("user-agent", concat!("perennial/", env!("CARGO_PKG_VERSION")).to_owned()),
        id,
        timestamp,
        signature,
    ];
    let started = Instant::now();
    let sent = client(app).post(url, &headers, body.to_owned().into(), timeout).await;
    let is_success = sent.as_ref().is_ok_and(|response| (200..300).contains(&response.status));
    app.background.count_attempt(is_success, started.elapsed());
    let duration_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
    match sent {
        Ok(WebhookResponse { status, retry_after, body }) => Response {
            retry_after: retry_after.and_then(|text| retry_after_seconds(&text, now)),
            body: excerpt(&body),
            duration_ms,
            ..Response::of_status(status)
        },
        Err(error) => Response { error: Some(attempt_error(error)), duration_ms, ..Response::default() },
    }
}

/// The record of an attempt.
pub(super) fn record(
    app: &App,
    endpoint: &WebhookEndpoint,
    (event_id, event_type): (EventId, &str),
    (trigger, number): (Trigger, i64),
    response: Response,
    began: Time,
) -> Attempt {
    Attempt {
        organization_id: endpoint.organization_id,
        endpoint_id: endpoint.id,
        id: WebhookAttemptId::new(began, app.entropy.id_bits()),
        event_id,
        event_type: event_type.to_owned(),
        trigger,
        number,
        outcome: if response.is_success() { Outcome::Succeeded } else { Outcome::Failed },
        status: response.status.map(i64::from),
        error: response.error,
        duration_ms: response.duration_ms,
        response: response.body,
        created_at: began,
    }
}

const fn attempt_error(error: WebhookError) -> AttemptError {
    match error {
        WebhookError::Timeout => AttemptError::Timeout,
        WebhookError::ConnectFailed => AttemptError::ConnectFailed,
        WebhookError::TlsFailed => AttemptError::TlsFailed,
        WebhookError::DnsFailed => AttemptError::DnsFailed,
        WebhookError::AddressNotAllowed => AttemptError::AddressNotAllowed,
        WebhookError::ProtocolError => AttemptError::ProtocolError,
    }
}

/// The beginning of a body as text that both engines can store: PostgreSQL has no NUL.
fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_STORED_BYTES)]).replace('\0', "\u{fffd}");
    // A replacement character is longer than the byte it replaces.
    text[..text.floor_char_boundary(MAX_STORED_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_response_is_short_text_without_nul() {
        assert_eq!(excerpt(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
        assert!(excerpt(&[0xff; 5_000]).len() <= MAX_STORED_BYTES);
        assert_eq!(excerpt(&[b'a'; 5_000]).len(), MAX_STORED_BYTES);
    }

    #[test]
    fn errors_have_the_same_words_on_both_layers() {
        for error in WebhookError::ALL {
            assert_eq!(attempt_error(error).as_str(), error.as_str());
        }
    }
}
