//! Instants: microseconds since 1970 in UTC, from 1970 to the end of 9999.
//! Parsed from RFC 3339 with any offset, written with `Z` and six digits.

use crate::json::serialize_plain;
use crate::validation::{InvalidValue, ValidationCode};
use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Span};

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
const MAX_MICROS: i64 = 253_402_300_799_999_999;

/// An instant between 1970-01-01 and 9999-12-31, to the microsecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The last supported instant.
    pub const MAX: Self = Self(MAX_MICROS);
    /// The first instant: the beginning of the year 1970.
    pub const MIN: Self = Self(0);

    /// The instant this many microseconds after 1970, if it is within the supported years.
    pub const fn from_micros(micros: i64) -> Option<Self> {
        if micros >= 0 && micros <= MAX_MICROS { Some(Self(micros)) } else { None }
    }

    /// Microseconds since 1970, as they are stored.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The instant `seconds` later (earlier if negative), limited to the supported years.
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        let micros = self.0.saturating_add(seconds.saturating_mul(1_000_000));
        Self(if micros < 0 {
            0
        } else if micros > MAX_MICROS {
            MAX_MICROS
        } else {
            micros
        })
    }

    /// This much later, or the last instant there is.
    pub const fn plus_micros(self, micros: i64) -> Self {
        match Self::from_micros(self.as_micros().saturating_add(micros)) {
            Some(later) => later,
            None => Self::MAX,
        }
    }

    /// The whole seconds from `earlier` until this instant; none if it is later.
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        let micros = self.0 - earlier.0;
        if micros < 0 { 0 } else { micros / 1_000_000 }
    }

    /// The instant, truncated to the millisecond.
    pub const fn whole_milliseconds(self) -> Self {
        Self(self.0 - self.0 % 1_000)
    }

    /// The instant, truncated to the second.
    pub const fn whole_seconds(self) -> Self {
        Self(self.0 - self.0 % 1_000_000)
    }

    /// Parses an RFC 3339 instant with an offset; digits after the sixth are truncated.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let instant = Rfc3339::read(text.as_bytes()).ok_or_else(|| {
            InvalidValue::new(
                ValidationCode::InvalidFormat,
                "must be an RFC 3339 instant with an offset, such as 2026-01-31T09:30:00Z",
            )
        })?;
        let date = Date::new(instant.year, instant.month, instant.day)
            .map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "is not a day of the calendar"))?;
        let days = date.duration_since(EPOCH.date()).as_secs();
        let seconds = days + instant.second_of_day - instant.offset_seconds;
        seconds
            .checked_mul(1_000_000)
            .and_then(|micros| Self::from_micros(micros + instant.micros))
            .ok_or_else(|| InvalidValue::new(ValidationCode::OutOfRange, "must lie between the years 1970 and 9999"))
    }

    /// The instant `months` calendar months later at the same time of day, the day clamped to the month's end.
    pub(crate) fn plus_months(self, months: i64) -> Option<Self> {
        Self::from_civil(self.civil().checked_add(Span::new().try_months(months).ok()?).ok()?)
    }

    /// Microseconds since 1970 of the instant `months` calendar months later, which may be before 1970.
    pub(crate) fn micros_after_months(self, months: i64) -> Option<i64> {
        let civil = self.civil().checked_add(Span::new().try_months(months).ok()?).ok()?;
        i64::try_from(civil.duration_since(EPOCH).as_micros()).ok().filter(|micros| *micros <= MAX_MICROS)
    }

    /// The instant `days` days later.
    pub(crate) fn plus_days(self, days: i64) -> Option<Self> {
        days.checked_mul(86_400_000_000).and_then(|micros| self.0.checked_add(micros)).and_then(Self::from_micros)
    }

    /// The beginning of the UTC day of an instant.
    pub(crate) const fn start_of_day(self) -> Self {
        Self(self.0 - self.0 % DAY_MICROS)
    }

    /// The beginning of the month in UTC that is this many months after that of the instant.
    pub(crate) fn start_of_month(self, months_later: i64) -> Option<Self> {
        let (year, month, _) = civil_from_days(self.0 / DAY_MICROS);
        first_of_month(i64::from(year) * 12 + i64::from(month) - 1 + months_later)
    }

    /// The beginning of the year in UTC that is this many years after that of the instant.
    pub(crate) fn start_of_year(self, years_later: i64) -> Option<Self> {
        let (year, ..) = civil_from_days(self.0 / DAY_MICROS);
        first_of_month((i64::from(year) + years_later) * 12)
    }

    fn civil(self) -> DateTime {
        EPOCH.checked_add(SignedDuration::from_micros(self.0)).expect("the years 1970 to 9999 are within the calendar")
    }

    fn from_civil(civil: DateTime) -> Option<Self> {
        i64::try_from(civil.duration_since(EPOCH).as_micros()).ok().and_then(Self::from_micros)
    }
}

/// The parts of an RFC 3339 text, shape and small ranges checked.
struct Rfc3339 {
    year: i16,
    month: i8,
    day: i8,
    second_of_day: i64,
    micros: i64,
    offset_seconds: i64,
}

impl Rfc3339 {
    fn read(text: &[u8]) -> Option<Self> {
        let (head, mut rest) = text.split_at_checked(19)?;
        for (place, mark) in [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')] {
            if head[place] != mark {
                return None;
            }
        }
        if !matches!(head[10], b'T' | b't') {
            return None;
        }
        let hour = digits(&head[11..13]).filter(|hour| *hour < 24)?;
        let minute = digits(&head[14..16]).filter(|minute| *minute < 60)?;
        // A leap second is read as the second before it: the clock does not count it.
        let second = digits(&head[17..19]).filter(|second| *second <= 60)?.min(59);
        let mut micros = 0;
        if let [b'.', fraction @ ..] = rest {
            let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if !(1..=9).contains(&length) {
                return None;
            }
            let precision = length.min(6);
            micros = digits(&fraction[..precision])? * 10_i64.pow(6 - u32::try_from(precision).ok()?);
            rest = &fraction[length..];
        }
        Some(Self {
            year: i16::try_from(digits(&head[0..4])?).ok()?,
            month: i8::try_from(digits(&head[5..7])?).ok()?,
            day: i8::try_from(digits(&head[8..10])?).ok()?,
            second_of_day: hour * 3600 + minute * 60 + second,
            micros,
            offset_seconds: offset(rest)?,
        })
    }
}

fn offset(text: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match text {
        [b'Z' | b'z'] => return Some(0),
        [b'+', a, b, b':', c, d] => (1, [*a, *b], [*c, *d]),
        [b'-', a, b, b':', c, d] => (-1, [*a, *b], [*c, *d]),
        _ => return None,
    };
    let hours = digits(&hours).filter(|hours| *hours < 24)?;
    let minutes = digits(&minutes).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

impl Time {
    /// The text in RFC 3339. Every response contains several, so the digits are written without the formatter.
    fn written(self) -> Written {
        let mut text = *b"0000-00-00T00:00:00.000000Z     ";
        let (year, month, day) = civil_from_days(self.0 / DAY_MICROS);
        // Numbers of 32 bits are divided in fewer instructions.
        let (second, micros) = (narrow(self.0 / 1_000_000 % 86_400), narrow(self.0 % 1_000_000));
        put(&mut text, 0, year / 100);
        put(&mut text, 2, year % 100);
        put(&mut text, 5, month);
        put(&mut text, 8, day);
        put(&mut text, 11, second / 3600);
        put(&mut text, 14, second / 60 % 60);
        put(&mut text, 17, second % 60);
        put(&mut text, 20, micros / 10_000);
        put(&mut text, 22, micros / 100 % 100);
        put(&mut text, 24, micros % 100);
        Written(text)
    }
}

const DAY_MICROS: i64 = 86_400_000_000;
const WRITTEN_LENGTH: usize = 27;

/// An instant's text, on the stack, filled up to whole words: UTF-8 is checked word by word.
#[repr(align(16))]
struct Written([u8; 32]);

impl Written {
    fn as_str(&self) -> &str {
        &std::str::from_utf8(&self.0).expect("digits and marks are ASCII")[..WRITTEN_LENGTH]
    }
}

/// The calendar day this many days after 1970, counted in eras of 400 years that begin in March.
fn civil_from_days(days: i64) -> (u32, u32, u32) {
    let shifted = narrow(days) + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u32::from(month <= 2);
    (year, month, day)
}

/// A number that is small because instants are.
fn narrow(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// The beginning of a month, which is counted from January of the year 0.
fn first_of_month(months: i64) -> Option<Time> {
    let (year, month) = (i16::try_from(months.div_euclid(12)).ok()?, i8::try_from(months.rem_euclid(12) + 1).ok()?);
    let seconds = Date::new(year, month, 1).ok()?.duration_since(EPOCH.date()).as_secs();
    seconds.checked_mul(1_000_000).and_then(Time::from_micros)
}

/// Writes a number below 100 with two digits.
#[inline]
fn put(text: &mut [u8; 32], place: usize, number: u32) {
    let pair = usize::try_from(number).ok().and_then(|number| PAIRS.get(number));
    let [tens, ones] = pair.copied().unwrap_or_default();
    text[place] = tens;
    text[place + 1] = ones;
}

/// The numbers from 0 to 99 with two digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        #[expect(clippy::cast_possible_truncation, reason = "both are digits")]
        let (tens, ones) = ((number / 10) as u8, (number % 10) as u8);
        pairs[number] = [b'0' + tens, b'0' + ones];
        number += 1;
    }
    pairs
};

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.written().as_str())
    }
}

impl std::fmt::Debug for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_plain(self.written().as_str(), serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|invalid| serde::de::Error::custom(invalid.detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        Time::parse(text).map_or_else(|reason| reason.code.as_str().to_owned(), |time| time.to_string())
    }

    #[test]
    fn instants_are_told_in_utc_with_six_digits() {
        assert_eq!(read("2026-01-31T09:30:00Z"), "2026-01-31T09:30:00.000000Z");
        assert_eq!(read("2026-01-31t09:30:00z"), "2026-01-31T09:30:00.000000Z");
        assert_eq!(read("2026-01-31T00:30:00+02:00"), "2026-01-30T22:30:00.000000Z");
        assert_eq!(read("2026-01-31T00:30:00-05:30"), "2026-01-31T06:00:00.000000Z");
        assert_eq!(read("2026-01-31T09:30:00.5Z"), "2026-01-31T09:30:00.500000Z");
        assert_eq!(read("2026-01-31T09:30:00.123456999Z"), "2026-01-31T09:30:00.123456Z");
        assert_eq!(read("2016-12-31T23:59:60Z"), "2016-12-31T23:59:59.000000Z");
        assert_eq!(read("1970-01-01T00:00:00Z"), "1970-01-01T00:00:00.000000Z");
        assert_eq!(read("9999-12-31T23:59:59.999999999Z"), "9999-12-31T23:59:59.999999Z");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "2026",
            "2026-01-31",
            "2026-01-31T09:30:00",
            "2026-01-31 09:30:00Z",
            "2026-01-31T09:30Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T09:60:00Z",
            "2026-01-31T09:30:61Z",
            "2026-01-31T09:30:00.Z",
            "2026-01-31T09:30:00.1234567890Z",
            "2026-01-31T09:30:00+2:00",
            "2026-01-31T09:30:00+0200",
            "2026-01-31T09:30:00+24:00",
            "2026-01-31T09:30:00+00:60",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026/01/31T09:30:00Z",
            "+026-01-31T09:30:00Z",
            "2026-01-31T09:30:00Zz",
            "２026-01-31T09:30:00Z",
            "2026-01/31T09:30:00Z",
            "2026-01-31T09-30:00Z",
            "2026-01-31T09:30-00Z",
            "2026-01-31T09:30:00,5Z",
            "2026-01-31T09:30:00*02:00",
            "2026-01-31T09:30:00+02-00",
        ] {
            assert_eq!(read(text), "invalid_format", "{text}");
        }
        assert_eq!(read("1969-12-31T23:59:59.999999Z"), "out_of_range");
        assert_eq!(read("1970-01-01T00:00:00+00:01"), "out_of_range");
        assert_eq!(read("9999-12-31T23:59:59-00:01"), "out_of_range");
        assert_eq!(read("0000-01-01T00:00:00Z"), "out_of_range");
    }

    #[test]
    fn adding_seconds_stays_within_our_years() {
        let zero = Time::from_micros(0).unwrap();
        assert_eq!(zero.plus_seconds(-1), zero);
        assert_eq!(format!("{zero:?}"), "1970-01-01T00:00:00.000000Z");
        assert_eq!(zero.plus_seconds(2).as_micros(), 2_000_000);
        assert_eq!(Time::MAX.plus_seconds(1), Time::MAX);
        assert_eq!(Time::MAX.plus_seconds(-1).as_micros(), MAX_MICROS - 1_000_000);
        assert_eq!(Time::from_micros(-1), None);
        assert_eq!(Time::from_micros(MAX_MICROS + 1), None);
        assert_eq!(Time::from_micros(MAX_MICROS), Some(Time::MAX));
    }

    #[test]
    fn seconds_between_instants_are_whole_and_never_negative() {
        let at = |micros| Time::from_micros(micros).unwrap();
        assert_eq!(at(5_999_999).seconds_since(at(1_000_000)), 4);
        assert_eq!(at(6_000_000).seconds_since(at(1_000_000)), 5);
        assert_eq!(at(1_000_000).seconds_since(at(6_000_000)), 0);
        assert_eq!(at(7_654_321).whole_seconds(), at(7_000_000));
        assert_eq!(at(7_000_000).whole_seconds(), at(7_000_000));
    }

    #[test]
    fn the_last_day_of_four_hundred_years_is_told() {
        for text in ["2000-02-29T12:00:00.000000Z", "2400-02-29T00:00:00.000000Z", "2100-02-28T23:59:59.999999Z"] {
            assert_eq!(Time::parse(text).unwrap().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn the_calendar_is_the_librarys(micros in 0..=MAX_MICROS) {
            let time = Time::from_micros(micros).unwrap();
            let civil = time.civil();
            let day = format!("{:04}-{:02}-{:02}T", civil.year(), civil.month(), civil.day());
            prop_assert_eq!(&time.to_string()[..11], day);
        }

        #[test]
        fn what_is_written_reads_back(micros in 0..=MAX_MICROS) {
            let time = Time::from_micros(micros).unwrap();
            prop_assert_eq!(Time::parse(&time.to_string()), Ok(time));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = Time::parse(&text);
        }
    }
}
