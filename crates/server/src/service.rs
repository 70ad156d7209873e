//! What the server serves: the interface between the HTTP shared and an application.

use crate::body::RequestBody;
use crate::lane::Lane;
use bytes::Bytes;
use http_body_util::Full;
use std::future::Future;
use std::net::SocketAddr;

/// Why a request did not reach [`Service::call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Too many requests in flight, or one waiting for too long, or too many connections: 503 with `Retry-After`.
    Overloaded,
    /// The server is stopping: 503 with `Retry-After`.
    ShuttingDown,
    /// 431.
    HeadersTooLarge,
    /// 414.
    TargetTooLong,
    /// No `Host`, or more than one, or one that cannot be: 400.
    BadHost,
}

/// What the server serves.
pub trait Service: Send + Sync + 'static {
    /// Answers a request. Over HTTP/2 it is dropped unfinished if the peer resets the stream; over
    /// HTTP/1.1 it runs to its end, whether or not anyone is left to read the answer.
    fn call(
        &self,
        request: http::Request<RequestBody>,
        peer: SocketAddr,
    ) -> impl Future<Output = http::Response<Full<Bytes>>> + Send;

    /// The line of a request whose method is not one that only reads.
    fn lane(&self, _: &http::Method, _: &str) -> Lane {
        Lane::Writes
    }

    /// Answers a request that the shared refuses. For a connection refused before a request was read,
    /// `request` is an empty `GET /`.
    fn reject(&self, rejection: Rejection, request: &http::request::Parts) -> http::Response<Full<Bytes>>;
}
