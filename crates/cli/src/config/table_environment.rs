//! Environment variables of whole tables: `PERENNIAL_WEBHOOKS_TIMEOUT_SECONDS` is `timeout_seconds` in `[webhooks]`. Lists
//! are comma-separated.

use super::config_error::ConfigError;
use super::source::{self, Source, Sources};
use super::variable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// The names of the variables of a table.
pub(super) fn names<T: Serialize>(table: &str, settings: &T) -> Vec<String> {
    keys(settings).keys().map(|key| source::variable(&format!("{table}_{key}"))).collect()
}

/// Applies the variables, which override the file, and returns the errors.
pub(super) fn put<T: Serialize + DeserializeOwned>(
    table: &str,
    settings: &mut T,
    sources: &mut Sources,
) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for (key, before) in keys(settings) {
        let name = source::variable(&format!("{table}_{key}"));
        let source = || Source::Environment { variable: name.clone() };
        match variable(&name) {
            Ok(None) => {}
            Ok(Some(text)) => match replaced(settings, &key, parsed(&text, &before)) {
                Ok(after) => {
                    *settings = after;
                    sources.set(&format!("{table}.{key}"), source());
                }
                Err(detail) => errors.push(ConfigError::new(source(), detail)),
            },
            Err(failure) => errors.push(failure.into()),
        }
    }
    errors
}

/// The settings with another value of one key.
fn replaced<T: Serialize + DeserializeOwned>(settings: &T, key: &str, value: Value) -> Result<T, String> {
    let mut table = keys(settings);
    table.insert(key.to_owned(), value);
    table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

/// A text as the type of the value that it replaces.
fn parsed(text: &str, before: &Value) -> Value {
    let one = |text: &str| text.trim().parse().map_or_else(|_| Value::String(text.trim().to_owned()), Value::Integer);
    match before {
        Value::Array(_) => text.split(',').filter(|item| !item.trim().is_empty()).map(one).collect::<Vec<_>>().into(),
        Value::Boolean(_) => text.trim().parse().map_or_else(|_| one(text), Value::Boolean),
        _ => one(text),
    }
}

fn keys<T: Serialize>(settings: &T) -> Table {
    Table::try_from(settings).expect("the settings are a table of numbers and texts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::webhooks::{Events, Webhooks};

    #[test]
    fn every_key_has_a_variable() {
        let names = names("webhooks", &Webhooks::default());
        assert!(names.contains(&"PERENNIAL_WEBHOOKS_PRIVATE_NETWORKS".to_owned()), "{names:?}");
        assert_eq!(super::names("events", &Events::default()), ["PERENNIAL_EVENTS_KEEP_DAYS"]);
    }

    #[test]
    fn lists_are_comma_separated_and_checked_as_in_the_file() {
        let put = |key: &str, text: &str| {
            let before = keys(&Webhooks::default())[key].clone();
            replaced(&Webhooks::default(), key, parsed(text, &before)).map(|webhooks| webhooks.app())
        };
        assert_eq!(put("retry_seconds", "1, 2,5").unwrap().retry_seconds, [1, 2, 5]);
        assert_eq!(put("private_networks", "127.0.0.0/8,::1/128").unwrap().private_networks.len(), 2);
        assert!(put("private_networks", "").unwrap().private_networks.is_empty());
        assert_eq!(put("concurrency", "3").unwrap().concurrency, 3);
        for (key, text) in [("retry_seconds", ""), ("retry_seconds", "x"), ("concurrency", "many"), ("concurrency", "")]
        {
            assert!(put(key, text).is_err(), "{key} {text}");
        }
    }
}
