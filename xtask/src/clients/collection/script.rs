//! What a request checks of its answer, and what it keeps for those after it: the `pm` scripts of the collection.

use serde_json::Value;

use super::super::model::{Answer, Model, Operation};

/// Lists that have no record if everything went well.
const MAY_BE_EMPTY: [&str; 14] = [
    "forecastSubscription",
    "listWebhookUndelivered",
    "listMovements",
    "readPlanFigures",
    "listTaxRates",
    "listCoupons",
    "listMeters",
    "listFeatures",
    "listMembers",
    "listCredits",
    "listConnections",
    "listConnectionInbox",
    "listInvoices",
    "listCreditNotes",
];

/// What an operation's answer teaches: a variable, and where the value is.
const KEPT: [(&str, &str, &str); 18] = [
    ("Tokens", "accessToken", "answer.token"),
    ("Tokens", "refreshToken", "answer.refresh_token"),
    ("Tokens", "userId", "answer.user.id"),
    // It is part of a path, and a provider's id may contain any character.
    ("Tokens", "authId", "encodeURIComponent(answer.user.auth_id)"),
    // Not the caller's own: that one is needed for what follows.
    ("TokenList", "sessionId", "(answer.tokens.find(session => !session.current) || answer.tokens[0]).id"),
    ("Client", "clientRecordId", "answer.id"),
    ("Subscription", "subscriptionId", "answer.id"),
    ("Payment", "paymentId", "answer.id"),
    ("Invoice", "invoiceId", "answer.id"),
    ("ManagedUser", "managedUserId", "answer.id"),
    ("Operator", "operatorId", "answer.id"),
    ("Event", "eventId", "answer[0].id"),
    ("WebhookEndpointWithSecret", "webhookEndpointId", "answer.id"),
    ("TaxRate", "taxRateId", "answer.id"),
    ("Coupon", "couponId", "answer.id"),
    ("Meter", "meterId", "answer.id"),
    ("Feature", "featureKey", "answer.key"),
    ("CreditNote", "creditNoteId", "answer.id"),
];

pub(super) fn of(model: &Model, operation: &Operation) -> Vec<String> {
    let status = operation.status;
    let mut lines = vec![format!("pm.test(\"answers {status}\", () => pm.response.to.have.status({status}));")];
    let (record, path) = match &operation.answer {
        Answer::One(record) => (record, "answer"),
        Answer::Page(record) | Answer::Figures(record) => (record, "answer[0]"),
        Answer::Bare => return lines,
    };
    lines.push("const answer = pm.response.json().data;".to_owned());
    let members: Vec<String> = model
        .record(record)
        .map(|known| known.fields.iter().map(|field| format!("\"{}\"", field.name)).collect())
        .unwrap_or_default();
    let condition = if MAY_BE_EMPTY.contains(&operation.id.as_str()) { "if (answer.length > 0) " } else { "" };
    lines
        .push(format!("{condition}pm.test(\"has the members of {record}\", () => pm.expect({path}).to.have.all.keys("));
    lines.push(format!("    {}", members.join(", ")));
    lines.push("));".to_owned());
    lines.extend(kept(operation, record));
    lines.extend(compared(model, operation, record));
    lines
}

fn kept(operation: &Operation, record: &str) -> Vec<String> {
    // A read must not change what the next request is about, so only a create teaches a record's id. Events are not created.
    let teaches = matches!(record, "Tokens" | "TokenList") || operation.status == 201 || operation.id == "listEvents";
    let known = KEPT.iter().filter(|(of, ..)| teaches && *of == record);
    let keep =
        |(_, variable, value): &(&str, &str, &str)| format!("pm.collectionVariables.set(\"{variable}\", {value});");
    known.map(keep).collect()
}

/// That the answer is about what was asked. What was sent is written out, since not every runner lets a script see it.
fn compared(model: &Model, operation: &Operation, record: &str) -> Option<String> {
    if !operation.if_match && !operation.idempotency_key {
        return None;
    }
    if let Some(body) = super::body(model, operation) {
        let answered = &model.record(record)?.fields;
        let mut sent = only_what_stays(body);
        // A member of an action, such as `overlap_seconds`, is no member of the record.
        sent.as_object_mut()?.retain(|name, _| answered.iter().any(|field| field.name == *name));
        return Some(format!("pm.test(\"keeps what was sent\", () => pm.expect(answer).to.deep.include({sent}));"));
    }
    let named = super::variable_of(operation, &operation.path_parameters.last()?.name)?;
    Some(format!(
        "pm.test(\"answers what was there\", () => \
         pm.expect([answer.id, answer.slug]).to.include(pm.variables.replaceIn(\"{{{{{named}}}}}\")));"
    ))
}

/// Without variables, times, which are answered in more digits, and ids: a plan may be named by its slug.
fn only_what_stays(mut body: Value) -> Value {
    if let Some(members) = body.as_object_mut() {
        let is_variable = |value: &Value| value.as_str().is_some_and(|text| text.contains("{{"));
        members.retain(|name, value| !name.ends_with("_id") && !name.ends_with("_at") && !is_variable(value));
    }
    body
}
