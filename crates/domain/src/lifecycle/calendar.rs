//! The calendar of billing periods: boundaries counted from an anchor in a time zone.
//!
//! A boundary is always computed from the anchor and never from the boundary before it, so that the 31st returns after a
//! short month. The time zone database is compiled into the program: all servers of a version agree.

use crate::cycle::BillingCycle;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};
use jiff::civil::DateTime;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp};
use std::sync::{Arc, LazyLock};

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
const UTC: &str = "UTC";

/// The IANA name of a time zone that the program knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneName(Arc<str>);

impl Default for ZoneName {
    fn default() -> Self {
        Self(UTC.into())
    }
}

impl ZoneName {
    /// Parses a name, in any case. Its usual spelling is stored.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let unknown = || {
            let detail = "must be a time zone of the IANA database, such as Europe/Berlin";
            InvalidValue::new(ValidationCode::UnknownValue, detail)
        };
        if text.eq_ignore_ascii_case(UTC) {
            return Ok(Self::default());
        }
        let zone = DATABASE.get(text).map_err(|_| unknown())?;
        zone.iana_name().map(|name| Self(name.into())).ok_or_else(unknown)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// None for UTC, which needs no database and has no other limits.
    fn rules(&self) -> Option<TimeZone> {
        if &*self.0 == UTC { None } else { DATABASE.get(&self.0).ok() }
    }
}

impl serde::Serialize for ZoneName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for ZoneName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|invalid| serde::de::Error::custom(invalid.detail))
    }
}

/// The calendar year of an instant in a time zone.
pub fn year_in(at: Time, zone: &ZoneName) -> i16 {
    let zone = zone.rules().unwrap_or(TimeZone::UTC);
    civil(at, &zone).map_or(9_999, DateTime::year)
}

/// The boundaries of billing periods.
#[derive(Clone, Debug)]
pub struct Calendar {
    zone: Option<TimeZone>,
    anchor: Time,
    /// The anchor as a civil time, in the zone.
    civil: Option<DateTime>,
    cycle: BillingCycle,
}

/// A billing period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// When it begins.
    pub start: Time,
    /// When it ends. None: never.
    pub end: Option<Time>,
    /// The length of the whole period that it is a part of, in microseconds. 0 if it never ends.
    pub cycle: i64,
}

/// The calendar has no boundary before the year 10000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfCalendar;

impl Calendar {
    /// The calendar of a billing cycle that is counted from the anchor.
    pub fn new(zone: &ZoneName, anchor: Time, cycle: BillingCycle) -> Self {
        let zone = zone.rules();
        let civil = zone.as_ref().and_then(|zone| civil(anchor, zone));
        Self { zone, anchor, civil, cycle }
    }

    /// The `k`th boundary in microseconds since 1970. None: it is outside the calendar, or the cycle has no boundaries.
    fn boundary_micros(&self, k: i64) -> Option<i64> {
        let length = Length::of(self.cycle)?;
        match (&self.zone, self.civil) {
            (None, _) => length.after_in_utc(self.anchor, k),
            (Some(zone), Some(civil)) => {
                let instant = zone.to_timestamp(civil.checked_add(length.span(k)?).ok()?).ok()?;
                Some(instant.as_microsecond())
            }
            (Some(_), None) => None,
        }
    }

    /// The `k`th boundary, if it is in the years 1970 to 9999. The anchor is the 0th.
    pub fn boundary(&self, k: i64) -> Option<Time> {
        self.boundary_micros(k).and_then(Time::from_micros)
    }

    /// The number of the first boundary after an instant.
    fn first_after(&self, instant: Time) -> Option<i64> {
        let length = Length::of(self.cycle)?;
        let mut k = (instant.as_micros() - self.anchor.as_micros()).div_euclid(length.micros());
        // The estimate is close: months differ from their mean by less than two boundaries in the years of the calendar.
        while self.boundary_micros(k).is_none_or(|boundary| boundary > instant.as_micros()) {
            k -= 1;
            if k < -MAX_BOUNDARIES {
                return None;
            }
        }
        while self.boundary_micros(k)? <= instant.as_micros() {
            k += 1;
        }
        Some(k)
    }

    /// The smallest boundary after an instant.
    pub fn next(&self, instant: Time) -> Option<Time> {
        self.boundary(self.first_after(instant)?)
    }

    /// The last boundary that is not after an instant, and the first one after it. None: it is outside the calendar.
    pub fn around(&self, instant: Time) -> (Option<Time>, Option<Time>) {
        match self.first_after(instant) {
            Some(k) => (self.boundary(k - 1), self.boundary(k)),
            None => (None, None),
        }
    }

    /// Whether an instant is a boundary.
    pub fn is_boundary(&self, instant: Time) -> bool {
        let before = self.first_after(instant).and_then(|k| self.boundary_micros(k - 1));
        before == Some(instant.as_micros())
    }

    /// The period that begins at `start`, or that part of it before `ends_at`.
    pub fn period(&self, start: Time, ends_at: Option<Time>) -> Result<Period, OutOfCalendar> {
        if self.cycle == BillingCycle::Lifetime {
            return Ok(Period { start, end: None, cycle: 0 });
        }
        let k = self.first_after(start).ok_or(OutOfCalendar)?;
        let next = self.boundary(k).ok_or(OutOfCalendar)?;
        let floor = self.boundary_micros(k - 1).ok_or(OutOfCalendar)?;
        let end = ends_at.filter(|end| *end > start).map_or(next, |end| end.min(next));
        Ok(Period { start, end: Some(end), cycle: next.as_micros() - floor })
    }
}

/// More daily boundaries than the years 1970 to 9999 have.
const MAX_BOUNDARIES: i64 = 3_000_000;

/// An instant this many calendar days later at the same local time.
pub fn plus_calendar_days(instant: Time, days: i64, zone: &ZoneName) -> Option<Time> {
    let Some(zone) = zone.rules() else { return instant.plus_days(days) };
    let later = civil(instant, &zone)?.checked_add(Span::new().try_days(days).ok()?).ok()?;
    Time::from_micros(zone.to_timestamp(later).ok()?.as_microsecond())
}

fn civil(instant: Time, zone: &TimeZone) -> Option<DateTime> {
    Timestamp::from_microsecond(instant.as_micros()).ok().map(|instant| zone.to_datetime(instant))
}

/// The distance of two boundaries.
#[derive(Clone, Copy)]
enum Length {
    Days(i64),
    Months(i64),
}

impl Length {
    const fn of(cycle: BillingCycle) -> Option<Self> {
        Some(match cycle {
            BillingCycle::Daily => Self::Days(1),
            BillingCycle::Weekly => Self::Days(7),
            BillingCycle::Biweekly => Self::Days(14),
            BillingCycle::Monthly => Self::Months(1),
            BillingCycle::Quarterly => Self::Months(3),
            BillingCycle::Semiannual => Self::Months(6),
            BillingCycle::Yearly => Self::Months(12),
            BillingCycle::Biennial => Self::Months(24),
            BillingCycle::Lifetime => return None,
        })
    }

    /// The mean distance in microseconds.
    const fn micros(self) -> i64 {
        const DAY: i64 = 86_400_000_000;
        match self {
            Self::Days(days) => days * DAY,
            // 400 years have 146,097 days and 4,800 months.
            Self::Months(months) => months * 146_097 * DAY / 4_800,
        }
    }

    fn span(self, k: i64) -> Option<Span> {
        match self {
            Self::Days(days) => Span::new().try_days(days.checked_mul(k)?).ok(),
            Self::Months(months) => Span::new().try_months(months.checked_mul(k)?).ok(),
        }
    }

    /// UTC has no gaps, and its boundaries may be before 1970.
    fn after_in_utc(self, anchor: Time, k: i64) -> Option<i64> {
        match self {
            Self::Days(days) => anchor.as_micros().checked_add(days.checked_mul(k)?.checked_mul(86_400_000_000)?),
            Self::Months(months) => anchor.micros_after_months(months.checked_mul(k)?),
        }
    }
}

#[cfg(test)]
mod tests;
