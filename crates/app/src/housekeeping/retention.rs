//! Retention: how long events, sessions and deleted records are stored.

use crate::context::App;
use crate::error::Error;
use crate::events;
use perennial_domain::time::Time;
use perennial_store::organizations;

const DAY_SECONDS: i64 = 24 * 3600;

/// How long rows are stored that no request needs any more.
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

    /// Records deleted before this time are removed, if any are.
    pub(super) fn deleted_before(&self, now: Time) -> Option<Time> {
        self.deleted_days.map(|days| days_before(now, days))
    }
}

/// Removes the events of every organization whose retention has passed; returns how many.
pub async fn prune_events(app: &App) -> Result<u64, Error> {
    let Some(days) = app.options.retention.events_days else { return Ok(0) };
    let before = days_before(app.clock.now(), days);
    let mut pruned = 0;
    for organization in organizations::all(&app.db).await? {
        pruned += events::prune(app, organization.id, before).await?;
    }
    Ok(pruned)
}

fn days_before(now: Time, days: u32) -> Time {
    now.plus_seconds(-i64::from(days) * DAY_SECONDS)
}
