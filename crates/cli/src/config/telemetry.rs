//! The collector of traces and metrics.

use super::config_error::ConfigError;
use super::source::{Source, Sources};
use super::{AtLeastOne, Percent, variable};
use serde::{Deserialize, Serialize};
use url::Url;

/// The standard variables of OpenTelemetry.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const NAME: &str = "OTEL_SERVICE_NAME";
pub(crate) const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
pub(crate) const VARIABLES: [&str; 3] = [ENDPOINT, NAME, HEADERS];

/// OpenTelemetry. Nothing is sent without an endpoint.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Telemetry {
    pub(crate) otlp_endpoint: Option<CollectorUrl>,
    /// The service name.
    pub(crate) service_name: String,
    /// The share of requests without a trace context that are traced.
    pub(crate) sample_percent: Percent,
    pub(crate) metrics_seconds: AtLeastOne,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            service_name: "perennial".to_owned(),
            sample_percent: Percent(100),
            metrics_seconds: AtLeastOne(60),
        }
    }
}

impl Telemetry {
    /// Applies the environment, which overrides the file. An empty variable is ignored, as OpenTelemetry
    /// specifies.
    pub(super) fn put_environment(&mut self, sources: &mut Sources) -> Result<(), ConfigError> {
        let set = |name| variable(name).map(|text| text.filter(|text| !text.is_empty()));
        let source = |name: &str| Source::Environment { variable: name.to_owned() };
        if let Some(text) = set(ENDPOINT)? {
            let url = CollectorUrl::try_from(text).map_err(|detail| ConfigError::new(source(ENDPOINT), detail))?;
            self.otlp_endpoint = Some(url);
            sources.set("telemetry.otlp_endpoint", source(ENDPOINT));
        }
        if let Some(text) = set(NAME)? {
            self.service_name = text;
            sources.set("telemetry.service_name", source(NAME));
        }
        Ok(())
    }
}

/// The base URL of a collector.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct CollectorUrl(Url);

impl CollectorUrl {
    /// The URL of one signal, such as `traces`.
    pub(crate) fn of(&self, signal: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/v1/{signal}", self.0.path().trim_end_matches('/')));
        url
    }
}

impl TryFrom<String> for CollectorUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bare = |url: &Url| {
            url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none()
        };
        let usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host() && bare(url);
        Url::parse(&text).ok().filter(usable).map(Self).ok_or(
            "a collector is an http or https URL with a host, without user, query or fragment, such as \
             http://127.0.0.1:4318: correct `otlp_endpoint` or OTEL_EXPORTER_OTLP_ENDPOINT",
        )
    }
}

impl From<CollectorUrl> for String {
    fn from(url: CollectorUrl) -> Self {
        url.0.as_str().trim_end_matches('/').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_paths_below_the_endpoint() {
        for (base, traces) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://otlp.example.com/", "https://otlp.example.com/v1/traces"),
            ("https://example.com/otlp/", "https://example.com/otlp/v1/traces"),
        ] {
            assert_eq!(CollectorUrl::try_from(base.to_owned()).unwrap().of("traces").as_str(), traces);
        }
    }

    #[test]
    fn what_is_no_collector_is_refused_without_being_repeated() {
        for text in ["", "127.0.0.1:4318", "grpc://c:4317", "https://u:hunter2@c", "https://c?hunter2", "https://c#f"] {
            let sentence = CollectorUrl::try_from(text.to_owned()).unwrap_err();
            assert!(sentence.contains("4318") && !sentence.contains("hunter2"), "{sentence}");
        }
    }
}
