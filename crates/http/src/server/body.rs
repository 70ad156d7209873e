//! Request bodies: all of one, or why not.
//! The limit is kept while reading, so that a body without a declared length costs no more.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use std::time::Duration;
use tokio::time::timeout;

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// It is larger than allowed, or says that it will be.
    TooLarge,
    /// It did not arrive whole in time.
    TimedOut,
    /// The peer went away, or broke the framing.
    Aborted,
}

/// Reads a whole body of at most `max_bytes` within `time`. One that declares more is refused before a
/// byte of it is read (and before a `100 Continue`); one that arrives in a single frame is not copied.
pub async fn read_body(body: Incoming, max_bytes: usize, time: Duration) -> Result<Bytes, BodyFault> {
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(BodyFault::TooLarge);
    }
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    // The timer is registered only if the body is not here already.
    let whole = timeout(time, collect(body, max_bytes));
    // Boxed, so that the many requests without a body do not carry what reading one takes.
    Box::pin(whole).await.unwrap_or(Err(BodyFault::TimedOut))
}

async fn collect(mut body: Incoming, max_bytes: usize) -> Result<Bytes, BodyFault> {
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or(max_bytes);
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyFault::Aborted)?;
        // Trailers mean nothing to any endpoint.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if first.len() + whole.len() + data.len() > max_bytes {
            return Err(BodyFault::TooLarge);
        }
        if first.is_empty() && whole.is_empty() {
            first = data;
        } else {
            if whole.is_empty() {
                whole.reserve(expected.max(first.len() + data.len()));
                whole.extend_from_slice(&first);
                first = Bytes::new();
            }
            whole.extend_from_slice(&data);
        }
        if body.is_end_stream() {
            break;
        }
    }
    Ok(if whole.is_empty() { first } else { whole.freeze() })
}
