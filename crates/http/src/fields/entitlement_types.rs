//! The JSON representation of features and grants.

use super::traits::Field;
use super::types::text;
use crate::json::{self, Json, Object};
use perennial_domain::entitlements::{GrantsDraft, MAX_GRANTS, MAX_VALUE, SentGrant};
use perennial_domain::features::{Combine, FeatureKey, FeatureKind, QuotaPeriod};
use perennial_domain::number::Number;
use perennial_domain::slug::Slug;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use serde_json::{Value, json};

impl Field for FeatureKey {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": 100, "pattern": Slug::PATTERN })
    }
}

macro_rules! word_fields {
    ($($name:ident),*) => {$(
        impl Field for $name {
            fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
                text(&json, at, errors, Self::parse)
            }

            fn schema() -> Value {
                let words: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
                json!({ "type": "string", "enum": words })
            }
        }
    )*};
}

word_fields!(Combine, FeatureKind, QuotaPeriod);

impl Field for GrantsDraft {
    /// Whether a value is valid depends on its feature, so only the use case can check it.
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let members = match json {
            Json::Object(raw) => json::object(raw),
            _ => None,
        };
        let Some(Object(members)) = members else {
            errors.note(at, ValidationCode::InvalidType, "must be an object");
            return None;
        };
        let sent = members.into_iter().map(|(key, raw)| (key.into_owned(), sent(&json::value(raw))));
        Some(Self(sent.collect()))
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "maxProperties": MAX_GRANTS,
            "additionalProperties": {
                "type": ["boolean", "integer", "string", "null"],
                "minimum": 0,
                "maximum": MAX_VALUE,
                "pattern": "^unlimited$",
            },
        })
    }
}

fn sent(json: &Json<'_>) -> SentGrant {
    match json {
        Json::Null => SentGrant::Null,
        Json::Bool(flag) => SentGrant::Flag(*flag),
        Json::Number(text) => SentGrant::Number(Number::parse(text)),
        Json::Text(Some(text)) => SentGrant::text(text),
        Json::Text(None) | Json::List(_) | Json::Object(_) => SentGrant::Other,
    }
}
