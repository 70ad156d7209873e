//! Tracks where HTTP/2 frames begin and end, so that the watchdog can time out an unfinished header block.
//! h2 has no such timer.

use crate::watch::Span;

const PREFACE_BYTES: u32 = 24;
const FRAME_HEAD_BYTES: usize = 9;
const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;
const END_HEADERS: u8 = 0x4;

/// Follows the bytes that a client sends, starting with its preface.
#[derive(Debug)]
pub(crate) struct Frames {
    head: [u8; FRAME_HEAD_BYTES],
    head_len: usize,
    /// Bytes of the preface or of the current payload still to come.
    payload_left: u32,
    /// A HEADERS frame arrived without `END_HEADERS`, so only CONTINUATION can follow.
    block_open: bool,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Frames { head: [0; FRAME_HEAD_BYTES], head_len: 0, payload_left: PREFACE_BYTES, block_open: true }
    }

    /// Opens `span` at the first byte of a frame and closes it when the frame and its header block are complete. Body bytes
    /// are not watched: reading a body has its own timeout. The span stays open until the first whole frame after the
    /// preface.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], span: &Span) {
        while !bytes.is_empty() {
            if self.payload_left > 0 {
                let taken = bytes.len().min(self.payload_left as usize);
                bytes = &bytes[taken..];
                self.payload_left -= u32::try_from(taken).unwrap_or(self.payload_left);
                if self.payload_left == 0 && !self.block_open {
                    span.end();
                }
                continue;
            }
            if !self.block_open && self.head_len == 0 {
                span.begin();
            }
            let taken = bytes.len().min(FRAME_HEAD_BYTES - self.head_len);
            self.head[self.head_len..self.head_len + taken].copy_from_slice(&bytes[..taken]);
            self.head_len += taken;
            bytes = &bytes[taken..];
            if self.head_len == FRAME_HEAD_BYTES {
                self.head_len = 0;
                self.open_frame(span);
            }
        }
    }

    fn open_frame(&mut self, span: &Span) {
        let [a, b, c, kind, flags, ..] = self.head;
        self.payload_left = u32::from_be_bytes([0, a, b, c]);
        self.block_open = matches!(kind, HEADERS | CONTINUATION) && flags & END_HEADERS == 0;
        if kind == DATA || (self.payload_left == 0 && !self.block_open) {
            span.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut bytes = length[1..].to_vec();
        bytes.extend([kind, flags, 0, 0, 0, 1]);
        bytes.extend(payload);
        bytes
    }

    /// Whether the span is open after a preface and these bytes, fed in pieces of `step`.
    fn open_after(bytes: &[u8], step: usize) -> bool {
        let (span, mut frames) = (Span::opened(), Frames::new());
        for piece in [PREFACE, SETTINGS, bytes].concat().chunks(step) {
            frames.feed(piece, &span);
        }
        span.is_open()
    }

    #[test]
    fn the_span_stays_open_until_the_first_settings() {
        let (span, mut frames) = (Span::opened(), Frames::new());
        frames.feed(PREFACE, &span);
        assert!(span.is_open());
        frames.feed(&SETTINGS[..5], &span);
        assert!(span.is_open());
        frames.feed(&SETTINGS[5..], &span);
        assert!(!span.is_open());
    }

    #[test]
    fn whole_frames_leave_nothing_open_however_they_are_cut() {
        let headers = frame(HEADERS, 0, b"abc");
        let more = frame(CONTINUATION, 0, b"");
        let last = frame(CONTINUATION, END_HEADERS, b"de");
        let ping = frame(6, 0, b"12345678");
        let bytes = [headers, more, last, ping, frame(DATA, 1, b"body")].concat();
        for step in 1..60 {
            assert!(!open_after(&bytes, step), "in pieces of {step}");
        }
    }

    #[test]
    fn an_unfinished_block_or_frame_is_open() {
        for step in [1, 7, 1000] {
            assert!(open_after(&frame(HEADERS, 0, b"abc"), step));
            assert!(open_after(&frame(HEADERS, END_HEADERS, b"abc")[..10], step));
            assert!(open_after(&frame(6, 0, b"12345678")[..4], step));
            let dribble = [frame(HEADERS, 0, b"a"), frame(CONTINUATION, 0, b"b")].concat();
            assert!(open_after(&dribble, step));
        }
    }

    #[test]
    fn a_half_sent_body_frame_is_not_a_head() {
        assert!(!open_after(&frame(DATA, 0, b"0123456789")[..12], 5));
    }

    #[test]
    fn each_head_is_a_new_span() {
        let (span, mut frames) = (Span::opened(), Frames::new());
        frames.feed(&[PREFACE, SETTINGS].concat(), &span);
        let half = frame(HEADERS, 0, b"a");
        frames.feed(&half, &span);
        let first = span.read();
        frames.feed(&frame(CONTINUATION, END_HEADERS, b"b"), &span);
        frames.feed(&half, &span);
        assert_ne!(first, span.read());
    }
}
