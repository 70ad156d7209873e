//! Organizations whose lifecycle is on hold: the engine waits for the operator, because what is due is suspiciously late or
//! belongs to a copy. Access that changes by the clock alone is never on hold.

use crate::id::OrganizationId;
use crate::time::Time;
use crate::words::words;

const DAY_SECONDS: i64 = 86_400;

/// The difference between the clocks of a server and its database from which on the server does not act.
pub const MAX_CLOCK_DIFFERENCE_SECONDS: i64 = 60;

words! {
    /// Why an organization is on hold.
    HoldReason {
        /// Something is late by more than the limit of the configuration.
        Late = "late",
        /// The clocks of the server and the database differ. It is never stored, because it is a fact about one server.
        ClockDifference = "clock_difference",
        /// The store was restored from a backup.
        Restored = "restored",
        /// The store is a copy of another one.
        Copied = "copied",
        /// The organization was imported.
        Imported = "imported",
    }
}

/// What is stored about the hold of an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Why it is on hold. None: it is not.
    pub reason: Option<HoldReason>,
    /// What is due until this instant is done, and is not late.
    pub released_through: Option<Time>,
    /// The time that the store has lost. None: it has lost nothing.
    pub lost: Option<LostTime>,
}

/// The time between the state that a store was restored to and the release of the hold. What was charged in it may be missing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostTime {
    /// When it began, on the real clock.
    pub since: Time,
    /// When it ended, on the organization's clock. None: the organization is still on hold.
    pub until: Option<Time>,
}

impl LostTime {
    /// Whether a payment may have been charged in the lost time: by a payment that is missing here, if one of these instants lies
    /// before the end of that time. They are when the payment and its invoice were created, and when the billed period began.
    pub fn concerns(self, instants: impl IntoIterator<Item = Time>) -> bool {
        instants.into_iter().any(|instant| self.until.is_none_or(|until| instant <= until))
    }
}

impl Hold {
    /// The hold of an organization that was never on hold.
    pub const fn none(organization_id: OrganizationId) -> Self {
        Self { organization_id, reason: None, released_through: None, lost: None }
    }

    /// The hold after the operator has released what is due until `through`. The organization is on hold no more if that is
    /// everything that is due at `now`. A lost time ends with the hold.
    #[must_use]
    pub fn release(self, through: Time, now: Time) -> Self {
        let reason = self.reason.filter(|_| through < now);
        let ended = |lost: LostTime| LostTime { until: lost.until.or(reason.is_none().then_some(now)), ..lost };
        let (released_through, lost) = (self.released_through.max(Some(through)), self.lost.map(ended));
        Self { reason, released_through, lost, ..self }
    }

    /// Whether what is due at this instant may be done.
    pub fn admits(self, due: Time) -> bool {
        self.reason.is_none() || self.released_through.is_some_and(|through| due <= through)
    }

    /// The last instant whose work may be done at `now`.
    pub fn admits_until(self, now: Time) -> Time {
        match (self.reason, self.released_through) {
            (None, _) => now,
            (Some(_), Some(through)) => through.min(now),
            (Some(_), None) => Time::MIN,
        }
    }
}

/// A row that was due and last changed before this instant is too late. None: nothing ever is.
pub fn late_before(now: Time, hold_after_days: u32) -> Option<Time> {
    (hold_after_days > 0).then(|| now.plus_seconds(-i64::from(hold_after_days) * DAY_SECONDS))
}

/// Whether the clocks of a server and its database differ too much. The database's clock was read between `before` and
/// `after`, so only what that cannot explain counts.
pub fn clocks_differ(before: Time, database: Time, after: Time) -> bool {
    let apart = before.seconds_since(database).max(database.seconds_since(after));
    apart > MAX_CLOCK_DIFFERENCE_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn held(reason: Option<HoldReason>, through: Option<i64>) -> Hold {
        let organization_id = OrganizationId::from_bytes([1; 16]);
        Hold { organization_id, reason, released_through: through.map(at), lost: None }
    }

    #[test]
    fn a_release_until_now_ends_the_hold_and_an_earlier_one_does_not() {
        let late = held(Some(HoldReason::Late), None);
        assert!(!late.admits(at(1)));
        let partly = late.release(at(50), at(100));
        assert_eq!(
            (partly.reason, partly.admits(at(50)), partly.admits(at(51))),
            (Some(HoldReason::Late), true, false)
        );
        assert_eq!(partly.admits_until(at(100)), at(50));
        let whole = partly.release(at(100), at(100));
        assert_eq!((whole.reason, whole.released_through), (None, Some(at(100))));
        assert!(whole.admits(at(101)));
        assert_eq!(whole.admits_until(at(200)), at(200));
        // An earlier instant takes nothing back.
        assert_eq!(whole.release(at(10), at(200)).released_through, Some(at(100)));
    }

    #[test]
    fn a_lost_time_ends_with_the_hold_and_concerns_what_began_in_it() {
        let lost = Some(LostTime { since: at(10), until: None });
        let restored = Hold { lost, ..held(Some(HoldReason::Restored), None) };
        let partly = restored.release(at(50), at(100));
        assert_eq!(partly.lost, lost);
        assert!(partly.lost.unwrap().concerns([at(1_000_000)]), "it has not ended");
        let whole = partly.release(at(100), at(100));
        let ended = LostTime { since: at(10), until: Some(at(100)) };
        assert_eq!(whole.lost, Some(ended));
        assert!(ended.concerns([at(5)]) && ended.concerns([at(101), at(100)]) && !ended.concerns([at(101), at(102)]));
        // A later hold for another reason, and its release, do not make it longer.
        let late = Hold { reason: Some(HoldReason::Late), ..whole };
        assert_eq!(late.release(at(500), at(500)).lost, Some(ended));
    }

    #[test]
    fn lateness_is_more_than_the_limit() {
        let now = at(10 * DAY_SECONDS);
        assert_eq!(late_before(now, 7), Some(at(3 * DAY_SECONDS)));
        assert_eq!(late_before(now, 0), None);
    }

    #[test]
    fn clocks_differ_by_what_the_time_of_the_question_does_not_explain() {
        assert!(!clocks_differ(at(100), at(160), at(100)));
        assert!(clocks_differ(at(100), at(161), at(100)));
        assert!(clocks_differ(at(200), at(139), at(200)));
        assert!(!clocks_differ(at(100), at(200), at(180)));
    }

    proptest! {
        #[test]
        fn what_is_admitted_only_grows(first in 0..1000_i64, second in 0..1000_i64, now in 0..1000_i64, due in 0..1000_i64) {
            let hold = held(Some(HoldReason::Copied), None).release(at(first), at(now));
            let again = hold.release(at(second), at(now));
            prop_assert!(!hold.admits(at(due)) || again.admits(at(due)));
            prop_assert_eq!(hold.admits(at(due)) && due <= now, at(due) <= hold.admits_until(at(now)));
        }
    }
}
