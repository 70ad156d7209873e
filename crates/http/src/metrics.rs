//! What operators watch, in the Prometheus text format, on a listener of its own.
//! Counting is a few additions into fixed places: no labels are built while a request is answered.

use crate::operation::Operation;
use crate::router::OPERATIONS;
use crate::server::{Gauges, Refusal, RequestBody, Service};
use crate::service::Api;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of the latency histogram, in microseconds.
const BUCKETS: [u64; 14] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000, 30_000_000];

/// The statuses the service answers with; any other is counted at the end.
const STATUSES: [u16; 21] =
    [200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 422, 429, 431, 500, 503, 0];

/// The counters of requests, a row for each operation and one for requests that met none.
pub(crate) struct Metrics {
    rows: Vec<Row>,
}

#[derive(Default)]
struct Row {
    statuses: [AtomicU64; STATUSES.len()],
    buckets: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { rows: (0..=OPERATIONS.len()).map(|_| Row::default()).collect() }
    }
}

impl Metrics {
    /// Counts one answer.
    pub(crate) fn observe(&self, operation: Option<&'static Operation>, status: StatusCode, took: Duration) {
        let place = operation.and_then(|operation| OPERATIONS.iter().position(|known| std::ptr::eq(*known, operation)));
        let row = &self.rows[place.unwrap_or(OPERATIONS.len())];
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let status = STATUSES.iter().position(|known| *known == status.as_u16()).unwrap_or(STATUSES.len() - 1);
        let bucket = BUCKETS.iter().position(|bound| micros <= *bound).unwrap_or(BUCKETS.len());
        row.statuses[status].fetch_add(1, Relaxed);
        row.buckets[bucket].fetch_add(1, Relaxed);
        row.micros.fetch_add(micros, Relaxed);
    }

    fn render(&self, page: &mut String) {
        page.push_str(
            "# HELP perennial_http_requests_total Requests answered.\n# TYPE perennial_http_requests_total counter\n",
        );
        for (labels, row) in self.labelled() {
            for (status, count) in STATUSES.iter().zip(&row.statuses) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let _ = writeln!(page, "perennial_http_requests_total{{{labels},status=\"{status}\"}} {count}");
                }
            }
        }
        page.push_str(
            "# HELP perennial_http_request_seconds Time to answer.\n# TYPE perennial_http_request_seconds histogram\n",
        );
        for (labels, row) in self.labelled() {
            let mut sum = 0;
            for (bound, count) in BUCKETS.iter().zip(&row.buckets) {
                sum += count.load(Relaxed);
                let _ = writeln!(
                    page,
                    "perennial_http_request_seconds_bucket{{{labels},le=\"{}\"}} {sum}",
                    Seconds(*bound)
                );
            }
            sum += row.buckets[BUCKETS.len()].load(Relaxed);
            let _ = writeln!(page, "perennial_http_request_seconds_bucket{{{labels},le=\"+Inf\"}} {sum}");
            let _ =
                writeln!(page, "perennial_http_request_seconds_sum{{{labels}}} {}", Seconds(row.micros.load(Relaxed)));
            let _ = writeln!(page, "perennial_http_request_seconds_count{{{labels}}} {sum}");
        }
    }

    /// The rows that have counted something, with their labels.
    fn labelled(&self) -> impl Iterator<Item = (String, &Row)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.statuses.iter().any(|count| count.load(Relaxed) > 0)).map(
            |(place, row)| {
                let (route, method) = OPERATIONS
                    .get(place)
                    .map_or(("none", "none"), |operation| (operation.path, operation.method.as_str()));
                (format!("route=\"{route}\",method=\"{method}\""), row)
            },
        )
    }
}

/// Microseconds, shown in seconds without a float.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// The page at `/metrics`.
pub struct MetricsPage {
    api: Arc<Api>,
    gauges: Arc<Gauges>,
}

impl MetricsPage {
    /// The page of an API and the server it is served by.
    pub fn new(api: Arc<Api>, gauges: Arc<Gauges>) -> Self {
        Self { api, gauges }
    }

    /// The page as it is now.
    pub fn render(&self) -> String {
        let mut page = String::with_capacity(8 * 1024);
        self.api.metrics.render(&mut page);
        let store = self.api.app.db.metrics();
        let edge = &self.gauges;
        for (name, kind, about, value) in [
            ("http_connections", "gauge", "Connections open.", edge.open_connections() as u64),
            ("http_requests_in_flight", "gauge", "Requests being answered.", edge.requests_in_flight() as u64),
            (
                "http_connections_refused_total",
                "counter",
                "Connections refused at the limit.",
                edge.connections_refused(),
            ),
            (
                "http_connections_timed_out_total",
                "counter",
                "Connections cut for slowness.",
                edge.connections_timed_out(),
            ),
            ("http_requests_shed_total", "counter", "Requests refused at the limit.", edge.requests_shed()),
            ("store_queue_depth", "gauge", "Changes waiting for the writer.", store.queue_depth as u64),
            ("store_queue_capacity", "gauge", "Changes that may wait.", store.queue_capacity as u64),
            ("store_changes_total", "counter", "Changes that the writer took up.", store.changes),
            ("store_batch_replays_total", "counter", "Batches run again, change by change.", store.replays),
            ("store_readers_in_use", "gauge", "Reads under way.", store.readers_in_use as u64),
            ("store_readers", "gauge", "Reading connections there may be.", store.readers_total as u64),
            ("store_statements_total", "counter", "Statements executed.", store.statements),
            ("store_reconnects_total", "counter", "Connections opened again after a loss.", store.reconnects),
            ("process_resident_memory_bytes", "gauge", "Memory held by the process.", resident_bytes()),
        ] {
            let _ = write!(
                page,
                "# HELP perennial_{name} {about}\n# TYPE perennial_{name} {kind}\nperennial_{name} {value}\n"
            );
        }
        render_batches(&mut page, &store);
        page
    }
}

fn render_batches(page: &mut String, store: &perennial_app::context::StoreMetrics) {
    page.push_str(
        "# HELP perennial_store_batch_size Changes in one transaction.\n# TYPE perennial_store_batch_size histogram\n",
    );
    let mut sum = 0;
    for (bound, count) in perennial_app::context::BATCH_SIZES.iter().zip(store.batch_sizes) {
        sum += count;
        let _ = writeln!(page, "perennial_store_batch_size_bucket{{le=\"{bound}\"}} {sum}");
    }
    let _ = write!(
        page,
        "perennial_store_batch_size_bucket{{le=\"+Inf\"}} {sum}\nperennial_store_batch_size_sum {}\nperennial_store_batch_size_count {sum}\n",
        store.changes
    );
}

/// What the kernel says the process holds; 0 where it does not say.
fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * PAGE_BYTES)
}

impl Service for MetricsPage {
    async fn call(&self, request: Request<RequestBody>, _peer: SocketAddr) -> Response<Full<Bytes>> {
        if request.uri().path() != "/metrics" {
            return plain(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "use GET\n");
        }
        let mut response = plain(StatusCode::OK, self.render());
        let version = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, version);
        response
    }

    fn refuse(&self, _refusal: Refusal, _request: &Parts) -> Response<Full<Bytes>> {
        plain(StatusCode::SERVICE_UNAVAILABLE, "try again\n")
    }
}

fn plain(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
}
