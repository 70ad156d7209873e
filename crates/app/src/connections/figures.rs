//! The figures of connections since the start of the server.

use perennial_domain::connections::ConnectionKind;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Counters with two labels. The labels are words of the program, so their number is bounded.
#[derive(Debug, Default)]
pub struct Counters(Mutex<BTreeMap<(&'static str, &'static str), u64>>);

impl Counters {
    /// Counts one more.
    pub fn add(&self, one: &'static str, other: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((one, other)).or_default() += 1;
    }

    /// Every pair of labels and its count.
    pub fn all(&self) -> Vec<((&'static str, &'static str), u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(labels, count)| (*labels, *count)).collect()
    }
}

/// The figures of connections.
#[derive(Debug, Default)]
pub struct ConnectionFigures {
    /// Webhooks by kind of the connection and outcome.
    pub received: Counters,
    /// Requests to providers by kind of the connection and status: the status, or `error`.
    pub requests: Counters,
    /// Differences found by sweeps, by kind of the connection and object.
    pub drift: Counters,
    /// Collections by outcome; the second label is empty.
    pub collections: Counters,
    /// Hints that wait, and the age of the oldest in seconds.
    waiting: AtomicU64,
    lag_seconds: AtomicU64,
    sweep_ages: Mutex<Vec<(&'static str, u64)>>,
}

impl ConnectionFigures {
    /// The number of hints that wait and the age of the oldest in seconds, read every minute.
    pub fn waiting(&self) -> (u64, u64) {
        (self.waiting.load(Relaxed), self.lag_seconds.load(Relaxed))
    }

    pub(crate) fn set_waiting(&self, waiting: i64, lag_seconds: i64) {
        self.waiting.store(waiting.unsigned_abs(), Relaxed);
        self.lag_seconds.store(lag_seconds.unsigned_abs(), Relaxed);
    }

    /// By kind of the connection, the seconds since the oldest of the last sweeps, read every minute.
    pub fn sweep_ages(&self) -> Vec<(&'static str, u64)> {
        self.sweep_ages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_sweep_ages(&self, ages: impl Iterator<Item = (&'static str, u64)>) {
        *self.sweep_ages.lock().unwrap_or_else(PoisonError::into_inner) = ages.collect();
    }

    /// Counts a request to a provider. None: there was no status.
    pub fn request(&self, kind: ConnectionKind, status: Option<u16>) {
        let status = match status {
            None => "error",
            Some(200..=299) => "2xx",
            Some(300..=399) => "3xx",
            Some(404) => "404",
            Some(429) => "429",
            Some(400..=499) => "4xx",
            Some(_) => "5xx",
        };
        self.requests.add(kind.as_str(), status);
    }
}
