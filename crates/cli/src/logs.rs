//! Logs: readable on a terminal, one JSON object a line elsewhere. Always on standard error.

use crate::failure::Failure;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

pub(crate) const VARIABLE: &str = "PERENNIAL_LOG";
pub(crate) const DEFAULT: &str = "info";

/// Starts logging at the level of `PERENNIAL_LOG`, `info` unless it says otherwise.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(DEFAULT));
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

/// Why `PERENNIAL_LOG` counts for nothing, if it does not.
pub(crate) fn fault() -> Option<Failure> {
    let text = std::env::var(VARIABLE).ok()?;
    let wrong = format!("{VARIABLE} is no level such as info or debug, so {DEFAULT} counts: correct it or unset it");
    EnvFilter::try_new(text).is_err().then(|| Failure::new(wrong))
}
