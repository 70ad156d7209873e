//! The JSON representation of what a client consists of.

use super::traits::Field;
use super::types::{list, text};
use crate::json::Json;
use ipnet::IpNet;
use perennial_domain::clients::{ClientKind, MAX_ORIGINS, Origin, PublicId, Scope, Scopes, SentScopes};
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use serde_json::{Value, json};

impl Field for ClientKind {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let unknown = || InvalidValue::new(ValidationCode::UnknownValue, "must be public or trusted");
        text(&json, at, errors, |text| Self::parse(text).ok_or_else(unknown))
    }

    fn schema() -> Value {
        json!({ "type": "string", "enum": [Self::Public.as_str(), Self::Trusted.as_str()] })
    }
}

impl Field for SentScopes {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let unknown = || {
            let all: Scopes = Scope::ALL.iter().copied().collect();
            InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {}", all.words(", ")))
        };
        let parse = |text: &str| Scope::parse(text).ok_or_else(unknown);
        list(json, at, errors, Scope::ALL.len(), parse).map(Self::from)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        json!({
            "type": "array", "maxItems": words.len(), "uniqueItems": true, "items": { "type": "string", "enum": words }
        })
    }
}

impl Field for PublicId {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 3, "maxLength": 64, "pattern": "^(?!pk_)[A-Za-z0-9._-]+$" })
    }
}

impl Field for Vec<Origin> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        list(json, at, errors, MAX_ORIGINS, Origin::parse)
    }

    fn schema() -> Value {
        json!({
            "type": "array", "maxItems": MAX_ORIGINS, "uniqueItems": true, "items": { "type": "string" },
            "description": "Each is scheme://host or scheme://host:port; the port may be *."
        })
    }
}

impl Field for Vec<IpNet> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let malformed = |_| InvalidValue::new(ValidationCode::InvalidFormat, "must be a range such as 10.0.0.0/8");
        list(json, at, errors, MAX_ORIGINS, |text| text.parse().map_err(malformed))
    }

    fn schema() -> Value {
        json!({
            "type": "array", "maxItems": MAX_ORIGINS, "uniqueItems": true, "items": { "type": "string" },
            "description": "Each is a range in CIDR notation, such as 10.0.0.0/8."
        })
    }
}
