//! Exact numbers from JSON text: digits and an exponent, never a binary float.

use crate::validation::{InvalidValue, ValidationCode};

/// A decimal number read from its text. `10`, `10.0` and `1e1` are equal; so are `0` and `-0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    /// The significant digits, without trailing zeros.
    digits: u128,
    /// The power of ten the digits are multiplied by.
    exponent: i64,
}

/// Why a number is not valid for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// It has more decimals than allowed.
    Decimals,
    /// It is too large, or has too many digits.
    Range,
}

impl Number {
    /// Parses the text of a JSON number. `None` if the text is not one, or has too many digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, read_power(power)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let fraction = if fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            fraction.trim_end_matches('0')
        } else {
            return None;
        };
        let mut digits: u128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            let digit = byte.is_ascii_digit().then(|| u128::from(byte - b'0'))?;
            digits = digits.checked_mul(10)?.checked_add(digit)?;
        }
        let mut exponent = power.saturating_sub(i64::try_from(fraction.len()).ok()?);
        if digits == 0 {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent = exponent.saturating_add(1);
        }
        Some(Self { negative, digits, exponent })
    }

    /// The number times `10^decimals` as an integer, if it is one.
    pub fn scaled(self, decimals: u32) -> Result<i64, NumberError> {
        self.scaled_wide(decimals).and_then(|wide| i64::try_from(wide).map_err(|_| NumberError::Range))
    }

    /// The same for numbers with more digits.
    pub fn scaled_wide(self, decimals: u32) -> Result<i128, NumberError> {
        let exponent = self.exponent.saturating_add(i64::from(decimals));
        if exponent < 0 {
            return Err(NumberError::Decimals);
        }
        let magnitude = u32::try_from(exponent)
            .ok()
            .and_then(|exponent| 10_u128.checked_pow(exponent))
            .and_then(|factor| self.digits.checked_mul(factor))
            .and_then(|magnitude| i128::try_from(magnitude).ok())
            .ok_or(NumberError::Range)?;
        Ok(if self.negative { -magnitude } else { magnitude })
    }
}

/// A whole number from `MIN` to `MAX`; `MIN` by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Whole<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// Checks a number.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        match number.scaled(0) {
            Ok(value) if (MIN..=MAX).contains(&value) => Ok(Self(value)),
            Err(NumberError::Decimals) => Err(InvalidValue::new(ValidationCode::InvalidType, "must be a whole number")),
            Ok(_) | Err(NumberError::Range) => {
                Err(InvalidValue::new(ValidationCode::OutOfRange, format!("must be between {MIN} and {MAX}")))
            }
        }
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(value: i64) -> Self {
        Self(value)
    }

    /// Whether a stored value is within the bounds: one from an import may not be.
    pub(crate) const fn is_valid(self) -> bool {
        MIN <= self.0 && self.0 <= MAX
    }

    /// The next number; `MAX` has none and stays.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1).min(MAX))
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> Default for Whole<MIN, MAX> {
    fn default() -> Self {
        Self(MIN)
    }
}

/// Writes an integer of `10^-decimals` as a decimal number in its shortest form.
pub(crate) fn write_scaled(f: &mut std::fmt::Formatter<'_>, value: i128, decimals: u32) -> std::fmt::Result {
    let unit = 10_u128.pow(decimals);
    let sign = if value < 0 { "-" } else { "" };
    let (whole, mut fraction) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
    if fraction == 0 {
        return write!(f, "{sign}{whole}");
    }
    let mut width = decimals as usize;
    while fraction % 10 == 0 {
        fraction /= 10;
        width -= 1;
    }
    write!(f, "{sign}{whole}.{fraction:0width$}")
}

/// An integer of `10^-decimals` as the text of a decimal number, in its shortest form.
pub fn scaled_text(value: i64, decimals: u32) -> String {
    struct Scaled(i128, u32);
    impl std::fmt::Display for Scaled {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write_scaled(f, self.0, self.1)
        }
    }
    Scaled(i128::from(value), decimals).to_string()
}

/// Serializes a value that prints as a number: as that number, exactly.
pub(crate) fn serialize_exact<S: serde::Serializer>(
    value: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::Serialize;
    serde_json::value::RawValue::from_string(value.to_string())
        .map_err(serde::ser::Error::custom)?
        .serialize(serializer)
}

fn read_power(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    if digits.is_empty() {
        return None;
    }
    let mut power: i64 = 0;
    for byte in digits {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        power = power.saturating_mul(10).saturating_add(digit);
    }
    // Halved, so that later sums cannot overflow; no number near it is in range.
    let power = power.min(i64::MAX / 2);
    Some(if negative { -power } else { power })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scaled(text: &str, decimals: u32) -> Result<i64, NumberError> {
        Number::parse(text).unwrap().scaled(decimals)
    }

    #[test]
    fn spellings_of_one_number_are_equal() {
        for text in ["10", "10.0", "1e1", "1E+1", "100e-1", "0.1e2", "10.000000000000000000000000000000000000000"] {
            assert_eq!(scaled(text, 0), Ok(10), "{text}");
        }
        for text in ["0", "-0", "0.0", "0e999999999999999999999999", "-0.0e-5"] {
            assert_eq!(scaled(text, 0), Ok(0), "{text}");
        }
        assert_eq!(scaled("-12.5", 1), Ok(-125));
    }

    #[test]
    fn decimals_and_range_are_told_apart() {
        assert_eq!(scaled("0.1", 0), Err(NumberError::Decimals));
        assert_eq!(scaled("19.99", 1), Err(NumberError::Decimals));
        assert_eq!(scaled("19.99", 2), Ok(1999));
        assert_eq!(scaled("19.990", 2), Ok(1999));
        assert_eq!(scaled("1e400", 4), Err(NumberError::Range));
        assert_eq!(scaled("1e-400", 4), Err(NumberError::Decimals));
        assert_eq!(scaled("1e-99999999999999999999", 4), Err(NumberError::Decimals));
        assert_eq!(scaled("1e99999999999999999999", 4), Err(NumberError::Range));
        assert_eq!(scaled("9223372036854775807", 0), Ok(i64::MAX));
        assert_eq!(scaled("9223372036854775808", 0), Err(NumberError::Range));
        assert_eq!(scaled("0.30000000000000004", 4), Err(NumberError::Decimals));
        assert_eq!(scaled("1e18", 0), Ok(1_000_000_000_000_000_000));
    }

    #[test]
    fn what_is_not_a_json_number_is_refused() {
        for text in [
            "", "-", ".5", "5.", "01", "+1", "1e", "1e+", "0x10", "NaN", "1_000", "1 ", "1.2.3", "1.a", "a", "1ea",
            "--1", "-.5",
        ] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
        assert_eq!(Number::parse(&"9".repeat(60)), None);
    }

    proptest! {
        #[test]
        fn integers_read_back(value: i64) {
            prop_assume!(value != i64::MIN);
            prop_assert_eq!(scaled(&value.to_string(), 0), Ok(value));
        }

        #[test]
        fn moving_the_point_changes_nothing(value in -1_000_000_000_i64..1_000_000_000, shift in 0_i32..12) {
            prop_assert_eq!(scaled(&format!("{value}e-{shift}"), 12), scaled(&format!("{value}"), u32::try_from(12 - shift).unwrap()));
        }

        #[test]
        fn no_text_panics(text in "[-+0-9.eE]{0,30}") {
            if let Some(number) = Number::parse(&text) {
                let _ = number.scaled(4);
            }
        }
    }
}
