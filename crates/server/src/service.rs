//! What the server serves: the interface between the HTTP shared and an application.

use crate::body::RequestBody;
use crate::lane::Lane;
use bytes::Bytes;
use http_body_util::Full;
use std::future::Future;
use std::net::SocketAddr;

/// Why the server rejected a request before [`Service::call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Too many requests in flight, too long a queue, or too many connections: 503 with `Retry-After`.
    Overloaded,
    /// The server is stopping: 503 with `Retry-After`.
    ShuttingDown,
    /// 431.
    HeadersTooLarge,
    /// 414.
    TargetTooLong,
    /// No `Host` header, several, or an invalid one: 400.
    BadHost,
}

/// What the server serves.
pub trait Service: Send + Sync + 'static {
    /// Handles a request. Over HTTP/2 the future is dropped if the peer resets the stream. Over HTTP/1.1 it runs to its
    /// end, even if the peer has disconnected.
    fn call(
        &self,
        request: http::Request<RequestBody>,
        peer: SocketAddr,
    ) -> impl Future<Output = http::Response<Full<Bytes>>> + Send;

    /// The lane of a request whose method is not GET, HEAD or OPTIONS.
    fn lane(&self, _: &http::Method, _: &str) -> Lane {
        Lane::Writes
    }

    /// The response to a request that the server rejects. For a connection that is rejected before a request was read,
    /// `request` is an empty `GET /`.
    fn reject(&self, rejection: Rejection, request: &http::request::Parts) -> http::Response<Full<Bytes>>;
}
