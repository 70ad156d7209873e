//! The placement of committed events into the feed, which every server runs. On SQLite events have their positions when
//! they are committed, so only the signal remains.

use crate::context::App;
use perennial_store::Error;
use std::time::Duration;
use tokio::time::Instant;

/// How often a server looks for events of other servers.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The time in which commits are collected for one placement.
const COLLECT: Duration = Duration::from_millis(5);
/// How often the whole queue is read. After a restore into another database cluster, transactions have lower numbers than the
/// last placement expects, and only this finds their events.
const WHOLE_QUEUE_EVERY: Duration = Duration::from_secs(10);
/// The pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Places events until `stopped` resolves; then every waiting call returns.
pub async fn place_until_stopped(app: &App, stopped: impl Future<Output = ()>) {
    tokio::select! {
        () = stopped => {}
        () = place(app) => {}
    }
    app.feed.stop();
}

/// Gives every event that is committed its position. A command does this before it uses positions: no server may be running.
pub(crate) async fn place_committed(app: &App) -> Result<(), Error> {
    // None: another server places events at this moment, or each has its position already.
    while app.db.place_events(true).await?.is_none() && app.db.has_unplaced_events().await? {
        tokio::time::sleep(COLLECT).await;
    }
    Ok(())
}

async fn place(app: &App) {
    let mut whole_queue_at = Instant::now();
    // After a commit of this server there is something to place. Otherwise it looks first: a placement writes.
    let mut has_committed = true;
    loop {
        let whole_queue = Instant::now() >= whole_queue_at;
        match attempt(app, has_committed, whole_queue).await {
            Ok(()) if whole_queue => whole_queue_at = Instant::now() + WHOLE_QUEUE_EVERY,
            Ok(()) => {}
            Err(error) => {
                tracing::debug!(%error, "events were not placed");
                tokio::time::sleep(PAUSE).await;
            }
        }
        has_committed = tokio::time::timeout(LOOK_EVERY, app.db.committed()).await.is_ok();
        tokio::time::sleep(COLLECT).await;
    }
}

/// Places events if there may be any, and wakes the readers of the feed if it may have grown.
async fn attempt(app: &App, has_committed: bool, whole_queue: bool) -> Result<(), Error> {
    // On SQLite another process can write, which only a read shows.
    if has_committed || whole_queue || !app.db.is_shared() || app.db.has_unplaced_events().await? {
        let began = Instant::now();
        if app.db.place_events(whole_queue).await?.is_some() {
            app.background.placements.add(began.elapsed());
        }
    }
    // Another server may have placed events.
    app.feed.grown();
    Ok(())
}
