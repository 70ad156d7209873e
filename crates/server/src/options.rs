//! What a server allows its peers: time, connections, requests and bytes.

use std::time::Duration;

/// Timeouts and limits of the server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The time for a request head from its first byte, and for the first byte from the accept.
    pub header_timeout: Duration,
    /// The time for a whole body. The caller of [`RequestBody::read`](crate::RequestBody::read) enforces it.
    pub body_timeout: Duration,
    /// The time for a peer to read a response, from the moment it stops reading.
    pub write_timeout: Duration,
    /// The time for a connection between two requests.
    pub idle_timeout: Duration,
    /// The idle time after which an HTTP/1.1 connection releases everything but its socket.
    pub rest_after: Duration,
    /// The time for requests in flight to finish during a graceful shutdown.
    pub drain_timeout: Duration,
    /// The number of open connections. The next one receives 503 and is closed.
    pub max_connections: usize,
    /// The number of requests handled at once. The next one is rejected as overloaded. A quarter is reserved for reads.
    /// Queued reads and requests that wait for their body do not count. The number of requests with a slow body has the
    /// same limit.
    pub max_in_flight: usize,
    /// The longest time in the queue. When the first request has waited longer, the next one is rejected as overloaded.
    pub max_wait: Duration,
    /// The size of all header lines of a request together.
    pub max_header_bytes: usize,
    /// The size of a request target: scheme, authority, path and query.
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
