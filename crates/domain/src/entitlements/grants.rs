//! Grants: the values that a plan or a subscription gives features.

use crate::features::{Feature, FeatureKey, FeatureKind};
use crate::number::{Number, NumberError};
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The largest number of a value: what every JSON parser reads exactly.
pub const MAX_VALUE: i64 = (1 << 53) - 1;
/// The most grants of a plan or a subscription.
pub const MAX_GRANTS: usize = 200;
const UNLIMITED: &str = "unlimited";

/// The value of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantValue {
    /// Of a `boolean` feature.
    Flag(bool),
    /// Of a limit or a quota.
    Number(i64),
    /// More than every number.
    Unlimited,
}

impl Serialize for GrantValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Unlimited => serializer.serialize_str(UNLIMITED),
        }
    }
}

impl<'de> Deserialize<'de> for GrantValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl Visitor<'_> for Value {
            type Value = GrantValue;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, false, a whole number or \"unlimited\"")
            }
            fn visit_bool<E: serde::de::Error>(self, flag: bool) -> Result<GrantValue, E> {
                Ok(GrantValue::Flag(flag))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<GrantValue, E> {
                let number = i64::try_from(number).ok().filter(|number| *number <= MAX_VALUE);
                number.map(GrantValue::Number).ok_or_else(|| E::custom("a value is out of range"))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<GrantValue, E> {
                if text == UNLIMITED { Ok(GrantValue::Unlimited) } else { Err(E::custom("a value is unknown")) }
            }
        }
        deserializer.deserialize_any(Value)
    }
}

/// The grants of a plan or a subscription, sorted by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Grants(BTreeMap<FeatureKey, GrantValue>);

impl Grants {
    /// Parses the stored text. `None` if it was not written by `to_stored`.
    pub fn from_stored(text: &str) -> Option<Self> {
        if text == "{}" {
            return Some(Self::default());
        }
        let map: BTreeMap<String, GrantValue> = serde_json::from_str(text).ok()?;
        let is_valid = map.len() <= MAX_GRANTS && map.keys().all(|key| FeatureKey::parse(key).is_ok());
        is_valid.then(|| Self(map.into_iter().map(|(key, value)| (FeatureKey::from_stored(key), value)).collect()))
    }

    /// The text to store. Most records have no grants, and store none.
    pub fn to_stored(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| serde_json::to_string(self).expect("grants are plain data"))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a feature.
    pub fn get(&self, key: &FeatureKey) -> Option<GrantValue> {
        self.0.get(key).copied()
    }

    /// The features and their values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&FeatureKey, GrantValue)> {
        self.0.iter().map(|(key, value)| (key, *value))
    }
}

impl FromIterator<(FeatureKey, GrantValue)> for Grants {
    fn from_iter<I: IntoIterator<Item = (FeatureKey, GrantValue)>>(grants: I) -> Self {
        Self(grants.into_iter().collect())
    }
}

/// A value as a caller sends it. Whether it is valid depends on the feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SentGrant {
    /// Removes the grant.
    Null,
    /// A flag.
    Flag(bool),
    /// A number. None: it has more digits than any valid one.
    Number(Option<Number>),
    /// The word `unlimited`.
    Unlimited,
    /// Anything else.
    Other,
}

impl SentGrant {
    /// A text.
    pub fn text(text: &str) -> Self {
        if text == UNLIMITED { Self::Unlimited } else { Self::Other }
    }

    fn value_of(&self, kind: FeatureKind) -> Result<GrantValue, InvalidValue> {
        let wrong_type = || {
            let detail = match kind {
                FeatureKind::Boolean => "must be true or false",
                FeatureKind::Limit | FeatureKind::Quota => "must be a whole number or \"unlimited\"",
            };
            InvalidValue::new(ValidationCode::InvalidType, detail)
        };
        let out_of_range =
            || InvalidValue::new(ValidationCode::OutOfRange, format!("must be between 0 and {MAX_VALUE}"));
        match (kind, self) {
            (FeatureKind::Boolean, Self::Flag(flag)) => Ok(GrantValue::Flag(*flag)),
            (FeatureKind::Limit | FeatureKind::Quota, Self::Unlimited) => Ok(GrantValue::Unlimited),
            (FeatureKind::Limit | FeatureKind::Quota, Self::Number(number)) => {
                match number.ok_or(NumberError::Range).and_then(|number| number.scaled(0)) {
                    Ok(value) if (0..=MAX_VALUE).contains(&value) => Ok(GrantValue::Number(value)),
                    Err(NumberError::Decimals) => Err(wrong_type()),
                    Ok(_) | Err(NumberError::Range) => Err(out_of_range()),
                }
            }
            _ => Err(wrong_type()),
        }
    }

    fn is(&self, value: GrantValue) -> bool {
        match (self, value) {
            (Self::Flag(sent), GrantValue::Flag(stored)) => *sent == stored,
            (Self::Number(Some(sent)), GrantValue::Number(stored)) => sent.scaled(0) == Ok(stored),
            (Self::Unlimited, GrantValue::Unlimited) => true,
            _ => false,
        }
    }
}

/// The grants of a create or an update, as they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantsDraft(pub Vec<(String, SentGrant)>);

impl GrantsDraft {
    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The stored grants with those that were sent. A null removes a grant; on create it is an error. A value that is stored
    /// already is not checked again.
    pub fn apply(
        &self,
        stored: &Grants,
        is_create: bool,
        features: &[Feature],
        errors: &mut ValidationErrors,
    ) -> Grants {
        let features: BTreeMap<&str, &Feature> =
            features.iter().map(|feature| (feature.key.as_str(), feature)).collect();
        let mut merged = stored.clone();
        for (key, sent) in &self.0 {
            let before = FeatureKey::parse(key).ok().and_then(|key| stored.get(&key));
            if before.is_some_and(|before| sent.is(before)) {
                continue;
            }
            let decided = match (sent, features.get(key.as_str())) {
                (SentGrant::Null, _) if is_create => {
                    Err(InvalidValue::new(ValidationCode::NotNullable, "must not be null: omit the feature"))
                }
                (SentGrant::Null, _) if before.is_some() => Ok(None),
                (_, None) => {
                    Err(InvalidValue::new(ValidationCode::NotFound, "is not the key of a feature of this organization"))
                }
                (SentGrant::Null, Some(_)) => Ok(None),
                (sent, Some(feature)) => sent.value_of(feature.kind).map(Some),
            };
            match decided {
                Ok(Some(value)) => drop(merged.0.insert(FeatureKey::from_stored(key.clone()), value)),
                Ok(None) => drop(merged.0.remove(&FeatureKey::from_stored(key.clone()))),
                Err(reason) => errors.add(pointer(key), reason),
            }
        }
        if merged.0.len() > MAX_GRANTS || (is_create && self.0.len() > MAX_GRANTS) {
            let detail = format!("must have at most {MAX_GRANTS} features");
            errors.note("/entitlements", ValidationCode::TooLong, detail);
        }
        merged
    }
}

/// The JSON pointer to a grant. No feature has a longer key.
fn pointer(key: &str) -> String {
    const LONGEST: usize = 100;
    let shown: String = key.chars().take(LONGEST).collect();
    format!("/entitlements/{}", shown.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tests::feature;

    fn features() -> Vec<Feature> {
        vec![
            feature("sso", FeatureKind::Boolean),
            feature("seats", FeatureKind::Limit),
            feature("calls", FeatureKind::Quota),
        ]
    }

    fn number(text: &str) -> SentGrant {
        SentGrant::Number(Number::parse(text))
    }

    fn apply(
        stored: &Grants,
        sent: &[(&str, SentGrant)],
        is_create: bool,
    ) -> Result<Grants, Vec<(String, ValidationCode)>> {
        let mut errors = ValidationErrors::none();
        let draft = GrantsDraft(sent.iter().map(|(key, sent)| ((*key).to_owned(), sent.clone())).collect());
        let grants = draft.apply(stored, is_create, &features(), &mut errors);
        if errors.is_empty() {
            return Ok(grants);
        }
        Err(errors.iter().map(|error| (error.pointer.to_string(), error.reason.code)).collect())
    }

    fn stored(text: &str) -> Grants {
        Grants::from_stored(text).unwrap()
    }

    #[test]
    fn grants_read_back_and_are_sorted() {
        let sent = [("sso", SentGrant::Flag(true)), ("calls", SentGrant::Unlimited), ("seats", number("5"))];
        let grants = apply(&Grants::default(), &sent, true).unwrap();
        assert_eq!(grants.to_stored().unwrap(), r#"{"calls":"unlimited","seats":5,"sso":true}"#);
        assert_eq!(Grants::from_stored(&grants.to_stored().unwrap()), Some(grants));
        assert_eq!(Grants::default().to_stored(), None);
        assert_eq!(Grants::from_stored("{}"), Some(Grants::default()));
        for text in
            ["", "[]", r#"{"a": -1}"#, r#"{"a": 1.5}"#, r#"{"a": "x"}"#, r#"{"A": 1}"#, r#"{"a":9007199254740992}"#]
        {
            assert_eq!(Grants::from_stored(text), None, "{text}");
        }
    }

    #[test]
    fn all_errors_are_reported_at_their_keys() {
        let sent = [
            ("sso", number("1")),
            ("seats", number("-1")),
            ("calls", SentGrant::text("lots")),
            ("a/b", SentGrant::Flag(true)),
        ];
        let expected = [
            ("/entitlements/sso", ValidationCode::InvalidType),
            ("/entitlements/seats", ValidationCode::OutOfRange),
            ("/entitlements/calls", ValidationCode::InvalidType),
            ("/entitlements/a~1b", ValidationCode::NotFound),
        ]
        .map(|(at, code)| (at.to_owned(), code));
        assert_eq!(apply(&Grants::default(), &sent, true).unwrap_err(), expected);
        let code = |sent| apply(&Grants::default(), &[("seats", sent)], true).map_err(|errors| errors[0].1);
        assert_eq!(code(number("9007199254740992")), Err(ValidationCode::OutOfRange));
        assert_eq!(code(SentGrant::Number(None)), Err(ValidationCode::OutOfRange));
        assert_eq!(code(number("1.5")), Err(ValidationCode::InvalidType));
        assert_eq!(code(SentGrant::Flag(true)), Err(ValidationCode::InvalidType));
        assert_eq!(code(SentGrant::Null), Err(ValidationCode::NotNullable));
        assert!(code(number("9007199254740991")).is_ok());
    }

    #[test]
    fn an_update_merges_and_null_removes() {
        let before = stored(r#"{"seats":5,"sso":true}"#);
        assert_eq!(apply(&before, &[], false), Ok(before.clone()));
        let after = apply(&before, &[("seats", SentGrant::Null), ("calls", number("1e2"))], false);
        assert_eq!(after, Ok(stored(r#"{"calls":100,"sso":true}"#)));
        assert_eq!(apply(&before, &[("calls", SentGrant::Null)], false), Ok(before.clone()));
        assert!(apply(&before, &[("nothing", SentGrant::Null)], false).is_err());
    }

    #[test]
    fn a_stored_value_is_not_checked_again() {
        let before = stored(r#"{"gone":5}"#);
        assert_eq!(apply(&before, &[("gone", number("5.0"))], false), Ok(before.clone()));
        assert!(apply(&before, &[("gone", number("6"))], false).is_err());
        assert_eq!(apply(&before, &[("gone", SentGrant::Null)], false), Ok(Grants::default()));
    }

    #[test]
    fn a_record_has_at_most_200_grants() {
        let full: Grants =
            (0..200).map(|n| (FeatureKey::from_stored(format!("f{n}")), GrantValue::Number(n))).collect();
        let error = vec![("/entitlements".to_owned(), ValidationCode::TooLong)];
        assert_eq!(apply(&full, &[("sso", SentGrant::Flag(true))], false), Err(error));
        assert!(apply(&full, &[("sso", SentGrant::Flag(true)), ("f0", SentGrant::Null)], false).is_ok());
    }
}
