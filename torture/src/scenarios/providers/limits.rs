//! Whether requests stayed within the limit of their connection, on all servers together: a bucket of a sixth of the limit, and the
//! rest of it refilled within a minute.

use std::time::{Duration, Instant};

/// How late a request may arrive after its turn, on a busy machine.
const LATE: Duration = Duration::from_secs(2);
const WINDOWS: [u64; 5] = [1, 5, 10, 30, 58];

/// The most requests over the limit of any window.
pub(super) fn excess(instants: &[Instant], per_minute: u64) -> usize {
    let mut sorted = instants.to_vec();
    sorted.sort_unstable();
    WINDOWS.into_iter().map(|seconds| excess_of(&sorted, per_minute, seconds)).max().unwrap_or_default()
}

fn excess_of(sorted: &[Instant], per_minute: u64, seconds: u64) -> usize {
    let burst = per_minute / 6;
    let refilled = (per_minute - burst) * (seconds + LATE.as_secs()) / 60;
    let most = usize::try_from((burst + refilled).min(per_minute)).unwrap_or(usize::MAX);
    let (mut last, mut worst) = (0, 0);
    for (first, begin) in sorted.iter().enumerate() {
        while last < sorted.len() && sorted[last].duration_since(*begin) < Duration::from_secs(seconds) {
            last += 1;
        }
        worst = worst.max((last - first).saturating_sub(most));
    }
    worst
}

/// The requests of a pause. Those that were on the way when it began do not count.
pub(super) fn during(instants: &[Instant], (begin, pause): (Instant, Duration), on_the_way: Duration) -> usize {
    instants.iter().filter(|at| **at > begin + on_the_way && **at < begin + pause).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_bucket_has_is_an_excess() {
        let start = Instant::now();
        let every = |millis: u64, count: u64| -> Vec<Instant> {
            (0..count).map(|number| start + Duration::from_millis(millis * number)).collect()
        };
        // 60 a minute: 10 at once, then one each 1.2 seconds.
        assert_eq!(excess(&every(0, 12), 60), 0);
        assert_eq!(excess(&every(0, 30), 60), 18);
        assert_eq!(excess(&every(1_200, 200), 60), 0);
        assert!(excess(&every(600, 200), 60) > 0);
        assert_eq!(during(&every(1_000, 10), (start, Duration::from_secs(5)), Duration::from_millis(500)), 4);
    }
}
