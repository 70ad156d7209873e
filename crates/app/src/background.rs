//! The runner of background work. There is no leader: every server looks for units with work and claims them by leases.
//!
//! Two servers that work on the same unit are wasteful and never wrong: every write is fenced by the lease, and a server that
//! lost its lease stops.

mod durations;
pub(crate) mod figures;
mod lifecycle_figures;

pub use durations::{DURATION_BOUNDS, Durations};
pub use figures::BackgroundFigures;
pub use lifecycle_figures::{LifecycleFigures, StoredLifecycle};

use crate::context::App;
use crate::error::Error;
use crate::feed::signal::Subscription;
use perennial_store::Change;
use perennial_store::leases::{self, Lease, Unit};
use std::collections::HashSet;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

/// How often a server looks for work without a signal.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The least time between the begins of two looks, however often the feed grows.
const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// How many times as long as a look the time until the next one is: looks take a tenth of the time.
const LOOK_SHARE: u32 = 10;
/// The same for looks so long that the next one would be late.
const LONG_LOOK_SHARE: u32 = 2;
/// How often a lease is renewed. It lasts 15 seconds.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// The pause before the first look, so that a server answers that it is ready before its jobs search.
const START_PAUSE: Duration = Duration::from_millis(100);
/// The pause after a failure of the database.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);
/// How long work in progress may take to end at shutdown.
const STOP_WITHIN: Duration = Duration::from_secs(6);

/// A kind of background work.
pub trait Job: Send + Sync + 'static {
    /// The most units that one server works on at the same time.
    const AT_ONCE: usize;
    /// How often a server looks for work without a signal.
    const LOOK_EVERY: Duration = LOOK_EVERY;

    /// What wakes the job. None: the growth of the feed.
    fn signal<'a>(&self, _app: &'a App) -> Option<&'a Notify> {
        None
    }

    /// Units that have work and that no server holds.
    fn find(&self, app: &App, limit: i64) -> impl Future<Output = Result<Vec<Unit>, Error>> + Send;

    /// Works on a unit until nothing is left to do, or until `held` is stopping. It is dropped if the lease is lost.
    fn work(&self, app: &Arc<App>, held: &Held) -> impl Future<Output = Result<(), Error>> + Send;
}

/// A unit that this server holds.
#[derive(Debug)]
pub struct Held {
    lease: Lease,
    stopping: watch::Receiver<bool>,
    /// Changes until the lease is lost. Only a simulation limits them.
    changes_left: AtomicUsize,
}

impl Held {
    /// Claims a unit. None if another server holds it.
    pub async fn claim(app: &App, unit: Unit, stopping: watch::Receiver<bool>) -> Result<Option<Self>, Error> {
        let lease = Lease { unit, owner: app.entropy.bytes() };
        let held = Self { lease, stopping, changes_left: AtomicUsize::new(usize::MAX) };
        Ok(lease.acquire(&app.db).await?.then_some(held))
    }

    /// The same claim, lost after so many changes: a simulation kills a server between two of them.
    #[must_use]
    pub fn lost_after(self, changes: usize) -> Self {
        Self { changes_left: AtomicUsize::new(changes), ..self }
    }

    /// The unit.
    pub const fn unit(&self) -> Unit {
        self.lease.unit
    }

    /// The claim on it.
    pub const fn lease(&self) -> Lease {
        self.lease
    }

    /// The change, which is rejected if the lease was lost.
    pub fn fence(&self, change: Change) -> Change {
        let is_lost = self.changes_left.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
        // No claim has this owner.
        let owner = if is_lost { [0; 16] } else { self.lease.owner };
        Lease { owner, ..self.lease }.fence(change.background())
    }

    /// Whether the server stops: end what is in progress and begin nothing.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Resolves when the server stops.
    pub async fn stopping(&self) {
        stopped(self.stopping.clone()).await;
    }
}

/// Prepares background work at the start of a server. SQLite has one server: leases are those of a process that is gone.
pub async fn prepare(app: &App) -> Result<(), Error> {
    if !app.db.is_shared() {
        app.db.commit(leases::clear(Change::new())).await?;
    }
    Ok(())
}

/// Runs a job until the server stops, and then until what is in progress has ended.
pub async fn run<J: Job>(app: Arc<App>, job: J, stopping: watch::Receiver<bool>) {
    let job = Arc::new(job);
    let running = Running::default();
    let mut tasks = JoinSet::new();
    pause(START_PAUSE, &stopping).await;
    while !*stopping.borrow() {
        // Subscribed before the search, so that no event arrives unnoticed in between.
        let mut signal = app.feed.subscribe();
        let began = Instant::now();
        let found = job.find(&app, i64::try_from(J::AT_ONCE).unwrap_or(i64::MAX)).await;
        let pause_until = began + time_between_looks(began.elapsed(), J::LOOK_EVERY);
        match found {
            Ok(units) => {
                for unit in units {
                    if let Some(place) = running.enter(unit, J::AT_ONCE) {
                        let held = (Arc::clone(&app), Arc::clone(&job), stopping.clone());
                        tasks.spawn(async move { hold(held.0, held.1, unit, held.2, place).await });
                    }
                }
            }
            Err(error) => {
                tracing::debug!(%error, "background work was not found");
                pause(FAILURE_PAUSE, &stopping).await;
            }
        }
        while tasks.try_join_next().is_some() {}
        tokio::select! {
            () = woken(job.signal(&app), &mut signal, began + J::LOOK_EVERY) => {}
            () = stopped(stopping.clone()) => break,
        }
        tokio::select! {
            () = sleep_until(pause_until) => {}
            () = stopped(stopping.clone()) => break,
        }
    }
    let _ = timeout(STOP_WITHIN, async { while tasks.join_next().await.is_some() {} }).await;
}

/// The least time from the begin of a look that took `look` to the begin of the next one. Looks take a tenth of the time at
/// most. If the next one would then be later than a look without a signal, they may take more, but at most half of the time.
fn time_between_looks(look: Duration, look_every: Duration) -> Duration {
    look.saturating_mul(LOOK_SHARE).min(look_every).max(look.saturating_mul(LONG_LOOK_SHARE)).max(LOOK_PAUSE)
}

/// Resolves when there may be work, at the latest at the deadline.
async fn woken(own: Option<&Notify>, feed: &mut Subscription, deadline: Instant) {
    match own {
        Some(own) => drop(timeout_at(deadline, own.notified()).await),
        None => drop(feed.changed_before(deadline).await),
    }
}

async fn hold<J: Job>(app: Arc<App>, job: Arc<J>, unit: Unit, stopping: watch::Receiver<bool>, place: Place) {
    let held = match Held::claim(&app, unit, stopping).await {
        Ok(Some(held)) => held,
        Ok(None) => return,
        Err(error) => return tracing::debug!(job = unit.job, %error, "no lease"),
    };
    let outcome = tokio::select! {
        outcome = job.work(&app, &held) => outcome,
        () = renew_until_lost(&app, &held.lease) => {
            return tracing::debug!(job = unit.job, "the lease was lost");
        }
    };
    match outcome {
        Ok(()) => {}
        Err(Error::LeaseLost) => return tracing::debug!(job = unit.job, "the lease was lost"),
        Err(error) => {
            tracing::warn!(job = unit.job, organization = %unit.organization, %error, "background work failed");
            // The lease stays for a moment, so that no server repeats the failure in a busy loop.
            pause(FAILURE_PAUSE, &held.stopping).await;
        }
    }
    if let Err(error) = held.lease.release(&app.db).await {
        tracing::debug!(job = unit.job, %error, "the lease was not released");
    }
    drop(place);
}

/// Renews a lease for as long as it is polled. It resolves when the lease is lost.
pub(crate) async fn renew_until_lost(app: &App, lease: &Lease) {
    let mut wait = RENEW_EVERY;
    loop {
        sleep(wait).await;
        wait = match lease.renew(&app.db).await {
            Ok(true) => RENEW_EVERY,
            Ok(false) => return,
            // The holder's writes fail too, and are fenced if another server is faster.
            Err(_) => FAILURE_PAUSE,
        };
    }
}

async fn pause(time: Duration, stopping: &watch::Receiver<bool>) {
    let _ = timeout(time, stopped(stopping.clone())).await;
}

async fn stopped(mut stopping: watch::Receiver<bool>) {
    // A sender that is gone means that the process ends.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// The units that this server works on.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<HashSet<Unit>>>);

/// A unit that this server works on, until it is dropped.
struct Place(Running, Unit);

impl Running {
    fn enter(&self, unit: Unit, most: usize) -> Option<Place> {
        let mut units = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (units.len() < most && units.insert(unit)).then(|| Place(self.clone(), unit))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_a_tenth_of_the_time_and_long_ones_half_of_it() {
        let every = Duration::from_millis(250);
        for micros in (0..2_000_000).step_by(997) {
            let look = Duration::from_micros(micros);
            let time = time_between_looks(look, every);
            assert!(time >= LOOK_PAUSE, "{look:?}: a busy loop");
            assert!(time >= look * 2, "{look:?}: looks take more than half of the time");
            assert!(time >= look * 10 || time >= every, "{look:?}: looks take more than a tenth of the time");
            assert!(time <= every.max(look * 2), "{look:?}: work that is due waits for {time:?}");
        }
    }

    #[test]
    fn a_look_of_any_length_has_an_end() {
        assert_eq!(time_between_looks(Duration::MAX, LOOK_EVERY), Duration::MAX);
    }
}
