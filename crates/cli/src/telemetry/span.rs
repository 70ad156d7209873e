//! A closed span, and its OTLP JSON: IDs in hex, 64-bit numbers as strings.

use serde_json::{Value, json};
use std::fmt::Debug;
use tracing::field::{Field, Visit};

/// A closed span.
pub(super) struct Span {
    pub(super) trace_id: u128,
    pub(super) id: u64,
    pub(super) parent_id: Option<u64>,
    pub(super) name: &'static str,
    pub(super) started_nanos: u64,
    pub(super) ended_nanos: u64,
    pub(super) attributes: Attributes,
}

/// The values of a span, by name. Names with the prefix `otel.` are about the span itself.
#[derive(Default)]
pub(super) struct Attributes(Vec<(&'static str, AttributeValue)>);

enum AttributeValue {
    Text(String),
    Number(i64),
    Truth(bool),
}

impl Span {
    pub(super) fn json(&self) -> Value {
        let Self { attributes, .. } = self;
        let listed: Vec<Value> = attributes
            .0
            .iter()
            .filter(|(name, _)| !name.starts_with("otel.") && *name != "traceparent")
            .map(|(name, said)| json!({ "key": name, "value": said.json() }))
            .collect();
        let kind = match attributes.text("otel.kind") {
            Some("server") => 2,
            Some("client") => 3,
            _ => 1,
        };
        let status =
            if attributes.text("otel.status_code") == Some("ERROR") { json!({ "code": 2 }) } else { json!({}) };
        let mut span = json!({
            "traceId": format!("{:032x}", self.trace_id),
            "spanId": format!("{:016x}", self.id),
            "name": attributes.text("otel.name").unwrap_or(self.name),
            "kind": kind,
            "startTimeUnixNano": self.started_nanos.to_string(),
            "endTimeUnixNano": self.ended_nanos.to_string(),
            "attributes": listed,
            "status": status,
        });
        if let Some(parent) = self.parent_id {
            span["parentSpanId"] = format!("{parent:016x}").into();
        }
        span
    }
}

impl Attributes {
    /// Whether the span is about a request.
    pub(super) fn is_server(&self) -> bool {
        self.text("otel.kind") == Some("server")
    }

    /// The trace, the span and the flags of the caller, which were validated before.
    pub(super) fn traceparent(&self) -> Option<(u128, u64, bool)> {
        let mut parts = self.text("traceparent")?.split('-').skip(1);
        let trace = u128::from_str_radix(parts.next()?, 16).ok()?;
        let parent = u64::from_str_radix(parts.next()?, 16).ok()?;
        let flags = u8::from_str_radix(parts.next()?, 16).ok()?;
        Some((trace, parent, flags & 1 == 1))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|(known, said)| match said {
            AttributeValue::Text(text) if *known == name => Some(text.as_str()),
            _ => None,
        })
    }

    fn put(&mut self, field: &Field, value: AttributeValue) {
        match self.0.iter_mut().find(|(name, _)| *name == field.name()) {
            Some((_, before)) => *before = value,
            None => self.0.push((field.name(), value)),
        }
    }
}

impl Visit for Attributes {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, AttributeValue::Text(value.to_owned()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, AttributeValue::Number(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, AttributeValue::Number(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, AttributeValue::Truth(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, AttributeValue::Text(format!("{value:?}")));
    }
}

impl AttributeValue {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "stringValue": text }),
            Self::Number(number) => json!({ "intValue": number.to_string() }),
            Self::Truth(truth) => json!({ "boolValue": truth }),
        }
    }
}
