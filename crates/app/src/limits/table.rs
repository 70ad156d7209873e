//! The buckets that a server counts: bounded in number, so that no flood exhausts memory.

use super::window::Tally;
use perennial_store::rate_limits::Bucket;
use std::collections::HashMap;

/// A few megabytes. Further addresses within two minutes share the remaining tallies.
pub(super) const MAX_BUCKETS: usize = 50_000;
/// The tallies for buckets beyond the bound. The limit applies to each tally as a whole.
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
    /// The tally of a bucket. Reading it takes no memory.
    pub(super) fn get(&mut self, bucket: Bucket, minute: i64) -> Tally {
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

    /// Stores the tally of a bucket.
    pub(super) fn put(&mut self, bucket: Bucket, tally: Tally) {
        let is_full = self.is_full();
        match self.tallies.get_mut(&bucket) {
            Some(kept) => *kept = tally,
            // Other servers share theirs between other buckets, so there is nothing to exchange.
            None if is_full => self.shared[shared(bucket)] = Tally { reported: tally.own, ..tally },
            None => {
                self.tallies.insert(bucket, tally);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.tallies.len() >= MAX_BUCKETS
    }

    /// Tallies expire when a minute ends, so one scan per minute finds them all. More scans would let a flood make every
    /// attempt cost a scan of the table.
    fn make_room(&mut self, minute: i64) {
        if self.is_full() && self.swept_in != minute {
            self.swept_in = minute;
            self.tallies.retain(|_, tally| !tally.is_past(minute));
        }
    }
}

/// A bucket is a keyed digest, so no client can choose which others it shares a tally with.
fn shared(bucket: Bucket) -> usize {
    usize::from(bucket[0])
}

#[cfg(test)]
impl Table {
    pub(super) fn len(&self) -> usize {
        self.tallies.len() + self.shared.len()
    }
}
