//! Which events of a call are new: the decision behind `POST /usage-events`.

use super::{UsageEvent, UsageEventId};
use crate::id::SubscriptionId;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;
use std::collections::HashMap;

/// How long after it happened an event of an external subscription is accepted.
const EXTERNAL_SECONDS: i64 = 35 * 24 * 3600;

/// How long an event is stored after its window was closed: at least 13 months.
const RETENTION_SECONDS: i64 = 13 * 31 * 24 * 3600;

/// The events of a window that was closed at this time or earlier are removed.
pub fn closed_before(now: Time) -> Time {
    now.plus_seconds(-RETENTION_SECONDS)
}

/// The events of a subscription from before this time are removed. None: all are stored for longer.
///
/// A billed subscription closes its windows when it issues invoices; `closed_until` is the end of the last one that was closed
/// [`closed_before`] now. An external one accepts events for 35 days, and no window of a deleted one is billed any more.
pub fn removable_before(subscription: Option<&Subscription>, closed_until: Option<Time>, now: Time) -> Option<Time> {
    match subscription {
        Some(subscription) if subscription.billing.is_some() => closed_until,
        _ => Some(closed_before(now).plus_seconds(-EXTERNAL_SECONDS)),
    }
}

/// The instants at which a subscription still accepts events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageWindow {
    /// The first instant: the end of what is closed.
    pub from: Time,
    /// The first instant that is too late, if there is one.
    pub until: Option<Time>,
}

impl UsageWindow {
    /// The window of a subscription.
    pub fn of(subscription: &Subscription, now: Time) -> Self {
        if subscription.billing.is_none() {
            return Self::external(subscription, now);
        }
        let is_expired = subscription.status == SubscriptionStatus::Expired;
        let from =
            subscription.usage_closed_until.map_or(subscription.starts_at, |end| end.max(subscription.starts_at));
        Self { from, until: if is_expired { subscription.ends_at } else { None } }
    }

    /// The window of an external subscription: the last 35 days, until the subscription expired.
    pub fn external(subscription: &Subscription, now: Time) -> Self {
        let is_expired = subscription.status == SubscriptionStatus::Expired;
        Self { from: now.plus_seconds(-EXTERNAL_SECONDS), until: if is_expired { subscription.ends_at } else { None } }
    }

    /// Whether an event at this instant is rejected as late.
    pub fn is_late(self, at: Time) -> bool {
        at < self.from || self.until.is_some_and(|until| at >= until)
    }
}

/// A valid event of a call.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The event.
    pub event: UsageEvent,
    /// Whether its time was sent. The time of an event without one differs each time it is sent.
    pub has_time: bool,
    /// When its subscription accepts events.
    pub window: UsageWindow,
}

impl Sent {
    /// Whether it is the same event as one with the same ID.
    fn repeats(&self, other: &UsageEvent) -> bool {
        let UsageEvent { meter_id, at, value, key, .. } = &self.event;
        (meter_id, value, key) == (&other.meter_id, &other.value, &other.key) && (!self.has_time || *at == other.at)
    }
}

/// What becomes of the events of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intake {
    /// New events, to be stored.
    pub accepted: Vec<UsageEvent>,
    /// The number of events that are stored already, or occur twice in the call.
    pub duplicates: usize,
    /// Events with the ID of another one that differs.
    pub conflicts: Vec<UsageEventId>,
    /// Events that are too late.
    pub late: Vec<UsageEventId>,
}

/// Decides on the events of a call. `stored` are those with the same subscriptions and IDs that exist already.
///
/// A stored event is a duplicate even if its window was closed since, so that a retry never turns into a late event.
pub fn sort_out(sent: Vec<Sent>, stored: &[UsageEvent]) -> Intake {
    let mut known: HashMap<(SubscriptionId, UsageEventId), UsageEvent> =
        stored.iter().map(|event| ((event.subscription_id, event.id.clone()), event.clone())).collect();
    let mut intake = Intake::default();
    for sent in sent {
        let key = (sent.event.subscription_id, sent.event.id.clone());
        match known.get(&key) {
            Some(other) if sent.repeats(other) => intake.duplicates += 1,
            Some(_) => intake.conflicts.push(sent.event.id),
            None if sent.window.is_late(sent.event.at) => intake.late.push(sent.event.id),
            None => {
                known.insert(key, sent.event.clone());
                intake.accepted.push(sent.event);
            }
        }
    }
    intake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MeterId;
    use crate::plans::tests::instant;
    use crate::usage::{UsageKey, UsageValue};
    use proptest::prelude::*;

    fn now() -> Time {
        instant("2026-05-01T12:00:00Z")
    }

    fn event(id: u8, value: i64) -> UsageEvent {
        UsageEvent {
            subscription_id: SubscriptionId::new(now(), 4 * u64::from(id % 2)),
            id: UsageEventId::parse(&format!("e{id}")).unwrap(),
            meter_id: MeterId::new(now(), 4),
            at: now(),
            value: UsageValue::from_millionths(value).unwrap(),
            key: None,
        }
    }

    fn sent(event: UsageEvent) -> Sent {
        Sent { event, has_time: true, window: UsageWindow { from: now().plus_seconds(-10), until: None } }
    }

    #[test]
    fn the_same_content_is_a_duplicate_and_other_content_a_conflict() {
        let keyed = UsageEvent { key: Some(UsageKey::parse("k").unwrap()), ..event(1, 5) };
        let later = UsageEvent { at: now().plus_seconds(1), ..event(1, 5) };
        let metered = UsageEvent { meter_id: MeterId::new(now(), 8), ..event(1, 5) };
        let stored = [event(1, 5)];
        let intake = sort_out([event(1, 5), event(1, 6), keyed, later, metered].map(sent).into(), &stored);
        assert_eq!((intake.accepted.len(), intake.duplicates, intake.conflicts.len()), (0, 1, 4));
    }

    #[test]
    fn a_time_that_was_not_sent_does_not_make_a_conflict() {
        let later = Sent { has_time: false, ..sent(UsageEvent { at: now().plus_seconds(1), ..event(1, 5) }) };
        assert_eq!(sort_out(vec![later], &[event(1, 5)]).duplicates, 1);
    }

    #[test]
    fn an_id_is_unique_in_its_subscription_only() {
        let other = UsageEvent { subscription_id: SubscriptionId::new(now(), 400), ..event(1, 6) };
        assert_eq!(sort_out(vec![sent(other)], &[event(1, 5)]).accepted.len(), 1);
    }

    #[test]
    fn a_stored_event_is_a_duplicate_even_if_it_is_late_now() {
        let closed = UsageWindow { from: now().plus_seconds(1), until: None };
        let again = Sent { window: closed, ..sent(event(1, 5)) };
        let intake = sort_out(vec![again.clone()], &[event(1, 5)]);
        assert_eq!((intake.duplicates, intake.late.len()), (1, 0));
        assert_eq!(sort_out(vec![again.clone(), again], &[]).late.len(), 2);
    }

    #[test]
    fn windows_are_half_open() {
        let window = UsageWindow { from: now(), until: Some(now().plus_seconds(1)) };
        assert!(window.is_late(now().plus_micros(-1)));
        assert!(!window.is_late(now()) && !window.is_late(now().plus_micros(999_999)));
        assert!(window.is_late(now().plus_seconds(1)));
    }

    proptest! {
        /// Events are sent any number of times, in calls of any size: what is stored is the same, and each counts once.
        #[test]
        fn an_event_counts_once(ids in prop::collection::vec(0_u8..20, 1..60), size in 1_usize..10) {
            let mut stored: Vec<UsageEvent> = Vec::new();
            let mut duplicates = 0;
            for call in ids.chunks(size) {
                let intake = sort_out(call.iter().map(|id| sent(event(*id, 1))).collect(), &stored);
                prop_assert_eq!(intake.accepted.len() + intake.duplicates, call.len());
                duplicates += intake.duplicates;
                stored.extend(intake.accepted);
            }
            let mut different = ids.clone();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!((stored.len(), duplicates), (different.len(), ids.len() - different.len()));
        }
    }
}
