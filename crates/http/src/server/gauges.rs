//! What the edge counts, for `/metrics`: plain numbers that anyone may read while the server runs.
//! The count of requests in flight is also the limit itself, so the two can never disagree.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The edge's own numbers: two levels and three totals since the start.
#[derive(Debug, Default)]
pub struct Gauges {
    open_connections: AtomicUsize,
    requests_in_flight: AtomicUsize,
    /// Those of them whose body is slow to come.
    arriving: AtomicUsize,
    connections_refused: AtomicU64,
    connections_timed_out: AtomicU64,
    requests_shed: AtomicU64,
}

impl Gauges {
    /// Connections open now.
    pub fn open_connections(&self) -> usize {
        self.open_connections.load(Relaxed)
    }

    /// Requests being handled now, those whose body is still to come among them.
    pub fn requests_in_flight(&self) -> usize {
        self.requests_in_flight.load(Relaxed)
    }

    /// Connections turned away because too many were open.
    pub fn connections_refused(&self) -> u64 {
        self.connections_refused.load(Relaxed)
    }

    /// Connections cut because their peer was too slow: in sending a head or in taking an answer.
    pub fn connections_timed_out(&self) -> u64 {
        self.connections_timed_out.load(Relaxed)
    }

    /// Requests refused because too many were in flight, or waited too long for their turn.
    pub fn requests_shed(&self) -> u64 {
        self.requests_shed.load(Relaxed)
    }

    pub(super) fn connection_opened(&self) {
        self.open_connections.fetch_add(1, Relaxed);
    }

    /// Says whether that was the last one.
    pub(super) fn connection_closed(&self) -> bool {
        self.open_connections.fetch_sub(1, Relaxed) == 1
    }

    pub(super) fn connection_refused(&self) {
        self.connections_refused.fetch_add(1, Relaxed);
    }

    pub(super) fn connection_timed_out(&self) {
        self.connections_timed_out.fetch_add(1, Relaxed);
    }

    /// Takes one of `max` places of those whose body is slow to come, for as long as the guard lives, and gives back
    /// that of a request being handled.
    pub(super) fn arrive(&self, max: usize) -> Option<Arriving<'_>> {
        let others = self.arriving.fetch_add(1, Relaxed);
        // One too many gives its place back by being dropped.
        Some(Arriving(self)).filter(|_| others < max)
    }

    /// Takes one of `max` places, or counts the request as shed. A refused request holds a place for
    /// the instant between the two steps, so at the very limit a neighbour may be shed one too early;
    /// it never lets one too many in.
    pub(super) fn enter(&self, max: usize) -> bool {
        let others = self.requests_in_flight.fetch_add(1, Relaxed);
        if others.saturating_sub(self.arriving.load(Relaxed)) < max {
            return true;
        }
        self.requests_in_flight.fetch_sub(1, Relaxed);
        self.request_shed();
        false
    }

    pub(super) fn request_shed(&self) {
        self.requests_shed.fetch_add(1, Relaxed);
    }

    pub(super) fn leave(&self) {
        self.requests_in_flight.fetch_sub(1, Relaxed);
    }
}

pub(super) struct Arriving<'a>(&'a Gauges);

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.0.arriving.fetch_sub(1, Relaxed);
    }
}
