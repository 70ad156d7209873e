//! The tracing span of a request: its method, the template of its route, and its status.
//! It never contains a path, a query, a header or a body, because they contain personal data and secrets.

use crate::headers;
use crate::operation::Operation;
use http::request::Parts;
use http::{Method, StatusCode};
use perennial_app::context::TRACE_TARGET;
use tracing::Span;
use tracing::field::Empty;

/// Opens the span, as a child of the caller's trace if the request has one. Disabled if no exporter is configured.
pub(crate) fn request(parts: &Parts, request_id: &str) -> Span {
    tracing::trace_span!(
        target: TRACE_TARGET,
        "request",
        otel.kind = "server",
        otel.name = method(&parts.method),
        otel.status_code = Empty,
        traceparent = headers::traceparent(&parts.headers),
        http.request.method = method(&parts.method),
        http.route = Empty,
        http.response.status_code = Empty,
        perennial.request_id = request_id,
    )
}

/// Adds the operation and the status to the span.
pub(crate) fn finish(span: &Span, operation: Option<&Operation>, status: StatusCode) {
    if span.is_disabled() {
        return;
    }
    if let Some(operation) = operation {
        span.record("otel.name", format!("{} {}", operation.method, operation.path));
        span.record("http.route", operation.path);
    }
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

/// The name of a known method. A caller may send any other.
fn method(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| method.as_str() == *known).unwrap_or("_OTHER")
}
