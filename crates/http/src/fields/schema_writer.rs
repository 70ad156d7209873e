//! Writes the schema of a body from the function that lists its fields.

use super::traits::{Field, Fields};
use serde_json::{Map, Value, json};

/// A schema that is being written. It returns no values.
#[derive(Default)]
pub(crate) struct SchemaWriter {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl SchemaWriter {
    /// The schema of an object with the listed fields and no others.
    pub(crate) fn finish(self) -> Value {
        let mut schema = json!({ "type": "object", "properties": self.properties, "additionalProperties": false });
        if !self.required.is_empty() {
            schema["required"] = Value::Array(self.required);
        }
        schema
    }

    /// The fields that were listed, in their order.
    pub(crate) fn properties(self) -> Map<String, Value> {
        self.properties
    }

    fn add(&mut self, at: &'static str, schema: Value) {
        self.properties.insert(name_of(at).to_owned(), schema);
    }
}

impl Fields for SchemaWriter {
    fn required<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T> {
        self.required.push(name_of(at).into());
        self.optional(at, about)
    }

    fn optional<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<T> {
        self.add(at, described(T::schema(), about));
        None
    }

    fn nullable<T: Field>(&mut self, at: &'static str, about: &'static str) -> Option<Option<T>> {
        self.add(at, described(nullable(T::schema()), about));
        None
    }

    fn read_only(&mut self, _at: &'static str) {}

    fn ignored(&mut self, at: &'static str) {
        self.add(at, json!({ "description": "Ignored. It may be sent back with any value." }));
    }

    fn unchanged<T: Field + PartialEq>(&mut self, at: &'static str, _stored: Option<&T>) {
        self.add(at, described(T::schema(), "Read-only. It may be sent back unchanged."));
    }

    fn unchanged_or_null<T: Field + PartialEq>(&mut self, at: &'static str, _stored: Option<Option<&T>>) {
        self.add(at, described(nullable(T::schema()), "Read-only. It may be sent back unchanged."));
    }
}

/// The last part of a pointer: a member of a body, or of an object within it.
fn name_of(at: &'static str) -> &'static str {
    at.rsplit('/').next().unwrap_or(at)
}

/// The schema of a value that may also be null.
fn nullable(mut schema: Value) -> Value {
    if let Some(kind) = schema["type"].as_str() {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    schema
}

fn described(mut schema: Value, about: &'static str) -> Value {
    schema["description"] = match schema["description"].as_str() {
        Some(form) => format!("{about} {form}").into(),
        None => about.into(),
    };
    schema
}
