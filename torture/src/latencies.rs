//! How long responses took.

use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn note(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The latency that so many of a hundred did not exceed; nothing if there was no response.
    pub(crate) fn percentile(&mut self, hundredths: usize) -> Option<Duration> {
        self.0.sort_unstable();
        let rank = (self.0.len() * hundredths).div_ceil(100);
        self.0.get(rank.checked_sub(1)?).copied()
    }
}

/// In milliseconds, for a line of a result.
pub(crate) fn shown(latency: Option<Duration>) -> String {
    latency.map_or_else(|| "none".to_owned(), |latency| format!("{:.2} ms", latency.as_secs_f64() * 1_000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_latencies() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(99), None);
        for millis in (1..=200).rev() {
            latencies.note(Duration::from_millis(millis));
        }
        assert_eq!(latencies.percentile(50), Some(Duration::from_millis(100)));
        assert_eq!(latencies.percentile(99), Some(Duration::from_millis(198)));
        assert_eq!(latencies.percentile(100), Some(Duration::from_millis(200)));
        assert_eq!(shown(latencies.percentile(99)), "198.00 ms");
    }
}
