//! A sliding window of one minute, made of two fixed ones: all attempts of this minute, and the share of the previous one
//! that is still within the last 60 seconds. So a burst across the end of a minute is not admitted twice.

use perennial_domain::time::Time;

const MINUTE: u64 = 60_000_000;
const SECOND: u64 = 1_000_000;

/// The state of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Attempts per minute.
    pub limit: u32,
    /// Attempts that remain.
    pub remaining: u32,
    /// Seconds until more attempts remain: the end of the minute or, if none remains, until one is allowed.
    pub reset_seconds: u64,
}

/// The budget is exhausted, until the reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited(pub Standing);

/// An instant: its minute since 1970, and the microseconds since that minute began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) minute: i64,
    elapsed: u64,
}

impl Moment {
    pub(super) fn of(now: Time) -> Self {
        let micros = now.as_micros().unsigned_abs();
        Self { minute: i64::try_from(micros / MINUTE).unwrap_or(i64::MAX), elapsed: micros % MINUTE }
    }
}

/// Attempts of a minute and of the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) current: u32,
    pub(super) previous: u32,
}

impl Pair {
    fn next(self) -> Self {
        Self { current: 0, previous: self.current }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            current: self.current.saturating_add(other.current),
            previous: self.previous.saturating_add(other.previous),
        }
    }
}

/// The tally of one bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) minute: i64,
    /// Attempts counted by this server.
    pub(super) own: Pair,
    /// Those that were shared with the other servers.
    pub(super) reported: Pair,
    /// Attempts counted by the other servers at the last exchange.
    pub(super) others: Pair,
}

impl Tally {
    /// The same tally in another minute.
    pub(super) fn at(self, minute: i64) -> Self {
        match minute.saturating_sub(self.minute) {
            // A task that read the clock before the minute ended, and the tally after, must not start it again.
            -1 | 0 => self,
            1 => Self { minute, own: self.own.next(), reported: self.reported.next(), others: self.others.next() },
            _ => Self { minute, ..Self::default() },
        }
    }

    pub(super) fn is_past(&self, minute: i64) -> bool {
        self.at(minute).own == Pair::default()
    }

    /// With one more attempt.
    pub(super) fn counted(mut self) -> Self {
        self.own.current = self.own.current.saturating_add(1);
        self
    }

    /// The number of attempts that the other servers do not know.
    pub(super) fn unreported(&self) -> u32 {
        let current = self.own.current.saturating_sub(self.reported.current);
        current.saturating_add(self.own.previous.saturating_sub(self.reported.previous))
    }

    /// The state of the budget after these attempts.
    pub(super) fn standing(&self, limit: u32, moment: Moment) -> Standing {
        let elapsed = if moment.minute == self.minute { moment.elapsed } else { 0 };
        let used = self.own.plus(self.others);
        let weight = u64::from(used.current) * MINUTE + u64::from(used.previous) * (MINUTE - elapsed);
        let remaining = (u64::from(limit) * MINUTE).saturating_sub(weight) / MINUTE;
        let reset = if remaining > 0 { MINUTE - elapsed } else { wait(used, limit, elapsed) };
        Standing {
            limit,
            remaining: u32::try_from(remaining).unwrap_or(limit),
            reset_seconds: reset.div_ceil(SECOND).max(1),
        }
    }
}

/// The time until one attempt is allowed, if none is.
fn wait(used: Pair, limit: u32, elapsed: u64) -> u64 {
    match limit.checked_sub(used.current) {
        // The previous minute leaves the window, and makes room before this one ends.
        Some(room) if room > 0 => slid_out(used.previous, room - 1).saturating_sub(elapsed),
        // This minute alone exceeds the limit, and must leave the window itself.
        _ => MINUTE - elapsed + slid_out(used.current, limit.saturating_sub(1)),
    }
}

/// The part of a minute that must pass until at most `most` attempts of the previous one count.
fn slid_out(attempts: u32, most: u32) -> u64 {
    MINUTE.saturating_sub(u64::from(most) * MINUTE / u64::from(attempts.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(current: u32, previous: u32) -> Tally {
        Tally { minute: 7, own: Pair { current, previous }, ..Tally::default() }
    }

    fn standing(tally: &Tally, elapsed: u64) -> (u32, u64) {
        let standing = tally.standing(60, Moment { minute: 7, elapsed });
        (standing.remaining, standing.reset_seconds)
    }

    #[test]
    fn the_minute_before_counts_by_the_part_still_inside() {
        assert_eq!(standing(&tally(0, 60), 0), (0, 1));
        assert_eq!(standing(&tally(0, 60), 30 * SECOND), (30, 30));
        assert_eq!(standing(&tally(0, 60), 30 * SECOND - 1), (29, 31));
        assert_eq!(standing(&tally(10, 30), 0), (20, 60));
    }

    #[test]
    fn a_full_minute_is_over_when_it_has_slid_out_enough() {
        assert_eq!(standing(&tally(60, 0), 0), (0, 61));
        assert_eq!(standing(&tally(60, 0), 59 * SECOND), (0, 2));
        assert_eq!(standing(&tally(600, 0), 0), (0, 115), "sixty of six hundred are a tenth");
    }

    #[test]
    fn a_minute_later_it_is_the_minute_before_and_two_later_it_is_gone() {
        let tally = Tally { reported: Pair { current: 2, previous: 0 }, ..tally(5, 9) };
        let next = tally.at(8);
        assert_eq!((next.own, next.reported.previous), (Pair { current: 0, previous: 5 }, 2));
        assert_eq!(next.unreported(), 3);
        assert_eq!(tally.at(9), Tally { minute: 9, ..Tally::default() });
        assert!(tally.is_past(9) && !tally.is_past(8));
    }

    #[test]
    fn a_clock_a_moment_behind_changes_nothing_and_one_far_behind_begins_anew() {
        let tally = tally(60, 0);
        assert_eq!(tally.at(6), tally);
        assert_eq!(tally.standing(60, Moment { minute: 6, elapsed: 59 * SECOND }).remaining, 0);
        assert_eq!(tally.at(5).own, Pair::default());
    }

    proptest! {
        /// The reported seconds are enough, and not one too many.
        #[test]
        fn there_is_room_after_the_wait_and_not_before(
            current in 0_u32..200, previous in 0_u32..200, limit in 1_u32..100, elapsed in 0..MINUTE,
        ) {
            let tally = tally(current, previous);
            let standing = tally.standing(limit, Moment { minute: 7, elapsed });
            prop_assume!(standing.remaining == 0);
            let room_after = |seconds: u64| {
                let micros = 7 * MINUTE + elapsed + seconds * SECOND;
                let moment = Moment::of(Time::from_micros(i64::try_from(micros).unwrap()).unwrap());
                tally.at(moment.minute).standing(limit, moment).remaining
            };
            prop_assert!(room_after(standing.reset_seconds) > 0);
            prop_assert_eq!(room_after(standing.reset_seconds - 1), 0);
        }
    }
}
