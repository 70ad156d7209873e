//! The event chains of a store: of each record, every event starts where the one before it ended, and the record is what
//! its last event. The one checker for all scenarios that may split a change.

mod stored;

use std::net::SocketAddr;

use perennial_harness::Connection;
use serde_json::Value;

use crate::failure::{Result, could_not};
use crate::home::TRUSTED;
use crate::scenario::Measured;
pub(crate) use stored::{Event, Stored};

/// Problems that are printed; the evidence has the whole store.
const PRINTED: usize = 10;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Chains {
    records: usize,
    events: usize,
    /// Events that do not start where the one before them ended, or a first event that is no creation.
    torn: usize,
    events_without_row: usize,
    rows_without_event: usize,
    /// Records that differ from their last event.
    unlike: usize,
    printed: usize,
}

impl Chains {
    /// Examines every plan, subscription and payment; `server` shows the records as they are now.
    pub(crate) fn of(stored: &Stored, server: SocketAddr) -> Result<Self> {
        let mut chains = Self { records: stored.rows.len(), ..Self::default() };
        chains.rows_without_event = stored.rows.keys().filter(|id| !stored.events.contains_key(*id)).count();
        let mut shown = Connection::open(server).map_err(could_not("connect to the server"))?;
        for (id, events) in &stored.events {
            chains.events += events.len();
            chains.examine_chain(id, events);
            let Some(row) = stored.rows.get(id) else {
                chains.events_without_row += 1;
                chains.complain(&format!("{} events of {id}, which is not stored", events.len()));
                continue;
            };
            let Some(last) = events.last() else { continue };
            let record = match last.target() {
                Some(target) => {
                    shown.call("GET", &target, &[TRUSTED], None).map_err(could_not("read a record"))?.data()
                }
                None => Value::Null,
            };
            if row.revision != last.id || row.is_deleted != last.after.is_null() || !is_like(&record, &last.after) {
                chains.unlike += 1;
                chains.complain(&format!("{record} differs from its last event: {}", last.after));
            }
        }
        Ok(chains)
    }

    pub(crate) fn measured(&self) -> Vec<Measured> {
        vec![
            Measured::at_least("records whose event chain was examined", self.records, 1),
            Measured::at_least("events in these chains", self.events, self.records),
            Measured::none("events that do not start where the last one ended", self.torn),
            Measured::none("records with events but without a row", self.events_without_row),
            Measured::none("records with a row but without events", self.rows_without_event),
            Measured::none("records that differ from their last event", self.unlike),
        ]
    }

    fn examine_chain(&mut self, id: &str, events: &[Event]) {
        let mut previous = &Value::Null;
        for (at, event) in events.iter().enumerate() {
            let is_first_rightly = (at == 0) == event.kind.ends_with(".created");
            let before = whole(&event.before, &event.after);
            if before != *previous || !is_first_rightly {
                self.torn += 1;
                self.complain(&format!(
                    "{} {} of {id}: before is {before}, but the previous after is {previous}",
                    event.kind, event.id
                ));
            }
            previous = &event.after;
        }
    }

    fn complain(&mut self, what: &str) {
        self.printed += 1;
        if self.printed <= PRINTED {
            println!("  {what}");
        }
    }
}

/// Whether a record has every member of its event. It may have more, which are derived from the clock.
fn is_like(record: &Value, after: &Value) -> bool {
    match after {
        Value::Object(members) => members.iter().all(|(name, value)| record.get(name) == Some(value)),
        other => record == other,
    }
}

/// The record before a change. An update stores under `~` what differs from the record after it.
fn whole(before: &Value, after: &Value) -> Value {
    match before.get("~") {
        Some(difference) => with_difference(difference, after),
        None => before.clone(),
    }
}

fn with_difference(difference: &Value, after: &Value) -> Value {
    let (Value::Object(difference), Value::Object(after)) = (difference, after) else { return difference.clone() };
    let mut before = after.clone();
    for (name, value) in difference {
        let value = with_difference(value, after.get(name).unwrap_or(&Value::Null));
        before.insert(name.clone(), value);
    }
    Value::Object(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(kind: &str, before: Value, after: Value) -> Event {
        Event { id: "e".to_owned(), kind: kind.to_owned(), before, after }
    }

    fn torn(events: &[Event]) -> usize {
        let mut chains = Chains::default();
        chains.examine_chain("r", events);
        chains.torn
    }

    #[test]
    fn a_chain_is_whole_if_each_event_starts_where_the_last_one_ended() {
        let created = || event("payment.created", Value::Null, json!({ "amount": 1 }));
        let updated = |from: u8, to: u8| event("payment.updated", json!({ "amount": from }), json!({ "amount": to }));
        let deleted = |from: u8| event("payment.deleted", json!({ "amount": from }), Value::Null);
        assert_eq!(torn(&[created(), updated(1, 2), updated(2, 3), deleted(3)]), 0);
        assert_eq!(torn(&[created(), updated(1, 2), updated(1, 3)]), 1);
        assert_eq!(torn(&[updated(1, 2), updated(2, 3)]), 1);
        assert_eq!(torn(&[created(), created()]), 1);
        assert_eq!(torn(&[created(), deleted(2)]), 1);
    }

    #[test]
    fn a_record_is_like_its_event_if_no_member_differs() {
        let after = json!({ "id": "sub_1", "status": "active" });
        assert!(is_like(&json!({ "id": "sub_1", "status": "active", "has_access": true }), &after));
        assert!(!is_like(&json!({ "id": "sub_1", "status": "paused", "has_access": true }), &after));
        assert!(!is_like(&json!({ "id": "sub_1" }), &after));
        assert!(!is_like(&Value::Null, &after));
        assert!(is_like(&Value::Null, &Value::Null));
    }

    #[test]
    fn a_difference_gives_the_record_before() {
        let after = json!({ "id": 1, "name": "new", "billing": { "a": 1, "b": 2 } });
        let before = json!({ "~": { "name": "old", "billing": { "b": null } } });
        assert_eq!(whole(&before, &after), json!({ "id": 1, "name": "old", "billing": { "a": 1, "b": null } }));
        assert_eq!(whole(&after, &Value::Null), after);
    }
}
