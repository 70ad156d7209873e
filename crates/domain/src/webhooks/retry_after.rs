//! The header `Retry-After`: seconds, or a date.

use crate::time::Time;
use jiff::fmt::rfc2822::DateTimeParser;

/// The seconds from now that the header requests, at least 0; none if it is malformed.
pub fn retry_after_seconds(text: &str, now: Time) -> Option<i64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    let date = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some((date.as_second() - now.as_micros().div_euclid(1_000_000)).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::instant;

    #[test]
    fn it_is_a_number_of_seconds_or_a_date() {
        let now = instant("2026-11-16T12:00:00Z");
        for (text, seconds) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("99999999999999999999", Some(i64::MAX)),
            ("Mon, 16 Nov 2026 12:01:00 GMT", Some(60)),
            ("Mon, 16 Nov 2026 11:00:00 GMT", Some(0)),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_seconds(text, now), seconds, "{text}");
        }
    }
}
