//! JSON schemas of what is returned, and those that several operations share.

use crate::fields::{Field, SchemaWriter};
use crate::filters::MAX_LIMIT;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::MAX_TIER;
use serde_json::{Map, Value, json};

/// The one description of something that operations return. A test compares the definition with the example, so that
/// neither can have a field that the other lacks.
pub(crate) struct Schema {
    /// The name in the OpenAPI document and in generated clients.
    pub(crate) name: &'static str,
    pub(crate) definition: fn() -> Value,
    /// An example, serialized by the code that serializes responses.
    pub(crate) example: fn() -> Value,
    /// The schemas that the definition refers to.
    pub(crate) refers_to: &'static [&'static Schema],
}

impl Schema {
    /// A reference to this schema within the document.
    pub(crate) fn reference(&self) -> Value {
        json!({ "$ref": format!("#/components/schemas/{}", self.name) })
    }
}

pub(crate) fn boolean() -> Value {
    json!({ "type": "boolean" })
}

pub(crate) fn text() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 255 })
}

pub(crate) fn product() -> Value {
    json!({ "type": "string", "maxLength": 255 })
}

pub(crate) fn cursor() -> Value {
    json!({ "type": "string" })
}

pub(crate) fn cycle() -> Value {
    json!({ "type": "string", "examples": BillingCycle::ALL.map(BillingCycle::as_str) })
}

pub(crate) fn tier() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": MAX_TIER })
}

pub(crate) fn limit(default: usize) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": default })
}

pub(crate) fn optional_text() -> Value {
    json!({ "type": ["string", "null"] })
}

/// A time in RFC 3339.
pub(crate) fn instant() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

pub(crate) fn optional_instant() -> Value {
    json!({ "type": ["string", "null"], "format": "date-time" })
}

pub(crate) fn words(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// An ID with its prefix.
pub(crate) fn id<T: Field>() -> Value {
    T::schema()
}

/// A record: all fields are always present, and there are no others.
pub(crate) fn record(fields: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// A record that may be missing.
pub(crate) fn optional_record(fields: &[(&str, Value)]) -> Value {
    let mut schema = record(fields);
    schema["type"] = json!(["object", "null"]);
    schema
}

/// A record whose details have the schemas of the request, between the fields before and after them.
pub(crate) fn record_with_details(
    before: &[(&str, Value)],
    details: impl FnOnce(&mut SchemaWriter),
    after: &[(&str, Value)],
) -> Value {
    let mut writer = SchemaWriter::default();
    details(&mut writer);
    let details = writer.properties();
    let details: Vec<(&str, Value)> = details.iter().map(|(name, schema)| (name.as_str(), schema.clone())).collect();
    record(&[before, &details, after].concat())
}
