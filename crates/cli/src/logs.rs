//! Logs: text on a terminal, one JSON object per line elsewhere. Always on standard error.

use crate::failure::Failure;
use crate::telemetry::SpanLayer;
use perennial_app::context::TRACE_TARGET;
use std::io::IsTerminal;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt, registry};

pub(crate) const VARIABLE: &str = "PERENNIAL_LOG";
pub(crate) const DEFAULT: &str = "info";

/// Starts logging at the level of `PERENNIAL_LOG`, by default `info`. With `spans`, that layer receives every
/// request.
pub(crate) fn start(spans: Option<SpanLayer>) {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    match spans {
        None => alone(filter).init(),
        Some(spans) => log_and_spans(spans, filter).init(),
    }
}

/// The filter applies to all layers, so that no span is created that no layer receives.
fn alone(filter: EnvFilter) -> impl Subscriber + Send + Sync {
    registry().with(filter).with(lines())
}

/// The filter applies to the log only.
fn log_and_spans(spans: SpanLayer, filter: EnvFilter) -> impl Subscriber + Send + Sync {
    let traced = Targets::new().with_target(TRACE_TARGET, LevelFilter::TRACE);
    registry().with(lines().with_filter(filter)).with(spans.with_filter(traced))
}

fn lines<S: Subscriber + for<'a> LookupSpan<'a>>() -> Box<dyn Layer<S> + Send + Sync> {
    // If standard error is closed, a write error must not panic and abort the current work.
    let lines = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    if std::io::stderr().is_terminal() {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        lines.with_target(false).with_ansi(colour).boxed()
    } else {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed()
    }
}

/// The failure for an invalid `PERENNIAL_LOG`, which is ignored.
pub(crate) fn fault() -> Option<Failure> {
    let text = std::env::var(VARIABLE).ok()?;
    let wrong = format!("{VARIABLE} must be a level such as info or debug. {DEFAULT} is used: correct or unset it");
    EnvFilter::try_new(text).is_err().then(|| Failure::new(wrong))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Telemetry;
    use crate::telemetry;
    use tracing::subscriber::with_default;

    #[test]
    fn no_span_is_made_unless_somebody_hears_of_it() {
        let is_made = || !tracing::trace_span!(target: TRACE_TARGET, "request").is_disabled();
        assert!(telemetry::prepare(&Telemetry::default()).unwrap().is_none());
        assert!(!with_default(alone(EnvFilter::new("debug")), is_made));
        let named: Telemetry = toml::from_str("otlp_endpoint = \"http://127.0.0.1:4318\"").unwrap();
        let (spans, _) = telemetry::prepare(&named).unwrap().unwrap();
        assert!(with_default(log_and_spans(spans, EnvFilter::new("info")), is_made));
    }
}
