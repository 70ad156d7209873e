//! The schema of an event, and its example.

use crate::samples;
use crate::schema;
use perennial_app::feed::{EventView, PlacedEvent};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId, OrganizationId};
use serde_json::{Value, json};

pub(super) fn definition() -> Value {
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let record = json!({ "type": ["object", "null"], "additionalProperties": true });
    schema::record(&[
        ("id", schema::id::<EventId>()),
        ("type", json!({ "type": "string", "examples": kinds })),
        ("timestamp", schema::instant()),
        ("sequence", json!({ "type": "integer", "minimum": 1 })),
        ("record_id", json!({ "type": "string" })),
        ("client_id", json!({ "type": ["string", "null"] })),
        ("operator_id", json!({ "type": ["string", "null"] })),
        ("request_id", json!({ "type": ["string", "null"] })),
        ("test", schema::boolean()),
        ("data", record.clone()),
        ("before", record),
    ])
}

pub(super) fn example() -> Value {
    let payment = crate::payments::sample();
    let event = Event {
        id: EventId::from_bytes(samples::ID),
        organization_id: OrganizationId::from_bytes(samples::ID),
        kind: EventKind::PaymentCreated,
        record_id: payment.id.bytes(),
        client_id: Some(ClientId::from_bytes(samples::ID)),
        operator_id: None,
        request_id: Some("0d5f1a2e-7c1b-4b56-9f5e-3c7e1f0a9b1d".to_owned()),
        at: samples::now(),
        previous_id: None,
        before: None,
        after: Some(samples::json(&payment).to_string()),
    };
    samples::json(EventView::of(&PlacedEvent { sequence: 48_213, event }))
}
