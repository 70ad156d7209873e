//! OpenTelemetry: traces and metrics, sent to a collector if one is configured. Otherwise there is
//! no layer, no task and no span. Requests never wait for a collector; what it cannot accept is dropped and counted.

mod collector;
mod headers;
mod layer;
mod metrics;
mod span;

pub(crate) use layer::SpanLayer;

use crate::config::{CollectorUrl, Telemetry};
use crate::failure::Failure;
use crate::stopping::until_stopped;
use collector::Collector;
use perennial_app::context::{Clock, Entropy};
use perennial_domain::time::Time;
use perennial_http::MetricsPage;
use perennial_http::metrics::{Family, MoreMetrics, Series};
use perennial_outbound::{FetchError, Limits, OutboundClient};
use span::Span;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout, timeout_at};
use url::Url;

/// The maximum number of queued spans: a few megabytes, a few seconds of a busy server.
const WAITING_SPANS: usize = 8_192;
const SPANS_AT_ONCE: usize = 1_024;
/// How long the first span of a batch waits for others.
const GATHER: Duration = Duration::from_secs(1);
/// The backoff after a failed export, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The timeout of the last export. The store closes at the same time, so the shutdown does not take longer.
const FLUSH: Duration = Duration::from_secs(1);

/// Counts of failures.
#[derive(Default)]
struct Counters {
    dropped_spans: AtomicU64,
    failed_exports: AtomicU64,
}

/// The settings that are known before the server runs.
pub(crate) struct Prepared {
    collector: Collector,
    spans: mpsc::Receiver<Span>,
    counters: Arc<Counters>,
    metrics_every: Duration,
}

/// The layer that receives the program's spans, and the exporter. None if no collector is configured.
pub(crate) fn prepare(config: &Telemetry) -> Result<Option<(SpanLayer, Prepared)>, Failure> {
    let Some(endpoint) = &config.otlp_endpoint else { return Ok(None) };
    let counters = Arc::new(Counters::default());
    let (sender, spans) = mpsc::channel(WAITING_SPANS);
    let started = Clock::System.now();
    let layer = SpanLayer::new(sender, config.sample_percent, Arc::clone(&counters));
    let collector = collector_of(config, endpoint, started)?;
    let metrics_every = Duration::from_secs(config.metrics_seconds.0.into());
    Ok(Some((layer, Prepared { collector, spans, counters, metrics_every })))
}

/// Checks the export of traces and metrics, by URL. Empty if no collector is configured. It sends two
/// empty requests, each with its timeout.
pub(crate) async fn ask(config: &Telemetry) -> Result<Vec<(Url, Result<(), FetchError>)>, Failure> {
    let Some(endpoint) = &config.otlp_endpoint else { return Ok(Vec::new()) };
    let collector = collector_of(config, endpoint, Clock::System.now())?;
    Ok(collector.ask(&client_for(&collector)?).await)
}

fn collector_of(config: &Telemetry, endpoint: &CollectorUrl, started: Time) -> Result<Collector, Failure> {
    let instance = format!("{:016x}", Entropy::from_system().bits());
    Ok(Collector::new(endpoint, headers::from_environment()?, &config.service_name, &instance, started))
}

fn client_for(collector: &Collector) -> Result<OutboundClient, Failure> {
    let connect = if collector.is_plain() { OutboundClient::without_roots } else { OutboundClient::with_system_roots };
    connect(Limits::default()).map_err(|error| Failure::new(format!("no collector can be spoken to: {error}")))
}

impl Prepared {
    /// The metrics about the export.
    pub(crate) fn metrics(&self) -> MoreMetrics {
        let counters = Arc::clone(&self.counters);
        let counter =
            |name, about, value: &AtomicU64| Family::number(name, about, Series::Counter, value.load(Relaxed));
        Box::new(move || {
            let Counters { dropped_spans, failed_exports } = &*counters;
            vec![
                counter("telemetry_spans_dropped_total", "Spans no collector took.", dropped_spans),
                counter("telemetry_exports_failed_total", "Exports that failed.", failed_exports),
            ]
        })
    }

    /// Starts the export.
    pub(crate) fn start(self, page: Arc<MetricsPage>) -> Result<Exporting, Failure> {
        let Self { collector, spans, counters, metrics_every } = self;
        let client = client_for(&collector)?;
        let exporter = Arc::new(Exporter { collector, client, counters });
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&exporter).send_spans(spans, stopped.clone()));
        tasks.spawn(exporter.send_metrics(page, metrics_every, stopped));
        Ok(Exporting { stop, tasks })
    }
}

/// The running export.
pub(crate) struct Exporting {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Exporting {
    /// Sends the rest within a short time, and drops what takes longer.
    pub(crate) async fn finish(mut self) {
        let _ = self.stop.send(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(FLUSH, all).await.is_err() {
            tracing::warn!("the last traces and metrics did not reach the collector in time");
        }
    }
}

struct Exporter {
    collector: Collector,
    client: OutboundClient,
    counters: Arc<Counters>,
}

impl Exporter {
    async fn send_spans(self: Arc<Self>, mut spans: mpsc::Receiver<Span>, stopped: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let mut batch = Vec::new();
            tokio::select! {
                () = gather(&mut spans, &mut batch) => {}
                () = until_stopped(stopped.clone()) => {
                    spans.close();
                    gather(&mut spans, &mut batch).await;
                }
            }
            if batch.is_empty() {
                return;
            }
            let sent = self.collector.traces(&self.client, &batch).await;
            if sent.is_ok() {
                pause = FIRST_PAUSE;
                continue;
            }
            self.counters.failed_exports.fetch_add(1, Relaxed);
            self.counters.dropped_spans.fetch_add(batch.len() as u64, Relaxed);
            // If the collector cannot be reached now, another attempt at once would fail too.
            tokio::select! {
                () = sleep(pause) => pause = LONGEST_PAUSE.min(pause * 2),
                () = until_stopped(stopped.clone()) => return,
            }
        }
    }

    async fn send_metrics(self: Arc<Self>, page: Arc<MetricsPage>, every: Duration, stopped: watch::Receiver<bool>) {
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let last = tokio::select! {
                _ = ticks.tick() => false,
                () = until_stopped(stopped.clone()) => true,
            };
            if self.collector.metrics(&self.client, &page.families()).await.is_err() {
                self.counters.failed_exports.fetch_add(1, Relaxed);
            }
            if last {
                return;
            }
        }
    }
}

/// Waits for a span, then briefly for others. If the wait is cancelled, the spans stay in `batch`.
async fn gather(spans: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) {
    if spans.recv_many(batch, SPANS_AT_ONCE).await == 0 {
        return;
    }
    let deadline = tokio::time::Instant::now() + GATHER;
    while batch.len() < SPANS_AT_ONCE {
        let more = timeout_at(deadline, spans.recv_many(batch, SPANS_AT_ONCE - batch.len())).await;
        if !more.is_ok_and(|count| count > 0) {
            return;
        }
    }
}
