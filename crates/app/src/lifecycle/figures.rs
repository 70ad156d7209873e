//! The figures of the lifecycle that are read from the store every minute.

use crate::background::StoredLifecycle;
use crate::context::App;
use crate::error::Error;
use perennial_domain::time::Time;
use perennial_store::subscriptions::{self, Backlog};
use perennial_store::{holds, invoices};

/// The most organizations on hold that are counted.
const HELD: i64 = 100_000;

/// Counts what is due, late and on hold, for `/metrics`.
pub async fn count_lifecycle(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    let live = subscriptions::live_due(&app.db, now).await?.and(invoices::live_due(&app.db, now).await?);
    let mut test = subscriptions::test_due(&app.db).await?;
    test.extend(invoices::test_due(&app.db).await?);
    let held = holds::held(&app.db, HELD).await?.len();
    let due = live.due + test.iter().map(|(_, backlog)| backlog.due).sum::<i64>();
    app.background.lifecycle.set_stored(StoredLifecycle {
        live_lag_seconds: lag(now, live),
        test_lag_seconds: test.iter().map(|(now, backlog)| lag(*now, *backlog)).max().unwrap_or(0),
        due: u64::try_from(due).unwrap_or(0),
        // On a server with a wrong clock nothing is done for any organization.
        held: (held + usize::from(app.lifecycle.is_clock_wrong())) as u64,
        parked: u64::try_from(subscriptions::all_parked(&app.db).await?).unwrap_or(0),
    });
    Ok(())
}

fn lag(now: Time, backlog: Backlog) -> u64 {
    backlog.since.map_or(0, |since| u64::try_from(now.seconds_since(since)).unwrap_or(0))
}
