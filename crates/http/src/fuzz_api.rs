//! The parsers of requests, without a server and a store, for fuzz targets.
//! Handlers use the same code.

pub use crate::address::client as client_address;
pub use crate::console_access::{Decision, decide as decide_console};
pub use crate::headers::{etag, idempotency_key, if_match, none_match, request_id, trace_id};
pub use crate::json::Unreadable;
pub use crate::query::decode_percent;

use crate::call::Body;
use crate::fields::Reader;
use crate::operations;
use crate::options::BodyLimits;
use crate::query::Query;
use crate::subscriptions::SubscriptionView;
use crate::{payments, plans, sessions, subscriptions};
use bytes::Bytes;
use perennial_domain::payments::{Payment, PaymentDraft};
use perennial_domain::plans::{Plan, PlanDraft, PlanPatch};
use perennial_domain::subscriptions::{Subscription, SubscriptionDraft};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;

/// The value and the validation errors of a body, unless it is not valid JSON.
pub type Read<T> = Result<(T, ValidationErrors), Unreadable>;

/// The body of a plan's create.
pub fn plan_draft(body: &[u8]) -> Read<PlanDraft> {
    read(body, |fields| plans::draft(fields))
}

/// The body of a plan's update.
pub fn plan_patch(body: &[u8], plan: &Plan) -> Read<PlanPatch> {
    read(body, |fields| plans::patch(fields, Some(plan)))
}

/// The body of a subscription's create.
pub fn subscription_draft(body: &[u8]) -> Read<SubscriptionDraft> {
    read(body, |fields| subscriptions::draft(fields))
}

/// The body of a subscription's update.
pub fn subscription_patch(body: &[u8], subscription: &Subscription) -> Read<SubscriptionDraft> {
    read(body, |fields| subscriptions::patch(fields, Some(subscription)))
}

/// A subscription as it is returned at `now`.
pub fn subscription_record(subscription: &Subscription, now: Time) -> Vec<u8> {
    serde_json::to_vec(&SubscriptionView::at(subscription, now)).expect("a record is plain data")
}

/// The body of a payment's create.
pub fn payment_draft(body: &[u8]) -> Read<PaymentDraft> {
    read(body, |fields| payments::draft(fields))
}

/// The body of a payment's update.
pub fn payment_patch(body: &[u8], payment: &Payment) -> Read<PaymentDraft> {
    read(body, |fields| payments::patch(fields, Some(payment)))
}

/// Reads bytes as the body of each operation that takes one; by the operation's id.
pub fn bodies(body: &[u8]) -> impl Iterator<Item = (&'static str, Read<()>)> {
    operations::all().iter().filter_map(move |operation| {
        let spec = operation.body.as_ref()?;
        Some((operation.id, parse(body).map(|body| ((), body.errors(spec.fields)))))
    })
}

/// Reads a text as the query of each operation; the problem document where it is rejected. By the operation's id.
pub fn queries(query: &str) -> impl Iterator<Item = (&'static str, Result<(), Vec<u8>>)> {
    operations::all().iter().map(move |operation| {
        let mut query = Query::new(Some(query), operation.query.parameters);
        (operation.query.parse)(&mut query);
        (operation.id, query.finish().map_err(|problem| problem.document("")))
    })
}

/// The body of a sign-in; whether all required fields were present.
pub fn sign_in(body: &[u8]) -> Read<bool> {
    read(body, |fields| sessions::credentials(fields).is_some())
}

/// The body of a sign-up; whether all required fields were present.
pub fn sign_up(body: &[u8]) -> Read<bool> {
    read(body, |fields| sessions::sign_up_fields(fields).is_some())
}

/// The body of a refresh; whether the token was present.
pub fn refresh_token(body: &[u8]) -> Read<bool> {
    read(body, |fields| sessions::refresh_token(fields).is_some())
}

fn read<T>(body: &[u8], fields: impl FnOnce(&mut Reader<'_>) -> T) -> Read<T> {
    parse(body).map(|body| body.read(fields))
}

fn parse(body: &[u8]) -> Result<Body, Unreadable> {
    Body::parse(Bytes::copy_from_slice(body), BodyLimits::default().depth)
}
