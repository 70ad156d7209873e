//! The schemas of connections and received webhooks, and their examples.

use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::connections::{ConnectionView, InboxItemView};
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::connections::{
    Connection, ConnectionDraft, ConnectionKind, ConnectionMode, ConnectionName, ConnectionState, Drift, ObjectKind,
};
use perennial_domain::id::ConnectionId;
use perennial_domain::organizations::OrganizationMode;
use serde_json::{Value, json};

pub(crate) static CONNECTION: Schema =
    Schema { name: "Connection", definition: connection_schema, example: connection_example, refers_to: &[] };

pub(super) static INBOX_ITEM: Schema =
    Schema { name: "InboxItem", definition: inbox_schema, example: inbox_example, refers_to: &[] };

fn connection_schema() -> Value {
    let kinds: Vec<&str> = ConnectionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let modes: Vec<&str> = ConnectionMode::ALL.iter().map(|mode| mode.as_str()).collect();
    let drifts: Vec<&str> = Drift::ALL.iter().map(|drift| drift.as_str()).collect();
    let states: Vec<&str> = ConnectionState::ALL.iter().map(|state| state.as_str()).collect();
    schema::record(&[
        ("id", schema::id::<ConnectionId>()),
        ("kind", schema::words(&kinds)),
        ("name", json!({ "type": "string", "minLength": 1, "maxLength": 100 })),
        ("mode", schema::words(&modes)),
        ("account", schema::optional_text()),
        ("base_url", json!({ "type": "string" })),
        ("drift", schema::words(&drifts)),
        ("collect", schema::boolean()),
        ("requests_per_minute", json!({ "type": "integer", "minimum": 1, "maximum": 6000 })),
        ("is_enabled", schema::boolean()),
        ("state", schema::words(&states)),
        ("webhook_path", json!({ "type": "string" })),
        ("last_received_at", schema::optional_instant()),
        ("last_swept_at", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn connection_example() -> Value {
    let draft = ConnectionDraft {
        kind: Some(ConnectionKind::Stripe),
        name: ConnectionName::parse("Stripe EU").ok(),
        ..ConnectionDraft::default()
    };
    let organization = (samples::organization().id, OrganizationMode::Live);
    let id = ConnectionId::from_bytes(samples::ID);
    let created = Connection::create(draft, organization, id, samples::REVISION, samples::now());
    let connection = created.expect("the example is valid");
    samples::json(ConnectionView::of(connection, Some(samples::now()), Some(samples::now())))
}

fn inbox_schema() -> Value {
    let objects = ObjectKind::ALL.iter().map(|object| Some(object.as_str())).chain([None]);
    let states: Vec<&str> = InboxState::ALL.iter().map(|state| state.as_str()).collect();
    schema::record(&[
        ("key", json!({ "type": "string" })),
        ("type", schema::optional_text()),
        ("object", json!({ "type": ["string", "null"], "enum": objects.collect::<Vec<_>>() })),
        ("object_id", schema::optional_text()),
        ("state", schema::words(&states)),
        ("code", schema::optional_text()),
        ("attempts", json!({ "type": "integer", "minimum": 0 })),
        ("next_attempt_at", schema::optional_instant()),
        ("occurred_at", schema::optional_instant()),
        ("received_at", schema::instant()),
    ])
}

fn inbox_example() -> Value {
    samples::json(InboxItemView {
        key: "evt_1PZb2uLkdIwHu7ix".to_owned(),
        r#type: Some("customer.subscription.updated".to_owned()),
        object: Some(ObjectKind::Subscription),
        object_id: Some("sub_1PZb2tLkdIwHu7ix".to_owned()),
        state: InboxState::Applied,
        code: None,
        attempts: 1,
        next_attempt_at: None,
        occurred_at: Some(samples::now()),
        received_at: samples::now(),
    })
}
