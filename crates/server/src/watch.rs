//! The activity of one connection, as reported by its socket, its requests and its responses.
//! Plain counters that are cheap enough for every request; they have no notion of time.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Something that begins and ends repeatedly. The number is odd while it is active, so that a reader can also see whether
/// it is still the same one. Only the connection's task writes it.
#[derive(Debug, Default)]
pub(crate) struct Span(AtomicU32);

impl Span {
    pub(crate) fn opened() -> Self {
        Span(AtomicU32::new(1))
    }

    pub(crate) fn begin(&self) {
        let mark = self.0.load(Relaxed);
        if mark.is_multiple_of(2) {
            self.0.store(mark.wrapping_add(1), Relaxed);
        }
    }

    pub(crate) fn end(&self) {
        let mark = self.0.load(Relaxed);
        if !mark.is_multiple_of(2) {
            self.0.store(mark.wrapping_add(1), Relaxed);
        }
    }

    pub(crate) fn read(&self) -> u32 {
        self.0.load(Relaxed)
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.read().is_multiple_of(2)
    }
}

/// What the socket, the requests and the responses of one connection report.
#[derive(Debug)]
pub(crate) struct Watch {
    /// A request head has begun and is incomplete.
    pub(crate) head: Span,
    /// The socket's buffer is full, and not everything is written.
    pub(crate) stall: Span,
    /// Our side is closed; the peer's is read to its end.
    pub(crate) linger: Span,
    /// There is no response that a reset could destroy, so no reason to linger.
    at_once: AtomicBool,
    handling: AtomicUsize,
    /// Responses that the socket has not taken, by the parity of the period in which they began.
    responses: [AtomicUsize; 2],
    period: AtomicUsize,
}

impl Watch {
    /// For a connection whose first byte has arrived.
    pub(crate) fn new() -> Self {
        Watch {
            head: Span::opened(),
            stall: Span::default(),
            linger: Span::default(),
            at_once: AtomicBool::new(false),
            handling: AtomicUsize::new(0),
            responses: [AtomicUsize::new(0), AtomicUsize::new(0)],
            period: AtomicUsize::new(0),
        }
    }

    pub(crate) fn close_at_once(&self) {
        self.at_once.store(true, Relaxed);
    }

    pub(crate) fn closes_at_once(&self) -> bool {
        self.at_once.load(Relaxed)
    }

    pub(crate) fn handling_begins(&self) {
        self.handling.fetch_add(1, Relaxed);
    }

    pub(crate) fn handling_ends(&self) {
        self.handling.fetch_sub(1, Relaxed);
    }

    pub(crate) fn is_handling(&self) -> bool {
        self.handling.load(Relaxed) > 0
    }

    /// Returns the argument for [`Watch::response_taken`].
    pub(crate) fn response_begins(&self) -> usize {
        let slot = self.period.load(Relaxed) % 2;
        self.responses[slot].fetch_add(1, Relaxed);
        slot
    }

    pub(crate) fn response_taken(&self, slot: usize) {
        self.responses[slot].fetch_sub(1, Relaxed);
    }

    pub(crate) fn pending_responses(&self) -> usize {
        self.responses[0].load(Relaxed) + self.responses[1].load(Relaxed)
    }

    /// Nothing is active, in either direction.
    pub(crate) fn is_idle(&self) -> bool {
        !self.head.is_open() && !self.stall.is_open() && self.unfinished() == 0
    }

    /// Requests whose response is not completely written.
    pub(crate) fn unfinished(&self) -> usize {
        self.handling.load(Relaxed) + self.pending_responses()
    }

    /// Begins a new period, unless responses of the previous period are still waiting: those have waited for at least a
    /// whole period.
    pub(crate) fn next_period(&self) -> bool {
        let next = self.period.load(Relaxed).wrapping_add(1);
        if self.responses[next % 2].load(Relaxed) > 0 {
            return false;
        }
        self.period.store(next, Relaxed);
        true
    }
}
