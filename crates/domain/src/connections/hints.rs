//! Hints: which object changed, read from the body of a webhook. The kind of object decides, not the event's name, and
//! nothing else of the body is used for a record.

use super::inbox::InboxItem;
use super::{AccountId, Connection, ConnectionKind, ConnectionMode, ObjectKind};
use crate::id::UserId;
use crate::time::Time;
use serde_json::Value;

/// The longest key, type or ID that is stored.
const MAX_LENGTH: usize = 255;

/// What a body names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// What identifies the event. None: the digest of the body does.
    pub key: Option<String>,
    /// The provider's name of the event.
    pub kind: Option<String>,
    /// The object that changed.
    pub object: Option<(ObjectKind, String)>,
    /// When it happened at the provider.
    pub occurred_at: Option<Time>,
    /// Why no object is fetched: the code and whether the body is at fault.
    pub refusal: Option<Refusal>,
}

/// Why no object is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The body concerns no record: `unhandled_type`, `other_account`, `other_mode`, `draft_invoice`, `no_subscription`.
    Ignored(&'static str),
    /// The body is none of the provider's.
    Malformed,
}

impl Hint {
    /// Reads a body whose signature is valid.
    pub fn read(connection: &Connection, body: &[u8]) -> Self {
        let malformed = Self { refusal: Some(Refusal::Malformed), ..Self::default() };
        let Ok(event) = serde_json::from_slice::<Value>(body) else { return malformed };
        let mut hint = match connection.kind {
            ConnectionKind::Stripe => stripe(&event),
            ConnectionKind::LemonSqueezy => lemon_squeezy(&event),
            ConnectionKind::Paddle => paddle(&event),
        };
        let has_key = hint.key.is_some() || connection.kind == ConnectionKind::LemonSqueezy;
        if hint.refusal == Some(Refusal::Malformed) || !has_key {
            return Self { key: hint.key, kind: hint.kind, ..malformed };
        }
        let other = is_other_account(connection, &event).then_some("other_account");
        let other = other.or_else(|| is_other_mode(connection, &event).then_some("other_mode"));
        if let Some(code) = other {
            hint.refusal = Some(Refusal::Ignored(code));
        }
        hint
    }
}

/// The user that the custom data of one of these Lemon Squeezy webhooks names.
pub fn custom_user(kind: ConnectionKind, webhooks: &[InboxItem]) -> Option<UserId> {
    let named = |webhook: &InboxItem| {
        let event: Value = serde_json::from_slice(webhook.body.as_deref()?).ok()?;
        event.pointer("/meta/custom_data/user_id").and_then(Value::as_str)?.parse().ok()
    };
    webhooks.iter().filter(|_| kind == ConnectionKind::LemonSqueezy).find_map(named)
}

/// What is stored of the body of a webhook once no link leads from a user to it: the user that it names, which a retry needs.
/// The rest may be personal data.
pub fn without_personal_data(kind: ConnectionKind, webhook: &InboxItem) -> Option<Vec<u8>> {
    let user = custom_user(kind, std::slice::from_ref(webhook))?;
    let body = serde_json::json!({ "meta": { "custom_data": { "user_id": user.to_string() } } });
    Some(body.to_string().into_bytes())
}

fn stripe(event: &Value) -> Hint {
    let object = &event["data"]["object"];
    let name = text(&event["type"]);
    let is_unhandled = name.as_deref().is_some_and(|name| {
        ["charge.succeeded", "charge.failed"].contains(&name) || name.starts_with("payment_intent.")
    });
    let found = match stripe_kind(object) {
        None => Err(Refusal::Malformed),
        Some(_) if is_unhandled => Err(UNHANDLED),
        Some("customer") => named(ObjectKind::Customer, &object["id"]),
        Some("price" | "plan" | "product") => named(ObjectKind::Price, &object["id"]),
        Some("subscription") => named(ObjectKind::Subscription, &object["id"]),
        Some("checkout.session") => match reference(&object["subscription"]) {
            Some(id) => Ok((ObjectKind::Subscription, id)),
            None => Err(Refusal::Ignored("no_subscription")),
        },
        // The preview of an invoice, in `invoice.upcoming`, has no ID.
        Some("invoice") if object["id"].is_null() => Err(Refusal::Ignored("draft_invoice")),
        Some("invoice") => named(ObjectKind::Payment, &object["id"]),
        Some("invoice_payment") => named(ObjectKind::Payment, &object["invoice"]),
        Some("charge") => by_invoice(&[&object["invoice"], &object["id"]]),
        Some("refund" | "dispute") => by_invoice(&[&object["invoice"], &object["charge"], &object["payment_intent"]]),
        Some(_) => Err(UNHANDLED),
    };
    let occurred_at = event["created"].as_i64().and_then(|seconds| Time::from_micros(seconds.checked_mul(1_000_000)?));
    hint(text(&event["id"]), name, occurred_at, found)
}

/// The kind of an object of Stripe. Some versions of its API send a charge without `object`.
fn stripe_kind(object: &Value) -> Option<&str> {
    let is_charge = || {
        let id = object["id"].as_str().unwrap_or_default();
        object["type"] == "charge" || id.starts_with("ch_") || id.starts_with("py_")
    };
    object["object"].as_str().or_else(|| is_charge().then_some("charge"))
}

fn lemon_squeezy(event: &Value) -> Hint {
    let data = &event["data"];
    let order = |id: String| format!("order-{id}");
    let found = match data["type"].as_str() {
        None => Err(Refusal::Malformed),
        Some("subscriptions") => named(ObjectKind::Subscription, &data["id"]),
        Some("subscription-invoices") => named(ObjectKind::Payment, &data["id"]),
        Some("orders") => named(ObjectKind::Payment, &data["id"]).map(|(kind, id)| (kind, order(id))),
        Some(_) => Err(UNHANDLED),
    };
    let updated = data.pointer("/attributes/updated_at").and_then(Value::as_str);
    hint(None, text(&event["meta"]["event_name"]), updated.and_then(|text| Time::parse(text).ok()), found)
}

fn paddle(event: &Value) -> Hint {
    let data = &event["data"];
    let found = match data["id"].as_str().map(|id| id.split_once('_').unwrap_or((id, ""))) {
        None => Err(Refusal::Malformed),
        Some(("ctm", _)) => named(ObjectKind::Customer, &data["id"]),
        Some(("pri" | "pro", _)) => named(ObjectKind::Price, &data["id"]),
        Some(("sub", _)) => named(ObjectKind::Subscription, &data["id"]),
        Some(("txn", _)) => named(ObjectKind::Payment, &data["id"]),
        Some(("adj", _)) => named(ObjectKind::Payment, &data["transaction_id"]),
        Some(_) => Err(UNHANDLED),
    };
    let occurred = event["occurred_at"].as_str().and_then(|text| Time::parse(text).ok());
    hint(text(&event["event_id"]), text(&event["event_type"]), occurred, found)
}

const UNHANDLED: Refusal = Refusal::Ignored("unhandled_type");

type Found = Result<(ObjectKind, String), Refusal>;

fn hint(key: Option<String>, kind: Option<String>, occurred_at: Option<Time>, found: Found) -> Hint {
    Hint { key, kind, occurred_at, refusal: found.as_ref().err().copied(), object: found.ok() }
}

fn named(kind: ObjectKind, id: &Value) -> Found {
    reference(id).map(|id| (kind, id)).ok_or(Refusal::Malformed)
}

/// The payment of a charge, a refund or a dispute, by the best ID that it has.
fn by_invoice(ids: &[&Value]) -> Found {
    let id = ids.iter().find_map(|id| reference(id));
    id.map(|id| (ObjectKind::Payment, id)).ok_or(Refusal::Malformed)
}

/// An ID, or that of an expanded object.
fn reference(value: &Value) -> Option<String> {
    text(value).or_else(|| text(&value["id"]))
}

/// A short text or a number.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let is_plain = (1..=MAX_LENGTH).contains(&text.len()) && !text.contains(char::is_control);
    is_plain.then_some(text)
}

fn is_other_account(connection: &Connection, event: &Value) -> bool {
    let account = match connection.kind {
        ConnectionKind::Stripe => text(&event["account"]),
        ConnectionKind::LemonSqueezy => event.pointer("/data/attributes/store_id").and_then(text),
        ConnectionKind::Paddle => None,
    };
    let own = connection.account.as_ref().map(AccountId::as_str);
    own.is_some_and(|own| account.is_some_and(|account| account != own))
}

fn is_other_mode(connection: &Connection, event: &Value) -> bool {
    let is_live = match connection.kind {
        ConnectionKind::Stripe => event["livemode"].as_bool(),
        ConnectionKind::LemonSqueezy => {
            let meta = event.pointer("/meta/test_mode").and_then(Value::as_bool);
            event.pointer("/data/attributes/test_mode").and_then(Value::as_bool).or(meta).map(|is_test| !is_test)
        }
        ConnectionKind::Paddle => None,
    };
    is_live.is_some_and(|is_live| is_live != (connection.mode == ConnectionMode::Live))
}

#[cfg(test)]
mod tests;
