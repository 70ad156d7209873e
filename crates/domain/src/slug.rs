//! Slugs: a plan's identifier in a path. Lower-case words joined by single hyphens or underscores.

use crate::validation::{InvalidValue, ValidationCode};

const MAX_LENGTH: usize = 100;

/// A slug, which cannot have the form of a plan's id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Slug(String);

impl Slug {
    /// The format, for documentation and messages.
    pub const PATTERN: &'static str = "^[a-z0-9]+(?:[-_][a-z0-9]+)*$";

    /// Parses a slug.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Self::parse_unlike_id(text, "plan", "plan")
    }

    /// Parses a slug that cannot be mistaken for an id with this prefix.
    pub(crate) fn parse_unlike_id(text: &str, prefix: &str, record: &str) -> Result<Self, InvalidValue> {
        if text.is_empty() {
            return Err(InvalidValue::new(ValidationCode::TooShort, "must not be empty"));
        }
        if text.chars().count() > MAX_LENGTH {
            return Err(InvalidValue::new(ValidationCode::TooLong, "must have at most 100 characters"));
        }
        let words_are_plain = text.split(['-', '_']).all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        });
        if !words_are_plain {
            return Err(InvalidValue::new(
                ValidationCode::InvalidFormat,
                "must be lower-case letters and digits in words joined by single - or _, such as pro-monthly",
            ));
        }
        if text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('_')) {
            let detail = format!("must not start with {prefix}_: that is how a {record}'s id starts");
            return Err(InvalidValue::new(ValidationCode::InvalidFormat, detail));
        }
        Ok(Self(text.to_owned()))
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The slug's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Slug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code(text: &str) -> Option<ValidationCode> {
        Slug::parse(text).err().map(|reason| reason.code)
    }

    #[test]
    fn words_joined_by_single_marks_are_slugs() {
        for text in ["pro", "pro-monthly", "a_b-c", "9", "plan", "plans_1", &"a".repeat(100)] {
            assert_eq!(Slug::parse(text).unwrap().as_str(), text);
            assert_eq!(Slug::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "Pro",
            "pro monthly",
            "-pro",
            "pro-",
            "a--b",
            "a-_b",
            "..",
            "a/b",
            "a%2Fb",
            "é",
            "pro\n",
            "ⅰ",
            "a.b",
            "plan_pro",
        ] {
            assert_eq!(code(text), Some(ValidationCode::InvalidFormat), "{text}");
        }
        assert_eq!(code(""), Some(ValidationCode::TooShort));
        assert_eq!(code(&"a".repeat(101)), Some(ValidationCode::TooLong));
    }

    proptest! {
        #[test]
        fn the_pattern_and_the_parser_agree(text in "[a-z0-9]{1,9}([-_][a-z0-9]{1,9}){0,5}") {
            prop_assert_eq!(Slug::parse(&text).is_ok(), !text.starts_with("plan_"));
        }

        #[test]
        fn what_the_pattern_forbids_is_refused(text in "[a-z]{0,3}[^a-z0-9]{1}[-_]?[a-z]{0,3}") {
            let marks_one_joint = text.chars().count() >= 3
                && text.split(['-', '_']).count() == 2
                && text.split(['-', '_']).all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()));
            prop_assert_eq!(Slug::parse(&text).is_ok(), marks_one_joint);
        }
    }
}
