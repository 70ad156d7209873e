//! Instants as Stripe writes them.

use perennial_domain::time::Time;

/// An instant in seconds since 1970.
pub(super) fn instant(seconds: i64) -> Option<Time> {
    seconds.checked_mul(1_000_000).and_then(Time::from_micros)
}
