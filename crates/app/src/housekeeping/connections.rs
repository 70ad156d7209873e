//! Removal of the bodies of webhooks from payment providers, and the figures about them.

use super::remove::commit;
use crate::context::App;
use crate::error::Error;
use perennial_store::{Change, connection_inbox, connections};

const DAY_SECONDS: i64 = 86_400;
/// How long a body is stored after it was applied.
const APPLIED_DAYS: i64 = 7;
/// How long any other body is stored.
const OTHER_DAYS: i64 = 30;

/// Deletes bodies whose retention has passed.
pub async fn sweep_connections(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    let (applied, received) =
        (now.plus_seconds(-APPLIED_DAYS * DAY_SECONDS), now.plus_seconds(-OTHER_DAYS * DAY_SECONDS));
    commit(app, || connection_inbox::forget_bodies(Change::new(), applied, received)).await.map(drop)
}

/// Reads how many hints wait, and for how long, and how old the last sweeps are.
pub async fn count_connections(app: &App) -> Result<(), Error> {
    let (waiting, oldest) = connection_inbox::waiting(&app.db).await?;
    let now = app.clock.now();
    let lag = oldest.map_or(0, |oldest| (now.as_micros() - oldest.as_micros()).max(0) / 1_000_000);
    app.connections.set_waiting(waiting, lag);
    let ages = connections::swept(&app.db).await?.into_iter();
    app.connections.set_sweep_ages(ages.map(|(kind, at)| (kind.as_str(), now.seconds_since(at).max(0).unsigned_abs())));
    Ok(())
}
