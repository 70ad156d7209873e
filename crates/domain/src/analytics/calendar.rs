//! Days and months in UTC, as numbers since 1970 and as the texts of the API.

use crate::time::Time;
use jiff::civil::Date;

const DAY_MICROS: i64 = 86_400_000_000;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// A month, counted from 1970-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i64);

impl Day {
    /// The day of an instant.
    pub const fn of(time: Time) -> Self {
        Self(time.as_micros() / DAY_MICROS)
    }

    /// The day with this number.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Days since 1970-01-01, as they are stored.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// This many days later.
    #[must_use]
    pub const fn plus(self, days: i64) -> Self {
        Self(self.0 + days)
    }

    /// The month of the day.
    pub fn month(self) -> Month {
        let date = self.date();
        Month((i64::from(date.year()) - 1970) * 12 + i64::from(date.month()) - 1)
    }

    /// Parses `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let (month, day) = (text.get(..7)?, text.get(7..)?);
        let (year, month) = year_and_month(month)?;
        let day = digits(day.strip_prefix('-')?, 2)?;
        let date = Date::new(year, month, i8::try_from(day).ok()?).ok()?;
        Some(Self::from_date(date))
    }

    fn date(self) -> Date {
        let days = jiff::Span::new().try_days(self.0).ok();
        days.and_then(|days| EPOCH.checked_add(days).ok()).unwrap_or(if self.0 < 0 { Date::MIN } else { Date::MAX })
    }

    fn from_date(date: Date) -> Self {
        Self(date.duration_since(EPOCH).as_hours() / 24)
    }
}

impl Month {
    /// The month with this number.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Months since 1970-01, as they are stored.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// This many months later.
    #[must_use]
    pub const fn plus(self, months: i64) -> Self {
        Self(self.0 + months)
    }

    /// The first day.
    pub fn first(self) -> Day {
        let (year, month) = (1970 + self.0.div_euclid(12), self.0.rem_euclid(12) + 1);
        let date = i16::try_from(year).ok().zip(i8::try_from(month).ok()).and_then(|(y, m)| Date::new(y, m, 1).ok());
        Day::from_date(date.unwrap_or(if self.0 < 0 { Date::MIN } else { Date::MAX }))
    }

    /// The last day.
    pub fn last(self) -> Day {
        self.plus(1).first().plus(-1)
    }

    /// January of its year.
    #[must_use]
    pub const fn january(self) -> Self {
        Self(self.0 - self.0.rem_euclid(12))
    }

    /// Parses `YYYY-MM`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = year_and_month(text)?;
        Some(Self((i64::from(year) - 1970) * 12 + i64::from(month) - 1))
    }
}

const EPOCH: Date = Date::constant(1970, 1, 1);

/// The years of the supported instants.
fn year_and_month(text: &str) -> Option<(i16, i8)> {
    let (year, month) = text.split_once('-')?;
    let (year, month) = (digits(year, 4)?, digits(month, 2)?);
    let is_known = year >= 1970 && (1..=12).contains(&month);
    is_known.then_some((i16::try_from(year).ok()?, i8::try_from(month).ok()?))
}

fn digits(text: &str, length: usize) -> Option<i64> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let date = self.date();
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}", 1970 + self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

impl serde::Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl serde::Serialize for Month {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_and_months_are_those_of_the_calendar() {
        let time = Time::parse("2026-02-28T23:59:59.999999Z").unwrap();
        assert_eq!(Day::of(time).to_string(), "2026-02-28");
        assert_eq!(Day::of(time.plus_micros(1)).to_string(), "2026-03-01");
        let month = Month::parse("2028-02").unwrap();
        assert_eq!((month.first().to_string(), month.last().to_string()), ("2028-02-01".into(), "2028-02-29".into()));
        assert_eq!((month.january().to_string(), month.plus(11).to_string()), ("2028-01".into(), "2029-01".into()));
        for text in [
            "2026-2",
            "2026-13",
            "2026-00",
            "1969-12",
            "2026-02-29",
            "2026-2-1",
            "2026-02-1",
            "26-02-01",
            "",
            "2026-02x01",
            "+026-02",
        ] {
            assert_eq!((Day::parse(text), Month::parse(text)), (None, None), "{text}");
        }
    }

    proptest! {
        #[test]
        fn texts_read_back(number in 0_i64..2_932_000) {
            let day = Day::from_number(number);
            prop_assert_eq!(Day::parse(&day.to_string()), Some(day));
            let month = day.month();
            prop_assert_eq!(Month::parse(&month.to_string()), Some(month));
            prop_assert!(month.first() <= day && day <= month.last());
            prop_assert_eq!((month.first().month(), month.last().month()), (month, month));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = (Day::parse(&text), Month::parse(&text));
        }
    }
}
