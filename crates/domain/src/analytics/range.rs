//! The periods that a request asks for: `from` and `to`, with their defaults and limits.

use super::calendar::{Day, Month};

/// The most months of a response.
pub const MAX_MONTHS: i64 = 120;
/// The most days of a response.
pub const MAX_DAYS: i64 = 400;
const DEFAULT_MONTHS: i64 = 12;
const DEFAULT_DAYS: i64 = 30;

/// A day or a month, as a request names a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    first: Day,
    last: Day,
}

/// Both bounds of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The first period.
    pub from: Option<Bound>,
    /// The last period.
    pub to: Option<Bound>,
}

/// Why bounds are not accepted. It is an error of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// The first period is after the last one.
    FromAfterTo,
    /// More than this many months.
    TooManyMonths,
    /// More than this many days.
    TooManyDays,
}

impl Bound {
    /// Parses `YYYY-MM-DD` or `YYYY-MM`.
    pub fn parse(text: &str) -> Option<Self> {
        let day = Day::parse(text).map(|day| Self { first: day, last: day });
        day.or_else(|| Month::parse(text).map(|month| Self { first: month.first(), last: month.last() }))
    }
}

impl RangeError {
    /// What is wrong.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::FromAfterTo => "must not be after to or the current period",
            Self::TooManyMonths => "must be at most 120 months before to",
            Self::TooManyDays => "must be at most 400 days before to",
        }
    }
}

impl Bounds {
    /// The months, both included. Bounds are widened to whole months; the last one is the current month at most.
    pub fn months(self, today: Day) -> Result<(Month, Month), RangeError> {
        // Compared as they were sent: two days of one month can be in the wrong order.
        if self.from.zip(self.to).is_some_and(|(from, to)| from.first > to.last) {
            return Err(RangeError::FromAfterTo);
        }
        let last = self.to.map_or(today, |to| to.last.min(today)).month();
        let first = self.from.map_or_else(|| last.plus(1 - DEFAULT_MONTHS), |from| from.first.month());
        match last.number() - first.number() {
            ..0 => Err(RangeError::FromAfterTo),
            0..MAX_MONTHS => Ok((first, last)),
            _ => Err(RangeError::TooManyMonths),
        }
    }

    /// The days, both included. The last one is today at most.
    pub fn days(self, today: Day) -> Result<(Day, Day), RangeError> {
        let last = self.to.map_or(today, |to| to.last.min(today));
        let first = self.from.map_or_else(|| last.plus(1 - DEFAULT_DAYS), |from| from.first);
        match last.number() - first.number() {
            ..0 => Err(RangeError::FromAfterTo),
            0..MAX_DAYS => Ok((first, last)),
            _ => Err(RangeError::TooManyDays),
        }
    }

    /// The days of a list, which has no periods: by default those of the current month and the 11 before it.
    pub fn days_of_list(self, today: Day) -> Result<(Day, Day), RangeError> {
        let (first_month, last_month) = self.months(today)?;
        let first = self.from.map_or_else(|| first_month.first(), |from| from.first);
        let last = self.to.map_or_else(|| last_month.last(), |to| to.last).min(today);
        if first > last { Err(RangeError::FromAfterTo) } else { Ok((first, last)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(from: &str, to: &str) -> Bounds {
        Bounds { from: Bound::parse(from), to: Bound::parse(to) }
    }

    fn months(from: &str, to: &str) -> Result<(String, String), RangeError> {
        let today = Day::parse("2026-11-16").unwrap();
        bounds(from, to).months(today).map(|(first, last)| (first.to_string(), last.to_string()))
    }

    fn days(from: &str, to: &str) -> Result<(String, String), RangeError> {
        let today = Day::parse("2026-11-16").unwrap();
        bounds(from, to).days(today).map(|(first, last)| (first.to_string(), last.to_string()))
    }

    #[test]
    fn months_have_defaults_and_limits() {
        let pair = |first: &str, last: &str| Ok((first.to_owned(), last.to_owned()));
        assert_eq!(months("", ""), pair("2025-12", "2026-11"));
        assert_eq!(months("2026-01-31", "2026-02-01"), pair("2026-01", "2026-02"));
        assert_eq!(months("2026-11", "2099-01"), pair("2026-11", "2026-11"));
        assert_eq!(months("", "2020-05"), pair("2019-06", "2020-05"));
        assert_eq!(months("2016-12", ""), pair("2016-12", "2026-11"));
        assert_eq!(months("2016-11", ""), Err(RangeError::TooManyMonths));
        assert_eq!(months("2026-03", "2026-02"), Err(RangeError::FromAfterTo));
        assert_eq!(months("2026-03-02", "2026-03-01"), Err(RangeError::FromAfterTo));
        assert_eq!(months("2026-03-31", "2026-03"), pair("2026-03", "2026-03"));
        assert_eq!(months("2026-11-30", "2026-12-01"), pair("2026-11", "2026-11"));
    }

    #[test]
    fn days_have_defaults_and_limits() {
        let pair = |first: &str, last: &str| Ok((first.to_owned(), last.to_owned()));
        assert_eq!(days("", ""), pair("2026-10-18", "2026-11-16"));
        assert_eq!(days("2026-01", "2026-02"), pair("2026-01-01", "2026-02-28"));
        assert_eq!(days("2025-10-13", ""), pair("2025-10-13", "2026-11-16"));
        assert_eq!(days("2025-10-12", ""), Err(RangeError::TooManyDays));
        assert_eq!(days("2026-02-02", "2026-02-01"), Err(RangeError::FromAfterTo));
    }

    #[test]
    fn a_list_is_not_widened() {
        let today = Day::parse("2026-11-16").unwrap();
        let days = |from: &str, to: &str| {
            bounds(from, to).days_of_list(today).map(|(first, last)| (first.to_string(), last.to_string()))
        };
        let pair = |first: &str, last: &str| Ok((first.to_owned(), last.to_owned()));
        assert_eq!(days("", ""), pair("2025-12-01", "2026-11-16"));
        assert_eq!(days("2026-02-10", "2026-02-20"), pair("2026-02-10", "2026-02-20"));
        assert_eq!(days("2026-02-20", "2026-02-10"), Err(RangeError::FromAfterTo));
    }
}
