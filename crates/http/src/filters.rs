//! How the parameters of lists are parsed.

use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

/// The largest page.
pub(crate) const MAX_LIMIT: usize = 200;

fn malformed(detail: impl Into<std::borrow::Cow<'static, str>>) -> InvalidValue {
    InvalidValue::new(ValidationCode::InvalidFormat, detail)
}

pub(crate) fn boolean(text: &str) -> Result<bool, InvalidValue> {
    text.parse().map_err(|_| malformed("must be true or false"))
}

pub(crate) fn whole(text: &str, max: i64) -> Result<i64, InvalidValue> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { text.parse().ok() } else { None };
    number.filter(|number| *number <= max).ok_or_else(|| malformed(format!("must be a whole number from 0 to {max}")))
}

pub(crate) fn limit(text: &str) -> Result<usize, InvalidValue> {
    let number = whole(text, 200).ok().and_then(|number| usize::try_from(number).ok());
    number
        .filter(|number| *number >= 1)
        .ok_or_else(|| malformed(format!("must be a whole number from 1 to {MAX_LIMIT}")))
}

/// A sort order by name; prefixed with `-` for descending order.
pub(crate) fn sort<T: Copy>(text: &str, known: &[(&str, T)]) -> Result<(T, bool), InvalidValue> {
    let (name, descending) = match text.strip_prefix('-') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, sort)| (*sort, descending)).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        malformed(format!("must be one of {}; prefix with - for descending order", names.join(", ")))
    })
}

pub(crate) fn sort_schema<T>(known: &[(&str, T)], default: &str) -> Value {
    let both: Vec<String> = known.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("-{name}")]).collect();
    json!({ "type": "string", "enum": both, "default": default })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_are_parsed_strictly() {
        assert_eq!(limit("1"), Ok(1));
        assert_eq!(limit("200"), Ok(200));
        for text in ["0", "201", "", "-1", "1.0", "1e1", "+1", "a", "99999999999999999999"] {
            assert!(limit(text).is_err(), "{text}");
        }
        assert_eq!((boolean("true"), boolean("false")), (Ok(true), Ok(false)));
        for text in ["1", "TRUE", "", "yes"] {
            assert!(boolean(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_sort_order_is_a_name_with_an_optional_dash() {
        let known = [("tier", 1), ("price", 2)];
        assert_eq!(sort("price", &known), Ok((2, false)));
        assert_eq!(sort("-tier", &known), Ok((1, true)));
        for text in ["", "-", "--tier", "Tier", "tier,price", "tier;DROP TABLE plans"] {
            assert!(sort(text, &known).is_err(), "{text}");
        }
    }
}
