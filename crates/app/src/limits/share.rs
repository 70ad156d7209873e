//! Exchange of counts between servers that share a store.
//!
//! A server counts at most `allowance` attempts of a bucket before it writes its totals and reads those of the others. The
//! server that read last knew every attempt except the allowances of the others, and stayed within the limit by what
//! it knew. So n servers admit at most limit + (n − 1) × allowance: four servers
//! 60 + 3 × 4 = 72, below 1.25 times the limit. An address with fewer attempts never causes access to the store, and
//! rejections are decided from memory.

use super::counter::Attempt;
use super::window::{Moment, Pair, Tally};
use crate::context::App;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, rate_limits};
use std::time::Duration;

const MAX_WAIT: Duration = Duration::from_secs(2);

/// Writes the totals of this server and reads those of the others. If the store does not respond in time, the known counts are
/// used; the next exchange carries the totals.
pub(super) async fn exchange(app: &App, attempt: &Attempt<'_>) {
    let seen = attempt.counter.get(attempt.bucket, Moment::of(app.clock.now()));
    let reached = tokio::time::timeout(MAX_WAIT, report_and_read(app, attempt, &seen)).await;
    let others = match reached {
        Ok(Ok(others)) => others,
        Ok(Err(_)) | Err(_) => seen.others,
    };
    let known = Tally { reported: seen.own, others, ..seen };
    attempt.counter.learn(attempt.bucket, known, Moment::of(app.clock.now()));
}

async fn report_and_read(app: &App, attempt: &Attempt<'_>, seen: &Tally) -> Result<Pair, store::Error> {
    let row = (attempt.bucket, app.limits.server);
    let windows = [start(seen.minute), start(seen.minute - 1)];
    let mut change = Change::new();
    for (window, used) in windows.into_iter().zip([seen.own.current, seen.own.previous]) {
        if used > 0 {
            change = rate_limits::put(change, attempt.organization, window, row, used);
        }
    }
    app.db.commit(change).await?;
    let [current, previous] = rate_limits::elsewhere(&app.db, attempt.organization, windows, row).await?;
    let counted = |attempts: i64| u32::try_from(attempts.max(0)).unwrap_or(u32::MAX);
    Ok(Pair { current: counted(current), previous: counted(previous) })
}

fn start(minute: i64) -> Time {
    Time::from_micros(minute.saturating_mul(60_000_000)).unwrap_or(Time::MAX)
}
