//! A JSON Schema of the file, for editors: keys and defaults of the types, descriptions of the reference, and
//! the value types that the reference shows.

use super::{known, reference};
use crate::providers::Preset;
use clap::ValueEnum;
use perennial_app::providers::{Algorithm, EmailVerified, ProviderKind};
use serde_json::{Map, Value, json};

pub(crate) fn schema() -> Value {
    let examples: toml::Table = reference::with_examples().parse().unwrap_or_default();
    let mut properties = Map::new();
    for (key, default) in known::shape() {
        let property = match (known::below(&default), examples.get(&key)) {
            (Some(inner), Some(toml::Value::Array(list))) => {
                let example = list.first().and_then(toml::Value::as_table);
                json!({ "type": "array", "items": table(&key, inner, example) })
            }
            (Some(inner), example) => table(&key, inner, example.and_then(toml::Value::as_table)),
            (None, example) => property(&key, &default, example),
        };
        properties.insert(key, property);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "perennial.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn table(name: &str, keys: &Map<String, Value>, examples: Option<&toml::Table>) -> Value {
    let example = |key: &str| examples.and_then(|table| table.get(key));
    let properties: Map<String, Value> = keys
        .iter()
        .map(|(key, default)| (key.clone(), property(&format!("{name}.{key}"), default, example(key))))
        .collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn property(path: &str, default: &Value, example: Option<&toml::Value>) -> Value {
    let mut property = match example {
        Some(toml::Value::Integer(_)) => json!({ "type": "integer", "minimum": i32::from(is_counted(path)) }),
        Some(toml::Value::Boolean(_)) => json!({ "type": "boolean" }),
        Some(toml::Value::Array(items)) if items.iter().any(toml::Value::is_integer) => {
            json!({ "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 1 } })
        }
        Some(toml::Value::Array(_)) => json!({ "type": "array", "items": text(path) }),
        _ => text(path),
    };
    if let Some(description) = reference::description(path) {
        property["description"] = description.into();
    }
    if !default.is_null() {
        property["default"] = default.clone();
    }
    property
}

/// A string, or one of its allowed values.
fn text(path: &str) -> Value {
    let words: Vec<String> = match path {
        "providers.preset" => Preset::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect(),
        "providers.kind" => ProviderKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect(),
        "providers.email_verified" => EmailVerified::ALL.iter().map(|rule| rule.as_str().to_owned()).collect(),
        "providers.algorithms" => Algorithm::ALL.iter().map(|algorithm| algorithm.name().to_owned()).collect(),
        _ => return json!({ "type": "string" }),
    };
    json!({ "enum": words })
}

/// Whether a number must be at least 1: whether the types reject 0.
fn is_counted(path: &str) -> bool {
    path.split_once('.')
        .is_some_and(|(table, key)| toml::from_str::<super::Config>(&format!("[{table}]\n{key} = 0")).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(schema: &'a Value, path: &str) -> &'a Value {
        let (table, key) = path.split_once('.').unwrap_or((path, ""));
        let found = &schema["properties"][table];
        match (key, found["type"].as_str()) {
            ("", _) => found,
            (key, Some("array")) => &found["items"]["properties"][key],
            (key, _) => &found["properties"][key],
        }
    }

    #[test]
    fn every_key_is_there_with_its_description_and_its_default() {
        let schema = schema();
        for path in known::paths() {
            let property = find(&schema, &path);
            assert!(property["description"].is_string(), "{path}: {property}");
            assert!(property["type"].is_string() || property["enum"].is_array(), "{path}: {property}");
        }
        assert_eq!(find(&schema, "listen")["default"], "127.0.0.1:8080");
        assert_eq!(find(&schema, "limits.body_bytes")["default"], 262_144);
        assert_eq!(find(&schema, "limits.body_bytes")["minimum"], 0);
        assert_eq!(find(&schema, "limits.connections")["minimum"], 1);
        assert_eq!(find(&schema, "trusted_proxies")["type"], "array");
        assert_eq!(find(&schema, "providers.kind")["enum"], json!(["oidc", "jwt_secret", "introspection"]));
        assert_eq!(find(&schema, "providers.algorithms")["items"]["enum"][0], "RS256");
    }
}
