//! The incremental ledger equals the reference, whatever the order and the times of events, and wherever it is interrupted.

use super::calendar::Day;
use super::history::History;
use super::movements::{Movement, revise};
use super::reference::{self, Figures};
use super::state::{PlanPrice, Snapshot};
use super::steps::Difference;
use super::sums::Sums;
use super::value;
use crate::currency::Currency;
use crate::cycle::BillingCycle;
use crate::id::{PlanId, UserId};
use crate::money::Money;
use crate::subscriptions::{Access, SubscriptionStatus};
use crate::time::Time;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const FIRST: &str = "2026-01-01T00:00:00Z";
const HOURS: i64 = 24 * 70;

fn hour(hour: i64) -> Time {
    Time::parse(FIRST).unwrap().plus_seconds(hour * 3600)
}

fn plan(number: u64) -> PlanId {
    PlanId::new(Time::parse(FIRST).unwrap(), number << 8)
}

/// Four plans in two currencies; one is free, and another one is unknown.
fn price(snapshot: &Snapshot) -> Option<PlanPrice> {
    let known = [(90_000, "USD", BillingCycle::Monthly), (2_900_000, "USD", BillingCycle::Yearly)];
    let others = [(45_000, "EUR", BillingCycle::Weekly), (0, "USD", BillingCycle::Monthly)];
    let place = (0..4_usize).find(|place| plan(*place as u64) == snapshot.plan.0)?;
    let (price, currency, cycle) = known.into_iter().chain(others).nth(place)?;
    let price = Money::from_ten_thousandths(price * snapshot.plan.1)?;
    Some(PlanPrice { price, currency: Currency::parse(currency).unwrap(), cycle })
}

/// The ledger in memory, with the steps that the reader takes.
#[derive(Default)]
struct Ledger {
    histories: BTreeMap<usize, (History, Time)>,
    movements: BTreeMap<(Currency, UserId, Day), Movement>,
    sums: Sums,
}

impl Ledger {
    /// Applies events of the feed, and what is due by the clock, at an instant.
    fn apply(&mut self, events: &[(usize, Snapshot)], now: Time) {
        let mut after: BTreeMap<usize, History> = BTreeMap::new();
        for (number, (history, applied_at)) in &self.histories {
            if history.due_after(*applied_at).is_some_and(|due| due <= now) {
                after.insert(*number, history.clone());
            }
        }
        for (number, snapshot) in events {
            let known = || self.histories.get(number).map(|(history, _)| history.clone()).unwrap_or_default();
            let history = after.entry(*number).or_insert_with(known);
            history.push(snapshot.after(history.last(), price(snapshot)));
        }
        let mut difference = Difference::default();
        for (number, mut history) in after {
            history.compact(now);
            let (before, applied_at) = self.histories.get(&number).cloned().unwrap_or((History::default(), now));
            difference.add((&before, applied_at), (&history, now));
            assert_eq!(History::from_stored(&history.to_stored()), Some(history.clone()));
            self.histories.insert(number, (history, now));
        }
        difference.normalize();
        for (key, changes) in difference.customers {
            let of_customer = |day: Day| (key.0, key.1, day);
            let first = *changes.keys().next().unwrap();
            let range = of_customer(Day::from_number(0))..of_customer(first);
            let before = self.movements.range(range).next_back().and_then(|(_, last)| last.after());
            let range = of_customer(first)..of_customer(Day::from_number(i64::MAX));
            let known: Vec<Movement> = self.movements.range(range).map(|(_, movement)| *movement).collect();
            let revision = revise(key, before, &known, &changes, &mut self.sums);
            for day in revision.removed {
                self.movements.remove(&of_customer(day));
            }
            for movement in revision.put {
                self.movements.insert(of_customer(movement.day), movement);
            }
        }
        self.sums.add_all(difference.sums);
        self.sums.normalize();
    }

    fn figures(&self) -> Figures {
        let mut movements: Vec<Movement> = self.movements.values().copied().collect();
        movements.sort_by_key(|movement| (movement.day, movement.currency, movement.user_id));
        Figures { movements, sums: self.sums.clone() }
    }
}

fn snapshot() -> impl Strategy<Value = (usize, Snapshot)> {
    let record = (0_usize..5, 0_u64..3, 0_u64..5, 1_i64..3, 1_i64..3);
    let times = (0..HOURS, -200_i64..400, prop::option::of(-100_i64..500));
    let status = (0_usize..9, prop::option::of(0_usize..9), prop::bool::weighted(0.9), prop::bool::weighted(0.04));
    (record, times, status).prop_map(|((number, user, plan_number, version, quantity), times, status)| {
        let (at, start, end) = times;
        let (status, before, is_active, is_deleted) = status;
        let access = Access {
            is_active,
            status: SubscriptionStatus::ALL[status],
            starts_at: hour(at + start.min(0)).max(hour(at + start)),
            ends_at: end.map(|end| hour(at + end)),
        };
        let user_id = UserId::new(Time::parse(FIRST).unwrap(), user << 8);
        let status_before = before.map(|before| SubscriptionStatus::ALL[before]);
        let plan = (plan(plan_number), version);
        (number, Snapshot { at: hour(at), user_id, plan, quantity, access, status_before, is_deleted })
    })
}

/// Events in the order of the feed: most are in the order of their times, some are late.
fn feed() -> impl Strategy<Value = Vec<(usize, Snapshot)>> {
    (prop::collection::vec(snapshot(), 0..40), prop::bool::ANY).prop_map(|(mut events, is_shuffled)| {
        if !is_shuffled {
            events.sort_by_key(|(_, event)| event.at);
        }
        events
    })
}

proptest! {
    #[test]
    fn the_ledger_equals_the_definitions(
        feed in feed(),
        cuts in prop::collection::vec((0_usize..40, 0..HOURS + 600), 0..6),
        end in 0_i64..600,
    ) {
        let first = Day::of(Time::parse(FIRST).unwrap()).plus(-20);
        let mut ledger = Ledger::default();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|(cut, _)| cut.min(feed.len())).collect();
        cuts.sort_unstable();
        cuts.push(feed.len());
        let (mut done, mut now) = (0, hour(0));
        for cut in cuts {
            // The clock passes the last event of the portion, or stays behind it.
            now = now.max(feed[done..cut].last().map_or(now, |(_, event)| event.at.plus_seconds(-90_000)));
            ledger.apply(&feed[done..cut], now);
            done = cut;
            prop_assert_eq!(ledger.figures(), reference::figures(&feed[..done], first, now, price));
        }
        now = hour(HOURS + end);
        ledger.apply(&[], now);
        prop_assert_eq!(ledger.figures(), reference::figures(&feed, first, now, price));
        let mut rebuilt = Ledger::default();
        rebuilt.apply(&feed, now);
        prop_assert_eq!(rebuilt.figures(), ledger.figures());
    }

    #[test]
    fn a_change_of_what_no_figure_depends_on_changes_no_history(events in prop::collection::vec(snapshot(), 1..10)) {
        let mut history = History::default();
        for (_, event) in events {
            history.push(event.after(history.last(), price(&event)));
            let before = history.clone();
            let later = Snapshot { at: event.at.plus_seconds(60), ..event };
            let mut same = history.clone();
            let is_changed = same.push(later.after(same.last(), price(&later)));
            prop_assert!(!is_changed);
            prop_assert_eq!(&same, &before);
        }
    }
}

#[test]
fn values_are_payments_in_two_years() {
    let price = Money::from_ten_thousandths(45_000).unwrap();
    let values: Vec<i128> = BillingCycle::ALL.iter().map(|cycle| value(price, 2, *cycle)).collect();
    let times: [i128; 9] = [730, 104, 52, 24, 8, 4, 2, 1, 0];
    assert_eq!(values, times.map(|times| times * 90_000));
    let most = Money::from_ten_thousandths(9_999_999_999_990_000).unwrap();
    assert_eq!(value(most, 1_000_000, BillingCycle::Daily), 9_999_999_999_990_000 * 730_000_000);
}

#[test]
fn a_plan_switch_within_a_day_is_one_movement() {
    let at = |text: &str| Time::parse(text).unwrap();
    let event = |at: Time, plan_number, status| Snapshot {
        at,
        user_id: UserId::new(at, 1),
        plan: (plan(plan_number), 1),
        quantity: 1,
        access: Access { is_active: true, status, starts_at: hour(0), ends_at: None },
        status_before: None,
        is_deleted: false,
    };
    let user_id = UserId::new(hour(0), 1);
    let events: Vec<(usize, Snapshot)> = [
        (0, event(at("2026-01-05T00:00:00Z"), 0, SubscriptionStatus::Active)),
        (0, event(at("2026-01-09T10:00:00Z"), 0, SubscriptionStatus::Expired)),
        (1, event(at("2026-01-09T11:00:00Z"), 1, SubscriptionStatus::Active)),
    ]
    .map(|(number, event)| (number, Snapshot { user_id, ..event }))
    .to_vec();
    let mut ledger = Ledger::default();
    ledger.apply(&events, hour(HOURS));
    let kinds: Vec<_> = ledger.movements.values().map(|movement| movement.kind.as_str()).collect();
    assert_eq!(kinds, ["new", "expansion"]);
    let days: BTreeSet<_> = ledger.movements.values().map(|movement| movement.day.to_string()).collect();
    assert_eq!(days.into_iter().collect::<Vec<_>>(), ["2026-01-05", "2026-01-09"]);
}
