//! One request and its response: admission, counting, and the call of the service.
//! The server decides which requests it rejects; the service writes the response to a rejected request.

use crate::admission::Decision;
use crate::body::RequestBody;
use crate::drain::Stage;
use crate::lane::Lane;
use crate::options::ServerOptions;
use crate::response_body::ResponseBody;
use crate::service::{Rejection, Service};
use crate::shared::ConnectionContext;
use http::header::{CONNECTION, HOST, HeaderValue};
use http::{Method, Request, Response, Uri, Version};
use hyper::body::Incoming;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A request that is being handled. It is counted until it is dropped.
pub(crate) struct Exchange<S> {
    connection: Arc<ConnectionContext<S>>,
    version: Version,
    /// Its lane, if it was admitted.
    admitted: Option<Lane>,
}

impl<S: Service> Exchange<S> {
    /// Called by hyper's connection before the handler's task exists. Otherwise an HTTP/2 connection could look idle in
    /// between.
    pub(crate) fn begin(connection: Arc<ConnectionContext<S>>, version: Version) -> Self {
        connection.watch.handling_begins();
        if version != Version::HTTP_2 {
            connection.watch.head.end();
        }
        Exchange { connection, version, admitted: None }
    }

    /// Calls the service, or rejects the request.
    pub(crate) async fn respond(mut self, request: Request<Incoming>) -> Result<Response<ResponseBody>, Infallible> {
        let mut response = match self.admit(&request) {
            Ok(queued) => {
                if let Some(admitted) = queued {
                    let is_read = self.admitted == Some(Lane::Reads);
                    let _queued = is_read.then(|| self.connection.shared.gauges.queue_read());
                    // An error means that the queue is gone; then there is nothing to wait for.
                    let _ = admitted.await;
                }
                let connection = &self.connection;
                let (gauges, max_slow_bodies) = (&connection.shared.gauges, connection.shared.options.max_in_flight);
                let request = request.map(|body| RequestBody::new(body, gauges, max_slow_bodies));
                connection.shared.service.call(request, connection.peer).await
            }
            Err(rejection) => {
                let (parts, _) = request.into_parts();
                self.connection.shared.service.reject(rejection, &parts)
            }
        };
        // While draining hyper closes the connection without announcing it. HTTP/2 has GOAWAY instead of this header.
        if self.connection.shared.drain.stage() != Stage::Serving && self.version != Version::HTTP_2 {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        let watch = &self.connection.watch;
        Ok(response.map(|body| ResponseBody::new(body, watch)))
    }

    /// Admits a request, at once or after waiting in the queue, or rejects it.
    fn admit(&mut self, request: &Request<Incoming>) -> Result<Option<oneshot::Receiver<()>>, Rejection> {
        let shared = &self.connection.shared;
        if shared.drain.stage() != Stage::Serving {
            return Err(Rejection::ShuttingDown);
        }
        if let Some(rejection) = malformed(request, &shared.options) {
            return Err(rejection);
        }
        let lane = match *request.method() {
            Method::GET | Method::HEAD | Method::OPTIONS => Lane::Reads,
            _ => shared.service.lane(request.method(), request.uri().path()),
        };
        if !shared.gauges.enter(lane, shared.options.max_in_flight, shared.options.max_connections) {
            return Err(Rejection::Overloaded);
        }
        self.admitted = Some(lane);
        match shared.admission.admit(lane) {
            Decision::Start => Ok(None),
            Decision::Wait(admitted) => Ok(Some(admitted)),
            Decision::Reject => {
                shared.gauges.request_shed();
                Err(Rejection::Overloaded)
            }
        }
    }
}

impl<S> Drop for Exchange<S> {
    fn drop(&mut self) {
        if let Some(lane) = self.admitted {
            self.connection.shared.gauges.leave(lane);
        }
        self.connection.watch.handling_ends();
    }
}

/// The checks that hyper does not make. A request is rejected if it names no host, or if two parsers could disagree on
/// the host it names.
fn malformed<B>(request: &Request<B>, options: &ServerOptions) -> Option<Rejection> {
    if target_bytes(request.uri()) > options.max_target_bytes {
        return Some(Rejection::TargetTooLong);
    }
    // One pass for both checks, because every request takes it.
    let (mut bytes, mut hosts, mut has_bad_host) = (0, 0, false);
    for (name, value) in request.headers() {
        // As in HTTP/1.1: a colon, a space and a line end for each header.
        bytes += name.as_str().len() + value.len() + 4;
        if name == HOST {
            hosts += 1;
            has_bad_host |= !value.as_bytes().iter().copied().all(can_be_in_host);
        }
    }
    if bytes > options.max_header_bytes {
        return Some(Rejection::HeadersTooLarge);
    }
    let is_valid = match hosts {
        0 => may_lack_host(request),
        _ => hosts == 1 && !has_bad_host,
    };
    (!is_valid).then_some(Rejection::BadHost)
}

fn target_bytes(uri: &Uri) -> usize {
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |name| name.as_str().len());
    // HTTP/2 sends scheme and authority separately; counting them gives one rule for both versions.
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + 3);
    path + authority + scheme
}

/// HTTP/1.0 has no `Host` header, and HTTP/2 has the authority instead.
fn may_lack_host<B>(request: &Request<B>) -> bool {
    match request.version() {
        Version::HTTP_2 => request.uri().authority().is_some(),
        Version::HTTP_11 => false,
        _ => true,
    }
}

fn can_be_in_host(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@' | b',' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal_of(version: Version, target: &str, headers: &[(&str, &str)]) -> Option<Rejection> {
        let mut request = Request::builder().version(version).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        malformed(&request.body(()).unwrap(), &ServerOptions::default())
    }

    #[test]
    fn a_request_names_exactly_one_host() {
        let bad = Some(Rejection::BadHost);
        let host = ("host", "a.example:8080");
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host]), None);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[("host", "[::1]:80")]), None);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[]), bad);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host, host]), bad);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[("host", "a, b")]), bad);
        assert_eq!(refusal_of(Version::HTTP_11, "http://a/", &[]), bad);
        assert_eq!(refusal_of(Version::HTTP_11, "http://a/", &[host]), None);
        assert_eq!(refusal_of(Version::HTTP_10, "/", &[]), None);
        assert_eq!(refusal_of(Version::HTTP_10, "/", &[host, host]), bad);
        assert_eq!(refusal_of(Version::HTTP_2, "http://a/", &[]), None);
        assert_eq!(refusal_of(Version::HTTP_2, "/", &[host]), None);
        assert_eq!(refusal_of(Version::HTTP_2, "/", &[]), bad);
    }

    #[test]
    fn sizes_are_limited_to_the_byte() {
        let host = ("host", "a");
        let target = format!("/{}", "x".repeat(8191));
        assert_eq!(refusal_of(Version::HTTP_11, &target, &[host]), None);
        let target = format!("{target}x");
        assert_eq!(refusal_of(Version::HTTP_11, &target, &[host]), Some(Rejection::TargetTooLong));
        // `host: a` and its line end are 9 of the 16,384, `x: ` and its line end 5.
        let filler = "x".repeat(16 * 1024 - 9 - 5);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host, ("x", &filler)]), None);
        let filler = format!("{filler}x");
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host, ("x", &filler)]), Some(Rejection::HeadersTooLarge));
    }
}
