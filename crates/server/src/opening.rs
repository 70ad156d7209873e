//! The first bytes of a request that a connection begins with, or that end its rest: which version it speaks, and with
//! luck a whole head. No timer of hyper's runs that early, and hyper gives a connection its buffers at once; read here, a
//! peer that is silent costs a task, and one that dribbles its head a kilobyte more.

use crate::drain::{CLOSE_DELAY, Stage};
use crate::shared::Shared;
use std::io;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const MAX_BYTES: usize = 1024;

/// What a connection began with.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_http2: bool,
    pub(crate) first_byte: Instant,
}

/// What came before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before {
    Nothing,
    /// HTTP/1.1, and nothing more since then.
    Request(Instant),
}

/// Reads until the version is clear and, for HTTP/1.1, a whole head is here or a kilobyte of one.
/// Nothing, if the peer left, stayed silent, or was too slow.
pub(crate) async fn read<S>(shared: &Shared<S>, stream: &mut TcpStream, before: Before) -> Option<Opening> {
    let _resting = matches!(before, Before::Request(_)).then(|| shared.gauges.rest());
    let mut bytes = Vec::new();
    let mut first_byte = None;
    let mut deadline = match before {
        Before::Nothing => Instant::now() + shared.options.header_timeout,
        Before::Request(idle_since) => idle_since + shared.options.idle_timeout,
    };
    loop {
        let bell = shared.drain.bell();
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
            () = bell => {}
            () = sleep_until(deadline) => {
                let was_slow = first_byte.is_some() || matches!(before, Before::Nothing);
                // When draining, an unused connection is closed early and nobody was slow.
                if was_slow && shared.drain.stage() == Stage::Serving {
                    shared.gauges.connection_timed_out();
                }
                return None;
            }
        }
    }
}

/// Reads what is there, once something is: until then there is no buffer.
async fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<usize> {
    stream.readable().await?;
    bytes.reserve_exact(MAX_BYTES - bytes.len());
    stream.read_buf(bytes).await
}

/// Whether hyper should have the connection now, and if so whether as HTTP/2. `before` bytes have been
/// looked at already.
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
    // What cannot become a head (a TLS greeting, say) is hyper's to refuse, at once.
    let cannot_be_a_head = !bytes[0].is_ascii_alphabetic();
    cannot_be_a_head || bytes.len() >= MAX_BYTES || has_blank_line(bytes, before)
}

/// Lines end as leniently as hyper lets them.
fn has_blank_line(bytes: &[u8], before: usize) -> bool {
    let unseen = &bytes[before.saturating_sub(2)..];
    unseen.windows(2).any(|pair| pair == b"\n\n") || unseen.windows(3).any(|three| three == b"\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_decided_at_the_first_byte_that_can_tell() {
        for len in 1..PREFACE.len() {
            assert_eq!(ready_as(&PREFACE[..len], 0), None);
        }
        assert_eq!(ready_as(PREFACE, 0), Some(true));
        assert_eq!(ready_as(&[PREFACE, b"more"].concat(), 0), Some(true));
        assert_eq!(ready_as(b"PRI * HTTP/1.1\r\n\r\n", 0), Some(false));
    }

    #[test]
    fn a_head_is_handed_over_whole() {
        let head = b"POST / HTTP/1.1\r\nhost: a\r\n\r\n";
        for len in 1..head.len() {
            assert_eq!(ready_as(&head[..len], len - 1), None, "{len}");
        }
        assert_eq!(ready_as(head, head.len() - 1), Some(false));
        assert_eq!(ready_as(b"GET / HTTP/1.1\n\n", 15), Some(false));
    }

    #[test]
    fn what_is_long_or_no_head_is_not_waited_for() {
        assert_eq!(ready_as(&[b'x'; MAX_BYTES], 1000), Some(false));
        assert_eq!(ready_as(&[0x16, 3, 1], 0), Some(false));
    }
}
