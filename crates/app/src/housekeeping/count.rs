//! Counts of expired rows, for `/metrics`.

use crate::context::App;
use crate::error::Error;
use perennial_store::{idempotency, organizations, sessions, webhook_figures};

/// Rows are counted up to this number for each organization and table, so that counting stays cheap.
pub const COUNTED_AT_MOST: i64 = 10_000;

/// Reads the figures about webhooks and the feed.
pub async fn count_webhooks(app: &App) -> Result<(), Error> {
    app.background.set_stored(webhook_figures::read(&app.db).await?);
    Ok(())
}

/// Counts the expired rows that are still stored. A session counts once its retention has passed.
pub async fn count_expired(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    let ended_before = app.options.retention.sessions_before(now);
    let (mut keys, mut ended) = (0, 0);
    for organization in organizations::all(&app.db).await? {
        keys += idempotency::count_expired(&app.db, organization.id, now, COUNTED_AT_MOST).await?;
        ended += sessions::count_expired(&app.db, organization.id, ended_before, COUNTED_AT_MOST).await?;
    }
    app.housekeeping.set_expired(keys, ended);
    Ok(())
}
