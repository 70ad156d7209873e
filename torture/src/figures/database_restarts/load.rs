//! Writers and readers at work while the database comes and goes.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_running::{Connection, Server};

use super::answers::{Answers, Then};
use super::writer::{Journal, Writer};
use crate::failure::{Failure, Result};
use crate::home::TRUSTED;

const WRITERS: usize = 16;
const READERS: usize = 4;
const PAUSE: Duration = Duration::from_millis(2);
/// Beyond this nobody is waited for; the figure has fallen short long before.
const LIMIT: Duration = Duration::from_mins(1);

pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) subscription: &'a str,
    pub(crate) answers: &'a Answers,
    directory: &'a Path,
    /// Tells the writers of one load from those of another.
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
        self.answers.set_away(true);
        happens()?;
        let back = Instant::now();
        let before: Vec<u64> = self.served.iter().map(|count| count.load(Relaxed)).collect();
        let all_served = || self.served.iter().zip(&before).all(|(count, before)| count.load(Relaxed) > *before);
        while !(all_served() && self.is_ready()) {
            if back.elapsed() > LIMIT {
                return Err(Failure::new("a minute after the database was back not everybody had been served"));
            }
            std::thread::sleep(PAUSE);
        }
        self.answers.recovered(back.elapsed());
        self.answers.set_away(false);
        Ok(())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    fn is_ready(&self) -> bool {
        let asked = Connection::open(self.address).and_then(|mut one| one.call("GET", "/readyz", &[], None));
        asked.is_ok_and(|answer| answer.status == 200)
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

/// Calls on a connection that is kept while it works.
pub(crate) fn call<T>(
    kept: &mut Option<Connection>,
    address: SocketAddr,
    request: impl FnOnce(&mut Connection) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let mut connection = match kept.take() {
        Some(connection) => connection,
        None => Connection::open(address)?,
    };
    let answer = request(&mut connection)?;
    *kept = Some(connection);
    Ok(answer)
}
