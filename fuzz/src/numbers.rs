//! Decimals and instants, against readings of their own.

use crate::texts::has_a_message;
use crate::utf8;
use perennial_domain::money::Money;
use perennial_domain::number::Number;
use perennial_domain::time::Time;

/// A number is accepted if it is valid JSON, and money equals the text to the last digit.
pub(crate) fn decimal(data: &[u8]) {
    let Some(text) = utf8(data) else { return };
    let is_json =
        text.trim() == text && serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.is_number());
    let Some(number) = Number::parse(text) else {
        // What JSON has and we do not read has more digits than anything we count, or a power beyond counting.
        assert!(!is_json || text.len() > 18, "{text} was not read");
        return;
    };
    let (negative, digits, exponent) = spelt(text);
    match Money::parse(number) {
        Ok(money) => {
            assert!(!negative || digits.is_empty(), "{text} is negative");
            assert_eq!(spelt(&money.to_string()), (false, digits, exponent), "{text}");
            assert_eq!(Number::parse(&money.to_string()).map(Money::parse), Some(Ok(money)));
            assert_eq!(Money::from_ten_thousandths(money.ten_thousandths()), Some(money));
        }
        Err(reason) => has_a_message(&reason),
    }
}

/// Sign, significant digits and power of ten of a number's text, digit by digit.
fn spelt(text: &str) -> (bool, String, i64) {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let (whole, fraction) =
        mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa.trim_start_matches('-'), ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = i64::try_from(all.len() - digits.len()).unwrap_or(i64::MAX);
    let digits = digits.trim_start_matches('0').to_owned();
    if digits.is_empty() {
        return (negative, digits, 0);
    }
    let power: i64 = power.parse().unwrap_or(i64::MAX);
    (negative, digits, power.saturating_add(zeros).saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX)))
}

/// An instant is written so that it reads the same, and is the instant that another reader takes it for.
pub(crate) fn timestamp(data: &[u8]) {
    let Some(text) = utf8(data) else { return };
    match Time::parse(text) {
        Ok(time) => {
            let written = time.to_string();
            assert_eq!(Time::parse(&written), Ok(time));
            assert!(written.len() == 27 && written.ends_with('Z'), "{written}");
            assert_eq!(Time::from_micros(time.as_micros()), Some(time));
            if let Ok(other) = text.parse::<jiff::Timestamp>() {
                let micros = other.as_nanosecond().div_euclid(1000);
                assert_eq!(micros, i128::from(time.as_micros()), "{text}");
            }
        }
        Err(reason) => has_a_message(&reason),
    }
}
