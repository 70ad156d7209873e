//! R16: a reader follows the feed with its cursor while writers work and servers are killed: on PostgreSQL three servers at
//! once. It reads every acknowledged event once, in an order that never goes back, and the event chain of each record in
//! the order of its changes.

mod reader;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::failure::Result;
use crate::home::Home;
use crate::killed_servers::{KilledServers, Round};
use crate::rows;
use crate::scenario::{Engine, Measured, Run};
use crate::threads;
use crate::writer::journal::{Kind, Record};
use reader::{Read, Reader};

const STORED: &str = "SELECT COUNT(*) FROM events";

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let events = run.size.choose(2_000, 60_000, 1_000_000);
    let home = Home::new(run)?;
    let count = if run.engine == Engine::Postgres { 3 } else { 1 };
    let mut servers = KilledServers::start(&home, count, run.seed)?;
    let addresses = servers.addresses();
    let is_over = AtomicBool::new(false);
    let mut kills = 0;
    let reader = std::thread::scope(|scope| {
        let reading = scope.spawn(|| Reader::new(addresses).follow(&is_over));
        let mut write = || -> Result {
            while servers.written() < events {
                let Round { kills: killed, .. } = servers.kill_each()?;
                kills += killed;
            }
            Ok(())
        };
        let written = write();
        is_over.store(true, Relaxed);
        let read = threads::join(vec![reading])?;
        written.map(|()| read)
    })?;
    let written = servers.written();
    let journals = servers.into_journals();
    let reader = &reader[0];
    let stored = rows::count(&home, STORED)?;
    let found = compare(journals.iter().flat_map(|journal| &journal.records), reader.read());
    Ok(vec![
        Measured::at_least("acknowledged writes", written, events),
        Measured::at_least("kills", kills, count),
        Measured::at_least("pages of the reader", reader.pages(), 1),
        Measured::new("calls of the reader that failed, and were repeated", reader.failed(), "any", true),
        Measured::none("positions that do not increase", found.backwards),
        Measured::none("events read twice", found.twice),
        Measured::none("acknowledged writes without their event", found.missing),
        Measured::none("events of a record out of order", found.disordered),
        Measured::none("events stored and not read, or read and not stored", stored.abs_diff(reader.read().len())),
    ])
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    backwards: usize,
    twice: usize,
    missing: usize,
    disordered: usize,
}

fn compare<'a>(records: impl Iterator<Item = &'a Record>, read: &[Read]) -> Found {
    let mut found = Found::default();
    let mut ids = HashSet::new();
    let mut marks: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut last = 0;
    for event in read {
        found.backwards += usize::from(event.sequence <= last);
        last = event.sequence;
        if ids.insert(&event.id) {
            marks.entry(&event.record).or_default().push(&event.mark);
        } else {
            found.twice += 1;
        }
    }
    for record in records {
        let expected: Vec<String> = (0..=record.mark).map(|mark| mark_text(record.kind, mark)).collect();
        let marks = marks.get(record.id.as_str()).map_or(&[][..], Vec::as_slice);
        found.missing += expected.len().saturating_sub(marks.len());
        found.disordered += usize::from(marks.len() == expected.len() && marks != expected);
    }
    found
}

/// The value that a write has left in its record, as text.
fn mark_text(kind: Kind, mark: u32) -> String {
    kind.mark(mark).1.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, sequence: u64, mark: u32) -> Read {
        Read { id: id.to_owned(), sequence, record: "pay_a".to_owned(), mark: mark_text(Kind::Payment, mark) }
    }

    fn found(read: &[Read]) -> Found {
        let record = Record {
            kind: Kind::Payment,
            external: "a".to_owned(),
            id: "pay_a".to_owned(),
            mark: 1,
            parent: String::new(),
        };
        compare(std::iter::once(&record), read)
    }

    #[test]
    fn every_write_once_and_in_order_holds() {
        assert_eq!(found(&[event("x", 1, 0), event("y", 5, 1)]), Found::default());
    }

    #[test]
    fn losses_doubles_and_disorder_are_seen() {
        assert_eq!(found(&[event("x", 1, 0)]).missing, 1);
        assert_eq!(found(&[event("x", 1, 0), event("y", 2, 1), event("y", 3, 1)]).twice, 1);
        assert_eq!(found(&[event("x", 1, 1), event("y", 2, 0)]).disordered, 1);
        assert_eq!(found(&[event("x", 2, 0), event("y", 2, 1)]).backwards, 1);
    }
}
