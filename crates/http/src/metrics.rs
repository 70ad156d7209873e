//! The metrics page: all metrics in the Prometheus text format, served on a separate listener.

pub use crate::families::{Family, Histogram, Labels, Number, Series, Unit};

use crate::service::Api;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use perennial_app::background::{DURATION_BOUNDS, Durations};
use perennial_app::connections::figures::Counters;
use perennial_app::context::{BATCH_SIZES, StoreMetrics};
use perennial_server::{Gauges, Rejection, RequestBody, Service};
use std::net::SocketAddr;
use std::sync::Arc;

/// Additional metrics of the process.
pub type MoreMetrics = Box<dyn Fn() -> Vec<Family> + Send + Sync>;

/// The page at `/metrics`.
pub struct MetricsPage {
    api: Arc<Api>,
    gauges: Arc<Gauges>,
    more: Option<MoreMetrics>,
}

impl MetricsPage {
    /// The page of an API and its server.
    pub fn new(api: Arc<Api>, gauges: Arc<Gauges>) -> Self {
        Self { api, gauges, more: None }
    }

    /// Adds metrics at the end of the page.
    pub fn with(self, more: Option<MoreMetrics>) -> Self {
        Self { more, ..self }
    }

    /// Renders the page.
    pub fn render(&self) -> String {
        let mut page = String::with_capacity(8 * 1024);
        self.families().iter().for_each(|family| family.render(&mut page));
        page
    }

    /// All metrics with their current values.
    pub fn families(&self) -> Vec<Family> {
        let mut families = Vec::from(self.api.metrics.families());
        let store = self.api.state.app.db.metrics();
        let server = &self.gauges;
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let counter = |name, about, value| Family::number(name, about, Series::Counter, value);
        families.extend([
            gauge("http_connections", "Open connections.", server.open_connections() as u64),
            gauge("http_requests_in_flight", "Requests in progress.", server.requests_in_flight() as u64),
            counter(
                "http_connections_refused_total",
                "Connections rejected because of the limit.",
                server.connections_refused(),
            ),
            counter(
                "http_connections_timed_out_total",
                "Connections closed because the peer was too slow.",
                server.connections_timed_out(),
            ),
            counter("http_requests_shed_total", "Requests rejected because of overload.", server.requests_shed()),
            counter(
                "untrusted_forwarded_total",
                "Requests whose x-forwarded-for was ignored because the peer is not in trusted_proxies.",
                self.api.forwards.count(),
            ),
            gauge("store_queue_depth", "Changes waiting for the writer.", store.queue_depth as u64),
            gauge(
                "store_background_waiting",
                "Changes of background work waiting for the writer.",
                store.background_waiting as u64,
            ),
            gauge("store_queue_capacity", "Capacity of the writer's queue.", store.queue_capacity as u64),
            gauge(
                "store_oldest_change_milliseconds",
                "Age of the oldest change without an outcome.",
                u64::try_from(store.oldest_change.as_millis()).unwrap_or(u64::MAX),
            ),
            counter("store_changes_total", "Changes processed by the writer.", store.changes),
            counter("store_batch_replays_total", "Batches retried change by change.", store.replays),
            gauge("store_readers_in_use", "Reads in progress.", store.readers_in_use as u64),
            gauge("store_readers", "Size of the pool of reading connections.", store.readers_total as u64),
            counter("store_statements_total", "Statements executed.", store.statements),
            counter(
                "store_long_walks_total",
                "Lists that continued past the first rows because of a rare filter.",
                store.long_walks,
            ),
            counter("store_reconnects_total", "Connections reopened after a failure.", store.reconnects),
            gauge("process_resident_memory_bytes", "Resident memory of the process.", resident_bytes()),
            batches(&store),
        ]);
        families.extend(self.housekeeping());
        families.extend(self.background());
        families.extend(self.lifecycle());
        families.push(self.usage());
        families.push(self.entitlement_tokens());
        families.push(Family::number(
            "quota_refused_total",
            "Calls of usage events that were refused because they would exceed a quota.",
            Series::Counter,
            self.api.state.app.usage.refused(),
        ));
        families.extend(self.connections());
        families.extend(self.more.iter().flat_map(|more| more()));
        families
    }
}

impl MetricsPage {
    /// Housekeeping: expired rows, the write-ahead log, backups.
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

impl MetricsPage {
    /// Background work: the feed, webhooks, and access that changes by the clock.
    fn background(&self) -> Vec<Family> {
        let figures = &self.api.state.app.background;
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let labeled = |label: &'static str, values: &[(&'static str, u64)]| -> Vec<Number> {
            let number = |(name, value): &(&'static str, u64)| Number {
                labels: vec![(label, (*name).to_owned())],
                value: *value,
            };
            values.iter().map(number).collect()
        };
        let family = |name: &str, about, series| Family { name: format!("perennial_{name}"), about, series };
        vec![
            gauge("feed_unplaced", "Events without a position in the feed, up to 20000.", figures.stored().unplaced),
            family("feed_placement_seconds", "Duration of placements.", durations(&figures.placements)),
            family(
                "webhook_attempts_total",
                "Attempts to deliver webhooks by outcome.",
                Series::Counter(labeled("outcome", &figures.outcomes())),
            ),
            family("webhook_attempt_seconds", "Duration of attempts.", durations(&figures.attempts)),
            family(
                "webhook_endpoints",
                "Webhook endpoints by state, counted every minute.",
                Series::Gauge(labeled("state", &figures.endpoints())),
            ),
            gauge(
                "webhook_lag_seconds",
                "Age of the oldest event that an active endpoint has not received, read every minute.",
                figures.stored().lag_seconds,
            ),
            family(
                "webhook_undelivered",
                "Undelivered events by state, counted every minute.",
                Series::Gauge(labeled("state", &figures.undelivered())),
            ),
            gauge(
                "analytics_lag_seconds",
                "Age of the oldest event that analytics do not include, read every minute.",
                figures.analytics_lag_seconds(),
            ),
            gauge(
                "access_change_lag_seconds",
                "Delay of the last change of access by the clock.",
                figures.access_lag_seconds(),
            ),
        ]
    }
}

impl MetricsPage {
    /// The lifecycle: what is due, late, on hold and parked.
    fn lifecycle(&self) -> Vec<Family> {
        let figures = &self.api.state.app.background.lifecycle;
        let stored = figures.stored();
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let family = |name: &str, about, series| Family { name: format!("perennial_{name}"), about, series };
        let labeled = |label: &'static str, values: Vec<(&'static str, u64)>| -> Vec<Number> {
            let number = |(name, value): (&str, u64)| Number { labels: vec![(label, name.to_owned())], value };
            values.into_iter().map(number).collect()
        };
        let lag = vec![("live", stored.live_lag_seconds), ("test", stored.test_lag_seconds)];
        vec![
            family(
                "lifecycle_lag_seconds",
                "How late the oldest due action is, read every minute, without organizations on hold.",
                Series::Gauge(labeled("mode", lag)),
            ),
            gauge(
                "lifecycle_due",
                "Subscriptions and invoices with a due action, counted every minute, up to 10000 of each for live organizations and per test clock.",
                stored.due,
            ),
            gauge("lifecycle_held", "Organizations on hold, counted every minute.", stored.held),
            gauge("lifecycle_parked", "Parked subscriptions, counted every minute.", stored.parked),
            family(
                "lifecycle_transitions_total",
                "Actions by name.",
                Series::Counter(labeled("action", figures.transitions())),
            ),
            Family::number(
                "lifecycle_misses_total",
                "Actions that another writer made first.",
                Series::Counter,
                figures.misses(),
            ),
            family(
                "lifecycle_parked_total",
                "Subscriptions that were parked, by reason.",
                Series::Counter(labeled("reason", figures.parked())),
            ),
            family("lifecycle_pass_seconds", "Duration of searches for due work.", durations(&figures.passes)),
        ]
    }

    /// Issued entitlement tokens.
    fn entitlement_tokens(&self) -> Family {
        let tokens = self.api.state.app.entitlements.tokens();
        Family::number("entitlement_tokens_total", "Entitlement tokens issued.", Series::Counter, tokens)
    }

    /// Connections to payment providers.
    fn connections(&self) -> Vec<Family> {
        let figures = &self.api.state.app.connections;
        let gauge = |name, about, value| Family::number(name, about, Series::Gauge, value);
        let counter = |name: &str, about, labels: [&'static str; 2], counters: &Counters| {
            let number = |((one, other), value): ((&'static str, &'static str), u64)| {
                let labels = [(labels[0], one), (labels[1], other)].into_iter();
                let labels = labels.filter(|(name, _)| !name.is_empty());
                Number { labels: labels.map(|(name, value)| (name, value.to_owned())).collect(), value }
            };
            let numbers = counters.all().into_iter().map(number).collect();
            Family { name: format!("perennial_{name}"), about, series: Series::Counter(numbers) }
        };
        let (waiting, lag) = figures.waiting();
        let ages = figures.sweep_ages().into_iter();
        vec![
            counter(
                "inbox_received_total",
                "Webhooks of payment providers by kind and outcome.",
                ["kind", "outcome"],
                &figures.received,
            ),
            gauge(
                "inbox_waiting",
                "Webhooks of payment providers that wait, counted every minute, up to 10000.",
                waiting,
            ),
            gauge("inbox_lag_seconds", "Age of the oldest of them, read every minute.", lag),
            counter(
                "provider_requests_total",
                "Requests to payment providers by kind and status.",
                ["kind", "status"],
                &figures.requests,
            ),
            counter(
                "drift_total",
                "Differences from payment providers by kind and object.",
                ["kind", "object"],
                &figures.drift,
            ),
            Family {
                name: "perennial_sweep_age_seconds".to_owned(),
                about: "Seconds since the last sweep of the connection that was swept least recently, by kind, read every minute.",
                series: Series::Gauge(
                    ages.map(|(kind, value)| Number { labels: vec![("kind", kind.to_owned())], value }).collect(),
                ),
            },
            counter(
                "collections_total",
                "Collections of payments that ended, by outcome.",
                ["outcome", ""],
                &figures.collections,
            ),
        ]
    }

    /// Usage events by outcome.
    fn usage(&self) -> Family {
        let outcomes = self.api.state.app.usage.outcomes();
        let numbers = outcomes.map(|(name, value)| Number { labels: vec![("outcome", name.to_owned())], value });
        Family {
            name: "perennial_usage_events_total".to_owned(),
            about: "Usage events by outcome.",
            series: Series::Counter(numbers.into()),
        }
    }
}

fn durations(durations: &Durations) -> Series {
    let (counts, sum) = durations.read();
    let bounds = DURATION_BOUNDS.to_vec();
    Series::Histogram(vec![Histogram { labels: Labels::new(), unit: Unit::Micros, bounds, counts, sum }])
}

fn batches(store: &StoreMetrics) -> Family {
    let sizes = Histogram {
        labels: Labels::new(),
        unit: Unit::Pieces,
        bounds: BATCH_SIZES.iter().map(|size| *size as u64).collect(),
        // No batch is larger than the largest bound.
        counts: store.batch_sizes.into_iter().chain([0]).collect(),
        sum: store.changes,
    };
    let series = Series::Histogram(vec![sizes]);
    Family { name: "perennial_store_batch_size".to_owned(), about: "Changes per transaction.", series }
}

/// The resident memory of the process; 0 if the system does not report it.
fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * PAGE_BYTES)
}

impl Service for MetricsPage {
    async fn call(&self, request: Request<RequestBody>, _peer: SocketAddr) -> Response<Full<Bytes>> {
        if request.uri().path() != "/metrics" {
            return plain(StatusCode::NOT_FOUND, "not found; the metrics are at /metrics\n");
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
        plain(StatusCode::SERVICE_UNAVAILABLE, "overloaded; retry\n")
    }
}

fn plain(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response
}
