//! Latencies in buckets that are never wider than a sixty-fourth of their value: cheap to fill, small to keep.

use std::time::Duration;

/// Buckets per doubling.
const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Microseconds up to 2^32 (71 minutes): 26 doublings past the first steps. What is longer counts there.
const BUCKETS: usize = 27 * 64;

#[derive(Clone)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }
}

impl Histogram {
    pub(crate) fn record(&mut self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.counts[bucket(micros)] += 1;
        self.total += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (own, others) in self.counts.iter_mut().zip(&other.counts) {
            *own += others;
        }
        self.total += other.total;
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The latency that `percent` of the requests stayed within, in microseconds: the upper end of its bucket.
    pub(crate) fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (self.total * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let index = self.counts.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(upper_end(index))
    }
}

fn bucket(micros: u64) -> usize {
    // Below STEPS every value has its own bucket; above, the leading bits choose it.
    let doublings = (u64::BITS - micros.leading_zeros()).saturating_sub(STEP_BITS + 1);
    let index = u64::from(doublings) * STEPS + (micros >> doublings);
    usize::try_from(index).unwrap_or(usize::MAX).min(BUCKETS - 1)
}

fn upper_end(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 * STEPS {
        return index;
    }
    let doublings = index / STEPS - 1;
    let lead = index - doublings * STEPS;
    ((lead + 1) << doublings) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_ends_within_a_sixty_fourth_of_what_is_in_it() {
        for micros in (0..5_000).chain([10_000, 65_535, 65_536, 1_000_000, 90_000_000]) {
            let end = upper_end(bucket(micros));
            assert!(end >= micros, "{micros} ends at {end}");
            assert!(end - micros <= micros / STEPS, "{micros} ends at {end}");
        }
    }

    #[test]
    fn buckets_are_in_order_and_without_gaps() {
        let mut last = 0;
        for micros in 0..100_000 {
            let index = bucket(micros);
            assert!(index == last || index == last + 1, "{micros}");
            last = index;
        }
    }

    #[test]
    fn percentiles_of_a_hundred_values_are_those_values() {
        let mut histogram = Histogram::default();
        for micros in 1..=100 {
            histogram.record(Duration::from_micros(micros));
        }
        assert_eq!(histogram.total(), 100);
        assert_eq!(histogram.percentile(50), Some(50));
        assert_eq!(histogram.percentile(99), Some(99));
        assert_eq!(histogram.percentile(100), Some(100));
    }

    #[test]
    fn merging_adds_and_nothing_has_no_percentile() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        assert_eq!(one.percentile(50), None);
        one.record(Duration::from_micros(1));
        other.record(Duration::from_secs(10_000));
        one.merge(&other);
        assert_eq!(one.total(), 2);
        assert_eq!(one.percentile(50), Some(1));
        assert!(one.percentile(99).unwrap() > 4_000_000_000);
    }
}
