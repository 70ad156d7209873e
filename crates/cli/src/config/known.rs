//! The known keys, derived from the types, and the one that is nearest to an unknown key.

use super::Config;
use crate::providers::ProviderEntry;
use serde_json::{Map, Value};

/// How similar two keys must be for a suggestion.
const ALIKE: f64 = 0.8;

/// Every key with its default, a table as an object, and a list of tables as a list of one.
pub(crate) fn shape() -> Map<String, Value> {
    let config = Config { providers: vec![ProviderEntry::default()], ..Config::default() };
    match serde_json::to_value(config) {
        Ok(Value::Object(keys)) => keys,
        _ => unreachable!("a configuration of defaults is an object of texts and numbers"),
    }
}

/// Every key by its full name: `listen`, `limits.body_bytes`, `providers.issuer`.
pub(crate) fn paths() -> Vec<String> {
    let mut paths = Vec::new();
    for (key, value) in shape() {
        match below(&value) {
            Some(table) => paths.extend(table.keys().map(|inner| format!("{key}.{inner}"))),
            None => paths.push(key),
        }
    }
    paths
}

/// The keys of a table, or of the tables in a list.
pub(crate) fn below(value: &Value) -> Option<&Map<String, Value>> {
    match value {
        Value::Object(table) => Some(table),
        Value::Array(list) => list.first().and_then(Value::as_object),
        _ => None,
    }
}

/// The error for an unknown key, with a suggestion from this table before all others.
pub(crate) fn unknown(table: &str, key: &str, here: &Map<String, Value>) -> String {
    let place = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
    let advice = match nearest(key, here.keys().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => match elsewhere(key) {
            Some(path) => format!("did you mean `{path}`?"),
            None => "`perennial config default` shows every key".to_owned(),
        },
    };
    format!("there is no key `{key}`{place}; {advice}")
}

/// The known name that is nearest to a key, if there is one.
pub(crate) fn nearest<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let key = key.to_lowercase();
    let alike = |name: &&str| strsim::jaro_winkler(&key, name);
    let best = names.max_by(|one, other| alike(one).total_cmp(&alike(other)))?;
    (alike(&best) > ALIKE).then_some(best)
}

/// The same key in another table.
fn elsewhere(key: &str) -> Option<String> {
    paths().into_iter().find(|path| path.rsplit('.').next() == Some(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_answered_with_what_was_meant() {
        let keys = shape();
        let limits = keys["limits"].as_object().unwrap();
        for (table, key, here, meant) in [
            ("", "lissten", &keys, "`listen`"),
            ("", "databse_url", &keys, "`database_url`"),
            ("", "rate-limits", &keys, "`rate_limits`"),
            ("limits", "body", limits, "`body_bytes`"),
            ("limits", "Connections", limits, "`connections`"),
            ("", "queued_changes", &keys, "`limits.queued_changes`"),
            ("limits", "listen", limits, "`listen`"),
            ("", "zebra", &keys, "`perennial config default`"),
        ] {
            let sentence = unknown(table, key, here);
            assert!(sentence.contains(meant) && sentence.contains(&format!("`{key}`")), "{sentence}");
        }
    }

    #[test]
    fn keys_are_named_with_their_tables() {
        let paths = paths();
        for path in ["listen", "limits.queued_milliseconds", "rate_limits.enabled", "providers.issuer"] {
            assert!(paths.iter().any(|known| known == path), "{path}");
        }
        assert!(!paths.iter().any(|path| path == "limits" || path == "providers"));
    }
}
