//! The journals held against the store.

use std::collections::HashMap;
use std::time::Duration;

use crate::failure::Result;
use crate::home::Home;
use crate::killed_servers::Round;
use crate::rows;
use crate::scenario::Measured;
use crate::writer::journal::{Journal, Kind, Record};

/// Every record with how many events speak of it: of its making, and of its changes.
const SUBSCRIPTIONS: &str = "
    SELECT record.external_id,
           COUNT(*) FILTER (WHERE event.kind = 'subscription.created'),
           COUNT(*) FILTER (WHERE event.kind = 'subscription.updated')
    FROM subscriptions AS record
    LEFT JOIN events AS event ON event.record_id = record.id
    WHERE record.deleted_at IS NULL
    GROUP BY record.id, record.external_id";
const PAYMENTS: &str = "
    SELECT record.external_id,
           COUNT(*) FILTER (WHERE event.kind = 'payment.created'),
           COUNT(*) FILTER (WHERE event.kind = 'payment.updated')
    FROM payments AS record
    LEFT JOIN events AS event ON event.record_id = record.id
    WHERE record.deleted_at IS NULL
    GROUP BY record.id, record.external_id";
const EVENTS: &str = "
    SELECT COUNT(*)
    FROM events
    WHERE kind LIKE 'subscription.%' OR kind LIKE 'payment.%'";
const KEYS: &str = "SELECT COUNT(*) FROM idempotency_keys";

#[derive(Default)]
pub(crate) struct Tally {
    records: HashMap<String, Record>,
    kills: usize,
    slowest: Duration,
    /// Only SQLite has a check that can be asked for.
    faults: Option<usize>,
    lost: usize,
    refused: usize,
    retried: usize,
    delayed: usize,
    unanswered: usize,
    twice: usize,
    untold: usize,
    wrong_events: usize,
    keys: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, round: Round) {
        self.kills += round.kills;
        self.slowest = self.slowest.max(round.slowest_restart);
    }

    pub(crate) fn integrity(&mut self, faults: Option<Vec<String>>) {
        for fault in faults.iter().flatten() {
            eprintln!("  integrity: {fault}");
        }
        self.faults = faults.map(|faults| self.faults.unwrap_or_default() + faults.len());
    }

    pub(crate) fn gather(&mut self, journals: impl Iterator<Item = Journal>) {
        for journal in journals {
            self.lost += journal.lost;
            self.refused += journal.refused;
            self.retried += journal.retried;
            self.delayed += journal.delayed;
            self.unanswered += usize::from(journal.open.is_some());
            self.records.extend(journal.records.into_iter().map(|record| (record.external.clone(), record)));
        }
    }

    /// Compares everything the journals know with everything the store holds.
    pub(crate) fn store(&mut self, home: &Home) -> Result {
        self.table(Kind::Subscription, &rows::query(home, SUBSCRIPTIONS)?);
        self.table(Kind::Payment, &rows::query(home, PAYMENTS)?);
        let events: usize = self.records.values().map(|record| 1 + record.mark as usize).sum();
        self.wrong_events += rows::count(home, EVENTS)?.abs_diff(events);
        self.keys = rows::count(home, KEYS)?;
        Ok(())
    }

    fn table(&mut self, kind: Kind, rows: &[Vec<String>]) {
        let mut found: HashMap<&str, usize> = HashMap::new();
        for row in rows {
            let [external, created, updated] = row.as_slice() else { continue };
            *found.entry(external).or_default() += 1;
            match self.records.get(external).filter(|record| record.kind == kind) {
                Some(record) if *created == "1" && *updated == record.mark.to_string() => {}
                Some(_) => self.wrong_events += 1,
                None => self.untold += 1,
            }
        }
        self.twice += found.values().map(|count| count - 1).sum::<usize>();
        let known = self.records.values().filter(|record| record.kind == kind);
        self.lost += known.filter(|record| !found.contains_key(record.external.as_str())).count();
    }

    pub(crate) fn measured(&self, kills: usize, ready: Duration) -> Vec<Measured> {
        let writes: usize = self.records.values().map(|record| 1 + record.mark as usize).sum();
        let slowest = format!("{:.0} ms", self.slowest.as_secs_f64() * 1_000.0);
        let mut lines = vec![
            Measured::at_least("kills", self.kills, kills),
            Measured::at_least("acknowledged writes", writes, kills * 20),
            Measured::at_least("sent again after a kill with the same key", self.retried, kills),
            Measured::new("rejected with 503 and retried", self.delayed, "any", true),
            Measured::none("acknowledged and lost", self.lost),
            Measured::none("there twice", self.twice),
            Measured::none("stored, but not acknowledged", self.untold),
            Measured::none("refused", self.refused),
            Measured::none("never answered", self.unanswered),
            Measured::none("records whose events are not exactly their changes", self.wrong_events),
            Measured::none("creates without their key", self.records.len().abs_diff(self.keys)),
            Measured::new("slowest restart until ready", slowest, "<= 2000 ms", self.slowest <= ready),
        ];
        lines.extend(self.faults.map(|faults| Measured::none("faults found by PRAGMA integrity_check", faults)));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What falls short when the journals know `a` with one change, and the store returns these rows.
    fn short(rows: &[[&str; 3]]) -> Vec<String> {
        let record = Record {
            kind: Kind::Payment,
            external: "a".to_owned(),
            id: "pay_a".to_owned(),
            mark: 1,
            parent: String::new(),
        };
        let mut tally = Tally { keys: 1, retried: 1, ..Tally::default() };
        tally.records.insert("a".to_owned(), record);
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        tally.table(Kind::Payment, &rows);
        let lines = tally.measured(0, Duration::from_secs(2));
        lines.into_iter().filter(|line| !line.holds).map(|line| line.what).collect()
    }

    #[test]
    fn a_record_with_its_two_events_holds() {
        assert!(short(&[["a", "1", "1"]]).is_empty());
    }

    #[test]
    fn losses_doubles_strangers_and_wrong_events_are_seen() {
        assert_eq!(short(&[]), ["acknowledged and lost"]);
        assert_eq!(short(&[["a", "1", "1"], ["a", "1", "1"]]), ["there twice"]);
        assert_eq!(short(&[["a", "1", "1"], ["b", "1", "0"]]), ["stored, but not acknowledged"]);
        let events = "records whose events are not exactly their changes";
        assert_eq!(short(&[["a", "1", "2"]]), [events]);
        assert_eq!(short(&[["a", "0", "1"]]), [events]);
    }
}
