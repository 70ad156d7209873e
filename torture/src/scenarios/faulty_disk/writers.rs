//! Writers that continue until the server is gone or they are stopped, and record their responses.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use perennial_harness::Connection;

use super::super::syncs::create;
use crate::failure::{Failure, Result};

const WRITERS: usize = 16;

/// What became of the writes.
#[derive(Debug, Default)]
pub(super) struct WriteOutcomes {
    /// The numbers of the rows answered with 201.
    pub(super) acknowledged: Vec<usize>,
    /// Every other response: how often which status and code.
    pub(super) refused: BTreeMap<(u16, String), usize>,
    /// The numbers of the rows that were sent and never answered. One that crossed the closing of its connection on the
    /// way was never taken by the server.
    pub(super) cut_off: Vec<usize>,
}

impl WriteOutcomes {
    /// Refusals of this status and with one of these codes.
    pub(super) fn refused_as(&self, status: u16, codes: &[&str]) -> usize {
        let wanted = |(found, code): &(u16, String)| *found == status && codes.contains(&code.as_str());
        self.refused.iter().filter(|(response, _)| wanted(response)).map(|(_, count)| count).sum()
    }

    pub(super) fn refused(&self) -> usize {
        self.refused.values().sum()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        for (response, count) in other.refused {
            *self.refused.entry(response).or_default() += count;
        }
        self.cut_off.extend(other.cut_off);
    }
}

/// Sixteen writers, until `during` returns or the server is gone.
/// `next` is the number of the next row.
pub(super) fn work<T>(
    address: SocketAddr,
    next: &AtomicUsize,
    during: impl FnOnce() -> Result<T>,
) -> Result<(WriteOutcomes, T)> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let at_work: Vec<_> = (0..WRITERS).map(|_| scope.spawn(|| write(address, next, &stop))).collect();
        let outcome = during();
        stop.store(true, Relaxed);
        let mut outcomes = WriteOutcomes::default();
        for writer in at_work {
            outcomes.add(writer.join().map_err(|_| Failure::new("a writer panicked"))?);
        }
        Ok((outcomes, outcome?))
    })
}

fn write(address: SocketAddr, next: &AtomicUsize, stop: &AtomicBool) -> WriteOutcomes {
    let mut outcomes = WriteOutcomes::default();
    while !stop.load(Relaxed) {
        // The connection was refused: the server is gone.
        let Ok(mut connection) = Connection::open(address) else { return outcomes };
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            match create(&mut connection, number) {
                Ok(response) if response.status == 201 => outcomes.acknowledged.push(number),
                Ok(response) => {
                    *outcomes.refused.entry((response.status, response.code())).or_default() += 1;
                    if response.closes() {
                        break;
                    }
                }
                Err(_) => {
                    outcomes.cut_off.push(number);
                    break;
                }
            }
        }
    }
    outcomes
}
