//! The schemas of attempts and undelivered events, and their examples.

use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::webhooks::{AttemptView, UndeliveredView};
use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, PaymentId, WebhookAttemptId, WebhookEndpointId};
use perennial_domain::webhook_delivery::{Attempt, AttemptError, Outcome, Trigger, Undelivered, UndeliveredState};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) static ATTEMPT: Schema = Schema {
    name: "WebhookAttempt",
    definition: attempt_schema,
    example: || samples::json(AttemptView::of(&sample_attempt())),
    refers_to: &[],
};

pub(super) static UNDELIVERED: Schema = Schema {
    name: "UndeliveredEvent",
    definition: undelivered_schema,
    example: || samples::json(UndeliveredView::of(&sample_undelivered())),
    refers_to: &[],
};

pub(super) static QUEUED: Schema = Schema {
    name: "QueuedEvents",
    definition: || schema::record(&[("queued", json!({ "type": "integer", "minimum": 0 }))]),
    example: || samples::json(QueuedView { queued: 12 }),
    refers_to: &[],
};

/// The number of events that are sent again.
#[derive(Serialize)]
pub(super) struct QueuedView {
    pub(super) queued: i64,
}

fn attempt_schema() -> Value {
    let triggers: Vec<&str> = Trigger::ALL.iter().map(|trigger| trigger.as_str()).collect();
    let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    schema::record(&[
        ("id", schema::id::<WebhookAttemptId>()),
        ("endpoint_id", schema::id::<WebhookEndpointId>()),
        ("event_id", schema::id::<EventId>()),
        ("event_type", json!({ "type": "string" })),
        ("trigger", schema::words(&triggers)),
        ("number", json!({ "type": "integer", "minimum": 1 })),
        ("outcome", schema::words(&outcomes)),
        ("status", optional_status()),
        ("error", optional_error()),
        ("duration_ms", json!({ "type": "integer", "minimum": 0 })),
        ("response", json!({ "type": "string" })),
        ("created_at", schema::instant()),
    ])
}

fn undelivered_schema() -> Value {
    let states: Vec<&str> = UndeliveredState::ALL.iter().map(|state| state.as_str()).collect();
    schema::record(&[
        ("event_id", schema::id::<EventId>()),
        ("event_type", json!({ "type": "string" })),
        ("record_id", json!({ "type": "string" })),
        ("sequence", json!({ "type": "integer", "minimum": 1 })),
        ("state", schema::words(&states)),
        ("attempts", json!({ "type": "integer", "minimum": 0 })),
        ("next_attempt_at", schema::optional_instant()),
        ("first_failed_at", schema::optional_instant()),
        ("last_status", optional_status()),
        ("last_error", optional_error()),
    ])
}

fn optional_status() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 100, "maximum": 999 })
}

fn optional_error() -> Value {
    let words = AttemptError::ALL.iter().map(|error| Some(error.as_str())).chain([None]);
    json!({ "type": ["string", "null"], "enum": words.collect::<Vec<_>>() })
}

fn sample_attempt() -> Attempt {
    Attempt {
        organization_id: samples::organization().id,
        endpoint_id: WebhookEndpointId::from_bytes(samples::ID),
        id: WebhookAttemptId::from_bytes(samples::ID),
        event_id: samples::REVISION,
        event_type: EventKind::PaymentCreated.as_str().to_owned(),
        trigger: Trigger::Event,
        number: 1,
        outcome: Outcome::Failed,
        status: Some(503),
        error: Some(AttemptError::Status),
        duration_ms: 84,
        response: "upstream unavailable".to_owned(),
        created_at: samples::now(),
    }
}

fn sample_undelivered() -> Undelivered {
    Undelivered {
        organization_id: samples::organization().id,
        endpoint_id: WebhookEndpointId::from_bytes(samples::ID),
        sequence: 48_213,
        event_id: samples::REVISION,
        event_type: EventKind::PaymentCreated.as_str().to_owned(),
        record_id: PaymentId::from_bytes(samples::ID).bytes(),
        entered_at: samples::now(),
        state: UndeliveredState::Waiting,
        attempts: 1,
        is_resend: false,
        next_attempt_at: Some(samples::now()),
        first_failed_at: Some(samples::now()),
        last_status: Some(503),
        last_error: Some(AttemptError::Status),
    }
}
