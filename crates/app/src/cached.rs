//! Cached values. An entry lives four seconds, so that a change by any process takes effect within five.

use perennial_domain::time::Time;

const LIFETIME_SECONDS: i64 = 4;

/// A value and when it was read.
#[derive(Clone)]
pub(crate) struct Cached<T> {
    pub(crate) value: T,
    pub(crate) read_at: Time,
}

impl<T> Cached<T> {
    pub(crate) fn is_fresh(&self, now: Time) -> bool {
        is_fresh(self.read_at, now)
    }
}

/// Whether a value read at `read_at` is still fresh. If the clock stepped back, it is not.
pub(crate) fn is_fresh(read_at: Time, now: Time) -> bool {
    read_at <= now && now < read_at.plus_seconds(LIFETIME_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_fresh_for_four_seconds_and_never_in_the_future() {
        let read_at = Time::from_micros(10_000_000).unwrap();
        let cached = Cached { value: (), read_at };
        assert!(cached.is_fresh(read_at));
        assert!(cached.is_fresh(Time::from_micros(13_999_999).unwrap()));
        assert!(!cached.is_fresh(Time::from_micros(14_000_000).unwrap()));
        assert!(!cached.is_fresh(Time::from_micros(9_999_999).unwrap()));
    }
}
