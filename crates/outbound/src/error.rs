//! Why a call failed. The texts are for the operator; they hold no token and no secret.

use std::net::IpAddr;

/// The longest response body that is read by default.
pub(crate) const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Why there is no usable response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The name has no address.
    #[error("the host name cannot be resolved")]
    Unresolved,
    /// Every address is one that must not be connected to.
    #[error(
        "the host is at {0}, which is not on the internet; allow private addresses for this provider if that is meant"
    )]
    Forbidden(IpAddr),
    /// The connection failed.
    #[error("no connection can be made: {0}")]
    Unreachable(String),
    /// The connection was closed before there was a response. A pooled connection can be closed while it is taken, so a
    /// caller that may safely repeat the call does so once.
    #[error("the server closed the connection before it responded")]
    Closed,
    /// The call took too long.
    #[error("no complete response within the timeout")]
    TimedOut,
    /// The response is longer than the limit.
    #[error("the response is longer than {0} bytes")]
    TooLarge(usize),
    /// Redirects are not followed.
    #[error("the response is a redirect, and redirects are not followed")]
    Redirect,
    /// Another status than 200.
    #[error("the response has status {0}")]
    Status(u16),
    /// The content is not what it should be.
    #[error("the response {0}")]
    Malformed(&'static str),
    /// Too many calls to this endpoint are in progress.
    #[error("too many requests to it are in progress")]
    Busy,
}
