//! Callers that do not depend on the stuck record: each creates and changes payments of a separate subscription.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::PLAN;
use crate::caller::{Caller, create_subscription};
use crate::failure::{Failure, Result};
use crate::ledger::{Entry, Outcome};
use crate::responses::{Responses, is_ready};
use crate::threads;

const PER_SERVER: usize = 3;
const NUMBERS: u64 = 1_000_000;
const PAUSE: Duration = Duration::from_millis(10);
const READINESS_PAUSE: Duration = Duration::from_millis(50);

/// What `/readyz` of the stuck server showed.
#[derive(Clone, Copy, Default)]
pub(super) struct Readiness {
    pub(super) was_503: bool,
    pub(super) last: u16,
}

pub(super) struct Others {
    /// When the last write began that was acknowledged, of each caller.
    served: Vec<Mutex<Option<Instant>>>,
    is_stopped: AtomicBool,
    was_not_ready: AtomicBool,
}

impl Others {
    pub(super) fn new(servers: &[SocketAddr]) -> Self {
        let served = (0..servers.len() * PER_SERVER).map(|_| Mutex::new(None)).collect();
        Self { served, is_stopped: AtomicBool::new(false), was_not_ready: AtomicBool::new(false) }
    }

    /// Keeps them at work, and looks at `/readyz` of `stuck`, while something happens.
    pub(super) fn during<T>(
        &self,
        servers: &[SocketAddr],
        stuck: SocketAddr,
        user: &str,
        responses: &Responses,
        first: u64,
        happens: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<(T, Vec<Entry>)> {
        std::thread::scope(|scope| {
            let at = servers.iter().cycle().take(self.served.len());
            let callers = (0..).zip(at).zip(&self.served).map(|((number, address), served)| {
                scope.spawn(move || self.work(*address, user, responses, (first + number) * NUMBERS, served))
            });
            let callers = callers.collect();
            let watch = scope.spawn(|| self.watch(stuck));
            let outcome = happens(self);
            self.is_stopped.store(true, Relaxed);
            let entries = threads::join(callers)?.into_iter().flatten().collect();
            watch.join().map_err(|_| Failure::new("the watch of /readyz panicked"))?;
            Ok((outcome?, entries))
        })
    }

    /// How long after `start` all of them had a write acknowledged that began after it; `None` if not within the limit.
    pub(super) fn recovered(&self, start: Instant, limit: Duration) -> Option<Duration> {
        let is_served = |served: &Mutex<Option<Instant>>| last(served).is_some_and(|began| began > start);
        while start.elapsed() < limit {
            if self.served.iter().all(is_served) {
                return Some(start.elapsed());
            }
            std::thread::sleep(PAUSE);
        }
        None
    }

    pub(super) fn was_not_ready(&self) -> bool {
        self.was_not_ready.load(Relaxed)
    }

    /// Forgets what `/readyz` showed before now.
    pub(super) fn begin_watch(&self) {
        self.was_not_ready.store(false, Relaxed);
    }

    fn watch(&self, stuck: SocketAddr) {
        while !self.is_stopped.load(Relaxed) {
            if !is_ready(stuck) {
                self.was_not_ready.store(true, Relaxed);
            }
            std::thread::sleep(READINESS_PAUSE);
        }
    }

    fn work(
        &self,
        address: SocketAddr,
        user: &str,
        responses: &Responses,
        first: u64,
        served: &Mutex<Option<Instant>>,
    ) -> Result<Vec<Entry>> {
        let subscription = create_subscription(address, user, PLAN)?;
        let mut caller = Caller::new(address, responses);
        for number in (first..).step_by(2) {
            if self.is_stopped.load(Relaxed) {
                break;
            }
            let began = Instant::now();
            let Some(payment) = caller.create(&subscription, number, None) else { continue };
            *lock(served) = Some(began);
            if caller.change(&payment, number + 1) == Outcome::Unknown {
                continue;
            }
            std::thread::sleep(PAUSE);
        }
        Ok(caller.entries)
    }
}

fn last(served: &Mutex<Option<Instant>>) -> Option<Instant> {
    *lock(served)
}

fn lock(served: &Mutex<Option<Instant>>) -> std::sync::MutexGuard<'_, Option<Instant>> {
    served.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
