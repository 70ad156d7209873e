//! One request and its answer: whether the edge lets it through, and what it counts meanwhile.
//! The edge refuses, it does not explain: the wording of a refusal is the service's.

use super::connection::Visit;
use super::drain::Stage;
use super::turns::Turn;
use super::watch::Watch;
use super::{Lane, Refusal, RequestBody, ServerOptions, Service};
use bytes::{Buf, Bytes};
use http::header::{CONNECTION, HOST, HeaderValue};
use http::{Method, Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// A request under way. It is counted from its making to its end, however it ends.
pub(super) struct Exchange<S> {
    visit: Arc<Visit<S>>,
    version: Version,
    /// In which line it was let in, if it was.
    admitted: Option<Lane>,
}

impl<S: Service> Exchange<S> {
    /// Called by hyper's connection itself, before the handler's task exists: otherwise an HTTP/2
    /// connection could look idle in between.
    pub(super) fn begin(visit: Arc<Visit<S>>, version: Version) -> Self {
        visit.watch.handling_begins();
        if version != Version::HTTP_2 {
            visit.watch.head.end();
        }
        Exchange { visit, version, admitted: None }
    }

    /// Answers a request: by the service, or by its refusal.
    pub(super) async fn answer(mut self, request: Request<Incoming>) -> Result<Response<Answer>, Infallible> {
        let mut response = match self.admit(&request) {
            Ok(turn) => {
                if let Some(its_turn) = turn {
                    let is_read = self.admitted == Some(Lane::Reads);
                    let _standing = is_read.then(|| self.visit.edge.gauges.stand());
                    // An error would say that the line is gone; then there is nothing to wait for.
                    let _ = its_turn.await;
                }
                let visit = &self.visit;
                let (gauges, max_dribbling) = (&visit.edge.gauges, visit.edge.options.max_in_flight);
                let request = request.map(|body| RequestBody::new(body, gauges, max_dribbling));
                visit.edge.service.call(request, visit.peer).await
            }
            Err(refusal) => {
                let (parts, _) = request.into_parts();
                self.visit.edge.service.refuse(refusal, &parts)
            }
        };
        // hyper closes the connection by itself then, but does not say so. HTTP/2 has GOAWAY for this,
        // and no such header.
        if self.visit.edge.drain.stage() != Stage::Serving && self.version != Version::HTTP_2 {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        let watch = &self.visit.watch;
        Ok(response.map(|body| Answer::new(body, watch)))
    }

    /// Lets a request in, at once or when its turn comes.
    fn admit(&mut self, request: &Request<Incoming>) -> Result<Option<oneshot::Receiver<()>>, Refusal> {
        let edge = &self.visit.edge;
        if edge.drain.stage() != Stage::Serving {
            return Err(Refusal::ShuttingDown);
        }
        if let Some(refusal) = malformed(request, &edge.options) {
            return Err(refusal);
        }
        let lane = match *request.method() {
            Method::GET | Method::HEAD | Method::OPTIONS => Lane::Reads,
            _ => edge.service.lane(request.method(), request.uri().path()),
        };
        if !edge.gauges.enter(lane, edge.options.max_in_flight, edge.options.max_connections) {
            return Err(Refusal::Overloaded);
        }
        self.admitted = Some(lane);
        match edge.turns.take(lane) {
            Turn::Now => Ok(None),
            Turn::Later(its_turn) => Ok(Some(its_turn)),
            Turn::Never => {
                edge.gauges.request_shed();
                Err(Refusal::Overloaded)
            }
        }
    }
}

impl<S> Drop for Exchange<S> {
    fn drop(&mut self) {
        if let Some(lane) = self.admitted {
            self.visit.edge.gauges.leave(lane);
        }
        self.visit.watch.handling_ends();
    }
}

/// hyper leaves all of this to us. A request that two readers could take for different hosts is refused,
/// and so is one that names none.
fn malformed<B>(request: &Request<B>, options: &ServerOptions) -> Option<Refusal> {
    if target_bytes(request.uri()) > options.max_target_bytes {
        return Some(Refusal::TargetTooLong);
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
        return Some(Refusal::HeadersTooLarge);
    }
    let is_named = match hosts {
        0 => may_be_nameless(request),
        _ => hosts == 1 && !has_bad_host,
    };
    (!is_named).then_some(Refusal::BadHost)
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

/// The body of an answer. Its bytes are counted as waiting until the socket has taken them.
#[derive(Debug)]
pub(super) struct Answer {
    body: Full<Bytes>,
    waiting: Option<Waiting>,
}

impl Answer {
    fn new(body: Full<Bytes>, watch: &Arc<Watch>) -> Self {
        let waiting =
            (!body.is_end_stream()).then(|| Waiting { slot: watch.answer_begins(), watch: Arc::clone(watch) });
        Answer { body, waiting }
    }
}

impl Body for Answer {
    type Data = AnswerBytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<AnswerBytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map(|next| {
            next.map(|frame| {
                frame.map(|frame| frame.map_data(|bytes| AnswerBytes { bytes, _waiting: self.waiting.take() }))
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Debug)]
struct Waiting {
    slot: usize,
    watch: Arc<Watch>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.watch.answer_taken(self.slot);
    }
}

/// The bytes of an answer. hyper drops them once they are written, or once the stream is gone.
#[derive(Debug)]
pub(super) struct AnswerBytes {
    bytes: Bytes,
    _waiting: Option<Waiting>,
}

impl Buf for AnswerBytes {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }

    fn copy_to_bytes(&mut self, len: usize) -> Bytes {
        self.bytes.copy_to_bytes(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal_of(version: Version, target: &str, headers: &[(&str, &str)]) -> Option<Refusal> {
        let mut request = Request::builder().version(version).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        malformed(&request.body(()).unwrap(), &ServerOptions::default())
    }

    #[test]
    fn a_request_names_one_host() {
        let bad = Some(Refusal::BadHost);
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
        assert_eq!(refusal_of(Version::HTTP_11, &target, &[host]), Some(Refusal::TargetTooLong));
        // `host: a` and its line end are 9 of the 16,384, `x: ` and its line end 5.
        let filler = "x".repeat(16 * 1024 - 9 - 5);
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host, ("x", &filler)]), None);
        let filler = format!("{filler}x");
        assert_eq!(refusal_of(Version::HTTP_11, "/", &[host, ("x", &filler)]), Some(Refusal::HeadersTooLarge));
    }
}
