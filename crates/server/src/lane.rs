//! The two classes of requests that admission control distinguishes.

/// The queue of a request when the server is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Reads,
    /// Requests that may change something. They cost more than reads, and a client can safely retry them.
    Writes,
}
