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
pub(super) struct Told {
    /// The numbers of the rows answered with 201.
    pub(super) acknowledged: Vec<usize>,
    /// Every other answer: how often which status and code.
    pub(super) refused: BTreeMap<(u16, String), usize>,
    /// The numbers of the rows that were sent and never answered. One that crossed the closing of its connection on the
    /// way was never taken by the server.
    pub(super) cut_off: Vec<usize>,
}

impl Told {
    /// Refusals of this status and with one of these codes.
    pub(super) fn refused_as(&self, status: u16, codes: &[&str]) -> usize {
        let wanted = |(found, code): &(u16, String)| *found == status && codes.contains(&code.as_str());
        self.refused.iter().filter(|(answer, _)| wanted(answer)).map(|(_, count)| count).sum()
    }

    pub(super) fn refused(&self) -> usize {
        self.refused.values().sum()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        for (answer, count) in other.refused {
            *self.refused.entry(answer).or_default() += count;
        }
        self.cut_off.extend(other.cut_off);
    }
}

/// Sixteen of them, at work while `meanwhile` runs, and no longer than the server is there.
/// `next` is the number of the next row.
pub(super) fn work<T>(
    address: SocketAddr,
    next: &AtomicUsize,
    meanwhile: impl FnOnce() -> Result<T>,
) -> Result<(Told, T)> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let at_work: Vec<_> = (0..WRITERS).map(|_| scope.spawn(|| write(address, next, &stop))).collect();
        let outcome = meanwhile();
        stop.store(true, Relaxed);
        let mut told = Told::default();
        for writer in at_work {
            told.add(writer.join().map_err(|_| Failure::new("a writer panicked"))?);
        }
        Ok((told, outcome?))
    })
}

fn write(address: SocketAddr, next: &AtomicUsize, stop: &AtomicBool) -> Told {
    let mut told = Told::default();
    while !stop.load(Relaxed) {
        // The connection was refused: the server is gone.
        let Ok(mut connection) = Connection::open(address) else { return told };
        while !stop.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            match create(&mut connection, number) {
                Ok(answer) if answer.status == 201 => told.acknowledged.push(number),
                Ok(answer) => {
                    *told.refused.entry((answer.status, answer.code())).or_default() += 1;
                    if answer.closes() {
                        break;
                    }
                }
                Err(_) => {
                    told.cut_off.push(number);
                    break;
                }
            }
        }
    }
    told
}
