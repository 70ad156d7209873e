//! How values of the domain are stored and read. A value that cannot be read was not written by this program.

use crate::error::Error;
use crate::value::Value;
use perennial_domain::money::Money;
use perennial_domain::time::Time;

/// Separates the parts of a list that is stored as one text: a control character, which no stored text contains.
const SEPARATOR: char = '\u{1f}';

pub(crate) fn time(time: Time) -> Value {
    Value::time(time.as_micros())
}

pub(crate) fn optional_time(time: Option<Time>) -> Value {
    Value::optional_time(time.map(Time::as_micros))
}

pub(crate) fn read_time(micros: i64) -> Result<Time, Error> {
    Time::from_micros(micros).ok_or_else(|| Error::Internal(format!("a stored time is out of range: {micros}")))
}

pub(crate) fn read_optional_time(micros: Option<i64>) -> Result<Option<Time>, Error> {
    micros.map(read_time).transpose()
}

pub(crate) fn money(amount: i64) -> Result<Money, Error> {
    Money::from_ten_thousandths(amount)
        .ok_or_else(|| Error::Internal(format!("a stored amount is out of range: {amount}")))
}

pub(crate) fn number<T>(value: i64, read: impl FnOnce(i64) -> Option<T>) -> Result<T, Error> {
    read(value).ok_or_else(|| Error::Internal(format!("a stored number is out of range: {value}")))
}

pub(crate) fn word<T>(word: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, Error> {
    read(word).ok_or_else(|| Error::Internal(format!("a stored word is unknown: {word}")))
}

/// Each part is between two separators, so that a whole part can be searched for.
pub(crate) fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts {
        if text.is_empty() {
            text.push(SEPARATOR);
        }
        text.push_str(part);
        text.push(SEPARATOR);
    }
    text
}

/// What a joined list contains if `part` is one of its parts.
pub(crate) fn joined_part(part: &str) -> String {
    format!("{SEPARATOR}{part}{SEPARATOR}")
}

pub(crate) fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(SEPARATOR).filter(|part| !part.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_back() {
        for list in [&[][..], &["a"], &["a", "b,c", "d e"]] {
            let read: Vec<String> = split(&join(list.iter().copied())).collect();
            assert_eq!(read, list);
            assert!(list.iter().all(|part| join(list.iter().copied()).contains(&joined_part(part))));
        }
    }

    #[test]
    fn an_invalid_stored_value_is_an_error() {
        assert!(read_time(-1).is_err());
        assert!(money(-1).is_err());
        assert!(word("x", |_| None::<()>).is_err());
    }
}
