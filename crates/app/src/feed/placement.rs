//! The placement of committed events into the feed, which every server runs. On SQLite events have their positions when
//! they are committed, so only the signal remains.

use crate::context::App;
use perennial_store::Error;
use std::time::Duration;
use tokio::time::Instant;

/// How often a server looks for events of other servers.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The time in which commits are collected for one placement, and the least time between two placements.
const COLLECT: Duration = Duration::from_millis(5);
const APART: Duration = Duration::from_millis(15);
/// The same after a placement of many events: about 80 µs of a placement do not depend on the number of its events, and it
/// waits for the disk next to the writer.
const APART_IF_MANY: Duration = Duration::from_millis(30);
const MANY: i64 = 16;
/// How often a call that needs the newest event attempts a placement while another server makes one.
const RECENT_ATTEMPTS: usize = 20;
/// The pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Places events until `stopped` resolves; then every waiting call returns.
pub async fn place_until_stopped(app: &App, stopped: impl Future<Output = ()>) {
    let placement = |has_committed| attempt(app, has_committed);
    tokio::select! {
        () = stopped => {}
        () = place(|| app.db.committed(), placement) => {}
    }
    app.feed.stop();
}

/// Gives every event that is committed its position. A command does this before it uses positions: no server may be running.
pub(crate) async fn place_committed(app: &App) -> Result<(), Error> {
    // None: another server places events at this moment, or each has its position already.
    while app.db.place_events().await?.is_none() && app.db.has_unplaced_events().await? {
        tokio::time::sleep(COLLECT).await;
    }
    Ok(())
}

/// Gives the events that were committed before this call their positions, so that the newest event is the newest that the
/// caller knows of. It waits only while another server places events, and not for long.
pub(crate) async fn place_recent(app: &App) -> Result<(), Error> {
    for _ in 0..RECENT_ATTEMPTS {
        if !app.db.has_unplaced_events().await? {
            return Ok(());
        }
        if app.db.place_events().await?.is_some() {
            app.feed.grown();
            return Ok(());
        }
        tokio::time::sleep(COLLECT).await;
    }
    Ok(())
}

/// Attempts a placement soon after each commit of this server, and regularly because of the other servers' commits.
async fn place<C: Future, A: Future<Output = Result<i64, Error>>>(
    committed: impl Fn() -> C,
    attempt: impl Fn(bool) -> A,
) {
    // After a commit of this server there is something to place. Otherwise it looks first: a placement writes.
    let mut has_committed = true;
    loop {
        let apart = match attempt(has_committed).await {
            Ok(MANY..) => APART_IF_MANY,
            Ok(_) => APART,
            Err(error) => {
                tracing::debug!(%error, "events were not placed");
                tokio::time::sleep(PAUSE).await;
                APART
            }
        };
        let placed = Instant::now();
        has_committed = tokio::time::timeout(LOOK_EVERY, committed()).await.is_ok();
        if has_committed {
            tokio::time::sleep_until((placed + apart).max(Instant::now() + COLLECT)).await;
        }
    }
}

/// Places events if there may be any, and wakes the readers of the feed if it may have grown. Returns the number of events.
async fn attempt(app: &App, has_committed: bool) -> Result<i64, Error> {
    let mut events = 0;
    // On SQLite another process can write, which only a read shows.
    if has_committed || !app.db.is_shared() || app.db.has_unplaced_events().await? {
        let began = Instant::now();
        if let Some(placed) = app.db.place_events().await? {
            app.background.placements.add(began.elapsed());
            events = placed.events;
        }
    }
    // Another server may have placed events.
    app.feed.grown();
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::future::ready;
    use tokio::sync::Notify;

    /// When placements were attempted, in milliseconds, and whether this server had committed before.
    async fn attempts(commits: &[u64], until: u64, outcome: Result<i64, Error>) -> Vec<(u128, bool)> {
        let (began, committed, attempts) = (Instant::now(), Notify::new(), RefCell::new(Vec::new()));
        let attempt = |has_committed| {
            attempts.borrow_mut().push((began.elapsed().as_millis(), has_committed));
            ready(outcome.clone())
        };
        let test = async {
            for at in commits {
                tokio::time::sleep_until(began + Duration::from_millis(*at)).await;
                committed.notify_one();
            }
            tokio::time::sleep_until(began + Duration::from_millis(until)).await;
        };
        tokio::select! {
            () = place(|| committed.notified(), attempt) => {}
            () = test => {}
        }
        attempts.into_inner()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_looks_every_250_ms_for_events_of_others() {
        assert_eq!(attempts(&[], 800, Ok(0)).await, [(0, true), (250, false), (500, false), (750, false)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_places_its_own_commits_within_20_ms() {
        let made = attempts(&[100, 101, 102, 400], 500, Ok(1)).await;
        assert!(made.iter().any(|(at, has_committed)| *has_committed && (102..=120).contains(at)), "{made:?}");
        assert!(made.iter().any(|(at, has_committed)| *has_committed && (400..=420).contains(at)), "{made:?}");
        assert!(made.len() <= 5, "commits are collected: {made:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn commits_without_a_pause_are_placed_every_15_ms_and_many_events_every_30_ms() {
        let every_millisecond: Vec<u64> = (1_100..1_400).collect();
        for (events, apart) in [(1, 15..=20), (16, 30..=35)] {
            let made = attempts(&every_millisecond, 1_400, Ok(events)).await;
            let times: Vec<u128> = made.iter().map(|(at, _)| *at).filter(|at| *at > 1_100).collect();
            assert!(times[0] <= 1_106, "the first commit does not wait for others: {times:?}");
            assert!(times.windows(2).all(|pair| apart.contains(&(pair[1] - pair[0]))), "{times:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_pauses_after_a_failure() {
        let made = attempts(&[], 3_000, Err(Error::Overloaded)).await;
        assert_eq!(made, [(0, true), (1_250, false), (2_500, false)]);
    }
}
