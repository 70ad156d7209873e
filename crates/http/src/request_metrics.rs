//! Counts requests by operation and status, and how long they took.
//! Counting is a few additions into fixed places: no labels are built while a request is handled.

use crate::families::{Family, Histogram, Labels, Number, Series, Unit};
use crate::operation::Operation;
use http::StatusCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of the latency histogram, in microseconds.
const BUCKETS: [u64; 14] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000, 30_000_000];

/// The statuses of the service. Any other is counted in the last place.
const STATUSES: [u16; 21] =
    [200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 422, 429, 431, 500, 503, 0];

/// The counters of requests: a row for each operation, and at the end one for requests that led to none.
pub(crate) struct RequestMetrics {
    operations: &'static [&'static Operation],
    rows: Vec<Row>,
}

#[derive(Default)]
struct Row {
    statuses: [AtomicU64; STATUSES.len()],
    buckets: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl RequestMetrics {
    pub(crate) fn new(operations: &'static [&'static Operation]) -> Self {
        Self { operations, rows: (0..=operations.len()).map(|_| Row::default()).collect() }
    }

    /// Counts one response of the operation with this number.
    pub(crate) fn observe(&self, number: Option<usize>, status: StatusCode, took: Duration) {
        let row = &self.rows[number.unwrap_or(self.operations.len())];
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let status = STATUSES.iter().position(|known| *known == status.as_u16()).unwrap_or(STATUSES.len() - 1);
        let bucket = BUCKETS.iter().position(|bound| micros <= *bound).unwrap_or(BUCKETS.len());
        row.statuses[status].fetch_add(1, Relaxed);
        row.buckets[bucket].fetch_add(1, Relaxed);
        row.micros.fetch_add(micros, Relaxed);
    }

    pub(crate) fn families(&self) -> [Family; 2] {
        let mut requests = Vec::new();
        let mut seconds = Vec::new();
        for (labels, row) in self.labelled() {
            for (status, count) in STATUSES.iter().zip(&row.statuses) {
                let value = count.load(Relaxed);
                if value > 0 {
                    let labels = labels.iter().cloned().chain([("status", status.to_string())]).collect();
                    requests.push(Number { labels, value });
                }
            }
            seconds.push(Histogram {
                labels,
                unit: Unit::Micros,
                bounds: BUCKETS.to_vec(),
                counts: row.buckets.iter().map(|count| count.load(Relaxed)).collect(),
                sum: row.micros.load(Relaxed),
            });
        }
        let family = |name: &str, about, series| Family { name: format!("perennial_{name}"), about, series };
        [
            family("http_requests_total", "Requests by route, method and status.", Series::Counter(requests)),
            family("http_request_seconds", "Duration of requests.", Series::Histogram(seconds)),
        ]
    }

    /// The rows with at least one request, with their labels.
    fn labelled(&self) -> impl Iterator<Item = (Labels, &Row)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.statuses.iter().any(|count| count.load(Relaxed) > 0)).map(
            |(place, row)| {
                let (route, method) = self
                    .operations
                    .get(place)
                    .map_or(("none", "none"), |operation| (operation.path, operation.method.as_str()));
                (vec![("route", route.to_owned()), ("method", method.to_owned())], row)
            },
        )
    }
}
