//! What all connections of a server share, and what all requests of a connection share.

use crate::admission::Admission;
use crate::drain::Drain;
use crate::gauges::Gauges;
use crate::options::ServerOptions;
use crate::watch::Watch;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioExecutor;
use std::net::SocketAddr;
use std::sync::Arc;

/// What all connections share.
pub(crate) struct Shared<S> {
    pub(crate) service: Arc<S>,
    pub(crate) options: ServerOptions,
    pub(crate) gauges: Arc<Gauges>,
    pub(crate) drain: Drain,
    pub(crate) admission: Arc<Admission>,
    pub(crate) http1: http1::Builder,
    pub(crate) http2: http2::Builder<TokioExecutor>,
}

/// What the requests of one connection have in common.
pub(crate) struct ConnectionContext<S> {
    pub(crate) shared: Arc<Shared<S>>,
    pub(crate) watch: Arc<Watch>,
    pub(crate) peer: SocketAddr,
}

impl<S> Shared<S> {
    /// Must be called within a tokio runtime.
    pub(crate) fn new(service: Arc<S>, options: ServerOptions, gauges: Arc<Gauges>) -> Self {
        Self {
            http1: http1_builder(&options),
            http2: http2_builder(&options),
            admission: Admission::new(options.max_wait),
            service,
            options,
            gauges,
            drain: Drain::default(),
        }
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
