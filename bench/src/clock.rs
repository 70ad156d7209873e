//! The one place of the bench that asks what time it is; durations come from `Instant`.

use perennial_domain::time::Time;
use std::time::{SystemTime, UNIX_EPOCH};

#[expect(clippy::disallowed_methods, reason = "a report carries the date it was made on")]
pub(crate) fn now() -> Time {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_micros()).ok().and_then(Time::from_micros).unwrap_or(Time::MAX)
}
