//! The collector: requests to it, and log messages when they fail.

use super::metrics::{self, Times};
use super::span::Span;
use crate::config::CollectorUrl;
use http::Method;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use perennial_app::context::Clock;
use perennial_domain::time::Time;
use perennial_http::metrics::Family;
use perennial_outbound::{Endpoint, FetchError, OutboundClient, Reach};
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// The interval of log messages about an unreachable collector.
const SILENCE: Duration = Duration::from_mins(5);

pub(super) struct Collector {
    traces: Url,
    metrics: Url,
    headers: HeaderMap,
    resource: Value,
    scope: Value,
    since: Time,
    /// When the log last reported that it cannot be reached. None while it can.
    last_logged: Mutex<Option<Instant>>,
}

impl Collector {
    pub(super) fn new(endpoint: &CollectorUrl, headers: HeaderMap, service: &str, instance: &str, since: Time) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let attribute = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
        Self {
            traces: endpoint.of("traces"),
            metrics: endpoint.of("metrics"),
            headers,
            resource: json!({ "attributes": [
                attribute("service.name", service),
                attribute("service.version", version),
                attribute("service.instance.id", instance),
            ] }),
            scope: json!({ "name": "perennial", "version": version }),
            since,
            last_logged: Mutex::new(None),
        }
    }

    /// Whether it uses plain HTTP.
    pub(super) fn is_plain(&self) -> bool {
        self.traces.scheme() == "http"
    }

    pub(super) async fn traces(&self, client: &OutboundClient, spans: &[Span]) -> Result<(), FetchError> {
        let spans: Vec<Value> = spans.iter().map(Span::json).collect();
        let spans = json!({ "scope": self.scope, "spans": spans });
        let document = json!({ "resourceSpans": [{ "resource": self.resource, "scopeSpans": [spans] }] });
        self.send(client, &self.traces, &document).await
    }

    pub(super) async fn metrics(&self, client: &OutboundClient, families: &[Family]) -> Result<(), FetchError> {
        let times = Times { since: nanos(self.since), now: nanos(Clock::System.now()) };
        let families: Vec<Value> = families.iter().map(|family| metrics::json(family, times)).collect();
        let families = json!({ "scope": self.scope, "metrics": families });
        let document = json!({ "resourceMetrics": [{ "resource": self.resource, "scopeMetrics": [families] }] });
        self.send(client, &self.metrics, &document).await
    }

    /// Sends an empty request for each signal, and returns the results by URL.
    pub(super) async fn ask(&self, client: &OutboundClient) -> Vec<(Url, Result<(), FetchError>)> {
        let ask = async |url: &Url, nothing: Value| {
            let answer = self.post(client, url, &nothing).await;
            (url.clone(), answer)
        };
        let traces = ask(&self.traces, json!({ "resourceSpans": [] }));
        let metrics = ask(&self.metrics, json!({ "resourceMetrics": [] }));
        let (traces, metrics) = tokio::join!(traces, metrics);
        vec![traces, metrics]
    }

    async fn send(&self, client: &OutboundClient, url: &Url, document: &Value) -> Result<(), FetchError> {
        let sent = self.post(client, url, document).await;
        self.log(url, sent.as_ref().err());
        sent
    }

    /// A collector may have any address: the operator configured it.
    async fn post(&self, client: &OutboundClient, url: &Url, document: &Value) -> Result<(), FetchError> {
        let reach = Reach { private_addresses: true, plain_http: true };
        let endpoint =
            Endpoint::parse(url.as_str(), reach).map_err(|_| FetchError::Malformed("has no usable address"))?;
        let mut headers = self.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        client.send(&endpoint, Method::POST, headers, document.to_string().into()).await?.ok().map(drop)
    }

    /// Logs a warning at the first failure, and at intervals while it continues.
    fn log(&self, url: &Url, error: Option<&FetchError>) {
        let mut last_logged = self.last_logged.lock().unwrap_or_else(PoisonError::into_inner);
        match (error, *last_logged) {
            (None, None) => {}
            (None, Some(_)) => {
                tracing::info!(collector = %url, "traces and metrics reach the collector again");
                *last_logged = None;
            }
            (Some(_), Some(last)) if last.elapsed() < SILENCE => {}
            (Some(error), _) => {
                tracing::warn!(
                    collector = %url,
                    %error,
                    "traces and metrics do not reach the collector and are dropped; requests are served as ever"
                );
                *last_logged = Some(Instant::now());
            }
        }
    }
}

fn nanos(time: Time) -> u64 {
    time.as_micros().unsigned_abs() * 1_000
}
