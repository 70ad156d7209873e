//! Cross-origin requests (CORS). A preflight is permitted if any public client lists the origin, because it names no client.
//! The actual response is permitted only if the client of the request lists the origin. Credentials are never allowed.

use crate::problem::Problem;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use perennial_app::caller::KnownClient;
use perennial_app::clients;
use perennial_app::context::App;
use perennial_domain::clients::ClientKind;

const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static(
    "client-id, authorization, content-type, idempotency-key, if-match, if-none-match, x-request-id, traceparent",
);
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "etag, location, x-request-id, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, www-authenticate",
);

/// Whether the request is a preflight.
pub(crate) fn is_preflight(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS
        && parts.headers.contains_key(ORIGIN)
        && parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The response to a preflight for a path that exists.
pub(crate) async fn preflight(app: &App, parts: &Parts, methods: String) -> Result<Response<Full<Bytes>>, Problem> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Some(origin) = origin(&parts.headers)
        && clients::origin_is_listed(app, origin.to_str().unwrap_or_default()).await?
    {
        let methods = HeaderValue::try_from(methods).expect("method names are visible ASCII");
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    Ok(response)
}

/// Permits the origin to read the response, if the client of the request lists it.
pub(crate) fn permit(known: &KnownClient, request: &HeaderMap, response: &mut HeaderMap) {
    let Some(origin) = origin(request) else { return };
    let client = &known.client;
    if client.kind == ClientKind::Public && client.allows_origin(origin.to_str().unwrap_or_default()) {
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
}

fn origin(headers: &HeaderMap) -> Option<&HeaderValue> {
    headers.get(ORIGIN)
}
