//! What a server allows its peers: time, connections, requests and bytes.

use std::time::Duration;

/// What the shared allows.
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
