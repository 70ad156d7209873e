//! What became of every request, held against the store.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::failure::{Result, could_not};
use crate::home::Home;
use crate::rows;
use crate::scenario::Measured;

const ROWS: &str = "SELECT external_id FROM subscriptions";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Created,
    /// Answered in full with something else.
    Refused(u16, String),
    /// The connection ended before the first byte of a response.
    Silent(String),
    /// It ended after the first byte and before the last.
    Half,
}

/// How far a request was when the signal was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The server had its head and was waiting for the rest of its body.
    Begun,
    /// It was sent; whether the server had read it cannot be observed.
    Sent,
    After,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) external: String,
    pub(super) moment: Moment,
    pub(super) outcome: Outcome,
}

#[derive(Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
    ends: Vec<Option<Duration>>,
    lost: usize,
    twice: usize,
    traces: usize,
}

impl Ledger {
    /// `took` is how long the exit took, if it was one with 0.
    pub(super) fn take(&mut self, entries: Vec<Entry>, took: Option<Duration>) {
        self.entries.extend(entries);
        self.ends.push(took);
    }

    pub(super) fn store(&mut self, home: &Home) -> Result {
        let rows = rows::query(home, ROWS)?;
        self.compare(rows.iter().filter_map(|row| row.first()).map(String::as_str).collect());
        Ok(())
    }

    fn compare(&mut self, rows: Vec<&str>) {
        let count = rows.len();
        let kept: HashSet<&str> = rows.into_iter().collect();
        self.twice = count - kept.len();
        let is_kept = |entry: &&Entry| kept.contains(entry.external.as_str());
        self.lost = self.count(|entry| entry.outcome == Outcome::Created && !is_kept(&entry));
        self.traces =
            self.count(|entry| matches!(entry.outcome, Outcome::Refused(..) | Outcome::Silent(_)) && is_kept(&entry));
    }

    pub(super) fn write(&self, path: &Path) -> Result {
        let mut text = String::new();
        for Entry { external, moment, outcome } in &self.entries {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{external} {moment:?} {outcome:?}");
        }
        std::fs::write(path, text).map_err(could_not(format!("write {}", path.display())))
    }

    pub(super) fn measured(&self, stops: usize, longest: Duration) -> Vec<Measured> {
        let slowest = self.ends.iter().flatten().max().copied().unwrap_or_default();
        let in_time = self.ends.iter().flatten().filter(|took| **took <= longest).count();
        let slowest = format!("{in_time} ({:.2} s)", slowest.as_secs_f64());
        let put_off = |entry: &Entry| matches!(entry.outcome, Outcome::Refused(503, _));
        let count = |what: &str, which: &dyn Fn(&Entry) -> bool| Measured::new(what, self.count(which), "any", true);
        vec![
            Measured::new("exits with 0 within 10 s (the slowest)", slowest, stops.to_string(), in_time == stops),
            Measured::at_least("served", self.count(|entry| entry.outcome == Outcome::Created), stops * 20),
            Measured::none(
                "begun before the signal and not served",
                self.count(|entry| entry.moment == Moment::Begun && entry.outcome != Outcome::Created),
            ),
            Measured::none("half responses", self.count(|entry| entry.outcome == Outcome::Half)),
            Measured::none("refused or unanswered, and done all the same", self.traces),
            Measured::none("acknowledged and lost", self.lost),
            Measured::none("there twice", self.twice),
            Measured::none(
                "refused with anything but 503",
                self.count(|entry| matches!(entry.outcome, Outcome::Refused(..)) && !put_off(entry)),
            ),
            count("sent before the signal, read after it, refused", &|it| it.moment == Moment::Sent && put_off(it)),
            count("sent after the signal, refused", &|it| it.moment == Moment::After && put_off(it)),
            count("closed before anything was taken", &|it| matches!(it.outcome, Outcome::Silent(_))),
        ]
    }

    fn count(&self, which: impl Fn(&Entry) -> bool) -> usize {
        self.entries.iter().filter(|entry| which(entry)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(outcome: Outcome, moment: Moment, rows: Vec<&str>) -> Vec<String> {
        let mut ledger = Ledger::default();
        let created =
            |number| Entry { external: format!("c{number}"), moment: Moment::Sent, outcome: Outcome::Created };
        let mut entries: Vec<Entry> = (0..20).map(created).collect();
        entries.push(Entry { external: "x".to_owned(), moment, outcome });
        ledger.take(entries, Some(Duration::from_secs(1)));
        let made: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
        ledger.compare(made.iter().map(String::as_str).chain(rows).collect());
        let measured = ledger.measured(1, Duration::from_secs(10));
        measured.into_iter().filter(|line| !line.holds).map(|line| line.what).collect()
    }

    #[test]
    fn an_end_before_anything_was_taken_is_no_failure() {
        let silent = || Outcome::Silent("reset".to_owned());
        assert!(ledger(silent(), Moment::Sent, vec![]).is_empty());
        assert_eq!(ledger(silent(), Moment::Sent, vec!["x"]), ["refused or unanswered, and done all the same"]);
        assert_eq!(ledger(silent(), Moment::Begun, vec![]), ["begun before the signal and not served"]);
    }

    #[test]
    fn losses_doubles_halves_and_odd_answers_are_failures() {
        assert!(ledger(Outcome::Created, Moment::Begun, vec!["x"]).is_empty());
        assert_eq!(ledger(Outcome::Created, Moment::Begun, vec![]), ["acknowledged and lost"]);
        assert_eq!(ledger(Outcome::Created, Moment::Begun, vec!["x", "x"]), ["there twice"]);
        assert_eq!(ledger(Outcome::Half, Moment::After, vec![]), ["half responses"]);
        let refused = |status| Outcome::Refused(status, "some_code".to_owned());
        assert!(ledger(refused(503), Moment::Sent, vec![]).is_empty());
        assert_eq!(ledger(refused(409), Moment::Sent, vec![]), ["refused with anything but 503"]);
    }

    #[test]
    fn a_late_or_bad_exit_is_a_failure() {
        for end in [None, Some(Duration::from_secs(11))] {
            let mut ledger = Ledger::default();
            ledger.take(Vec::new(), end);
            assert!(!ledger.measured(1, Duration::from_secs(10))[0].holds);
        }
    }
}
