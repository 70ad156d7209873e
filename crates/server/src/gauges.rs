//! The counters of the server, for `/metrics`.
//! The number of requests in flight is also what the limit is checked against, so the two cannot disagree.

use crate::lane::Lane;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// One in this many places is reserved for reads.
const RESERVED_FOR_READS: usize = 4;

/// Current values, and totals since the start.
#[derive(Debug, Default)]
pub struct Gauges {
    open_connections: AtomicUsize,
    resting_connections: AtomicUsize,
    requests_in_flight: AtomicUsize,
    /// Of these, writes.
    writes_in_flight: AtomicUsize,
    /// Of these, reads in the queue.
    reads_queued: AtomicUsize,
    /// Of these, requests whose body has not arrived.
    awaiting_body: AtomicUsize,
    /// Of these, requests whose body is slow.
    slow_bodies: AtomicUsize,
    /// Requests that wait for something to happen. They are not in flight.
    paused: AtomicUsize,
    connections_refused: AtomicU64,
    connections_timed_out: AtomicU64,
    requests_shed: AtomicU64,
}

impl Gauges {
    /// Open connections.
    pub fn open_connections(&self) -> usize {
        self.open_connections.load(Relaxed)
    }

    /// Of these, idle connections that hold nothing but their socket.
    pub fn resting_connections(&self) -> usize {
        self.resting_connections.load(Relaxed)
    }

    /// Requests in flight, including those that wait in the queue or for their body.
    pub fn requests_in_flight(&self) -> usize {
        self.requests_in_flight.load(Relaxed)
    }

    /// Of these, requests that wait for their body.
    pub fn bodies_awaited(&self) -> usize {
        self.awaiting_body.load(Relaxed)
    }

    /// Requests that wait for something to happen. They are not in flight.
    pub fn requests_paused(&self) -> usize {
        self.paused.load(Relaxed)
    }

    /// Connections rejected because too many were open.
    pub fn connections_refused(&self) -> u64 {
        self.connections_refused.load(Relaxed)
    }

    /// Connections cut because the peer was too slow to send a head or to read a response.
    pub fn connections_timed_out(&self) -> u64 {
        self.connections_timed_out.load(Relaxed)
    }

    /// Requests rejected because too many were in flight or the queue was too long.
    pub fn requests_shed(&self) -> u64 {
        self.requests_shed.load(Relaxed)
    }

    pub(crate) fn connection_opened(&self) {
        self.open_connections.fetch_add(1, Relaxed);
    }

    /// Returns whether this was the last open connection.
    pub(crate) fn connection_closed(&self) -> bool {
        self.open_connections.fetch_sub(1, Relaxed) == 1
    }

    /// Counts an idle connection as released while the guard lives.
    pub(crate) fn release_idle(&self) -> Released<'_> {
        self.resting_connections.fetch_add(1, Relaxed);
        Released(self)
    }

    pub(crate) fn connection_refused(&self) {
        self.connections_refused.fetch_add(1, Relaxed);
    }

    pub(crate) fn connection_timed_out(&self) {
        self.connections_timed_out.fetch_add(1, Relaxed);
    }

    /// Frees the place of a read in the queue while the guard lives.
    pub(crate) fn queue_read(&self) -> QueuedRead<'_> {
        self.reads_queued.fetch_add(1, Relaxed);
        QueuedRead(self)
    }

    /// Frees the place of a request that waits for its body while the guard lives.
    pub(crate) fn await_body(&self) -> AwaitedBody<'_> {
        self.awaiting_body.fetch_add(1, Relaxed);
        AwaitedBody(self)
    }

    /// Takes one of `max` places for slow bodies while the guard lives.
    pub(crate) fn slow_body(&self, max: usize) -> Option<SlowBody<'_>> {
        let others = self.slow_bodies.fetch_add(1, Relaxed);
        // Dropping the guard gives the place back if there was none left.
        Some(SlowBody(self)).filter(|_| others < max)
    }

    /// Gives the place of a read back while the guard lives.
    pub(crate) fn pause(&self) -> Paused<'_> {
        self.requests_in_flight.fetch_sub(1, Relaxed);
        self.paused.fetch_add(1, Relaxed);
        Paused(self)
    }

    /// Takes one of `max` places, or counts the request as shed. A rejected request holds a place between the two steps, so
    /// at the limit another request may be shed too early; there are never too many.
    ///
    /// Some places are reserved for reads. Queued reads and requests that wait for their body do not count, up to `most` in
    /// total: with HTTP/1.1 there are at most as many as connections.
    pub(crate) fn enter(&self, lane: Lane, max: usize, most: usize) -> bool {
        let others = self.requests_in_flight.fetch_add(1, Relaxed);
        let awaiting_body = self.awaiting_body.load(Relaxed);
        let waiting = awaiting_body + self.reads_queued.load(Relaxed);
        let mut is_in = others < most && others.saturating_sub(waiting) < max;
        if lane == Lane::Writes {
            let others = self.writes_in_flight.fetch_add(1, Relaxed);
            is_in &= others.saturating_sub(awaiting_body) < max - max / RESERVED_FOR_READS;
        }
        if !is_in {
            self.leave(lane);
            self.request_shed();
        }
        is_in
    }

    pub(crate) fn request_shed(&self) {
        self.requests_shed.fetch_add(1, Relaxed);
    }

    pub(crate) fn leave(&self, lane: Lane) {
        self.requests_in_flight.fetch_sub(1, Relaxed);
        if lane == Lane::Writes {
            self.writes_in_flight.fetch_sub(1, Relaxed);
        }
    }
}

pub(crate) struct Released<'a>(&'a Gauges);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.resting_connections.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct QueuedRead<'a>(&'a Gauges);

impl Drop for QueuedRead<'_> {
    fn drop(&mut self) {
        self.0.reads_queued.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct AwaitedBody<'a>(&'a Gauges);

impl Drop for AwaitedBody<'_> {
    fn drop(&mut self) {
        self.0.awaiting_body.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct SlowBody<'a>(&'a Gauges);

impl Drop for SlowBody<'_> {
    fn drop(&mut self) {
        self.0.slow_bodies.fetch_sub(1, Relaxed);
    }
}

/// A request that waits and is not in flight, until this is dropped.
#[derive(Debug)]
pub struct Paused<'a>(&'a Gauges);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.paused.fetch_sub(1, Relaxed);
        self.0.requests_in_flight.fetch_add(1, Relaxed);
    }
}
