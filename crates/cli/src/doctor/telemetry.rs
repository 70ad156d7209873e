//! The collector of traces and metrics, if one is configured. Servers work without it.

use super::report::Report;
use crate::config::Config;
use crate::telemetry;
use perennial_outbound::FetchError;

pub(super) async fn look(report: &mut Report, config: &Config) {
    const CHECK: &str = "telemetry";
    let answers = match telemetry::ask(&config.telemetry).await {
        Ok(answers) => answers,
        Err(failure) => return report.problem(CHECK, failure.0, "no server starts with it"),
    };
    for (url, answer) in answers {
        match answer {
            Ok(()) => report.ok(CHECK, format!("{url} takes what it is sent")),
            Err(error) => {
                let found = format!("{url} does not take what it is sent, and it is dropped: {error}");
                report.warning(CHECK, found, advice_on(&error));
            }
        }
    }
}

fn advice_on(error: &FetchError) -> &'static str {
    match error {
        FetchError::Status(401 | 403) => "give the collector's key in OTEL_EXPORTER_OTLP_HEADERS",
        FetchError::Status(404 | 405) | FetchError::Redirect => {
            "correct `otlp_endpoint`: it is the base, without /v1/traces"
        }
        FetchError::Status(400 | 415) => "let the collector take OTLP over HTTP as JSON",
        _ => {
            "see that the collector runs and takes OTLP over HTTP there, usually at port 4318 (4317 is for gRPC), \
             or remove `otlp_endpoint`"
        }
    }
}
