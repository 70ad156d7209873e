//! The span of a request, for whoever traces: what was asked by its method and its route's template, and how it was
//! answered. Never a path, a query, a header or a body: they name people and hold secrets.

use crate::headers;
use crate::operation::Operation;
use http::request::Parts;
use http::{Method, StatusCode};
use perennial_app::context::TRACE_TARGET;
use tracing::Span;
use tracing::field::Empty;

/// Opens the span, as the next one of the trace that the caller named if it named one. None is made while nobody listens.
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

/// Tells the span how the request was answered.
pub(crate) fn answered(span: &Span, operation: Option<&Operation>, status: StatusCode) {
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

/// The methods that are known; a caller may make up any other.
fn method(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| method.as_str() == *known).unwrap_or("_OTHER")
}
