//! The history of one subscription: the states that count, in the order of their times.
//!
//! A record counts as it was after its last event, in the order of the feed, whose time has come. So an event removes all
//! states that are not before it, and a state that equals the one before it is not stored.

use super::calendar::{Day, Month};
use super::contribution::{Contribution, Step};
use super::state::State;
use crate::currency::Currency;
use crate::subscriptions::{Access, SubscriptionStatus};
use crate::time::Time;

/// The states of a subscription by ascending time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    states: Vec<State>,
}

/// The first trial of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The month in which it began.
    pub month: Month,
    /// What became of it.
    pub outcome: TrialOutcome,
}

/// What became of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// Neither of the others.
    Open,
    /// The subscription paid at the close of the day or of a later one.
    Converted,
    /// It did not, and is over.
    Lost,
}

impl History {
    /// The state after the last event.
    pub fn last(&self) -> Option<&State> {
        self.states.last()
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Adds the state after the next event of the feed. False if nothing changes.
    pub fn push(&mut self, state: State) -> bool {
        let is_last = self.states.last().is_none_or(|last| last.at < state.at);
        while self.states.last().is_some_and(|last| last.at >= state.at) {
            self.states.pop();
        }
        let is_new = !self.states.last().is_some_and(|last| last.equals(&state));
        if is_new {
            self.states.push(state);
        }
        is_new || !is_last
    }

    /// Removes states that can no longer count at the close of a day: those that another one of the same day has replaced.
    /// The first trial stays. What is equal to its predecessor then goes too.
    pub fn compact(&mut self, as_of: Time) {
        let first_trial = self.first_trial().map(|(place, _)| place);
        let mut place = 0;
        let days: Vec<(Day, Time)> = self.states.iter().map(|state| (Day::of(state.at), state.at)).collect();
        self.states.retain(|_| {
            let next = days.get(place + 1);
            let is_replaced = next.is_some_and(|(day, at)| *day == days[place].0 && *at <= as_of);
            place += 1;
            !is_replaced || first_trial == Some(place - 1)
        });
        self.states.dedup_by(|next, before| next.equals(before));
    }

    /// What the subscription contributes at the close of each day on which that changes, as known at `as_of`.
    pub fn steps(&self, as_of: Time) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (at, state) in self.instants().filter(|(at, _)| *at <= as_of) {
            let step = Step { day: Day::of(at), pays: state.pays(at), contribution: Contribution::of(state, at) };
            if steps.last().is_some_and(|last| last.day == step.day) {
                steps.pop();
            }
            let before = steps.last().map(|last| (last.pays, last.contribution));
            if before.unwrap_or((false, None)) != (step.pays, step.contribution) {
                steps.push(step);
            }
        }
        steps
    }

    /// The first instant after this one at which figures may change by the clock alone.
    pub fn due_after(&self, after: Time) -> Option<Time> {
        let trial = self.first_trial().map(|(_, begin)| begin);
        self.instants().map(|(at, _)| at).chain(trial).filter(|at| *at > after).min()
    }

    /// The first trial, if it has begun.
    pub fn trial(&self, as_of: Time) -> Option<Trial> {
        let (_, begin) = self.first_trial().filter(|(_, begin)| *begin <= as_of)?;
        let (day, steps) = (Day::of(begin), self.steps(as_of));
        let at_close = steps.iter().rev().find(|step| step.day <= day).is_some_and(|step| step.pays);
        let is_converted = at_close || steps.iter().any(|step| step.day > day && step.pays);
        let now = self.states.iter().rev().find(|state| state.at <= as_of);
        let outcome = if is_converted {
            TrialOutcome::Converted
        } else if now.is_some_and(|state| state.is_over(as_of)) {
            TrialOutcome::Lost
        } else {
            TrialOutcome::Open
        };
        Some(Trial { month: day.month(), outcome })
    }

    /// The place of the state that begins the first trial, and when the trial begins.
    fn first_trial(&self) -> Option<(usize, Time)> {
        let is_trial = |state: &State| state.access.status == SubscriptionStatus::OnTrial && !state.is_deleted;
        let place = self.states.iter().position(is_trial)?;
        Some((place, self.states[place].at.max(self.states[place].access.starts_at)))
    }

    /// The instants at which the subscription may begin or cease to pay, in order, each with the state that counts then.
    fn instants(&self) -> impl Iterator<Item = (Time, &State)> {
        self.states.iter().enumerate().flat_map(|(place, state)| {
            let until = self.states.get(place + 1).map(|next| next.at);
            let (start, end) = (Some(state.access.starts_at), state.access.ends_at);
            let (first, second) = if end.is_some() && end < start { (end, start) } else { (start, end) };
            let is_within = move |at: &Time| *at > state.at && until.is_none_or(|until| *at < until);
            let by_clock = [first, second].into_iter().flatten().filter(is_within).filter(move |_| can_change(state));
            std::iter::once(state.at).chain(by_clock).map(move |at| (at, state))
        })
    }
}

/// Whether access can change by the clock alone.
fn can_change(state: &State) -> bool {
    let Access { is_active, status, .. } = state.access;
    !state.is_deleted && is_active && status.is_active_by_default()
}

/// A state as it is stored: compact, and without personal data. None of the texts has a character that JSON escapes.
type Stored<'a> =
    (i64, &'a str, &'a str, Option<(&'a str, &'a str)>, (&'a str, bool, i64, Option<i64>), Option<&'a str>, bool);

impl History {
    /// The text in the store.
    pub fn to_stored(&self) -> String {
        let states: Vec<String> = self.states.iter().map(to_stored).collect();
        format!("[{}]", states.join(","))
    }

    /// Reads the text of the store; none if this program did not write it.
    pub fn from_stored(text: &str) -> Option<Self> {
        let states: Vec<Stored<'_>> = serde_json::from_str(text).ok()?;
        Some(Self { states: states.iter().map(from_stored).collect::<Option<_>>()? })
    }
}

fn to_stored(state: &State) -> String {
    let State { user_id, plan_id, is_deleted, .. } = state;
    let Access { is_active, status, starts_at, ends_at } = state.access;
    let (at, starts_at, status) = (state.at.as_micros(), starts_at.as_micros(), status.as_str());
    let null = || "null".to_owned();
    let price = state.price.map_or_else(null, |(currency, value)| format!(r#"["{currency}","{value}"]"#));
    let ends_at = ends_at.map_or_else(null, |ends_at| ends_at.as_micros().to_string());
    let prior = state.prior.map_or_else(null, |status| format!(r#""{}""#, status.as_str()));
    let access = format_args!(r#"["{status}",{is_active},{starts_at},{ends_at}]"#);
    format!(r#"[{at},"{user_id}","{plan_id}",{price},{access},{prior},{is_deleted}]"#)
}

fn from_stored(stored: &Stored<'_>) -> Option<State> {
    let (at, user, plan, price, (status, is_active, starts_at, ends_at), prior, is_deleted) = stored;
    let price = match price {
        Some((currency, value)) => Some((Currency::parse(currency).ok()?, value.parse().ok()?)),
        None => None,
    };
    Some(State {
        at: Time::from_micros(*at)?,
        user_id: user.parse().ok()?,
        plan_id: plan.parse().ok()?,
        price,
        access: Access {
            is_active: *is_active,
            status: SubscriptionStatus::from_stored(status)?,
            starts_at: Time::from_micros(*starts_at)?,
            ends_at: ends_at.and_then(Time::from_micros),
        },
        prior: prior.and_then(SubscriptionStatus::from_stored),
        is_deleted: *is_deleted,
    })
}
