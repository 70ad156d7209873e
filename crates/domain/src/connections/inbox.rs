//! The inbox: webhooks that were received, what became of each, and when one is tried again.

use super::ObjectKind;
use crate::id::{ConnectionId, OrganizationId};
use crate::time::Time;
use crate::words::words;

words! {
    /// What became of a hint.
    InboxState {
        /// Its object was not fetched yet.
        Waiting = "waiting",
        /// The record was changed.
        Applied = "applied",
        /// The record is as the provider's object.
        Unchanged = "unchanged",
        /// It concerns no record.
        Ignored = "ignored",
        /// It cannot be applied.
        Failed = "failed",
    }
}

/// A webhook that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxItem {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Its ID here.
    pub id: [u8; 16],
    /// The connection.
    pub connection_id: ConnectionId,
    /// What identifies it at the provider.
    pub key: String,
    /// The provider's name of the event.
    pub kind: Option<String>,
    /// What changed.
    pub object: Option<ObjectKind>,
    /// The object's ID at the provider.
    pub object_id: Option<String>,
    /// The unit of background work: a digest of the object.
    pub unit: Option<[u8; 16]>,
    /// What became of it.
    pub state: InboxState,
    /// Why.
    pub code: Option<String>,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub next_attempt_at: Option<Time>,
    /// When it happened at the provider.
    pub occurred_at: Option<Time>,
    /// When it was received.
    pub received_at: Time,
    /// When it left `waiting`.
    pub settled_at: Option<Time>,
    /// The raw body, until its retention ends.
    pub body: Option<Vec<u8>>,
}

/// How long a hint waits for a provider that does not answer.
const GIVE_UP_SECONDS: i64 = 3 * 86_400;
/// How long a payment waits for its subscription.
const MISSING_SECONDS: i64 = 86_400;
/// How long a hint waits if another server works on a reference of its object.
const BUSY_SECONDS: i64 = 1;
/// How often a payment looks for the subscription that it names, at least.
pub const LOOK_SECONDS: i64 = 3_600;
/// The delays after the first, second, … attempt: those of deliveries to webhook endpoints.
const DELAYS: [i64; 10] = [5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400];

/// Why an object was not applied now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// The provider did not answer, and requested this many seconds.
    Unavailable(Option<i64>),
    /// No request was sent: the connection has used up its requests for this many seconds.
    NotSent(i64),
    /// Another server works on a reference.
    Busy,
    /// The subscription of the payment does not exist at the provider, or not yet.
    MissingSubscription,
    /// The payment names no subscription, or not yet.
    NoSubscription,
}

/// What becomes of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The state.
    pub state: InboxState,
    /// The code.
    pub code: Option<&'static str>,
    /// When it is tried next. None unless it waits.
    pub next_attempt_at: Option<Time>,
    /// Whether the attempt counts.
    pub counts: bool,
}

impl Outcome {
    /// The hint is settled.
    pub const fn settled(state: InboxState, code: Option<&'static str>) -> Self {
        Self { state, code, next_attempt_at: None, counts: true }
    }

    /// What becomes of a hint that was received at this time and tried this often before.
    pub fn delayed(delay: Delay, received_at: Time, attempts: i64, now: Time) -> Self {
        let step = usize::try_from(attempts).unwrap_or(usize::MAX).min(DELAYS.len() - 1);
        let waiting = |code, seconds: i64, counts| Self {
            state: InboxState::Waiting,
            code,
            next_attempt_at: Some(now.plus_seconds(seconds)),
            counts,
        };
        match delay {
            Delay::Busy => waiting(None, BUSY_SECONDS, false),
            Delay::NotSent(seconds) => waiting(None, seconds.max(BUSY_SECONDS), false),
            Delay::Unavailable(_) if now >= received_at.plus_seconds(GIVE_UP_SECONDS) => {
                Self::settled(InboxState::Failed, Some("unavailable"))
            }
            Delay::Unavailable(retry_after) => waiting(None, DELAYS[step].max(retry_after.unwrap_or(0)), true),
            Delay::MissingSubscription if now >= received_at.plus_seconds(MISSING_SECONDS) => {
                Self::settled(InboxState::Ignored, Some("missing_subscription"))
            }
            Delay::MissingSubscription => waiting(Some("missing_subscription"), DELAYS[step].min(LOOK_SECONDS), true),
            Delay::NoSubscription => Self::without_subscription(received_at, now.plus_seconds(DELAYS[step]), now),
        }
    }

    /// What becomes of a payment that names no subscription. Most of them never will, so they are tried less and less often.
    fn without_subscription(received_at: Time, next: Time, now: Time) -> Self {
        let end = received_at.plus_seconds(MISSING_SECONDS);
        if now >= end {
            return Self::settled(InboxState::Ignored, Some("no_subscription"));
        }
        Self {
            state: InboxState::Waiting,
            code: Some("missing_subscription"),
            next_attempt_at: Some(next.min(end)),
            counts: true,
        }
    }
}

/// The code of an applied or unchanged hint, if several things were lost: the most important one.
pub fn first_code(codes: &[&'static str]) -> Option<&'static str> {
    let known = ["several_items", "name_unchanged", "coupon", "collection_paused"];
    known.into_iter().find(|code| codes.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    #[test]
    fn a_hint_waits_three_days_for_its_provider_and_a_payment_one_for_its_subscription() {
        let outcome = |delay, now| Outcome::delayed(delay, at(0), 9, at(now));
        assert_eq!(outcome(Delay::Unavailable(None), 3 * 86_400 - 1).state, InboxState::Waiting);
        let given_up = outcome(Delay::Unavailable(Some(5)), 3 * 86_400);
        assert_eq!(
            (given_up.state, given_up.code, given_up.next_attempt_at),
            (InboxState::Failed, Some("unavailable"), None)
        );
        let missing = outcome(Delay::MissingSubscription, 86_399);
        assert_eq!((missing.state, missing.code), (InboxState::Waiting, Some("missing_subscription")));
        let ignored = outcome(Delay::MissingSubscription, 86_400);
        assert_eq!((ignored.state, ignored.code), (InboxState::Ignored, Some("missing_subscription")));
        let loose = outcome(Delay::NoSubscription, 86_399);
        assert_eq!((loose.state, loose.code), (InboxState::Waiting, Some("missing_subscription")));
        assert_eq!(loose.next_attempt_at, Some(at(86_400)), "it is decided after exactly a day");
        let ignored = outcome(Delay::NoSubscription, 86_400);
        assert_eq!((ignored.state, ignored.code), (InboxState::Ignored, Some("no_subscription")));
        // What does not depend on the provider neither counts nor fails.
        for delay in [Delay::Busy, Delay::NotSent(30)] {
            let waiting = outcome(delay, 10 * 86_400);
            assert_eq!((waiting.state, waiting.counts), (InboxState::Waiting, false));
        }
    }

    proptest! {
        #[test]
        fn a_waiting_hint_is_always_due_later(attempts in 0..1_000_i64, retry in 0..10_000_i64, now in 0..200_000_i64) {
            for delay in [
                Delay::Unavailable(Some(retry)),
                Delay::Unavailable(None),
                Delay::Busy,
                Delay::NotSent(retry),
                Delay::MissingSubscription,
                Delay::NoSubscription,
            ] {
                let outcome = Outcome::delayed(delay, at(0), attempts, at(now));
                prop_assert_eq!(outcome.state == InboxState::Waiting, outcome.next_attempt_at.is_some());
                prop_assert!(outcome.next_attempt_at.is_none_or(|next| next > at(now)));
            }
        }
    }

    #[test]
    fn of_several_losses_the_first_of_the_list_is_reported() {
        assert_eq!(first_code(&["coupon", "several_items"]), Some("several_items"));
        assert_eq!(first_code(&["quantity"]), None);
    }
}
