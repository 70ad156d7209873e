//! The server's edge: sockets, time-outs, limits and the way down.
//! It hands whole requests to a [`Service`] and knows nothing of routes, problems or what is sold.
//! No peer, however slow or silent, holds a connection for longer than the options say.

mod accept;
mod body;
mod connection;
mod drain;
mod exchange;
mod frames;
mod gauges;
mod io;
mod opening;
mod turn_away;
mod turns;
mod watch;
mod watchdog;

pub use body::{BodyFault, RequestBody};
pub use gauges::Gauges;

use bytes::Bytes;
use drain::{Drain, Stage};
use http_body_util::Full;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioExecutor;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::timeout;
use turns::Turns;

const BACKLOG: u32 = 1024;

/// What the edge allows.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// For a request head, from its first byte; and for the first byte, from the accept.
    pub header_timeout: Duration,
    /// For a whole body. Kept by the reader of the body: see [`RequestBody::read`].
    pub body_timeout: Duration,
    /// For an answer to be taken, from the moment the peer stops taking it.
    pub write_timeout: Duration,
    /// For a connection between two requests.
    pub idle_timeout: Duration,
    /// For an HTTP/1.1 connection between two requests, until it gives back all but its socket.
    pub rest_after: Duration,
    /// For requests in flight, once the server is told to stop.
    pub drain_timeout: Duration,
    /// Connections open at once; the next is answered 503 and closed.
    pub max_connections: usize,
    /// Requests handled at once; the next is refused as overloaded. A quarter of the places is not for writes. Reads
    /// whose turn has not come and requests whose body is not here do not count among them; of those that wait for it
    /// for long there may be as many.
    pub max_in_flight: usize,
    /// How long the first of those waiting for their turn may have waited; then the next is refused as overloaded.
    pub max_wait: Duration,
    /// All header lines of a request together.
    pub max_header_bytes: usize,
    /// The target of a request: path and query, and what is before them.
    pub max_target_bytes: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            rest_after: Duration::from_millis(200),
            drain_timeout: Duration::from_secs(10),
            max_connections: 10_000,
            max_in_flight: 1_024,
            max_wait: Duration::from_millis(300),
            max_header_bytes: 16 * 1024,
            max_target_bytes: 8 * 1024,
        }
    }
}

/// Which line a request stands in when there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Reads,
    /// What changes something: it costs more, and is safe to be sent again.
    Writes,
}

/// Why a request did not reach [`Service::call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
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

    /// Answers a request that the edge refuses. For a connection refused before a request was read,
    /// `request` is an empty `GET /`.
    fn refuse(&self, refusal: Refusal, request: &http::request::Parts) -> http::Response<Full<Bytes>>;
}

/// What became of the requests in flight when the server was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    pub finished: usize,
    pub aborted: usize,
}

/// A bound socket, ready to serve.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local_addr: SocketAddr,
    options: ServerOptions,
    gauges: Arc<Gauges>,
}

/// What all connections share.
struct Edge<S> {
    service: Arc<S>,
    options: ServerOptions,
    gauges: Arc<Gauges>,
    drain: Drain,
    turns: Arc<Turns>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Server {
    /// Listens. Must be called within a tokio runtime.
    #[expect(clippy::unused_async, reason = "needs a runtime, and an async signature says so")]
    pub async fn bind(listen: SocketAddr, options: ServerOptions) -> std::io::Result<Server> {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        let listener = socket.listen(BACKLOG)?;
        Ok(Server { local_addr: listener.local_addr()?, listener, options, gauges: Arc::default() })
    }

    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Whether callers by IPv4 get through. At `[::]` they do where the system gives such a socket both families.
    pub fn takes_ipv4(&self) -> bool {
        match self.local_addr {
            SocketAddr::V4(_) => true,
            SocketAddr::V6(address) => {
                address.ip().is_unspecified() && rustix::net::sockopt::ipv6_v6only(&self.listener) == Ok(false)
            }
        }
    }

    pub fn gauges(&self) -> Arc<Gauges> {
        Arc::clone(&self.gauges)
    }

    /// Serves until `shutdown` resolves, then drains: stops accepting, closes idle connections, refuses
    /// new requests, and lets those in flight finish within the drain time-out.
    pub async fn serve<S: Service>(self, service: Arc<S>, shutdown: impl Future<Output = ()> + Send) -> Drained {
        let edge = Arc::new(Edge {
            http1: http1_builder(&self.options),
            http2: http2_builder(&self.options),
            turns: Turns::new(self.options.max_wait),
            service,
            options: self.options,
            gauges: self.gauges,
            drain: Drain::default(),
        });
        accept::until(&self.listener, &edge, shutdown).await;
        let in_flight = edge.gauges.requests_in_flight();
        edge.drain.advance(Stage::Draining);
        accept::waiting(&self.listener, &edge).await;
        drop(self.listener);
        if timeout(edge.options.drain_timeout, accept::all_closed(&edge)).await.is_err() {
            edge.drain.advance(Stage::Cut);
            // Dropping what is left takes no longer than for every task to be polled once.
            let _ = timeout(Duration::from_secs(1), accept::all_closed(&edge)).await;
        }
        let aborted = edge.drain.aborted_so_far();
        Drained { finished: in_flight.saturating_sub(aborted), aborted }
    }
}

fn http1_builder(options: &ServerOptions) -> http1::Builder {
    // Room for a head somewhat over our limits, so that it is our answer the client gets.
    let buffer = options.max_header_bytes + options.max_target_bytes + 40 * 1024;
    let mut builder = http1::Builder::new();
    // The watchdog has the timer: hyper's would also end connections that are merely idle. The number
    // of headers stays at hyper's 100: another number costs an allocation for every request. So does
    // looking for the peer's end while its request is handled (a second read buffer), for which a
    // client may close its half; that request runs to its end.
    builder.header_read_timeout(None).max_buf_size(buffer).half_close(true);
    builder
}

fn http2_builder(options: &ServerOptions) -> http2::Builder<TokioExecutor> {
    // HTTP/2 counts 32 bytes more for every header, and the target among them.
    let header_list = options.max_header_bytes + options.max_target_bytes + 8 * 1024;
    let mut builder = http2::Builder::new(TokioExecutor::new());
    // No pings: a dead peer is idle, and idle connections end anyway.
    builder
        .max_concurrent_streams(250)
        .max_header_list_size(u32::try_from(header_list).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(50)
        .max_local_error_reset_streams(256)
        .max_send_buf_size(64 * 1024)
        // What unread bodies may hold: a stream's, and all of a connection's together.
        .initial_stream_window_size(128 * 1024)
        .initial_connection_window_size(512 * 1024);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr, TcpStream};

    #[tokio::test]
    async fn who_gets_through_by_ipv4_is_what_the_socket_says() {
        let bind = |address: &str| Server::bind(address.parse().unwrap(), ServerOptions::default());
        assert!(bind("127.0.0.1:0").await.unwrap().takes_ipv4());
        let Ok(alone) = bind("[::1]:0").await else { return eprintln!("SKIPPED: this machine has no IPv6") };
        assert!(!alone.takes_ipv4());
        for only_ipv6 in [true, false] {
            let socket = TcpSocket::new_v6().unwrap();
            rustix::net::sockopt::set_ipv6_v6only(&socket, only_ipv6).unwrap();
            socket.bind((Ipv6Addr::UNSPECIFIED, 0).into()).unwrap();
            let listener = socket.listen(1).unwrap();
            let local_addr = listener.local_addr().unwrap();
            let server = Server { listener, local_addr, options: ServerOptions::default(), gauges: Arc::default() };
            assert_eq!(server.takes_ipv4(), !only_ipv6);
            let called = TcpStream::connect((Ipv4Addr::LOCALHOST, local_addr.port()));
            assert_eq!(called.is_ok(), server.takes_ipv4(), "and so it is");
        }
    }
}
