//! Writers and readers at work while the database comes and goes.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::Server;

use super::writer::{Journal, Writer};
use crate::answers::{Answers, Then, call};
use crate::failure::{Failure, Result};
use crate::home::TRUSTED;

const WRITERS: usize = 16;
const READERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(2);

pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) subscription: &'a str,
    pub(crate) answers: &'a Answers,
    directory: &'a Path,
    /// Distinguishes the writers of one load from those of another.
    part: usize,
    /// How often each caller was served: writers first.
    served: Vec<AtomicU64>,
    stopped: AtomicBool,
}

impl<'a> Load<'a> {
    pub(crate) fn new(
        at: &Server,
        subscription: &'a str,
        answers: &'a Answers,
        directory: &'a Path,
        part: usize,
    ) -> Self {
        let served = (0..WRITERS + READERS).map(|_| AtomicU64::new(0)).collect();
        let address = at.address();
        Self { address, subscription, answers, directory, part, served, stopped: AtomicBool::new(false) }
    }

    /// Keeps everybody at work while `outages` happen. Each writer ends what it began before it stops.
    pub(crate) fn during(self, outages: impl FnOnce(&Self) -> Result) -> Result<Vec<Journal>> {
        std::thread::scope(|scope| {
            let load = &self;
            let writers: Vec<_> = (0..WRITERS)
                .map(|at| {
                    scope.spawn(move || {
                        let number = load.part * WRITERS + at;
                        Writer::new(number, load, &load.served[at], load.directory)?.work()
                    })
                })
                .collect();
            let readers: Vec<_> =
                (WRITERS..WRITERS + READERS).map(|at| scope.spawn(move || load.read(&load.served[at]))).collect();
            let outcome = outages(load);
            load.stopped.store(true, Relaxed);
            let panicked = |_| Failure::new("a caller panicked");
            let journals = writers.into_iter().map(|writer| writer.join().map_err(panicked)?).collect();
            for reader in readers {
                reader.join().map_err(panicked)?;
            }
            outcome.and(journals)
        })
    }

    /// Lets the database go and come back, then waits until everybody has been served again.
    pub(crate) fn outage(&self, happens: impl FnOnce() -> Result) -> Result {
        self.answers.outage(self.address, &self.served, happens)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    fn read(&self, served: &AtomicU64) {
        let mut connection = None;
        let targets = [format!("/subscriptions/{}", self.subscription), "/subscription-plans".to_owned()];
        for target in targets.iter().cycle() {
            if self.is_stopped() {
                return;
            }
            let (was_away, start) = (self.answers.is_away(), Instant::now());
            let answer = call(&mut connection, self.address, |open| open.call("GET", target, &[TRUSTED], None));
            if let Then::Done = self.answers.judge(was_away, &answer, start.elapsed()) {
                served.fetch_add(1, Relaxed);
            }
            std::thread::sleep(PAUSE);
        }
    }
}
