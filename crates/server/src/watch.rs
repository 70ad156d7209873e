//! What is under way on one connection, as its socket, its requests and its answers report it.
//! Plain counters, cheap enough to keep for every request; they know no time and judge nothing.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Something that begins and ends, many times over. Odd while it is under way, so that a reader can
/// also tell whether it is still the same one. Only the connection's own task writes it.
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

/// What the socket, the requests and the answers of one connection report.
#[derive(Debug)]
pub(crate) struct Watch {
    /// A request head has begun and is not whole.
    pub(crate) head: Span,
    /// A write was refused by the socket, and what was to be written is not yet out.
    pub(crate) stall: Span,
    /// Our side is shut; the peer's is being read to its end.
    pub(crate) linger: Span,
    /// There is no answer that a reset could destroy, so no reason to linger.
    curt: AtomicBool,
    handling: AtomicUsize,
    /// Answers not yet taken by the socket, by the parity of the period they began in.
    answers: [AtomicUsize; 2],
    period: AtomicUsize,
}

impl Watch {
    /// For a connection whose first byte has come.
    pub(crate) fn new() -> Self {
        Watch {
            head: Span::opened(),
            stall: Span::default(),
            linger: Span::default(),
            curt: AtomicBool::new(false),
            handling: AtomicUsize::new(0),
            answers: [AtomicUsize::new(0), AtomicUsize::new(0)],
            period: AtomicUsize::new(0),
        }
    }

    pub(crate) fn close_curtly(&self) {
        self.curt.store(true, Relaxed);
    }

    pub(crate) fn is_curt(&self) -> bool {
        self.curt.load(Relaxed)
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

    /// Returns what [`Watch::answer_taken`] must be told.
    pub(crate) fn answer_begins(&self) -> usize {
        let slot = self.period.load(Relaxed) % 2;
        self.answers[slot].fetch_add(1, Relaxed);
        slot
    }

    pub(crate) fn answer_taken(&self, slot: usize) {
        self.answers[slot].fetch_sub(1, Relaxed);
    }

    pub(crate) fn answers(&self) -> usize {
        self.answers[0].load(Relaxed) + self.answers[1].load(Relaxed)
    }

    /// Nothing is under way, in either direction.
    pub(crate) fn is_idle(&self) -> bool {
        !self.head.is_open() && !self.stall.is_open() && self.unfinished() == 0
    }

    /// Requests without a whole answer on its way.
    pub(crate) fn unfinished(&self) -> usize {
        self.handling.load(Relaxed) + self.answers()
    }

    /// Begins a new period, unless answers of the period before this one are still waiting: those
    /// have waited for a whole period at least.
    pub(crate) fn next_period(&self) -> bool {
        let next = self.period.load(Relaxed).wrapping_add(1);
        if self.answers[next % 2].load(Relaxed) > 0 {
            return false;
        }
        self.period.store(next, Relaxed);
        true
    }
}
