//! Retention: how long events, sessions and deleted records are stored.

use perennial_domain::time::Time;

const DAY_SECONDS: i64 = 24 * 3600;

/// How long rows are stored that no request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Events, counted from when they happened; forever if `None`.
    pub events_days: Option<u32>,
    /// Sessions, counted from when their refresh token expires, whether or not they were ended before.
    pub sessions_days: u32,
    /// Deleted records, counted from when they were deleted; forever if `None`.
    pub deleted_days: Option<u32>,
}

impl Default for Retention {
    fn default() -> Self {
        Self { events_days: None, sessions_days: 30, deleted_days: None }
    }
}

impl Retention {
    /// Sessions that expired before this time are removed.
    pub(crate) fn sessions_before(&self, now: Time) -> Time {
        days_before(now, self.sessions_days)
    }

    /// Events that happened before this time are removed, if any are.
    pub(super) fn events_before(&self, now: Time) -> Option<Time> {
        self.events_days.map(|days| days_before(now, days))
    }

    /// Records deleted before this time are removed, if any are.
    pub(super) fn deleted_before(&self, now: Time) -> Option<Time> {
        self.deleted_days.map(|days| days_before(now, days))
    }
}

fn days_before(now: Time, days: u32) -> Time {
    now.plus_seconds(-i64::from(days) * DAY_SECONDS)
}
