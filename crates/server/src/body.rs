//! Request bodies: read whole, or an error.
//! The size limit is enforced while reading, so that a body without a declared length cannot use more memory.

use crate::gauges::{Gauges, Paused};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The time after which a body counts as slow.
const SLOW_AFTER: Duration = Duration::from_millis(100);

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is larger than allowed, or declares to be.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// The peer disconnected, or sent an invalid frame.
    Aborted,
    /// It is slow, and too many others are.
    TooMany,
}

/// The body of a request that may not have arrived yet.
#[derive(Debug)]
pub struct RequestBody {
    incoming: Incoming,
    gauges: Arc<Gauges>,
    max_slow_bodies: usize,
}

/// Lets a read that waits for something to happen leave the requests in flight.
#[derive(Debug)]
pub struct Pauses(Arc<Gauges>);

impl Pauses {
    /// The request is not in flight while the guard lives: it takes no place from others.
    pub fn pause(&self) -> Paused<'_> {
        self.0.pause()
    }
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming, gauges: &Arc<Gauges>, max_slow_bodies: usize) -> Self {
        RequestBody { incoming, gauges: Arc::clone(gauges), max_slow_bodies }
    }

    /// The pauses of the request, which must be a read.
    pub fn pauses(&self) -> Pauses {
        Pauses(Arc::clone(&self.gauges))
    }

    /// Whether there is no body, or nothing left of it.
    pub fn is_empty(&self) -> bool {
        self.incoming.is_end_stream()
    }

    /// Reads a whole body of at most `max_bytes` within `time`. A body that declares more is rejected before it is read
    /// (and before a `100 Continue`). A body that arrives in a single frame is not copied.
    pub async fn read(self, max_bytes: usize, time: Duration) -> Result<Bytes, BodyError> {
        if self.incoming.size_hint().lower() > max_bytes as u64 {
            return Err(BodyError::TooLarge);
        }
        if self.is_empty() {
            return Ok(Bytes::new());
        }
        // Boxed, so that the future of a request without a body stays small.
        let mut whole = Box::pin(collect(self.incoming, max_bytes));
        // Requests that wait for a body do not count as in flight, so that slow uploads cannot block all others.
        let _awaiting = self.gauges.await_body();
        // The timer is registered only if the body has not arrived yet.
        if let Ok(whole) = timeout(SLOW_AFTER.min(time), &mut whole).await {
            return whole;
        }
        let _slow = self.gauges.slow_body(self.max_slow_bodies).ok_or(BodyError::TooMany)?;
        timeout(time.saturating_sub(SLOW_AFTER), whole).await.unwrap_or(Err(BodyError::TimedOut))
    }
}

async fn collect(mut body: Incoming, max_bytes: usize) -> Result<Bytes, BodyError> {
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Aborted)?;
        // No operation uses trailers.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if first.len() + whole.len() + data.len() > max_bytes {
            return Err(BodyError::TooLarge);
        }
        if first.is_empty() && whole.is_empty() {
            first = data;
        } else {
            if whole.is_empty() {
                // Reserve what has arrived and not what was declared: a slow peer holds no more memory than it sent.
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
