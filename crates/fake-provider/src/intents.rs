//! Payment intents as Stripe has them: an idempotency key returns what it returned first, and a canceled intent cannot succeed.

use crate::behavior::{Card, Fault, Seen};
use crate::objects::Objects;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The parameters of a request, and the status and body of its response.
type Stored = (Vec<(String, String)>, u16, Value);

/// The responses by idempotency key.
#[derive(Default)]
pub(crate) struct Keys(HashMap<String, Stored>);

const INTENTS: &str = "payment_intents";

/// Creates and confirms an intent, or repeats the response of the key.
pub(crate) fn create(
    objects: &mut Objects,
    keys: &mut Keys,
    request: &Seen,
    (card, fault, now): (Card, Option<Fault>, i64),
) -> (u16, Value) {
    let key = request.header("idempotency-key").map(str::to_owned);
    if let Some((form, status, body)) = key.as_ref().and_then(|key| keys.0.get(key)) {
        return if *form == request.form {
            (*status, body.clone())
        } else {
            (400, json!({ "error": { "type": "idempotency_error", "message": "other parameters" } }))
        };
    }
    let id = format!("pi_{}", objects.all(INTENTS).len() + 1);
    let (status, intent_status, error) = match card {
        Card::Good => (200, "succeeded", None),
        Card::Slow => (200, "processing", None),
        Card::NeedsAction => (402, "requires_action", Some(("authentication_required", "authentication_required"))),
        Card::Declined => (402, "requires_payment_method", Some(("card_declined", "insufficient_funds"))),
    };
    let field = |name: &str| request.field(name).unwrap_or_default().to_owned();
    let intent = json!({
        "id": id, "object": "payment_intent", "status": intent_status, "amount": field("amount").parse::<i64>().ok(),
        "currency": field("currency"), "customer": field("customer"), "payment_method": field("payment_method"), "created": now,
        "metadata": metadata(request),
    });
    objects.put(INTENTS, intent.clone());
    let body = match error {
        None => intent,
        Some((code, decline)) => {
            json!({ "error": { "type": "card_error", "code": code, "decline_code": decline, "payment_intent": intent } })
        }
    };
    let (status, body) = match fault {
        Some(Fault::FailAfter) => (500, json!({ "error": { "type": "api_error" } })),
        _ => (status, body),
    };
    if let Some(key) = key {
        keys.0.insert(key, (request.form.clone(), status, body.clone()));
    }
    (status, body)
}

/// The fields `metadata[…]`.
fn metadata(request: &Seen) -> serde_json::Map<String, Value> {
    let name = |field: &str| field.strip_prefix("metadata[")?.strip_suffix(']').map(str::to_owned);
    request.form.iter().filter_map(|(field, value)| Some((name(field)?, json!(value)))).collect()
}

/// Cancels an intent. One that succeeded or is processing cannot be canceled.
pub(crate) fn cancel(objects: &mut Objects, id: &str, cancel_fails: bool) -> (u16, Value) {
    let Some(intent) = objects.get_mut(INTENTS, id) else { return (404, json!({ "error": {} })) };
    if cancel_fails {
        intent["status"] = json!("succeeded");
    }
    match intent["status"].as_str() {
        Some("succeeded" | "processing") => {
            (400, json!({ "error": { "code": "payment_intent_unexpected_state", "payment_intent": intent } }))
        }
        _ => {
            intent["status"] = json!("canceled");
            (200, intent.clone())
        }
    }
}
