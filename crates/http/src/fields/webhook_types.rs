//! The JSON representation of what a webhook endpoint consists of.

use super::traits::Field;
use super::types::{list, text};
use crate::json::Json;
use perennial_app::webhooks::SeekTo;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use perennial_domain::webhooks::{EventPattern, EventTypes, MAX_PATTERNS, Payload, Signature};
use serde_json::{Value, json};

impl Field for EventTypes {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let patterns = list(json, at, errors, MAX_PATTERNS, EventPattern::parse)?;
        Self::new(patterns).map_err(|reason| errors.add(at, reason)).ok()
    }

    fn schema() -> Value {
        json!({
            "type": "array", "minItems": 1, "maxItems": MAX_PATTERNS, "uniqueItems": true,
            "items": { "type": "string" },
            "description": "Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`."
        })
    }
}

impl Field for Payload {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|payload| payload.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

impl Field for Signature {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|signature| signature.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

/// Where a reader continues.
#[derive(Clone, Copy)]
pub(crate) struct SeekField(pub(crate) SeekTo);

impl Field for SeekField {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| match text {
            "oldest" => Ok(Self(SeekTo::Oldest)),
            "newest" => Ok(Self(SeekTo::Newest)),
            time => Time::parse(time)
                .map(|time| Self(SeekTo::At(time)))
                .map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be oldest, newest or a time")),
        })
    }

    fn schema() -> Value {
        json!({ "type": "string", "examples": ["oldest", "newest", "2026-01-31T09:30:00Z"] })
    }
}
