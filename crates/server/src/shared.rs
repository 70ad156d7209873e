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
    // Larger than our limits, so that a head slightly above them receives our response and not hyper's.
    let buffer = options.max_header_bytes + options.max_target_bytes + 40 * 1024;
    let mut builder = http1::Builder::new();
    // The watchdog enforces the header timeout, because hyper's would also end idle connections. The number of headers
    // stays at hyper's 100: any other number costs an allocation per request. Detecting a disconnect while a request is
    // handled would cost one as well (a second read buffer), so a client may close its half and the request continues.
    builder.header_read_timeout(None).max_buf_size(buffer).half_close(true);
    builder
}

fn http2_builder(options: &ServerOptions) -> http2::Builder<TokioExecutor> {
    // HTTP/2 adds 32 bytes to every header, and counts the target as headers.
    let header_list = options.max_header_bytes + options.max_target_bytes + 8 * 1024;
    let mut builder = http2::Builder::new(TokioExecutor::new());
    // No pings: a dead peer is idle, and idle connections time out.
    builder
        .max_concurrent_streams(250)
        .max_header_list_size(u32::try_from(header_list).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(50)
        .max_local_error_reset_streams(256)
        .max_send_buf_size(64 * 1024)
        // The memory that unread bodies may use, per stream and per connection.
        .initial_stream_window_size(128 * 1024)
        .initial_connection_window_size(512 * 1024);
    builder
}
