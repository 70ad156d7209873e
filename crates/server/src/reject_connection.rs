//! A connection too many: one short answer, without reading what was asked.

use crate::service::{Rejection, Service};
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How many may be told why at once; the rest are closed without a word, so that turning connections
/// away never costs more than serving them would.
const MAX_AT_ONCE: usize = 256;
const TIME: Duration = Duration::from_secs(1);

/// Those being turned away now.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionRejector(Arc<AtomicUsize>);

impl ConnectionRejector {
    pub(crate) fn reject<S: Service>(&self, service: &S, stream: TcpStream) {
        if self.0.load(Relaxed) >= MAX_AT_ONCE {
            return;
        }
        self.0.fetch_add(1, Relaxed);
        let at_once = self.clone();
        // The request is not read, so its wording cannot depend on one.
        let (nobody, ()) = Request::new(()).into_parts();
        let answer = on_the_wire(service.reject(Rejection::Overloaded, &nobody));
        tokio::spawn(async move {
            // Whether it arrives is the peer's affair.
            let _ = timeout(TIME, tell(stream, &answer)).await;
            at_once.0.fetch_sub(1, Relaxed);
        });
    }
}

async fn tell(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    // Bytes left unread would turn our close into a reset and destroy the answer.
    let mut scratch = [0; 1024];
    while stream.read(&mut scratch).await? > 0 {}
    Ok(())
}

fn on_the_wire(response: Response<Full<Bytes>>) -> Vec<u8> {
    let (mut head, mut body) = response.into_parts();
    let mut no_task = Context::from_waker(Waker::noop());
    let body = match Pin::new(&mut body).poll_frame(&mut no_task) {
        Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
        _ => Bytes::new(),
    };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.remove(CONNECTION);
    let mut wire =
        format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n", head.status, body.len()).into_bytes();
    for (name, value) in &head.headers {
        wire.extend_from_slice(name.as_str().as_bytes());
        wire.extend_from_slice(b": ");
        wire.extend_from_slice(value.as_bytes());
        wire.extend_from_slice(b"\r\n");
    }
    wire.extend_from_slice(b"\r\n");
    wire.extend_from_slice(&body);
    wire
}
