//! The body of a response, counted as waiting until the socket has taken its bytes.

use crate::watch::Watch;
use bytes::{Buf, Bytes};
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The body of a response.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    body: Full<Bytes>,
    waiting: Option<Waiting>,
}

impl ResponseBody {
    pub(crate) fn new(body: Full<Bytes>, watch: &Arc<Watch>) -> Self {
        let waiting =
            (!body.is_end_stream()).then(|| Waiting { slot: watch.response_begins(), watch: Arc::clone(watch) });
        ResponseBody { body, waiting }
    }
}

impl Body for ResponseBody {
    type Data = ResponseBytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<ResponseBytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map(|next| {
            next.map(|frame| {
                frame.map(|frame| frame.map_data(|bytes| ResponseBytes { bytes, _waiting: self.waiting.take() }))
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Debug)]
struct Waiting {
    slot: usize,
    watch: Arc<Watch>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.watch.response_taken(self.slot);
    }
}

/// The bytes of a response. hyper drops them once they are written, or once the stream is gone.
#[derive(Debug)]
pub(crate) struct ResponseBytes {
    bytes: Bytes,
    _waiting: Option<Waiting>,
}

impl Buf for ResponseBytes {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }

    fn copy_to_bytes(&mut self, len: usize) -> Bytes {
        self.bytes.copy_to_bytes(len)
    }
}
