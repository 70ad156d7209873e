//! Compares the rows and events of the store with the clients' responses.

use std::collections::HashMap;

use super::load::{Outcomes, Record};
use crate::failure::Result;
use crate::home::Home;
use crate::rows;
use crate::scenario::Measured;

/// Every subscription of the load, and how many events tell of its making and of its changes. Those of the tour have no
/// external id.
const SUBSCRIPTIONS: &str = "
    SELECT record.external_id,
           COUNT(*) FILTER (WHERE event.kind = 'subscription.created'),
           COUNT(*) FILTER (WHERE event.kind = 'subscription.updated')
    FROM subscriptions AS record
    LEFT JOIN events AS event ON event.record_id = record.id
    WHERE record.external_id IS NOT NULL
    GROUP BY record.id, record.external_id";

pub(super) struct Store(Vec<Vec<String>>);

impl Store {
    pub(super) fn read(home: &Home) -> Result<Self> {
        rows::query(home, SUBSCRIPTIONS).map(Self)
    }

    pub(super) fn measured(&self, outcomes: &Outcomes) -> Vec<Measured> {
        let records: HashMap<&str, &Record> =
            outcomes.records.iter().map(|record| (record.external.as_str(), record)).collect();
        let (mut found, mut untold, mut wrong_events) = (HashMap::new(), 0, 0);
        for row in &self.0 {
            let [external, created, updated] = row.as_slice() else { continue };
            *found.entry(external.as_str()).or_insert(0_usize) += 1;
            match records.get(external.as_str()) {
                Some(record) if *created == "1" && *updated == record.changes.to_string() => {}
                Some(_) => wrong_events += 1,
                None => untold += 1,
            }
        }
        let lost = records.keys().filter(|external| !found.contains_key(*external)).count();
        vec![
            Measured::at_least("subscriptions acknowledged", records.len(), 20),
            Measured::none("acknowledged and lost", lost),
            Measured::none("there twice", found.values().map(|count| count - 1).sum()),
            Measured::none("stored, but not acknowledged", untold),
            Measured::none("records whose events are not exactly their changes", wrong_events),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What falls short when the clients know twenty records, each with two changes, and the store holds those and this.
    fn short(change: impl FnOnce(&mut Vec<Vec<String>>)) -> Vec<String> {
        let record = |number| Record { external: format!("c{number}"), changes: 2 };
        let mut outcomes = Outcomes::default();
        outcomes.records = (0..20).map(record).collect();
        let row = |number| vec![format!("c{number}"), "1".to_owned(), "2".to_owned()];
        let mut rows: Vec<Vec<String>> = (0..20).map(row).collect();
        change(&mut rows);
        let measured = Store(rows).measured(&outcomes);
        measured.into_iter().filter(|line| !line.holds).map(|line| line.what).collect()
    }

    #[test]
    fn losses_doubles_strangers_and_wrong_events_are_seen() {
        assert!(short(|_| ()).is_empty());
        assert_eq!(short(|rows| drop(rows.pop())), ["acknowledged and lost"]);
        assert_eq!(short(|rows| rows.push(rows[0].clone())), ["there twice"]);
        assert_eq!(short(|rows| rows.push(vec!["x".into(), "1".into(), "0".into()])), ["stored, but not acknowledged"]);
        let events = "records whose events are not exactly their changes";
        assert_eq!(short(|rows| rows[3][2] = "3".to_owned()), [events]);
    }
}
