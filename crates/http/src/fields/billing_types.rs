//! The JSON representation of the types of billing.

use super::traits::Field;
use super::types::text;
use crate::json::{self, Json};
use perennial_domain::lifecycle::billing::{Collection, PaymentMethod};
use perennial_domain::lifecycle::calendar::ZoneName;
use perennial_domain::plans::billing::{AfterDunning, Dunning, MAX_RETRIES, RetryDay, TaxBehavior, TrialEndBehavior};
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use serde_json::{Value, json};

macro_rules! word_fields {
    ($($word:ident),*) => {$(
        impl Field for $word {
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

word_fields!(Collection, TrialEndBehavior, TaxBehavior, AfterDunning);

impl Field for ZoneName {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "description": "The name of a time zone in the IANA database.", "examples": ["Europe/Berlin"] })
    }
}

impl Field for PaymentMethod {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "maxLength": 255, "description": "Never a card number." })
    }
}

impl Field for Vec<RetryDay> {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        let Json::List(items) = json else {
            errors.note(at, ValidationCode::InvalidType, "must be a list of numbers");
            return None;
        };
        let mut days = Self::new();
        let mut is_valid = true;
        for (index, raw) in items.into_iter().enumerate().take(MAX_RETRIES + 1) {
            let mut own = ValidationErrors::none();
            days.extend(RetryDay::read(json::value(raw), at, &mut own));
            is_valid &= own.is_empty();
            own.iter().for_each(|error| errors.add(format!("{at}/{index}"), error.reason.clone()));
        }
        if let Err(reason) = Dunning::check_retries(&days) {
            errors.add(at, reason);
            return None;
        }
        is_valid.then_some(days)
    }

    fn schema() -> Value {
        json!({ "type": "array", "maxItems": MAX_RETRIES, "items": RetryDay::schema(), "description": "In ascending order." })
    }
}
