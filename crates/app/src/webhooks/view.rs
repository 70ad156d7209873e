//! Attempts and undelivered events as the API and the command line return them.

use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, WebhookAttemptId, WebhookEndpointId};
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::{Attempt, AttemptError, Outcome, Trigger, Undelivered, UndeliveredState};
use serde::Serialize;

/// An attempt.
#[derive(Serialize)]
pub struct AttemptView<'a> {
    id: WebhookAttemptId,
    endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: &'a str,
    trigger: Trigger,
    number: i64,
    outcome: Outcome,
    status: Option<i64>,
    error: Option<AttemptError>,
    duration_ms: i64,
    response: &'a str,
    created_at: Time,
}

impl<'a> AttemptView<'a> {
    /// The attempt as it is returned.
    pub fn of(attempt: &'a Attempt) -> Self {
        Self {
            id: attempt.id,
            endpoint_id: attempt.endpoint_id,
            event_id: attempt.event_id,
            event_type: &attempt.event_type,
            trigger: attempt.trigger,
            number: attempt.number,
            outcome: attempt.outcome,
            status: attempt.status,
            error: attempt.error,
            duration_ms: attempt.duration_ms,
            response: &attempt.response,
            created_at: attempt.created_at,
        }
    }
}

/// An undelivered event.
#[derive(Serialize)]
pub struct UndeliveredView<'a> {
    event_id: EventId,
    event_type: &'a str,
    record_id: String,
    sequence: i64,
    state: UndeliveredState,
    attempts: i64,
    next_attempt_at: Option<Time>,
    first_failed_at: Option<Time>,
    last_status: Option<i64>,
    last_error: Option<AttemptError>,
}

impl<'a> UndeliveredView<'a> {
    /// The event as it is returned.
    pub fn of(row: &'a Undelivered) -> Self {
        // A newer program may have stored a type that this one does not know.
        let kind = EventKind::from_stored(&row.event_type).map(EventKind::record_kind);
        Self {
            event_id: row.event_id,
            event_type: &row.event_type,
            record_id: kind.map_or_else(String::new, |kind| kind.id(row.record_id)),
            sequence: row.sequence,
            state: row.state,
            attempts: row.attempts,
            next_attempt_at: row.next_attempt_at,
            first_failed_at: row.first_failed_at,
            last_status: row.last_status,
            last_error: row.last_error,
        }
    }
}
