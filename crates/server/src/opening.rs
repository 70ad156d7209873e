//! Reads the first bytes of a new or idle connection: the HTTP version, and usually a whole request head.
//!
//! hyper has no timer for this phase and allocates its buffers at once. Read here, a silent peer costs one task, and a peer
//! that sends its head slowly costs one kilobyte more.

use crate::drain::{CLOSE_DELAY, Stage};
use crate::shared::Shared;
use std::io;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const MAX_BYTES: usize = 1024;

/// The first bytes of a connection.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_http2: bool,
    pub(crate) first_byte: Instant,
}

/// What happened on the connection before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before {
    Nothing,
    /// An HTTP/1.1 request; idle since then.
    Request(Instant),
}

/// Reads until the version is known and, for HTTP/1.1, a whole head or one kilobyte of it has arrived.
/// Returns `None` if the peer disconnected, was silent, or was too slow.
pub(crate) async fn read<S>(shared: &Shared<S>, stream: &mut TcpStream, before: Before) -> Option<Opening> {
    let _idle = matches!(before, Before::Request(_)).then(|| shared.gauges.release_idle());
    let mut bytes = Vec::new();
    let mut first_byte = None;
    let mut deadline = match before {
        Before::Nothing => Instant::now() + shared.options.header_timeout,
        Before::Request(idle_since) => idle_since + shared.options.idle_timeout,
    };
    loop {
        let change = shared.drain.changed();
        match shared.drain.stage() {
            Stage::Serving => {}
            Stage::Draining if !bytes.is_empty() => {}
            Stage::Draining => deadline = deadline.min(Instant::now() + CLOSE_DELAY),
            Stage::Cut => return None,
        }
        tokio::select! {
            biased;
            read = read_some(stream, &mut bytes) => {
                let seen = bytes.len() - read.ok().filter(|count| *count > 0)?;
                let first_byte = *first_byte.get_or_insert_with(Instant::now);
                deadline = first_byte + shared.options.header_timeout;
                let ready_as = match before {
                    Before::Nothing => ready_as(&bytes, seen),
                    Before::Request(_) => is_ready(&bytes, seen).then_some(false),
                };
                if let Some(is_http2) = ready_as {
                    return Some(Opening { bytes, is_http2, first_byte });
                }
            }
            () = change => {}
            () = sleep_until(deadline) => {
                let was_slow = first_byte.is_some() || matches!(before, Before::Nothing);
                // While draining, an unused connection is closed early; that is not a timeout.
                if was_slow && shared.drain.stage() == Stage::Serving {
                    shared.gauges.connection_timed_out();
                }
                return None;
            }
        }
    }
}

/// Waits for bytes and then reads them. There is no buffer until something has arrived.
async fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<usize> {
    stream.readable().await?;
    bytes.reserve_exact(MAX_BYTES - bytes.len());
    stream.read_buf(bytes).await
}

/// Whether to pass the connection to hyper, and if so whether as HTTP/2. `before` bytes have been checked already.
fn ready_as(bytes: &[u8], before: usize) -> Option<bool> {
    if bytes.starts_with(PREFACE) {
        return Some(true);
    }
    if PREFACE.starts_with(bytes) {
        return None;
    }
    is_ready(bytes, before).then_some(false)
}

fn is_ready(bytes: &[u8], before: usize) -> bool {
    // hyper rejects at once what cannot be a head, such as a TLS handshake.
    let cannot_be_a_head = !bytes[0].is_ascii_alphabetic();
    cannot_be_a_head || bytes.len() >= MAX_BYTES || has_blank_line(bytes, before)
}

/// Accepts the same line endings as hyper.
fn has_blank_line(bytes: &[u8], before: usize) -> bool {
    let unseen = &bytes[before.saturating_sub(2)..];
    unseen.windows(2).any(|pair| pair == b"\n\n") || unseen.windows(3).any(|three| three == b"\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_known_at_the_first_byte_that_differs() {
        for len in 1..PREFACE.len() {
            assert_eq!(ready_as(&PREFACE[..len], 0), None);
        }
        assert_eq!(ready_as(PREFACE, 0), Some(true));
        assert_eq!(ready_as(&[PREFACE, b"more"].concat(), 0), Some(true));
        assert_eq!(ready_as(b"PRI * HTTP/1.1\r\n\r\n", 0), Some(false));
    }

    #[test]
    fn a_head_is_passed_on_whole() {
        let head = b"POST / HTTP/1.1\r\nhost: a\r\n\r\n";
        for len in 1..head.len() {
            assert_eq!(ready_as(&head[..len], len - 1), None, "{len}");
        }
        assert_eq!(ready_as(head, head.len() - 1), Some(false));
        assert_eq!(ready_as(b"GET / HTTP/1.1\n\n", 15), Some(false));
    }

    #[test]
    fn a_long_or_impossible_head_is_passed_on_at_once() {
        assert_eq!(ready_as(&[b'x'; MAX_BYTES], 1000), Some(false));
        assert_eq!(ready_as(&[0x16, 3, 1], 0), Some(false));
    }
}
