//! Version stamps: the instant and the revision that a change gives a record.
//!
//! The clocks of servers disagree, and any clock can step back. A record's history must not: every stamp follows the
//! record's previous one, in time and in the order of event IDs, whatever the clock shows.

use crate::billing_profiles::BillingProfile;
use crate::clients::Client;
use crate::connections::Connection;
use crate::coupons::Coupon;
use crate::features::Feature;
use crate::id::EventId;
use crate::invoices::record::Invoice;
use crate::meters::Meter;
use crate::operators::{Operator, OperatorSession};
use crate::organizations::Organization;
use crate::payments::Payment;
use crate::plans::Plan;
use crate::sessions::Session;
use crate::subscriptions::Subscription;
use crate::tax_rates::TaxRate;
use crate::time::Time;
use crate::users::User;
use crate::webhooks::WebhookEndpoint;

/// When a record changed, and the ID of the event of that change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The instant: the record's `updated_at` and the event's `at`.
    pub at: Time,
    /// The event's ID, which is the record's revision.
    pub revision: EventId,
}

/// A record with a history.
pub trait Stamped {
    /// The stamp of the record's last change.
    fn stamp(&self) -> Stamp;
}

impl Stamp {
    /// The greatest stamp of an instant, for a record that does not store the ID of its last event.
    pub const fn last_at(at: Time) -> Self {
        Self { at, revision: EventId::new(at, u64::MAX) }
    }

    /// The stamp of the next change: `now`, or one microsecond after the previous change if the clock is behind it. Its
    /// revision is greater than the previous one.
    ///
    /// Two values have no successor: the last instant of the year 9999 is repeated, and the greatest ID is followed by
    /// an ordinary one. No clock and no client can produce either; an import can.
    #[must_use]
    pub fn next(self, now: Time, random: u64) -> Self {
        let following = Time::from_micros(self.at.as_micros() + 1).unwrap_or(Time::MAX);
        let at = now.max(following);
        let fresh = EventId::new(at, random);
        let revision = if fresh > self.revision { fresh } else { successor(self.revision, random).unwrap_or(fresh) };
        Self { at, revision }
    }
}

/// An ID a little greater than this one: an imported revision can be ahead of its record's `updated_at`. The distance
/// is random, because another event may have the next ID.
fn successor(previous: EventId, random: u64) -> Option<EventId> {
    let previous = u128::from_be_bytes(previous.bytes());
    let distance = 1 + u128::from(random & 0xffff_ffff);
    let next = previous.checked_add(distance).or_else(|| previous.checked_add(1));
    next.map(|next| EventId::from_bytes(next.to_be_bytes()))
}

macro_rules! stamped {
    ($($record:ident),*) => {$(
        impl Stamped for $record {
            fn stamp(&self) -> Stamp {
                Stamp { at: self.updated_at, revision: self.revision }
            }
        }
    )*};
}

stamped!(Client, Operator, Organization, Payment, Plan, Subscription, User, WebhookEndpoint);
stamped!(BillingProfile, Connection, Coupon, Feature, Invoice, Meter, TaxRate);

impl Stamped for Session {
    /// A session has two events, its first and its last. A refresh has none, but the session must not end before it.
    fn stamp(&self) -> Stamp {
        Stamp::last_at(self.signed_in_at.max(self.rotated_at).max(self.last_used_at))
    }
}

impl Stamped for OperatorSession {
    /// As for a session of a user.
    fn stamp(&self) -> Stamp {
        Stamp::last_at(self.signed_in_at.max(self.last_used_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAST_MICROS: i64 = 253_402_300_799_999_999;

    fn at(micros: i64) -> Time {
        Time::from_micros(micros).unwrap()
    }

    #[test]
    fn a_clock_that_is_ahead_is_followed() {
        let stamp = Stamp { at: at(1_000), revision: EventId::new(at(1_000), 7) }.next(at(2_000), 9);
        assert_eq!(stamp, Stamp { at: at(2_000), revision: EventId::new(at(2_000), 9) });
    }

    #[test]
    fn within_one_microsecond_and_one_millisecond_the_order_holds() {
        let mut stamp = Stamp { at: at(5_000_000), revision: EventId::new(at(5_000_000), u64::MAX) };
        for step in 1..=2_000 {
            let next = stamp.next(at(5_000_000), 0);
            assert_eq!(next.at, at(5_000_000 + step));
            assert!(next.revision > stamp.revision, "step {step}");
            stamp = next;
        }
    }

    #[test]
    fn an_imported_revision_that_is_ahead_of_its_record_is_followed_without_moving_the_clock() {
        let previous = Stamp { at: at(1_000), revision: EventId::new(Time::MAX, 5) };
        let next = previous.next(at(2_000), u64::MAX);
        assert_eq!(next.at, at(2_000));
        assert!(next.revision > previous.revision);
        let greatest = Stamp { at: Time::MAX, revision: EventId::from_bytes([0xff; 16]) };
        assert_eq!(greatest.next(at(1), 3), Stamp { at: Time::MAX, revision: EventId::new(Time::MAX, 3) });
    }

    proptest! {
        #[test]
        fn a_history_never_goes_back(
            revision: [u8; 16],
            first in 0..LAST_MICROS - 100,
            clock in prop::collection::vec((0..=LAST_MICROS, any::<u64>()), 1..50),
        ) {
            prop_assume!(revision < [0xff; 16]);
            let mut stamp = Stamp { at: at(first), revision: EventId::from_bytes(revision) };
            for (now, random) in clock {
                let next = stamp.next(at(now), random);
                prop_assert!(next.at > stamp.at || stamp.at == Time::MAX);
                prop_assert!(next.at >= at(now));
                prop_assert!(next.revision > stamp.revision || stamp.revision.bytes() == [0xff; 16]);
                stamp = next;
            }
        }

        #[test]
        fn servers_whose_clocks_disagree_write_one_history(
            offsets in prop::collection::vec(-5_000_000..5_000_000_i64, 2..4),
            changes in prop::collection::vec((0..4_usize, 0..2_000_i64, any::<u64>()), 1..60),
        ) {
            let mut clock = 1_800_000_000_000_000;
            let mut history = vec![Stamp { at: at(clock), revision: EventId::new(at(clock), 1) }];
            for (server, elapsed, random) in changes {
                clock += elapsed;
                let now = at(clock + offsets[server % offsets.len()]);
                let last = *history.last().unwrap();
                history.push(last.next(now, random));
            }
            prop_assert!(history.is_sorted_by(|a, b| a.at < b.at && a.revision < b.revision));
            // The revision holds the instant, so that pruning by time and reading by ID agree.
            for stamp in history {
                prop_assert!(stamp.revision.bytes() >= crate::id::uuid_floor(stamp.at));
            }
        }
    }
}
