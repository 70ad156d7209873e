//! What the shared counts, for `/metrics`: plain numbers that anyone may read while the server runs.
//! The count of requests in flight is also the limit itself, so the two can never disagree.

use crate::lane::Lane;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// One place in so many.
const KEPT_FOR_READS: usize = 4;

/// The shared's own numbers: levels, and totals since the start.
#[derive(Debug, Default)]
pub struct Gauges {
    open_connections: AtomicUsize,
    resting_connections: AtomicUsize,
    requests_in_flight: AtomicUsize,
    /// Those of them that are writes.
    writes_in_flight: AtomicUsize,
    /// Those of them that are reads and wait for their turn.
    reads_standing: AtomicUsize,
    /// Those of them whose body is not here.
    arriving: AtomicUsize,
    /// Those of these that have waited for it for a while.
    dribbling: AtomicUsize,
    connections_refused: AtomicU64,
    connections_timed_out: AtomicU64,
    requests_shed: AtomicU64,
}

impl Gauges {
    /// Connections open now.
    pub fn open_connections(&self) -> usize {
        self.open_connections.load(Relaxed)
    }

    /// Those of them that hold nothing but their socket, because nothing is asked on them.
    pub fn resting_connections(&self) -> usize {
        self.resting_connections.load(Relaxed)
    }

    /// Requests here now, those among them that wait for their turn or for their body.
    pub fn requests_in_flight(&self) -> usize {
        self.requests_in_flight.load(Relaxed)
    }

    /// Those of them that wait for their body.
    pub fn bodies_awaited(&self) -> usize {
        self.arriving.load(Relaxed)
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

    pub(crate) fn connection_opened(&self) {
        self.open_connections.fetch_add(1, Relaxed);
    }

    /// Says whether that was the last one.
    pub(crate) fn connection_closed(&self) -> bool {
        self.open_connections.fetch_sub(1, Relaxed) == 1
    }

    /// A connection rests for as long as the guard lives.
    pub(crate) fn rest(&self) -> Resting<'_> {
        self.resting_connections.fetch_add(1, Relaxed);
        Resting(self)
    }

    pub(crate) fn connection_refused(&self) {
        self.connections_refused.fetch_add(1, Relaxed);
    }

    pub(crate) fn connection_timed_out(&self) {
        self.connections_timed_out.fetch_add(1, Relaxed);
    }

    /// Gives back the place of a read that waits for its turn, for as long as the guard lives.
    pub(crate) fn stand(&self) -> Standing<'_> {
        self.reads_standing.fetch_add(1, Relaxed);
        Standing(self)
    }

    /// Gives back the place of a request being handled, for as long as the guard lives: nothing is done for it.
    pub(crate) fn arrive(&self) -> Arriving<'_> {
        self.arriving.fetch_add(1, Relaxed);
        Arriving(self)
    }

    /// Takes one of `max` places of those whose body is slow to come, for as long as the guard lives.
    pub(crate) fn dribble(&self, max: usize) -> Option<Dribbling<'_>> {
        let others = self.dribbling.fetch_add(1, Relaxed);
        // One too many gives its place back by being dropped.
        Some(Dribbling(self)).filter(|_| others < max)
    }

    /// Takes one of `max` places, or counts the request as shed. A refused request holds a place for
    /// the instant between the two steps, so at the very limit a neighbour may be shed one too early;
    /// it never lets one too many in.
    ///
    /// Some of the places are not for writes. Reads that wait for their turn and writes whose body is not here do not
    /// count, up to `most` altogether: of HTTP/1.1 there are no more than connections.
    pub(crate) fn enter(&self, lane: Lane, max: usize, most: usize) -> bool {
        let others = self.requests_in_flight.fetch_add(1, Relaxed);
        let arriving = self.arriving.load(Relaxed);
        let waiting = arriving + self.reads_standing.load(Relaxed);
        let mut is_in = others < most && others.saturating_sub(waiting) < max;
        if lane == Lane::Writes {
            let others = self.writes_in_flight.fetch_add(1, Relaxed);
            is_in &= others.saturating_sub(arriving) < max - max / KEPT_FOR_READS;
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

pub(crate) struct Resting<'a>(&'a Gauges);

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.resting_connections.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Standing<'a>(&'a Gauges);

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        self.0.reads_standing.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Arriving<'a>(&'a Gauges);

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.0.arriving.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Dribbling<'a>(&'a Gauges);

impl Drop for Dribbling<'_> {
    fn drop(&mut self) {
        self.0.dribbling.fetch_sub(1, Relaxed);
    }
}
