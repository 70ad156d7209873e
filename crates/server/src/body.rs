//! Request bodies: all of one, or why not.
//! The limit is kept while reading, so that a body without a declared length costs no more.

use crate::gauges::Gauges;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What a body may take before it counts as slow.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is larger than allowed, or says that it will be.
    TooLarge,
    /// It did not arrive whole in time.
    TimedOut,
    /// The peer went away, or broke the framing.
    Aborted,
    /// It dribbles, and too many others do.
    TooMany,
}

/// A request's body, on its way.
#[derive(Debug)]
pub struct RequestBody {
    incoming: Incoming,
    gauges: Arc<Gauges>,
    max_dribbling: usize,
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming, gauges: &Arc<Gauges>, max_dribbling: usize) -> Self {
        RequestBody { incoming, gauges: Arc::clone(gauges), max_dribbling }
    }

    /// There is none, or no more of it.
    pub fn is_empty(&self) -> bool {
        self.incoming.is_end_stream()
    }

    /// Reads a whole body of at most `max_bytes` within `time`. One that declares more is refused before a byte of it
    /// is read (and before a `100 Continue`); one that arrives in a single frame is not copied.
    pub async fn read(self, max_bytes: usize, time: Duration) -> Result<Bytes, BodyError> {
        if self.incoming.size_hint().lower() > max_bytes as u64 {
            return Err(BodyError::TooLarge);
        }
        if self.is_empty() {
            return Ok(Bytes::new());
        }
        // Boxed, so that the many requests without a body do not carry what reading one takes.
        let mut whole = Box::pin(collect(self.incoming, max_bytes));
        // Those who wait for a body would otherwise take the places of all who do not.
        let _arriving = self.gauges.arrive();
        // The timer is registered only if the body is not here already.
        if let Ok(whole) = timeout(AT_ONCE.min(time), &mut whole).await {
            return whole;
        }
        let _dribbling = self.gauges.dribble(self.max_dribbling).ok_or(BodyError::TooMany)?;
        timeout(time.saturating_sub(AT_ONCE), whole).await.unwrap_or(Err(BodyError::TimedOut))
    }
}

async fn collect(mut body: Incoming, max_bytes: usize) -> Result<Bytes, BodyError> {
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Aborted)?;
        // Trailers mean nothing to any endpoint.
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
                // Room for what is here, not for what was announced: who dribbles holds no more than they sent.
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
