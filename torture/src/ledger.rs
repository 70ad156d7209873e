//! What callers were promised, compared with what is stored. Every write carries a number that no other write has: the
//! amount of a payment, or the external id of a subscription. A refusal whose code promises that nothing was changed must
//! have changed nothing; `outcome_unknown` and `answer_timeout` promise nothing.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::chains::Stored;
use crate::scenario::Measured;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Acknowledged,
    /// Nothing was changed.
    Refused,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Created,
    /// Of the record with this id.
    Changed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) operation: Operation,
    pub(crate) number: u64,
    pub(crate) outcome: Outcome,
}

/// How often each write was made.
struct Made {
    /// Payments by the number they were created with.
    created: HashMap<u64, usize>,
    /// Changes by record and number.
    changed: HashMap<(String, u64), usize>,
}

impl Made {
    fn of(stored: &Stored) -> Self {
        let mut made = Self { created: HashMap::new(), changed: HashMap::new() };
        let histories: HashMap<&str, _> = stored.histories().collect();
        for (id, amount) in &stored.amounts {
            let first = histories.get(id.as_str()).and_then(|events| events.first());
            let number = first.and_then(|event| number(&event.after)).unwrap_or(*amount);
            *made.created.entry(number).or_default() += 1;
        }
        for event in histories.values().copied().flatten().filter(|event| event.kind.ends_with(".updated")) {
            if let (Some(id), Some(number)) = (event.after["id"].as_str(), number(&event.after)) {
                *made.changed.entry((id.to_owned(), number)).or_default() += 1;
            }
        }
        made
    }

    fn count(&self, entry: &Entry) -> usize {
        let count = match &entry.operation {
            Operation::Created => self.created.get(&entry.number),
            Operation::Changed(record) => self.changed.get(&(record.clone(), entry.number)),
        };
        count.copied().unwrap_or_default()
    }
}

fn number(record: &Value) -> Option<u64> {
    let external = || record["external_subscription_id"].as_str()?.strip_prefix('n')?.parse().ok();
    record["amount"].as_u64().or_else(external)
}

/// Payments in the store that no caller has sent. For scenarios in which the entries are all payments there are.
pub(crate) fn never_sent(entries: &[Entry], stored: &Stored) -> Measured {
    let sent: HashSet<u64> = entries.iter().map(|entry| entry.number).collect();
    let made = Made::of(stored);
    Measured::none("stored, but never sent", made.created.keys().filter(|number| !sent.contains(number)).count())
}

/// Compares promises with the store; at least so many writes must have been acknowledged.
pub(crate) fn measured(entries: &[Entry], stored: &Stored, least: usize) -> Vec<Measured> {
    let made = Made::of(stored);
    let count = |is_counted: &dyn Fn(&Entry) -> bool| entries.iter().filter(|entry| is_counted(entry)).count();
    let with = |outcome: Outcome| move |entry: &Entry| entry.outcome == outcome;
    let is_acknowledged = with(Outcome::Acknowledged);
    let is_refused = with(Outcome::Refused);
    vec![
        Measured::at_least("writes acknowledged", count(&is_acknowledged), least),
        Measured::at_least("writes whose outcome is unknown", count(&with(Outcome::Unknown)), 0),
        Measured::none("acknowledged and lost", count(&|entry| is_acknowledged(entry) && made.count(entry) == 0)),
        Measured::none("refused with 503, and made", count(&|entry| is_refused(entry) && made.count(entry) > 0)),
        Measured::none("made more than once", count(&|entry| made.count(entry) > 1)),
    ]
}
