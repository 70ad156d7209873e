//! The shared state of the clients, and their responses.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::failure::{Result, could_not};

/// What happens to the servers during the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Calm,
    Stopping,
    Killing,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Calm, Self::Stopping, Self::Killing];
}

/// What may be sent again, and by whom, depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    /// With an idempotency key.
    Create,
    /// A PUT: without one.
    Change,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Read, Self::Create, Self::Change];
}

pub(super) struct Load {
    pub(super) proxy: SocketAddr,
    pub(super) user: String,
    phase: AtomicUsize,
    is_over: AtomicBool,
}

impl Load {
    pub(super) fn new(proxy: SocketAddr, user: String) -> Self {
        Self { proxy, user, phase: AtomicUsize::new(0), is_over: AtomicBool::new(false) }
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::Relaxed);
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::ALL[self.phase.load(Ordering::Relaxed)]
    }

    pub(super) fn finish(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) sent: usize,
    pub(super) failed: usize,
}

/// A subscription that was acknowledged, and how many changes of it were.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) external: String,
    pub(super) changes: usize,
}

#[derive(Debug, Default)]
pub(super) struct Outcomes {
    counts: [[Count; Kind::ALL.len()]; Phase::ALL.len()],
    pub(super) records: Vec<Record>,
    /// Reads that showed less than had been acknowledged.
    pub(super) stale: usize,
    failures: Vec<String>,
}

impl Outcomes {
    pub(super) fn count(&self, phase: Phase, kind: Kind) -> Count {
        self.counts[phase as usize][kind as usize]
    }

    pub(super) fn served(&mut self, phase: Phase, kind: Kind) {
        self.counts[phase as usize][kind as usize].sent += 1;
    }

    pub(super) fn failed(&mut self, phase: Phase, kind: Kind, how: &str) {
        let count = &mut self.counts[phase as usize][kind as usize];
        count.sent += 1;
        count.failed += 1;
        self.failures.push(format!("{phase:?} {kind:?}: {how}"));
    }

    pub(super) fn stale(&mut self, what: String) {
        self.stale += 1;
        self.failures.push(what);
    }

    pub(super) fn together(all: Vec<Self>) -> Self {
        let mut sum = Self::default();
        for one in all {
            for (to, from) in sum.counts.iter_mut().flatten().zip(one.counts.iter().flatten()) {
                to.sent += from.sent;
                to.failed += from.failed;
            }
            sum.stale += one.stale;
            sum.records.extend(one.records);
            sum.failures.extend(one.failures);
        }
        sum
    }

    /// For the investigation of a failure.
    pub(super) fn write(&self, path: &Path) -> Result {
        std::fs::write(path, self.failures.join("\n")).map_err(could_not(format!("write {}", path.display())))
    }
}
