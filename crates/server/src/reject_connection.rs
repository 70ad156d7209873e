//! A connection above the limit: one short response, without reading the request.

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

/// The number of rejections sent at once. Further connections are closed without a response, so that rejecting never
/// costs more than serving.
const MAX_AT_ONCE: usize = 256;
const TIME: Duration = Duration::from_secs(1);

/// The connections that are being rejected.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionRejector(Arc<AtomicUsize>);

impl ConnectionRejector {
    pub(crate) fn reject<S: Service>(&self, service: &S, stream: TcpStream) {
        if self.0.load(Relaxed) >= MAX_AT_ONCE {
            return;
        }
        self.0.fetch_add(1, Relaxed);
        let at_once = self.clone();
        // The request is not read, so the response cannot depend on it.
        let (empty, ()) = Request::new(()).into_parts();
        let response = serialize(service.reject(Rejection::Overloaded, &empty));
        tokio::spawn(async move {
            // Best effort: an error concerns this peer only.
            let _ = timeout(TIME, send(stream, &response)).await;
            at_once.0.fetch_sub(1, Relaxed);
        });
    }
}

async fn send(mut stream: TcpStream, response: &[u8]) -> std::io::Result<()> {
    stream.write_all(response).await?;
    stream.shutdown().await?;
    // Closing with unread bytes sends a reset, which could destroy the response.
    let mut scratch = [0; 1024];
    while stream.read(&mut scratch).await? > 0 {}
    Ok(())
}

fn serialize(response: Response<Full<Bytes>>) -> Vec<u8> {
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
