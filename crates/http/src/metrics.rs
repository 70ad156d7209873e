//! What operators watch: as values, and in the Prometheus text format on a listener of its own.
//! Counting is a few additions into fixed places: no labels are built while a request is answered.

pub use crate::families::{Family, Histogram, Labels, Number, Series, Unit};

use crate::service::Api;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use perennial_app::context::{BATCH_SIZES, StoreMetrics};
use perennial_server::{Gauges, Rejection, RequestBody, Service};
use std::net::SocketAddr;
use std::sync::Arc;

/// Metrics that others add to the page.
pub type MoreMetrics = Box<dyn Fn() -> Vec<Family> + Send + Sync>;

/// The page at `/metrics`.
pub struct MetricsPage {
    api: Arc<Api>,
    gauges: Arc<Gauges>,
    more: Option<MoreMetrics>,
}

impl MetricsPage {
    /// The page of an API and the server it is served by.
    pub fn new(api: Arc<Api>, gauges: Arc<Gauges>) -> Self {
        Self { api, gauges, more: None }
    }

    /// The same page with these at its end.
    pub fn with(self, more: Option<MoreMetrics>) -> Self {
        Self { more, ..self }
    }

    /// The page as it is now.
    pub fn render(&self) -> String {
        let mut page = String::with_capacity(8 * 1024);
        self.families().iter().for_each(|family| family.render(&mut page));
        page
    }

    /// Everything that is counted, as it is now.
    pub fn families(&self) -> Vec<Family> {
        let mut families = Vec::from(self.api.metrics.families());
        let store = self.api.state.app.db.metrics();
        let edge = &self.gauges;
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let counter = |name, about, value| Family::number(name, about, Series::Counter, value);
        families.extend([
            gauge("http_connections", "Connections open.", edge.open_connections() as u64),
            gauge("http_requests_in_flight", "Requests being answered.", edge.requests_in_flight() as u64),
            counter("http_connections_refused_total", "Connections refused at the limit.", edge.connections_refused()),
            counter("http_connections_timed_out_total", "Connections cut for slowness.", edge.connections_timed_out()),
            counter("http_requests_shed_total", "Requests refused at the limit.", edge.requests_shed()),
            counter(
                "untrusted_forwarded_total",
                "Requests whose x-forwarded-for was ignored because the peer is not in trusted_proxies.",
                self.api.forwards.count(),
            ),
            gauge("store_queue_depth", "Changes waiting for the writer.", store.queue_depth as u64),
            gauge("store_queue_capacity", "Changes that may wait.", store.queue_capacity as u64),
            gauge(
                "store_oldest_change_milliseconds",
                "How long the oldest change without an outcome has waited.",
                u64::try_from(store.oldest_change.as_millis()).unwrap_or(u64::MAX),
            ),
            counter("store_changes_total", "Changes that the writer took up.", store.changes),
            counter("store_batch_replays_total", "Batches run again, change by change.", store.replays),
            gauge("store_readers_in_use", "Reads under way.", store.readers_in_use as u64),
            gauge("store_readers", "Reading connections there may be.", store.readers_total as u64),
            counter("store_statements_total", "Statements executed.", store.statements),
            counter("store_long_walks_total", "Walks of lists under rare filters.", store.long_walks),
            counter("store_reconnects_total", "Connections opened again after a loss.", store.reconnects),
            gauge("process_resident_memory_bytes", "Memory held by the process.", resident_bytes()),
            batches(&store),
        ]);
        families.extend(self.housekeeping());
        families.extend(self.more.iter().flat_map(|more| more()));
        families
    }
}

impl MetricsPage {
    /// What the server does by itself: expired rows, the log, backups.
    fn housekeeping(&self) -> Vec<Family> {
        let app = &self.api.state.app;
        let figures = &app.housekeeping;
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let expired =
            figures.expired_rows().map(|(table, value)| Number { labels: vec![("table", table.to_owned())], value });
        let about = "Expired rows still stored, counted every minute, up to 10000 for each organization.";
        let log = app.db.wal_bytes().unwrap_or(0);
        vec![
            Family { name: "perennial_expired_rows".to_owned(), about, series: Series::Gauge(expired.into()) },
            gauge(
                "backup_interval_seconds",
                "Interval of scheduled backups; 0 if off.",
                figures.backup_interval_seconds(),
            ),
            gauge(
                "last_backup_timestamp_seconds",
                "Start of the last verified scheduled backup; 0 if none.",
                figures.last_backup_seconds(),
            ),
            gauge("wal_bytes", "Size of SQLite's write-ahead log on disk; 0 on PostgreSQL.", log),
        ]
    }
}

fn batches(store: &StoreMetrics) -> Family {
    let sizes = Histogram {
        labels: Labels::new(),
        unit: Unit::Pieces,
        bounds: BATCH_SIZES.iter().map(|size| *size as u64).collect(),
        // The largest size is the largest there is.
        counts: store.batch_sizes.into_iter().chain([0]).collect(),
        sum: store.changes,
    };
    let series = Series::Histogram(vec![sizes]);
    Family { name: "perennial_store_batch_size".to_owned(), about: "Changes in one transaction.", series }
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

    fn reject(&self, _refusal: Rejection, _request: &Parts) -> Response<Full<Bytes>> {
        plain(StatusCode::SERVICE_UNAVAILABLE, "try again\n")
    }
}

fn plain(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
}
