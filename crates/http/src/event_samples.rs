//! Samples of events, with `test: true`, for developers of receivers. The records are the examples of the OpenAPI document,
//! so that a sample has every member that a real event has. A record kind without a sample does not compile.

use crate::{
    clients, connections, coupons, credit_notes, credits, features, invoices, members, meters, organization, payments,
    plans, samples, subscriptions, tax_rates, test_clock, usage, webhook_endpoints,
};
use perennial_domain::events::{EventKind, RecordKind};
use perennial_domain::id::EventId;
use perennial_domain::time::Time;
use serde_json::{Value, json};

/// The type of the sample that is no event of any record.
pub(crate) const PING: &str = "webhook.ping";

/// Every type that there is a sample of.
pub fn sample_types() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.iter().map(|kind| kind.as_str()).chain([PING])
}

/// The sample of this type as compact JSON; none for a type that does not exist.
pub fn event_sample(event_type: &str, id: EventId, at: Time) -> Option<String> {
    let (record_kind, data, before) = match EventKind::from_stored(event_type) {
        Some(kind) => {
            let record = record(kind.record_kind());
            let before = if is_update(kind, &record) { record.clone() } else { Value::Null };
            (kind.record_kind(), record, before)
        }
        None if event_type == PING => (RecordKind::Organization, json!({}), Value::Null),
        None => return None,
    };
    let event = json!({
        "id": id,
        "type": event_type,
        "timestamp": at,
        // A sample is not in the feed. The lowest position cannot be mistaken for the newest.
        "sequence": 1,
        "record_id": record_kind.id(samples::ID),
        "client_id": null,
        "operator_id": null,
        "request_id": null,
        "test": true,
        "data": data,
        "before": before,
    });
    Some(event.to_string())
}

/// Creates and deletes have no record before, and the events of persons hold no record at all.
fn is_update(kind: EventKind, record: &Value) -> bool {
    let name = kind.as_str();
    !name.ends_with(".created")
        && kind != EventKind::UsageThresholdReached
        && !name.ends_with(".deleted")
        && record.get("fields").is_none()
}

/// What the events of a record have as `data`.
fn record(kind: RecordKind) -> Value {
    let changed = |fields: &[&str]| json!({ "id": kind.id(samples::ID), "fields": fields });
    match kind {
        RecordKind::Organization => (organization::ORGANIZATION.example)(),
        RecordKind::Client => (clients::CLIENT.example)(),
        RecordKind::Plan => (plans::PLAN.example)(),
        RecordKind::Subscription => (subscriptions::SUBSCRIPTION.example)(),
        RecordKind::Payment => (payments::PAYMENT.example)(),
        RecordKind::TestClock => (test_clock::TEST_CLOCK.example)(),
        RecordKind::WebhookEndpoint => (webhook_endpoints::WEBHOOK_ENDPOINT.example)(),
        RecordKind::TaxRate => (tax_rates::TAX_RATE.example)(),
        RecordKind::Meter => (meters::METER.example)(),
        RecordKind::Feature => (features::FEATURE.example)(),
        RecordKind::Member => (members::MEMBER.example)(),
        RecordKind::Usage => usage::threshold_sample(),
        RecordKind::Coupon => (coupons::COUPON.example)(),
        RecordKind::Credit => (credits::CREDIT.example)(),
        RecordKind::Invoice => invoices::event_sample(),
        RecordKind::Connection => (connections::CONNECTION.example)(),
        RecordKind::CreditNote => credit_notes::sample::event(),
        RecordKind::BillingProfile => changed(&["name", "address"]),
        RecordKind::Provider => json!({ "id": kind.id(samples::ID), "issuer": "https://id.example.com" }),
        RecordKind::User => changed(&["email", "first_name"]),
        RecordKind::Operator => changed(&["name", "role"]),
        RecordKind::Session => {
            let (user, client) = (RecordKind::User.id(samples::ID), RecordKind::Client.id(samples::ID));
            json!({ "id": kind.id(samples::ID), "user_id": user, "client_id": client, "fields": [] })
        }
        RecordKind::OperatorSession => {
            let operator = RecordKind::Operator.id(samples::ID);
            json!({ "id": kind.id(samples::ID), "operator_id": operator, "method": "link", "fields": [] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perennial_domain::id::PlanId;

    #[test]
    fn every_type_has_a_sample_with_every_member_of_an_event() {
        let (id, at) = (EventId::from_bytes([1; 16]), samples::now());
        for name in sample_types() {
            let event: Value = serde_json::from_str(&event_sample(name, id, at).unwrap()).unwrap();
            let members: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
            let expected =
                ["id", "type", "timestamp", "sequence", "record_id", "client_id", "operator_id", "request_id"];
            assert_eq!(members, [&expected[..], &["test", "data", "before"]].concat());
            assert_eq!((&event["type"], &event["test"], &event["id"]), (&json!(name), &json!(true), &json!(id)));
            assert!(event["data"].is_object(), "{event}");
            let is_create_or_delete =
                [".created", ".deleted", ".ping", ".threshold_reached"].iter().any(|end| name.ends_with(end));
            let is_trace = event["data"]["fields"].is_array();
            assert_eq!(event["before"].is_null(), is_create_or_delete || is_trace, "{event}");
        }
        assert_eq!(event_sample("plan.eaten", id, at), None);
    }

    #[test]
    fn the_record_of_a_sample_is_the_example_of_the_document() {
        let sample = |name| event_sample(name, EventId::from_bytes([1; 16]), samples::now()).unwrap();
        let plan: Value = serde_json::from_str(&sample("plan.deleted")).unwrap();
        assert_eq!(plan["record_id"], json!(PlanId::from_bytes(samples::ID)));
        assert_eq!(plan["data"]["id"], plan["record_id"]);
        assert!(sample("subscription.created").contains("\"has_access\":"));
    }
}
