//! Periodic tasks of a server: remove expired rows, apply the retention, rotate the signing keys.

use crate::stopping::until_stopped;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::{
    housekeeping, idempotency, key_rotation, lifecycle, limits, operators, organizations, sessions, signing_keys,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The interval between counts of expired rows.
const TICK: Duration = Duration::from_mins(1);
/// Ticks between two sweeps, and between two removals of deleted records, which scan whole tables.
const SWEEP_EVERY: u64 = 10;
const RECORDS_EVERY: u64 = 24 * 60;

/// Runs until the server stops. Counting continues while a long sweep is running.
pub(super) async fn run(app: Arc<App>, stopped: watch::Receiver<bool>) {
    let upkeep = async {
        tokio::join!(count(&app), sweep(&app));
    };
    tokio::select! {
        () = until_stopped(stopped) => {}
        () = upkeep => {}
    }
}

async fn count(app: &App) {
    loop {
        report(housekeeping::count_expired(app).await, "could not count expired rows");
        report(housekeeping::count_webhooks(app).await, "could not count undelivered webhooks");
        report(housekeeping::count_connections(app).await, "could not count waiting webhooks of payment providers");
        report(lifecycle::count_lifecycle(app).await, "could not count due subscriptions");
        report(housekeeping::count_analytics(app).await, "could not read how far analytics are");
        tokio::time::sleep(TICK).await;
    }
}

async fn sweep(app: &App) {
    let mut ticks = 0;
    loop {
        tokio::time::sleep(TICK).await;
        if ticks % SWEEP_EVERY == 0 {
            report(idempotency::sweep(app).await, "could not remove expired idempotency keys");
            report(sessions::sweep(app).await, "could not remove expired sessions");
            report(operators::sweep(app).await, "could not remove expired links and sessions of operators");
            report(limits::sweep(app).await, "could not remove old rate limit counts");
            report(housekeeping::sweep_webhooks(app).await, "could not remove old attempts to deliver webhooks");
            report(housekeeping::sweep_connections(app).await, "could not delete old webhooks of payment providers");
            report(housekeeping::prune_events(app).await, "could not remove old events");
            report(organizations::purge_deleted(app).await, "could not remove records of deleted organizations");
            report(signing_keys::current(app).await, "could not check the signing keys");
            report(key_rotation::advance(app).await, "could not seal secrets again under the current master key");
        }
        if ticks % RECORDS_EVERY == 0 {
            report(housekeeping::remove_deleted(app).await, "could not remove deleted records");
            report(housekeeping::sweep_usage(app).await, "could not remove old usage events");
        }
        ticks += 1;
    }
}

fn report<T>(outcome: Result<T, Error>, message: &'static str) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "{message}");
    }
}
