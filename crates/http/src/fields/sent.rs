//! JSON that is sent back: compared with the stored value by meaning, whatever its spelling.

use super::invoice_types::Items;
use super::traits::Field;
use crate::json::{self, Json, Object};
use perennial_domain::number::Number;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A value as it is compared: `10.0` is 10, an instant has many spellings, and the order of members does not count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sent {
    Null,
    Bool(bool),
    Number(Number),
    Instant(Time),
    Text(String),
    List(Vec<Self>),
    Object(BTreeMap<String, Self>),
    /// Text that no stored value has.
    Other,
}

impl Sent {
    /// A stored value, as a response has it. Null is none.
    pub(crate) fn of(stored: &impl Serialize) -> Option<Self> {
        let raw = serde_json::value::to_raw_value(stored).expect("a record is plain data");
        Some(Self::read_raw(&raw)).filter(|sent| *sent != Self::Null)
    }

    fn read_raw(raw: &RawValue) -> Self {
        Self::from_json(&json::value(raw))
    }

    fn from_json(json: &Json<'_>) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(text) => Number::parse(text).map_or(Self::Other, Self::Number),
            Json::Text(None) => Self::Other,
            Json::Text(Some(text)) => match Time::parse(text) {
                Ok(time) => Self::Instant(time),
                Err(_) => Self::Text(text.clone().into_owned()),
            },
            Json::List(items) => Self::List(items.iter().map(|item| Self::read_raw(item)).collect()),
            Json::Object(raw) => {
                let members = json::object(raw).map_or_else(Vec::new, |Object(members)| members);
                Self::Object(members.into_iter().map(|(name, raw)| (name.into_owned(), Self::read_raw(raw))).collect())
            }
        }
    }
}

impl Field for Sent {
    fn read(json: Json<'_>, _: &'static str, _: &mut ValidationErrors) -> Option<Self> {
        Some(Self::from_json(&json))
    }

    fn schema() -> Value {
        Value::Object(serde_json::Map::new())
    }
}

/// The lines of an update: as they were sent, and as items with their errors.
pub(crate) struct SentLines {
    pub(crate) sent: Sent,
    pub(crate) items: Option<Items>,
    pub(crate) errors: ValidationErrors,
}

impl Field for SentLines {
    fn read(json: Json<'_>, at: &'static str, _: &mut ValidationErrors) -> Option<Self> {
        let (sent, mut errors) = (Sent::from_json(&json), ValidationErrors::none());
        let items = Items::read(json, at, &mut errors);
        Some(Self { sent, items, errors })
    }

    fn schema() -> Value {
        Items::schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spellings_of_one_value_are_equal() {
        let read = |text: &str| Sent::read_raw(serde_json::from_str::<&RawValue>(text).unwrap());
        let stored = Sent::of(&json!({ "at": "2026-01-01T00:00:00.000000Z", "amount": 10, "list": [null, true] }));
        let sent = read(r#"{ "list": [null, true], "amount": 1.00e1, "at": "2026-01-01T01:00:00+01:00" }"#);
        assert_eq!(stored, Some(sent));
        assert_ne!(read("10.01"), read("10"));
        assert_eq!(Sent::of(&Value::Null), None);
    }
}
