//! A socket that reports its activity to the watchdog, and that reads remaining input before it closes.
//! It knows where a head begins, never its content.

use crate::frames::Frames;
use crate::opening::Opening;
use crate::watch::Watch;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The number of bytes that are read and discarded after we closed our side.
const LINGER_BYTES: usize = 1024 * 1024;

/// The socket that hyper uses.
#[derive(Debug)]
pub(crate) struct WatchedStream {
    stream: TcpStream,
    watch: Arc<Watch>,
    /// The bytes that were read before hyper took over, and how many of them hyper has read.
    opening: Vec<u8>,
    opening_read: usize,
    /// Present when the connection speaks HTTP/2.
    frames: Option<Frames>,
    lingered: usize,
}

impl WatchedStream {
    pub(crate) fn new(stream: TcpStream, opening: Opening, watch: Arc<Watch>) -> Self {
        WatchedStream {
            stream,
            watch,
            opening: opening.bytes,
            opening_read: 0,
            frames: opening.is_http2.then(Frames::new),
            lingered: 0,
        }
    }

    /// The socket, for a connection that becomes idle.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }

    fn note_read(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.frames {
            Some(frames) => frames.feed(bytes, &self.watch.head),
            // While a request is handled, these bytes are its body or a pipelined head, which hyper parses only after the
            // response.
            None if self.watch.is_handling() => {}
            None => self.watch.head.begin(),
        }
    }

    fn note_write<T>(&self, written: &Poll<io::Result<T>>) {
        if written.is_pending() {
            self.watch.stall.begin();
        }
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if self.opening_read < self.opening.len() {
            let rest = &self.opening[self.opening_read..];
            let taken = rest.len().min(buf.remaining());
            buf.put_slice(&rest[..taken]);
            self.opening_read += taken;
            if self.opening_read == self.opening.len() {
                self.opening = Vec::new();
                self.opening_read = 0;
            }
        } else {
            ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        }
        self.note_read(&buf.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.note_write(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes only when it has nothing left to write. A stall ends here and not at the next byte, so that a peer
    /// cannot extend the timeout by reading byte by byte.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.watch.stall.end();
        Poll::Ready(Ok(()))
    }

    /// Closing a socket with unread bytes sends a reset, which may destroy a response on its way, such as a 413 to an
    /// upload. So input is read for a while after our side is closed.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.watch.linger.is_open() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            if self.watch.closes_at_once() {
                return Poll::Ready(Ok(()));
            }
            self.watch.linger.begin();
        }
        let mut scratch = [0; 4096];
        while self.lingered < LINGER_BYTES {
            let mut buf = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buf)) {
                Ok(()) if !buf.filled().is_empty() => self.lingered += buf.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
