//! The two classes of requests that admission control tells apart.

/// Which line a request stands in when there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    Reads,
    /// What changes something: it costs more, and is safe to be sent again.
    Writes,
}
