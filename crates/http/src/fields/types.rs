//! The JSON representation of each type of the domain.

use super::traits::Field;
use crate::json::{self, Json};
use perennial_app::sessions::Secret;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{
    ClientId, ConnectionId, CouponId, CreditId, CreditNoteId, EventId, FeatureId, InvoiceId, MeterId, OperatorId,
    OperatorSessionId, OrganizationId, PaymentId, PlanId, SessionId, SubscriptionId, TaxRateId, UserId,
    WebhookAttemptId, WebhookEndpointId,
};
use perennial_domain::money::Money;
use perennial_domain::number::{Number, Whole};
use perennial_domain::operators::Role;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Href, MAX_VARIANTS, PlanKey, Variant};
use perennial_domain::slug::Slug;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::test_clocks::ClockMode;
use perennial_domain::text::{Line, Prose};
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use serde_json::{Value, json};
use std::str::FromStr;

/// An ID in another system; an empty text is none.
pub(crate) struct External<const MAX: usize>(pub(crate) Option<Line<1, MAX>>);

/// A token. Its format is not checked here.
pub(crate) struct Credential(pub(crate) Secret);

/// A reference to a plan, by its id or its slug.
pub(crate) struct PlanReference(pub(crate) PlanKey);

/// Parses a text with `parse`.
pub(super) fn text<T>(
    json: &Json<'_>,
    at: &'static str,
    errors: &mut ValidationErrors,
    parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Option<T> {
    let result = match json {
        Json::Text(Some(text)) => parse(text),
        Json::Text(None) => Err(InvalidValue::new(ValidationCode::InvalidText, "must not contain a lone surrogate")),
        _ => Err(InvalidValue::new(ValidationCode::InvalidType, "must be a string")),
    };
    result.map_err(|reason| errors.add(at, reason)).ok()
}

/// Parses a number from its text.
pub(super) fn number<T>(
    json: &Json<'_>,
    at: &'static str,
    errors: &mut ValidationErrors,
    parse: impl FnOnce(Number) -> Result<T, InvalidValue>,
) -> Option<T> {
    let result = match json {
        Json::Number(text) => match Number::parse(text) {
            Some(number) => parse(number),
            None => Err(InvalidValue::new(ValidationCode::OutOfRange, "has too many digits")),
        },
        _ => Err(InvalidValue::new(ValidationCode::InvalidType, "must be a number")),
    };
    result.map_err(|reason| errors.add(at, reason)).ok()
}

impl Field for bool {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        if let Json::Bool(value) = json {
            return Some(value);
        }
        errors.note(at, ValidationCode::InvalidType, "must be true or false");
        None
    }

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

/// A text that is compared with a stored one, as it was sent.
impl Field for String {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| Ok(text.to_owned()))
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl<const MIN: i64, const MAX: i64> Field for Whole<MIN, MAX> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

impl Field for Money {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        number(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 999_999_999_999_i64 })
    }
}

impl<const MIN: usize, const MAX: usize> Field for Line<MIN, MAX> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
}

impl<const MAX: usize> Field for Prose<MAX> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "maxLength": MAX })
    }
}

impl<const MAX: usize> Field for External<MAX> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| {
            if text.is_empty() { Ok(Self(None)) } else { Line::parse(text).map(|line| Self(Some(line))) }
        })
    }

    fn schema() -> Value {
        json!({ "type": "string", "maxLength": MAX })
    }
}

impl Field for Credential {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| {
            if text.is_empty() {
                return Err(InvalidValue::new(ValidationCode::TooShort, "must not be empty"));
            }
            Ok(Self(Secret::new(text.to_owned())))
        })
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Field for Email {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "maxLength": 320, "pattern": "^\\s*[^@\\s]+@[^@\\s]+\\s*$" })
    }
}

impl Field for Slug {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": 100, "pattern": Self::PATTERN })
    }
}

impl Field for Currency {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^[A-Za-z]{3}$", "description": "An ISO 4217 code of a currency with minor units; upper or lower case." })
    }
}

impl Field for Href {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "format": "uri", "maxLength": 2048, "description": "An http or https URL." })
    }
}

impl Field for Time {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "format": "date-time", "description": "RFC 3339 with a UTC offset, between 1970 and 9999." })
    }
}

impl Field for BillingCycle {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        words(
            Self::ALL.map(Self::as_str),
            "Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.",
        )
    }
}

impl Field for SubscriptionStatus {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        words(
            Self::ALL.map(Self::as_str),
            "Aliases such as trialing and canceled are accepted, in upper or lower case.",
        )
    }
}

impl Field for PaymentStatus {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        words(Self::ALL.map(Self::as_str), "Aliases such as paid and canceled are accepted, in upper or lower case.")
    }
}

impl Field for OrganizationMode {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|mode| mode.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

impl Field for ClockMode {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        let words: Vec<&str> = Self::ALL.iter().map(|mode| mode.as_str()).collect();
        json!({ "type": "string", "enum": words })
    }
}

impl Field for Role {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// A vocabulary. It accepts aliases, so the words are examples and not an enum.
fn words<const N: usize>(words: [&'static str; N], aliases: &'static str) -> Value {
    json!({ "type": "string", "examples": &words[..], "description": format!("One of {}. {aliases}", words.join(", ")) })
}

/// Parses a list of different texts, each with `parse`.
pub(super) fn list<T: PartialEq>(
    json: Json<'_>,
    at: &'static str,
    errors: &mut ValidationErrors,
    most: usize,
    parse: impl Fn(&str) -> Result<T, InvalidValue>,
) -> Option<Vec<T>> {
    let Json::List(items) = json else {
        errors.note(at, ValidationCode::InvalidType, "must be a list of strings");
        return None;
    };
    if items.len() > most {
        errors.note(at, ValidationCode::TooLong, format!("must have at most {most} items"));
        return None;
    }
    let mut values: Vec<T> = Vec::with_capacity(items.len());
    let mut sound = true;
    for (index, raw) in items.into_iter().enumerate() {
        let reason = match json::value(raw) {
            Json::Text(Some(text)) => match parse(&text) {
                Ok(value) if values.contains(&value) => {
                    InvalidValue::new(ValidationCode::DuplicateItem, "occurs twice in the list")
                }
                Ok(value) => {
                    values.push(value);
                    continue;
                }
                Err(reason) => reason,
            },
            Json::Text(None) => InvalidValue::new(ValidationCode::InvalidText, "must not contain a lone surrogate"),
            _ => InvalidValue::new(ValidationCode::InvalidType, "must be a string"),
        };
        errors.add(format!("{at}/{index}"), reason);
        sound = false;
    }
    sound.then_some(values)
}

impl Field for Vec<Variant> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        list(json, at, errors, MAX_VARIANTS, Variant::parse)
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_VARIANTS, "uniqueItems": true, "items": Variant::schema() })
    }
}

fn not_found(what: &str) -> InvalidValue {
    InvalidValue::new(ValidationCode::NotFound, format!("names no {what} of this organization"))
}

impl Field for PlanReference {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, |text| PlanKey::parse(text).map(Self).ok_or_else(|| not_found("plan")))
    }

    fn schema() -> Value {
        json!({ "type": "string", "description": "The ID or slug of a plan." })
    }
}

macro_rules! id_fields {
    ($($id:ident, $what:literal;)*) => {$(
        impl Field for $id {
            fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
                text(&json, at, errors, |text| Self::from_str(text).map_err(|_| not_found($what)))
            }

            fn schema() -> Value {
                json!({ "type": "string", "pattern": format!("^{}_[0-7][0-9a-hjkmnp-tv-z]{{25}}$", Self::PREFIX) })
            }
        }
    )*};
}

id_fields! {
    UserId, "user";
    PlanId, "plan";
    SubscriptionId, "subscription";
    PaymentId, "payment";
    InvoiceId, "invoice";
    CreditNoteId, "credit note";
    EventId, "event";
    SessionId, "session";
    OrganizationId, "organization";
    ClientId, "client";
    OperatorId, "operator";
    OperatorSessionId, "session";
    ConnectionId, "connection";
    WebhookEndpointId, "webhook endpoint";
    WebhookAttemptId, "attempt";
    TaxRateId, "tax rate";
    MeterId, "meter";
    FeatureId, "feature";
    CouponId, "coupon";
    CreditId, "credit";
}
