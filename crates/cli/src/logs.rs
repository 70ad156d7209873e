//! Logs: readable on a terminal, one JSON object a line elsewhere. Always on standard error.

use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging at the level of `PERENNIAL_LOG`, `info` unless it says otherwise.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env("PERENNIAL_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A reader that is gone would be told so on the same standard error, by a panic, in place of whatever was to be done.
    let logs = logs.log_internal_errors(false);
    if std::io::stderr().is_terminal() {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        logs.with_target(false).with_ansi(colour).init();
    } else {
        logs.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
}
