//! The definitions computed the long way: for every day, over all events. Tests compare the ledger with it.

use super::calendar::{Day, Month};
use super::history::{Trial, TrialOutcome};
use super::movements::{Movement, MovementKind};
use super::state::{PlanPrice, Snapshot};
use super::sums::{SumKind, Sums};
use super::value;
use crate::currency::Currency;
use crate::id::{PlanId, UserId};
use crate::subscriptions::SubscriptionStatus;
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The events of the feed, in its order: the number of a subscription and the content.
pub(super) type Feed = [(usize, Snapshot)];

/// Everything that follows from the events at an instant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) movements: Vec<Movement>,
    pub(super) sums: Sums,
}

struct Counted {
    user: UserId,
    plan: PlanId,
    currency: Currency,
    value: i128,
    is_committed: bool,
}

/// The last event of a subscription, in the order of the feed, that happened until an instant.
fn record_at<'a>(events: &[&'a Snapshot], at: Time) -> Option<(usize, &'a Snapshot)> {
    events.iter().enumerate().rev().find(|(_, event)| event.at <= at).map(|(place, event)| (place, *event))
}

fn pays(events: &[&Snapshot], at: Time) -> bool {
    use SubscriptionStatus::{Active, Cancelled, Incomplete, OnTrial, PastDue, Pending};
    let Some((place, record)) = record_at(events, at) else { return false };
    if record.is_deleted || !record.access.is_granted(at) {
        return false;
    }
    let mut others =
        events[..place].iter().rev().map(|event| event.access.status).filter(|status| *status != Cancelled);
    let first = events[0].status_before.filter(|status| *status != Cancelled);
    match record.access.status {
        Active | PastDue => true,
        Cancelled => !matches!(others.next().or(first), Some(OnTrial | Pending | Incomplete)),
        _ => false,
    }
}

fn counted(events: &[&Snapshot], at: Time, price: impl Fn(&Snapshot) -> Option<PlanPrice>) -> Option<Counted> {
    let (_, record) = record_at(events, at).filter(|_| pays(events, at))?;
    let plan = price(record)?;
    let value = value(plan.price, record.quantity, plan.cycle);
    let is_committed = record.access.status != SubscriptionStatus::Cancelled && record.access.ends_at.is_none();
    let (user, currency) = (record.user_id, plan.currency);
    (value > 0).then_some(Counted { user, plan: record.plan.0, currency, value, is_committed })
}

fn close(day: Day, as_of: Time) -> Time {
    Time::from_micros((day.number() + 1) * 86_400_000_000 - 1).unwrap().min(as_of)
}

/// The figures of the days from `first` on, which must be before every event.
pub(super) fn figures(
    feed: &Feed,
    first: Day,
    as_of: Time,
    price: impl Fn(&Snapshot) -> Option<PlanPrice> + Copy,
) -> Figures {
    let numbers: BTreeSet<usize> = feed.iter().map(|(number, _)| *number).collect();
    let subscriptions: Vec<Vec<&Snapshot>> = numbers
        .into_iter()
        .map(|number| feed.iter().filter(|(other, _)| *other == number).map(|(_, event)| event).collect())
        .collect();
    let mut figures = Figures { movements: Vec::new(), sums: Sums::default() };
    let mut customers: BTreeMap<(Currency, UserId), i128> = BTreeMap::new();
    let mut cohorts: BTreeMap<(Currency, UserId), Month> = BTreeMap::new();
    let mut plans: BTreeMap<(Currency, PlanId), (i128, i64)> = BTreeMap::new();
    let mut totals: BTreeMap<Currency, (i128, i64)> = BTreeMap::new();
    for day in (first.number()..=Day::of(as_of).number()).map(Day::from_number) {
        let at = close(day, as_of);
        let counted: Vec<Counted> = subscriptions.iter().filter_map(|events| counted(events, at, price)).collect();
        let mut now = BTreeMap::new();
        let mut now_plans: BTreeMap<_, (i128, i64)> = BTreeMap::new();
        let mut now_totals: BTreeMap<_, (i128, i64)> = BTreeMap::new();
        for one in &counted {
            *now.entry((one.currency, one.user)).or_default() += one.value;
            let plan = now_plans.entry((one.currency, one.plan)).or_default();
            *plan = (plan.0 + one.value, plan.1 + 1);
            let total = now_totals.entry(one.currency).or_default();
            *total = (total.0 + if one.is_committed { one.value } else { 0 }, total.1 + 1);
        }
        for key in keys(&customers, &now) {
            let (before, after) = (get(&customers, &key), get(&now, &key));
            if before == after {
                continue;
            }
            let kind = if before == 0 {
                if cohorts.contains_key(&key) { MovementKind::Reactivation } else { MovementKind::New }
            } else if after == 0 {
                MovementKind::Churned
            } else if after > before {
                MovementKind::Expansion
            } else {
                MovementKind::Contraction
            };
            let cohort = *cohorts.entry(key).or_insert(day.month());
            let (currency, user_id) = key;
            let movement = Movement { currency, user_id, day, kind, amount: after - before, after, cohort };
            figures.sums.add_movement(&movement, 1);
            figures.movements.push(movement);
        }
        for key in keys(&plans, &now_plans) {
            let (before, after) = (get(&plans, &key), get(&now_plans, &key));
            figures.sums.add_plan(key.0, day, key.1, after.0 - before.0, after.1 - before.1);
        }
        for key in keys(&totals, &now_totals) {
            let (before, after) = (get(&totals, &key), get(&now_totals, &key));
            figures.sums.add_subscriptions(key, day, after.0 - before.0, after.1 - before.1);
        }
        (customers, plans, totals) = (now, now_plans, now_totals);
    }
    for events in &subscriptions {
        if let Some(Trial { month, outcome }) = trial(events, as_of) {
            figures.sums.add_trial(month, SumKind::TrialsStarted, 1);
            match outcome {
                TrialOutcome::Open => {}
                TrialOutcome::Converted => figures.sums.add_trial(month, SumKind::TrialsConverted, 1),
                TrialOutcome::Lost => figures.sums.add_trial(month, SumKind::TrialsLost, 1),
            }
        }
    }
    figures.sums.normalize();
    figures
}

fn trial(events: &[&Snapshot], as_of: Time) -> Option<Trial> {
    let counts = |place: usize| events[place + 1..].iter().all(|later| later.at > events[place].at);
    let is_trial = |event: &Snapshot| event.access.status == SubscriptionStatus::OnTrial && !event.is_deleted;
    let begin = (0..events.len())
        .filter(|place| counts(*place) && is_trial(events[*place]))
        .map(|place| (events[place].at, events[place].at.max(events[place].access.starts_at)))
        .min()?
        .1;
    if begin > as_of {
        return None;
    }
    let days = (Day::of(begin).number()..=Day::of(as_of).number()).map(Day::from_number);
    let is_converted = days.map(|day| close(day, as_of)).any(|at| pays(events, at));
    let is_over = record_at(events, as_of).is_some_and(|(_, record)| {
        let status = record.access.status;
        record.is_deleted
            || status == SubscriptionStatus::Expired
            || status == SubscriptionStatus::Cancelled && !record.access.is_granted(as_of)
    });
    let outcome = match (is_converted, is_over) {
        (true, _) => TrialOutcome::Converted,
        (false, true) => TrialOutcome::Lost,
        (false, false) => TrialOutcome::Open,
    };
    Some(Trial { month: Day::of(begin).month(), outcome })
}

fn keys<K: Ord + Copy, V>(one: &BTreeMap<K, V>, other: &BTreeMap<K, V>) -> BTreeSet<K> {
    one.keys().chain(other.keys()).copied().collect()
}

fn get<K: Ord, V: Default + Copy>(map: &BTreeMap<K, V>, key: &K) -> V {
    map.get(key).copied().unwrap_or_default()
}
