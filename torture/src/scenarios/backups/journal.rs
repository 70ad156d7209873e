//! What a writer has sent and what was acknowledged, while others look.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The records of one writer, by number: how many changes each has seen since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(pub(super) Vec<u32>);

impl Marks {
    pub(super) fn writes(&self) -> usize {
        self.0.iter().map(|mark| 1 + *mark as usize).sum()
    }

    /// A record at this mark: a new one, or one that was changed.
    fn set(&mut self, record: usize, mark: u32) {
        match self.0.get_mut(record) {
            Some(known) => *known = mark,
            None => self.0.push(mark),
        }
    }
}

/// Written by one thread, one write at a time; read by another at any time.
#[derive(Debug, Default)]
pub(super) struct Journal {
    known: Mutex<(Marks, Marks)>,
}

impl Journal {
    /// To be noted before a write is sent.
    pub(super) fn send(&self, record: usize, mark: u32) {
        self.lock().0.set(record, mark);
    }

    /// To be noted after its response was read.
    pub(super) fn acknowledge(&self, record: usize, mark: u32) {
        self.lock().1.set(record, mark);
    }

    pub(super) fn sent(&self) -> Marks {
        self.lock().0.clone()
    }

    pub(super) fn acknowledged(&self) -> Marks {
        self.lock().1.clone()
    }

    fn lock(&self) -> MutexGuard<'_, (Marks, Marks)> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_ahead_of_what_was_acknowledged() {
        let journal = Journal::default();
        journal.send(0, 0);
        assert_eq!((journal.sent().writes(), journal.acknowledged().writes()), (1, 0));
        journal.acknowledge(0, 0);
        journal.send(0, 1);
        journal.acknowledge(0, 1);
        journal.send(1, 0);
        assert_eq!((journal.sent(), journal.acknowledged()), (Marks(vec![1, 0]), Marks(vec![1])));
    }
}
