//! What servers over one store tell each other: how many attempts of a bucket each has counted.
//!
//! A server keeps at most [`allowance`] attempts of a bucket to itself; before the next it writes its totals and reads
//! those of the others. The server that read last knew of every attempt but what the others keep to themselves, and
//! stayed within the limit by what it knew. So n servers admit at most limit + (n − 1) × allowance: four of them
//! 60 + 3 × 4 = 72, below 1.25 times the limit. An address that tries less often than that never reaches the store, and
//! one that is refused is refused from memory.

use super::counter::Asked;
use super::window::{Moment, Pair, Tally};
use crate::context::App;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, rate_limits};
use std::time::Duration;

const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Tells the others and asks them. If the store cannot be reached within moments, what is known here has to do: the
/// next report carries the totals.
pub(super) async fn exchange(app: &App, asked: &Asked<'_>) {
    let seen = asked.counter.look(asked.bucket, Moment::of(app.clock.now()));
    let reached = tokio::time::timeout(LONGEST_WAIT, tell_and_ask(app, asked, &seen)).await;
    let others = match reached {
        Ok(Ok(others)) => others,
        Ok(Err(_)) | Err(_) => seen.others,
    };
    let known = Tally { told: seen.own, others, ..seen };
    asked.counter.learn(asked.bucket, known, Moment::of(app.clock.now()));
}

async fn tell_and_ask(app: &App, asked: &Asked<'_>, seen: &Tally) -> Result<Pair, store::Error> {
    let row = (asked.bucket, app.limits.server);
    let windows = [start(seen.minute), start(seen.minute - 1)];
    let mut change = Change::new();
    for (window, used) in windows.into_iter().zip([seen.own.current, seen.own.previous]) {
        if used > 0 {
            change = rate_limits::put(change, asked.organization, window, row, used);
        }
    }
    app.db.commit(change).await?;
    let [current, previous] = rate_limits::elsewhere(&app.db, asked.organization, windows, row).await?;
    let counted = |attempts: i64| u32::try_from(attempts.max(0)).unwrap_or(u32::MAX);
    Ok(Pair { current: counted(current), previous: counted(previous) })
}

fn start(minute: i64) -> Time {
    Time::from_micros(minute.saturating_mul(60_000_000)).unwrap_or(Time::MAX)
}
