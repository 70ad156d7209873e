//! Every record has an event. A record that is imported without a revision, and so without a history, gets its first event
//! here: created, or deleted if it is imported as a deleted one.

use super::record::Record;
use perennial_app::audit::json;
use perennial_domain::id::PlanId;
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::organizations::billing::OrganizationBilling;
use perennial_store::transfer::Values;
use perennial_store::{Type, Value};

/// The fields of a record that an event does not store.
const OMITTED: [&str; 8] = [
    "organization_id",
    "deleted_at",
    "revision",
    "due_at",
    "change_plan_id",
    "usage_closed_until",
    "applied",
    "surplus",
];

/// The names that an event uses for fields of a user, and their columns.
const TRACED: [(&str, &str); 9] = [
    ("email", "email"),
    ("identity", "subject"),
    ("username", "username"),
    ("first_name", "first_name"),
    ("last_name", "last_name"),
    ("terms", "terms"),
    ("notifications", "notifications"),
    ("auth_type", "auth_type"),
    ("is_blocked", "blocked_at"),
];

/// The row of the event.
pub(super) fn row(record: &Record) -> Values {
    let deleted_at = record.find("deleted_at").filter(|time| !time.is_null());
    let content = Value::Text(match record.kind.name {
        "user" => trace(record),
        "operator" => operator_trace(record),
        _ => whole(record),
    });
    let nothing = Value::Null(Type::Text);
    let (happened, at, before, after) = match deleted_at {
        Some(at) => ("deleted", at, content, nothing),
        None => ("created", record.at("created_at"), nothing, content),
    };
    vec![
        // An organization belongs to itself.
        record.values[0].clone(),
        record.at("revision").clone(),
        Value::Text(format!("{}.{happened}", record.kind.name)),
        record.at("id").clone(),
        // No client, no operator and no request.
        Value::Null(Type::Uuid),
        Value::Null(Type::Uuid),
        Value::Null(Type::Text),
        at.clone(),
        Value::Null(Type::Uuid),
        before,
        after,
    ]
}

/// The record as the API returns it.
fn whole(record: &Record) -> String {
    let mut out = String::new();
    for (field, value) in record.kind.fields().iter().zip(&record.values) {
        if OMITTED.contains(&field.name) {
            continue;
        }
        out.push_str(if out.is_empty() { "{\"" } else { ",\"" });
        out.push_str(field.name);
        out.push_str("\":");
        match stored_otherwise(record, field.name) {
            Some(text) => out.push_str(&text),
            None => field.form.write(value, "", &mut out),
        }
    }
    out.push('}');
    out
}

/// A field as the API returns it, if it is stored in another form: billing, and grants if there are none.
fn stored_otherwise(record: &Record, field: &str) -> Option<String> {
    if field == "entitlements" && record.text("entitlements").is_empty() {
        return Some("{}".to_owned());
    }
    let text = record.find("billing").filter(|_| field == "billing").map(|_| record.text("billing"))?;
    match record.kind.name {
        "organization" if text.is_empty() => Some(OrganizationBilling::default().to_stored()),
        "subscription" if !text.is_empty() => {
            let plan = match record.at("change_plan_id") {
                Value::Uuid(bytes) => Some(PlanId::from_bytes(*bytes)),
                _ => None,
            };
            Billing::from_stored(text, plan).map(|billing| json(&billing))
        }
        _ => None,
    }
}

/// The names of the user's fields that are set, without their values.
fn trace(record: &Record) -> String {
    let is_set = |(_, column): &&(&str, &str)| !record.at(column).is_null();
    let names: Vec<&str> = TRACED.iter().filter(is_set).map(|(name, _)| *name).collect();
    let mut id = String::new();
    record.kind.fields()[record.kind.place("id")].form.write(record.at("id"), "", &mut id);
    format!("{{\"id\":{id},\"fields\":{}}}", serde_json::Value::from(names))
}

/// What an event stores of an operator: its ID, its role, and the names of its fields.
fn operator_trace(record: &Record) -> String {
    let mut text = String::from("{");
    for name in ["id", "role", "is_active"] {
        text.extend(["\"", name, "\":"]);
        record.kind.fields()[record.kind.place(name)].form.write(record.at(name), "", &mut text);
        text.push(',');
    }
    text + "\"fields\":[\"name\",\"role\",\"is_active\"]}"
}

#[cfg(test)]
mod tests {
    use super::super::export::write;
    use super::super::kinds::named_kind;
    use super::super::line;
    use super::*;
    use crate::demo::examples::examples;
    use perennial_store::transfer;

    fn record(kind: &str, values: Values) -> Record {
        Record { kind: named_kind(kind).unwrap(), values, lacks_event: true }
    }

    fn parsed(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn it_equals_the_event_of_a_request() {
        let examples = examples();
        let made = [
            (record("plan", transfer::row(&examples.plan)), json(&examples.plan)),
            (record("subscription", transfer::row(&examples.subscription)), json(&examples.subscription)),
            (record("payment", transfer::row(&examples.payment)), json(&examples.payment)),
            (record("user", transfer::row(&examples.user)), examples.user_trace.clone()),
        ];
        for (record, expected) in made {
            let event = self::record("event", row(&record));
            assert_eq!(parsed(event.text("after")), parsed(&expected), "{}", record.kind.name);
            assert_eq!(event.text("kind"), format!("{}.created", record.kind.name));
            assert_eq!((event.at("record_id"), event.at("at")), (record.at("id"), record.at("created_at")));
            assert_eq!(event.at("id"), record.at("revision"));
            // It goes out and comes in like any other.
            let mut line = String::new();
            write(event.kind, &event.values, &mut line);
            assert!(line::read(line.trim_end().as_bytes(), None, None).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_deleted_record_gets_a_deletion() {
        let mut plan = record("plan", transfer::row(&examples().plan));
        let (place, end) = (plan.kind.place("deleted_at"), Value::Time(1_800_000_000_000_000));
        plan.values[place] = end.clone();
        let event = record("event", row(&plan));
        assert_eq!((event.text("kind"), event.at("at")), ("plan.deleted", &end));
        assert!(event.at("after").is_null() && !event.at("before").is_null());
    }
}
