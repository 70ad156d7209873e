//! Reads the OpenAPI document and compares responses with it. It contains none of the API rules.

use perennial_testkit::{Answer, TestApp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The document as the service serves it.
pub(crate) struct Document(pub(crate) Value);

impl Document {
    pub(crate) async fn of(app: &TestApp) -> Self {
        Self(app.anonymous("GET", "/openapi.json").send().await.expect(200).json)
    }

    /// What a reference leads to; the value itself if it is none.
    pub(crate) fn follow<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(link) => {
                let target = self.0.pointer(link.strip_prefix('#').unwrap());
                self.follow(target.unwrap_or_else(|| panic!("{link} leads nowhere")))
            }
            None => value,
        }
    }

    pub(crate) fn operation(&self, method: &str, path: &str) -> &Value {
        &self.0["paths"][path][method]
    }

    pub(crate) fn schema(&self, name: &str) -> &Value {
        &self.0["components"]["schemas"][name]
    }

    /// The description of a response: it must exist, and the response must match it.
    #[track_caller]
    pub(crate) fn assert_documented(&self, method: &str, path: &str, answer: &Answer) {
        let status = answer.status.to_string();
        let responses = self.operation(method, path)["responses"].as_object().unwrap();
        let described = responses.get(&status).unwrap_or_else(|| panic!("{method} {path} may answer {status}"));
        let described = self.follow(described);
        for name in answer.headers.keys().map(http::HeaderName::as_str) {
            // Those of HTTP itself and of the body, which its media type describes.
            if !["date", "content-length", "content-type", "connection"].contains(&name) {
                assert!(!described["headers"][name].is_null(), "{method} {path} {status} carries {name}");
            }
        }
        if let Some(content) = described["content"].as_object() {
            let media_type = answer.header("content-type").split(';').next().unwrap();
            let schema = &content.get(media_type).unwrap_or_else(|| panic!("{path} answers {media_type}"))["schema"];
            if !answer.json.is_null() {
                self.assert_conforms(schema, &answer.json, &format!("{method} {path} {status}"));
            }
        }
    }

    /// Validates a value with the part of JSON Schema that the document uses.
    #[track_caller]
    pub(crate) fn assert_conforms(&self, schema: &Value, value: &Value, context: &str) {
        let schema = self.follow(schema);
        if let Some(ways) = schema["anyOf"].as_array() {
            let is_kind = |way: &&Value| self.follow(way)["type"].as_str().is_some_and(|kind| is_of(kind, value));
            let way = ways.iter().find(is_kind).unwrap_or_else(|| panic!("{context}: none of anyOf: {value}"));
            return self.assert_conforms(way, value, context);
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.clone(),
            Value::Null => panic!("{context}: a schema without a type"),
            kind => vec![kind.clone()],
        };
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_i64() && !kinds.contains(&json!("number")) => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        assert!(kinds.contains(&json!(kind)), "{context}: {value} is no {kinds:?}");
        if let Some(words) = schema["enum"].as_array() {
            assert!(words.contains(value), "{context}: {value} is none of {words:?}");
        }
        if let (Some(properties), Some(members)) = (schema["properties"].as_object(), value.as_object()) {
            for (name, member) in members {
                let schema = properties.get(name).unwrap_or_else(|| panic!("{context}: {name} is not described"));
                self.assert_conforms(schema, member, &format!("{context}/{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(members.contains_key(name.as_str().unwrap()), "{context}: {name} is missing");
            }
        }
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.assert_conforms(&schema["items"], item, &format!("{context}/{index}"));
        }
    }
}

/// Whether a value is of a type of JSON Schema.
fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

/// The names of an object's members.
pub(crate) fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Every reference in a value.
pub(crate) fn references<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            if members.contains_key("$ref") {
                found.push(value);
            }
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
