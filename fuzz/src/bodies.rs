//! Bodies. What is accepted becomes a record; the record, sent back as it was answered, changes nothing.

use crate::texts::{has_a_message, storable};
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, OrganizationId, PaymentId, PlanId, SubscriptionId};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_domain::payments::Payment;
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_http::fuzz_api::{self, Read, Unreadable};
use serde_json::Value;

const ORGANIZATION: OrganizationId = OrganizationId::from_bytes([1; 16]);
const REVISION: EventId = EventId::from_bytes([2; 16]);

pub(crate) fn plan(data: &[u8]) {
    let sample = sample_plan();
    checked(data, fuzz_api::plan_patch(data, &sample));
    let Some((draft, faults)) = checked(data, fuzz_api::plan_draft(data)) else { return };
    let clean = faults.is_empty();
    match Plan::create(draft, faults, &organization(), PlanId::from_bytes([3; 16]), REVISION, now()) {
        Ok(plan) => {
            assert!(clean);
            let record = serde_json::to_vec(&plan).expect("a plan is JSON");
            assert_storable(&record);
            let (patch, faults) = fuzz_api::plan_patch(&record, &plan).expect("a record is JSON");
            assert_eq!(plan.merge(patch, faults), Ok(plan));
        }
        Err(faults) => refused(&faults),
    }
}

pub(crate) fn subscription(data: &[u8]) {
    let Some((draft, faults)) = checked(data, fuzz_api::subscription_draft(data)) else { return };
    let (plan, id) = (sample_plan(), SubscriptionId::from_bytes([4; 16]));
    match Subscription::create(draft, faults, Some(&plan), id, REVISION, now()) {
        Ok(subscription) => {
            checked(data, fuzz_api::subscription_patch(data, &subscription));
            let record = fuzz_api::subscription_record(&subscription, now());
            assert_storable(&record);
            let (patch, faults) = fuzz_api::subscription_patch(&record, &subscription).expect("a record is JSON");
            let merged = subscription.merge(patch, Some(&plan), faults, now());
            assert_eq!(merged.ok(), Some(subscription));
        }
        Err(faults) => refused(&faults),
    }
}

pub(crate) fn payment(data: &[u8]) {
    let Some((draft, faults)) = checked(data, fuzz_api::payment_draft(data)) else { return };
    match Payment::create(draft, faults, ORGANIZATION, PaymentId::from_bytes([5; 16]), REVISION, now()) {
        Ok(payment) => {
            checked(data, fuzz_api::payment_patch(data, &payment));
            let record = serde_json::to_vec(&payment).expect("a payment is JSON");
            assert_storable(&record);
            let (patch, faults) = fuzz_api::payment_patch(&record, &payment).expect("a record is JSON");
            assert_eq!(payment.merge(patch, faults, now()).ok(), Some(payment));
        }
        Err(faults) => refused(&faults),
    }
}

/// A body is either complete or has errors for the missing fields.
pub(crate) fn authentication(data: &[u8]) {
    for read in [fuzz_api::sign_up(data), fuzz_api::sign_in(data), fuzz_api::refresh_token(data)] {
        if let Some((whole, faults)) = checked(data, read) {
            assert!(whole || !faults.is_empty(), "a field is missing without an error");
        }
    }
}

/// Every operation that takes a body reads these bytes, or rejects them with valid errors.
pub(crate) fn operations(data: &[u8]) {
    for (_, read) in fuzz_api::bodies(data) {
        checked(data, read);
    }
}

/// What was read, after looking at all that was wrong with it.
fn checked<T>(data: &[u8], read: Read<T>) -> Option<(T, ValidationErrors)> {
    let json = serde_json::from_slice::<Value>(data);
    match read {
        Ok((value, faults)) => {
            assert!(json.is_ok() || !faults.is_empty(), "what is not JSON was accepted");
            assert!(json.is_ok_and(|json| json.is_object()) || !faults.is_empty(), "what is no object was accepted");
            for fault in &faults {
                assert!(fault.pointer.is_empty() || fault.pointer.starts_with('/'), "{:?}", fault.pointer);
                has_a_message(&fault.reason);
            }
            Some((value, faults))
        }
        Err(Unreadable::Malformed(reason)) => {
            assert!(json.is_err() && !reason.is_empty(), "JSON was refused: {reason}");
            None
        }
        Err(Unreadable::DuplicateKey(_) | Unreadable::TooDeep) => None,
    }
}

fn refused(faults: &ValidationErrors) {
    assert!(!faults.is_empty(), "a rejection has a reason");
    faults.iter().for_each(|fault| has_a_message(&fault.reason));
}

/// Both engines keep every text of the record as it is.
fn assert_storable(record: &[u8]) {
    fn texts(value: &Value) {
        match value {
            Value::String(text) => text.chars().for_each(storable),
            Value::Array(items) => items.iter().for_each(texts),
            Value::Object(members) => members.values().for_each(texts),
            _ => {}
        }
    }
    texts(&serde_json::from_slice(record).expect("a record is JSON"));
}

fn sample_plan() -> Plan {
    let body = br#"{"name": "Pro", "slug": "pro", "price": 19.99, "billing_cycle": "monthly"}"#;
    let (draft, faults) = fuzz_api::plan_draft(body).expect("the sample is JSON");
    let id = PlanId::from_bytes([3; 16]);
    Plan::create(draft, faults, &organization(), id, REVISION, now()).expect("the sample is a plan")
}

fn organization() -> Organization {
    Organization {
        id: ORGANIZATION,
        name: OrganizationName::from_stored("default".to_owned()),
        currency: Currency::USD,
        max_sessions: None,
        mode: OrganizationMode::Live,
        billing: None,
        portal: perennial_domain::portal::PortalSettings::default(),
        created_at: now(),
        updated_at: now(),
        deleted_at: None,
        revision: REVISION,
    }
}

fn now() -> Time {
    Time::from_micros(1_773_144_000_000_000).expect("an instant of 2026")
}
