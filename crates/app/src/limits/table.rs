//! The buckets a server knows of: so many and no more, whatever is thrown at it.

use super::window::Tally;
use perennial_store::rate_limits::Bucket;
use std::collections::HashMap;

/// A few megabytes. A flood of more addresses than this within two minutes shares what is left.
pub(super) const MOST_BUCKETS: usize = 50_000;
/// The tallies that buckets without room of their own share, so that the limit holds for them in common.
const SHARED_TALLIES: usize = 256;

pub(super) struct Table {
    tallies: HashMap<Bucket, Tally>,
    shared: Vec<Tally>,
    swept_in: i64,
}

impl Default for Table {
    fn default() -> Self {
        Self { tallies: HashMap::new(), shared: vec![Tally::default(); SHARED_TALLIES], swept_in: 0 }
    }
}

impl Table {
    /// What is known of a bucket. Looking takes no room.
    pub(super) fn look(&mut self, bucket: Bucket, minute: i64) -> Tally {
        if !self.tallies.contains_key(&bucket) {
            self.make_room(minute);
        }
        let tally = match self.tallies.get(&bucket) {
            Some(tally) => *tally,
            None if self.is_full() => self.shared[shared(bucket)],
            None => Tally::default(),
        };
        tally.at(minute)
    }

    /// Remembers what is known of a bucket now.
    pub(super) fn keep(&mut self, bucket: Bucket, tally: Tally) {
        let is_full = self.is_full();
        match self.tallies.get_mut(&bucket) {
            Some(kept) => *kept = tally,
            // Other servers share theirs between other buckets: there is nothing to tell them.
            None if is_full => self.shared[shared(bucket)] = Tally { told: tally.own, ..tally },
            None => {
                self.tallies.insert(bucket, tally);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.tallies.len() >= MOST_BUCKETS
    }

    /// Tallies become past when a minute turns, so looking for them once a minute finds them all; more often would
    /// let a flood make every attempt cost a walk through the table.
    fn make_room(&mut self, minute: i64) {
        if self.is_full() && self.swept_in != minute {
            self.swept_in = minute;
            self.tallies.retain(|_, tally| !tally.is_past(minute));
        }
    }
}

/// A bucket is a keyed digest: nobody outside can choose which others it shares with.
fn shared(bucket: Bucket) -> usize {
    usize::from(bucket[0])
}

#[cfg(test)]
impl Table {
    pub(super) fn len(&self) -> usize {
        self.tallies.len() + self.shared.len()
    }
}
