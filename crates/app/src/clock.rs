//! The clock. No other code of the program reads the time.

use perennial_domain::time::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Where the time comes from.
#[derive(Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// A clock for tests that moves only when it is set, in microseconds since 1970.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// The time now, limited to the years 1970 to 9999.
    #[expect(clippy::disallowed_methods, reason = "the only code that reads the machine's clock")]
    pub fn now(&self) -> Time {
        let micros = match self {
            Self::System => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)),
            Self::Fixed(micros) => micros.load(Ordering::Relaxed),
        };
        Time::from_micros(micros.clamp(0, Time::MAX.as_micros())).unwrap_or(Time::MAX)
    }
}
