//! A restored store, held against what the journals knew when it was copied.

use std::collections::HashMap;

use super::journal::Marks;
use super::writer::external;

/// Every record with the mark in its value, the events that speak of it, and the keys it was made under.
/// A mark is the seconds after 2090 began.
pub(super) const RECORDS: &str = "
    SELECT record.external_id,
           record.renews_at / 1000000 - 3786912000,
           COUNT(*) FILTER (WHERE event.kind = 'subscription.created'),
           COUNT(*) FILTER (WHERE event.kind = 'subscription.updated'),
           MAX(made.keys)
    FROM subscriptions AS record
    LEFT JOIN events AS event ON event.record_id = record.id
    LEFT JOIN (SELECT key, COUNT(*) AS keys FROM idempotency_keys GROUP BY key) AS made ON made.key = record.external_id
    GROUP BY record.id, record.external_id";

/// Events that have no position in the feed or come before the revision that they follow, and positions without an event.
pub(super) const FEED_FAULTS: &str = "
    SELECT (SELECT COUNT(*) FROM events AS e WHERE NOT EXISTS (
                SELECT 1 FROM feed AS f WHERE f.organization_id = e.organization_id AND f.event_id = e.id))
         + (SELECT COUNT(*) FROM feed AS f WHERE NOT EXISTS (
                SELECT 1 FROM events AS e WHERE e.organization_id = f.organization_id AND e.id = f.event_id))
         + (SELECT COUNT(*) FROM events AS e
            JOIN feed AS f ON f.organization_id = e.organization_id AND f.event_id = e.id
            JOIN feed AS p ON p.organization_id = e.organization_id AND p.event_id = e.previous_id
            WHERE p.sequence >= f.sequence)";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) missing: usize,
    pub(super) unsent: usize,
    pub(super) halves: usize,
    pub(super) feed_faults: usize,
}

impl Compared {
    /// `before` was acknowledged before the backup began, `sent` was sent before it ended.
    pub(super) fn add(&mut self, before: &[Marks], sent: &[Marks], rows: &[Vec<String>]) {
        let mut found: HashMap<&str, u32> = HashMap::new();
        for row in rows {
            let [external, mark, created, updated, keys] = row.as_slice() else { continue };
            // A whole record has one key, one event of its making, and one of each change up to its value.
            let is_whole = created == "1" && updated == mark && keys == "1";
            let mark = mark.parse().ok().filter(|_| is_whole);
            let is_twice = found.insert(external, mark.unwrap_or(0)).is_some();
            self.halves += usize::from(mark.is_none() || is_twice);
        }
        for (external, mark) in records(before) {
            self.missing += usize::from(found.get(external.as_str()).is_none_or(|kept| *kept < mark));
        }
        for (external, mark) in records(sent) {
            self.unsent += usize::from(found.remove(external.as_str()).is_some_and(|kept| kept > mark));
        }
        self.unsent += found.len();
    }
}

fn records(marks: &[Marks]) -> impl Iterator<Item = (String, u32)> {
    let of = |(writer, marks): (usize, &Marks)| {
        marks.0.iter().enumerate().map(move |(record, mark)| (external(writer, record), *mark)).collect::<Vec<_>>()
    };
    marks.iter().enumerate().flat_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One writer with two records: the first was changed once before the backup and once while it was made.
    fn compared(rows: &[[&str; 5]]) -> Compared {
        let mut compared = Compared::default();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        compared.add(&[Marks(vec![1])], &[Marks(vec![2, 0])], &rows);
        compared
    }

    #[test]
    fn what_was_under_way_may_be_there_or_not() {
        let first = |mark| ["w0-0", mark, "1", mark, "1"];
        let second = ["w0-1", "0", "1", "0", "1"];
        for rows in [&[first("1")][..], &[first("2")], &[first("1"), second], &[first("2"), second]] {
            assert_eq!(compared(rows), Compared::default());
        }
    }

    #[test]
    fn losses_strangers_and_halves_are_seen() {
        let none = Compared::default;
        assert_eq!(compared(&[]), Compared { missing: 1, ..none() });
        assert_eq!(compared(&[["w0-0", "0", "1", "0", "1"]]), Compared { missing: 1, ..none() });
        assert_eq!(compared(&[["w0-0", "3", "1", "3", "1"]]), Compared { unsent: 1, ..none() });
        let whole = ["w0-0", "1", "1", "1", "1"];
        assert_eq!(compared(&[whole, ["w0-2", "0", "1", "0", "1"]]), Compared { unsent: 1, ..none() });
        assert_eq!(compared(&[whole, whole]), Compared { halves: 1, ..none() });
        for half in [["w0-1", "0", "0", "0", "1"], ["w0-1", "0", "1", "1", "1"], ["w0-1", "0", "1", "0", "0"]] {
            assert_eq!(compared(&[whole, half]), Compared { halves: 1, ..none() });
        }
    }
}
