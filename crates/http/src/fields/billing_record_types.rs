//! The JSON representation of what the records of billing consist of.

use super::reader::Reader;
use super::schema_writer::SchemaWriter;
use super::traits::{Field, Fields};
use super::types::{list, number, text};
use crate::json::{self, Json};
use perennial_app::usage::ParsedEvent;
use perennial_domain::billing_profiles::{AddressLine, Locale, MAX_ADDRESS_LINES, MAX_TAX_RATES};
use perennial_domain::country::Country;
use perennial_domain::coupons::{CouponCode, Duration, MAX_COUPON_PLANS};
use perennial_domain::credits::CreditAmount;
use perennial_domain::id::{PlanId, TaxRateId};
use perennial_domain::meters::{Aggregation, MeterKey, MeterSlug};
use perennial_domain::percent::Percent;
use perennial_domain::slug::Slug;
use perennial_domain::usage::{MAX_EVENTS, UsageDraft, UsageEventId, UsageMode, UsageValue};
use perennial_domain::validation::{CHANGED, InvalidValue, ValidationCode, ValidationErrors};
use serde_json::{Value, json};

/// The lines of an address.
pub(crate) struct Address(pub(crate) Vec<AddressLine>);

/// A reference to a meter, by its id or its slug.
pub(crate) struct MeterReference(pub(crate) MeterKey);

/// The meter of a stored feature as an update sends it back, by its id or its slug.
pub(crate) struct UnchangedMeter(pub(crate) MeterKey);

/// The events of a call, each with its own errors.
pub(crate) struct UsageEvents(pub(crate) Vec<ParsedEvent>);

impl<const DECIMALS: u32, const LEAST: i64> Field for Percent<DECIMALS, LEAST> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let least = if LEAST == 0 { "minimum" } else { "exclusiveMinimum" };
        json!({ "type": "number", least: 0, "maximum": 100 })
    }
}

impl Field for CreditAmount {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "number", "minimum": -999_999_999_999_i64, "maximum": 999_999_999_999_i64, "not": { "const": 0 } })
    }
}

impl Field for UsageValue {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "number", "minimum": -1_000_000_000_i64, "maximum": 1_000_000_000_i64 })
    }
}

impl Field for Country {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^[A-Za-z]{2}$", "description": "An ISO 3166 alpha-2 code; upper or lower case." })
    }
}

impl Field for CouponCode {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 3, "maxLength": 64, "pattern": Self::PATTERN })
    }
}

impl Field for MeterSlug {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": 100, "pattern": Slug::PATTERN })
    }
}

impl Field for UsageEventId {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": 100, "pattern": Self::PATTERN })
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

word_fields!(Aggregation, Duration, Locale, UsageMode);

fn not_found(what: &str) -> InvalidValue {
    InvalidValue::new(ValidationCode::NotFound, format!("names no {what} of this organization"))
}

impl Field for MeterReference {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| MeterKey::parse(text).map(Self).ok_or_else(|| not_found("active meter")))
    }

    fn schema() -> Value {
        json!({ "type": "string", "description": "The ID or slug of an active meter." })
    }
}

impl Field for UnchangedMeter {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        // A value that cannot be parsed differs from the stored one.
        let sent = text(&json, at, &mut ValidationErrors::none(), |text| {
            MeterKey::parse(text).map(Self).ok_or_else(|| not_found("meter"))
        });
        if sent.is_none() {
            errors.note(at, ValidationCode::ReadOnlyField, CHANGED);
        }
        sent
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Field for Vec<PlanId> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        list(json, at, errors, MAX_COUPON_PLANS, |text| text.parse().map_err(|_| not_found("plan")))
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_COUPON_PLANS, "uniqueItems": true, "items": PlanId::schema() })
    }
}

impl Field for Vec<TaxRateId> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        list(json, at, errors, MAX_TAX_RATES, |text| text.parse().map_err(|_| not_found("active tax rate")))
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_TAX_RATES, "uniqueItems": true, "items": TaxRateId::schema() })
    }
}

impl Field for Address {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let Json::List(items) = json else {
            errors.note(at, ValidationCode::InvalidType, "must be a list of strings");
            return None;
        };
        if items.len() > MAX_ADDRESS_LINES {
            errors.note(at, ValidationCode::TooLong, format!("must have at most {MAX_ADDRESS_LINES} lines"));
            return None;
        }
        let count = items.len();
        let mut lines = Vec::with_capacity(count);
        for (index, raw) in items.into_iter().enumerate() {
            let mut found = ValidationErrors::none();
            lines.extend(text(&json::value(raw), at, &mut found, AddressLine::parse));
            for error in &found {
                errors.add(format!("{at}/{index}"), error.reason.clone());
            }
        }
        (lines.len() == count).then_some(Self(lines))
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_ADDRESS_LINES, "items": AddressLine::schema() })
    }
}

impl Field for UsageEvents {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let Json::List(items) = json else {
            errors.note(at, ValidationCode::InvalidType, "must be a list of events");
            return None;
        };
        if items.is_empty() {
            errors.note(at, ValidationCode::TooShort, "must have at least one event");
            return None;
        }
        if items.len() > MAX_EVENTS {
            errors.note(at, ValidationCode::TooLong, format!("must have at most {MAX_EVENTS} events"));
            return None;
        }
        let parse = |raw| {
            let mut reader = Reader::item(raw);
            let draft = usage_event(&mut reader);
            (draft, reader.finish())
        };
        Some(Self(items.into_iter().map(parse).collect()))
    }

    fn schema() -> Value {
        let mut writer = SchemaWriter::default();
        usage_event(&mut writer);
        json!({ "type": "array", "minItems": 1, "maxItems": MAX_EVENTS, "items": writer.finish() })
    }
}

/// The fields of a usage event.
fn usage_event(fields: &mut impl Fields) -> UsageDraft {
    UsageDraft {
        id: fields.required("/id", "Your ID of the event, unique in its subscription."),
        subscription_id: fields.optional("/subscription_id", "The subscription that used something."),
        user_id: fields.optional(
            "/user_id",
            "The user who used something, in place of `subscription_id`. The user must have exactly one subscription with access and a quota or a charge for the meter.",
        ),
        meter: fields.required("/meter", "The meter that counts the event.").map(|MeterReference(key)| key),
        at: fields.optional("/at", "When it happened, at most 5 minutes in the future. Now by default."),
        value: fields.optional(
            "/value",
            "The value, with at most 6 decimals. 1 by default. Only `sum` takes negative values; `count` and `unique` ignore values.",
        ),
        key: fields.optional("/key", "What a `unique` meter counts. Required by such a meter."),
    }
}
