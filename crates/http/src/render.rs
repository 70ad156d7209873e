//! Writes replies and problems as HTTP responses.

use crate::headers::{self, IDEMPOTENCY_REPLAYED, REQUEST_ID};
use crate::problem::Problem;
use crate::reply::Reply;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LOCATION, VARY};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;

/// Any response, with its request's id and what a cache must look at.
pub(crate) fn marked(mut response: Response<Full<Bytes>>, request_id: &str) -> Response<Full<Bytes>> {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(VARY, HeaderValue::from_static("origin"));
    response
}

/// A success; 304 without a body if the caller has the same entity tag.
pub(crate) fn reply(parts: &Parts, reply: Reply) -> Response<Full<Bytes>> {
    let reads = parts.method == Method::GET || parts.method == Method::HEAD;
    let unchanged = reads && reply.etag.as_deref().is_some_and(|etag| headers::none_match(&parts.headers, etag));
    let mut response = if unchanged {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let mut response = Response::new(Full::new(reply.body));
        *response.status_mut() = reply.status;
        response.headers_mut().insert(CONTENT_TYPE, reply.content.media_type());
        response
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, reply.content.cache_control());
    if reply.content.is_compressed() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    for (name, text) in [(ETAG, reply.etag), (LOCATION, reply.location)] {
        if let Some(value) = text.and_then(|text| HeaderValue::try_from(text).ok()) {
            headers.insert(name, value);
        }
    }
    if reply.replayed {
        headers.insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    headers.extend(reply.headers);
    response
}

/// A problem document (RFC 9457).
pub(crate) fn problem(problem: &Problem, request_id: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(problem.document(request_id)));
    *response.status_mut() = problem.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for (name, value) in problem.headers() {
        headers.insert(name, value.clone());
    }
    response
}
