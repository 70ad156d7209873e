//! One request and its answer: whether the shared lets it through, and what it counts meanwhile.
//! The shared refuses, it does not explain: the wording of a rejection is the service's.

use crate::admission::Turn;
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

/// A request under way. It is counted from its making to its end, however it ends.
pub(crate) struct Exchange<S> {
    visit: Arc<ConnectionContext<S>>,
    version: Version,
    /// In which line it was let in, if it was.
    admitted: Option<Lane>,
}

impl<S: Service> Exchange<S> {
    /// Called by hyper's connection itself, before the handler's task exists: otherwise an HTTP/2
    /// connection could look idle in between.
    pub(crate) fn begin(visit: Arc<ConnectionContext<S>>, version: Version) -> Self {
        visit.watch.handling_begins();
        if version != Version::HTTP_2 {
            visit.watch.head.end();
        }
        Exchange { visit, version, admitted: None }
    }

    /// Answers a request: by the service, or by its rejection.
    pub(crate) async fn answer(mut self, request: Request<Incoming>) -> Result<Response<ResponseBody>, Infallible> {
        let mut response = match self.admit(&request) {
            Ok(turn) => {
                if let Some(its_turn) = turn {
                    let is_read = self.admitted == Some(Lane::Reads);
                    let _standing = is_read.then(|| self.visit.shared.gauges.stand());
                    // An error would say that the line is gone; then there is nothing to wait for.
                    let _ = its_turn.await;
                }
                let visit = &self.visit;
                let (gauges, max_dribbling) = (&visit.shared.gauges, visit.shared.options.max_in_flight);
                let request = request.map(|body| RequestBody::new(body, gauges, max_dribbling));
                visit.shared.service.call(request, visit.peer).await
            }
            Err(rejection) => {
                let (parts, _) = request.into_parts();
                self.visit.shared.service.reject(rejection, &parts)
            }
        };
        // hyper closes the connection by itself then, but does not say so. HTTP/2 has GOAWAY for this,
        // and no such header.
        if self.visit.shared.drain.stage() != Stage::Serving && self.version != Version::HTTP_2 {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        let watch = &self.visit.watch;
        Ok(response.map(|body| ResponseBody::new(body, watch)))
    }

    /// Lets a request in, at once or when its turn comes.
    fn admit(&mut self, request: &Request<Incoming>) -> Result<Option<oneshot::Receiver<()>>, Rejection> {
        let shared = &self.visit.shared;
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
        match shared.admission.take(lane) {
            Turn::Now => Ok(None),
            Turn::Later(its_turn) => Ok(Some(its_turn)),
            Turn::Never => {
                shared.gauges.request_shed();
                Err(Rejection::Overloaded)
            }
        }
    }
}

impl<S> Drop for Exchange<S> {
    fn drop(&mut self) {
        if let Some(lane) = self.admitted {
            self.visit.shared.gauges.leave(lane);
        }
        self.visit.watch.handling_ends();
    }
}

/// hyper leaves all of this to us. A request that two readers could take for different hosts is refused,
/// and so is one that names none.
fn malformed<B>(request: &Request<B>, options: &ServerOptions) -> Option<Rejection> {
    if target_bytes(request.uri()) > options.max_target_bytes {
        return Some(Rejection::TargetTooLong);
    }
    // One pass for both: this is the path of every request.
    let (mut bytes, mut hosts, mut has_bad_host) = (0, 0, false);
    for (name, value) in request.headers() {
        // As on the wire of HTTP/1.1: a colon, a space and a line end to each.
        bytes += name.as_str().len() + value.len() + 4;
        if name == HOST {
            hosts += 1;
            has_bad_host |= !value.as_bytes().iter().copied().all(can_be_in_host);
        }
    }
    if bytes > options.max_header_bytes {
        return Some(Rejection::HeadersTooLarge);
    }
    let is_named = match hosts {
        0 => may_be_nameless(request),
        _ => hosts == 1 && !has_bad_host,
    };
    (!is_named).then_some(Rejection::BadHost)
}

fn target_bytes(uri: &Uri) -> usize {
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |name| name.as_str().len());
    // An HTTP/2 target has the scheme and the authority apart; counting them too keeps one rule.
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + 3);
    path + authority + scheme
}

/// HTTP/1.0 knew no hosts, and HTTP/2 has the authority in their place.
fn may_be_nameless<B>(request: &Request<B>) -> bool {
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
    fn a_request_names_one_host() {
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
    fn sizes_are_allowed_to_the_byte() {
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
