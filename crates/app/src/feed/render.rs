//! An event as the API returns it and as webhooks send it. All members are always present, in this order.

use perennial_domain::events::{Event, EventKind, RecordKind};
use perennial_domain::id::{ClientId, EventId, OperatorId};
use perennial_domain::subscriptions::{Access, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_domain::webhooks::Payload;
use perennial_store::feed::FeedEvent;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An event as it is returned.
#[derive(Serialize)]
pub struct EventView<'a> {
    id: EventId,
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: Time,
    sequence: i64,
    record_id: String,
    client_id: Option<ClientId>,
    operator_id: Option<OperatorId>,
    request_id: Option<&'a str>,
    /// Whether the event is a sample: nothing happened.
    test: bool,
    data: Option<Box<RawValue>>,
    before: Option<Box<RawValue>>,
}

/// The body of a webhook: compact JSON, the same bytes in every attempt.
pub fn render(placed: &FeedEvent, payload: Payload) -> String {
    let view = match payload {
        Payload::Full => EventView::of(placed),
        Payload::Thin => EventView::thin(placed),
    };
    perennial_domain::json::to_string(&view)
}

impl<'a> EventView<'a> {
    /// The event with its record.
    pub fn of(placed: &'a FeedEvent) -> Self {
        let event = &placed.event;
        // After a delete, `data` is the record as it was.
        let (data, before) = match (&event.after, &event.before) {
            (Some(after), before) => (Some(after), before.as_ref()),
            (None, before) => (before.as_ref(), None),
        };
        Self {
            data: data.and_then(|text| record(event, text)),
            before: before.and_then(|text| record(event, text)),
            ..Self::without_data(placed)
        }
    }

    /// The event with the ID of its record only.
    fn thin(placed: &'a FeedEvent) -> Self {
        let data = format!(r#"{{"id":"{}"}}"#, placed.event.record());
        Self { data: RawValue::from_string(data).ok(), ..Self::without_data(placed) }
    }

    fn without_data(placed: &'a FeedEvent) -> Self {
        let event = &placed.event;
        Self {
            id: event.id,
            kind: event.kind.as_str(),
            timestamp: event.at,
            sequence: placed.sequence,
            record_id: event.record(),
            client_id: event.client_id,
            operator_id: event.operator_id,
            request_id: event.request_id.as_deref(),
            test: false,
            data: None,
            before: None,
        }
    }
}

/// A record as the API returns it: that of a subscription has `has_access`, computed for the event's time.
fn record(event: &Event, stored: &str) -> Option<Box<RawValue>> {
    let text = match event.kind.record_kind() {
        // Its access is stored: it is that at the instant of the change, which a late event follows.
        _ if event.kind == EventKind::SubscriptionAccessChanged => Cow::Borrowed(stored),
        RecordKind::Subscription => Cow::Owned(with_access(stored, event.at)?),
        _ => Cow::Borrowed(stored),
    };
    RawValue::from_string(text.into_owned()).ok()
}

/// The fields that access depends on.
#[derive(Deserialize)]
struct StoredAccess<'a> {
    is_active: bool,
    status: &'a str,
    starts_at: &'a str,
    ends_at: Option<&'a str>,
}

fn with_access(stored: &str, at: Time) -> Option<String> {
    let fields: StoredAccess<'_> = serde_json::from_str(stored).ok()?;
    let access = Access {
        is_active: fields.is_active,
        status: SubscriptionStatus::parse(fields.status).ok()?,
        starts_at: Time::parse(fields.starts_at).ok()?,
        ends_at: fields.ends_at.map(Time::parse).transpose().ok()?,
    };
    let members = stored.trim_end().strip_suffix('}')?;
    Some(format!("{members},\"has_access\":{}}}", access.is_granted(at)))
}
