//! The journals held against the store.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::writer::Journal;
use crate::answers::Answers;
use crate::failure::Result;
use crate::home::Home;
use crate::rows;
use crate::scenario::Measured;

/// Every payment with the number of its events. An amount is stored in ten-thousandths.
const PAYMENTS: &str = "
    SELECT record.amount / 10000,
           record.status,
           COUNT(*) FILTER (WHERE event.kind = 'payment.created'),
           COUNT(*) FILTER (WHERE event.kind = 'payment.updated')
    FROM payments AS record
    LEFT JOIN events AS event ON event.record_id = record.id
    WHERE record.deleted_at IS NULL
    GROUP BY record.id, record.amount, record.status";

/// Everybody is served again within this.
const HEALTHY: Duration = Duration::from_secs(5);
/// The service's own limit for an answer.
const ANSWER: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(crate) struct Tally {
    acknowledged: HashMap<u64, bool>,
    given_up: HashSet<u64>,
    lost: usize,
    twice: usize,
    untold: usize,
    wrong_events: usize,
}

impl Tally {
    pub(crate) fn gather(&mut self, journals: Vec<Journal>) {
        for journal in journals {
            self.acknowledged.extend(journal.payments);
            self.given_up.extend(journal.given_up);
        }
    }

    pub(crate) fn store(&mut self, home: &Home) -> Result {
        self.compare(&rows::query(home, PAYMENTS)?);
        Ok(())
    }

    fn compare(&mut self, rows: &[Vec<String>]) {
        let mut found: HashMap<u64, usize> = HashMap::new();
        let mut completed = HashSet::new();
        for row in rows {
            let [number, status, created, updated] = row.as_slice() else { continue };
            let Ok(number) = number.parse() else { continue };
            *found.entry(number).or_default() += 1;
            let is_completed = status == "completed";
            if is_completed {
                completed.insert(number);
            }
            self.wrong_events += usize::from(created != "1" || *updated != u8::from(is_completed).to_string());
            // After an unexpected response the outcome is unknown; the response itself is counted elsewhere.
            let is_told = self.acknowledged.contains_key(&number) || self.given_up.contains(&number);
            self.untold += usize::from(!is_told);
        }
        self.twice += found.values().map(|count| count - 1).sum::<usize>();
        let is_kept =
            |(number, done): (&u64, &bool)| found.contains_key(number) && (!done || completed.contains(number));
        self.lost += self.acknowledged.iter().filter(|payment| !is_kept(*payment)).count();
    }

    pub(crate) fn measured(&self, answers: &Answers, outages: usize) -> Vec<Measured> {
        let (recovery, slowest) = (answers.slowest_recovery(), answers.slowest());
        let millis = |duration: Duration| format!("{} ms", duration.as_millis());
        vec![
            Measured::at_least("times the database went away", outages, outages),
            Measured::at_least("payments acknowledged", self.acknowledged.len(), outages * 20),
            Measured::at_least("rejected with 503 during the outage", answers.refused.load(Relaxed), outages),
            Measured::none("refused with 503 while it was there", answers.refused_without_reason.load(Relaxed)),
            Measured::none("answered otherwise, or not", answers.wrong.load(Relaxed)),
            Measured::none("acknowledged and lost", self.lost),
            Measured::none("there twice", self.twice),
            Measured::none("stored, but not acknowledged", self.untold),
            Measured::none("payments whose events are not exactly their changes", self.wrong_events),
            Measured::new("slowest: all served after it was back", millis(recovery), "<= 5000 ms", recovery <= HEALTHY),
            Measured::new("slowest answer", millis(slowest), "<= 30000 ms", slowest <= ANSWER),
            Measured::at_least("sent again and answered from the key", answers.replayed.load(Relaxed), outages / 10),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(rows: &[[&str; 4]]) -> Tally {
        let mut tally = Tally::default();
        tally.gather(vec![Journal { payments: vec![(1, true), (2, false)], given_up: vec![3] }]);
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        tally.compare(&rows);
        tally
    }

    fn counts(tally: &Tally) -> [usize; 4] {
        [tally.lost, tally.twice, tally.untold, tally.wrong_events]
    }

    #[test]
    fn what_was_told_and_what_is_there_are_compared_both_ways() {
        let (first, second) = (["1", "completed", "1", "1"], ["2", "pending", "1", "0"]);
        assert_eq!(counts(&compared(&[first, second])), [0, 0, 0, 0]);
        assert_eq!(counts(&compared(&[first])), [1, 0, 0, 0]);
        assert_eq!(counts(&compared(&[["1", "pending", "1", "0"], second])), [1, 0, 0, 0]);
        assert_eq!(counts(&compared(&[first, second, second])), [0, 1, 0, 0]);
        assert_eq!(counts(&compared(&[first, second, ["3", "pending", "1", "0"]])), [0, 0, 0, 0]);
        assert_eq!(counts(&compared(&[first, second, ["4", "pending", "1", "0"]])), [0, 0, 1, 0]);
        assert_eq!(counts(&compared(&[["1", "completed", "1", "2"], second])), [0, 0, 0, 1]);
    }
}
