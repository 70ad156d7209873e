//! Counts of expired rows, for `/metrics`.

use crate::analytics;
use crate::context::App;
use crate::error::Error;
use perennial_store::{analytics_ledgers, idempotency, organizations, sessions, webhook_figures};

/// Rows are counted up to this number for each organization and table, so that counting stays cheap.
pub const COUNTED_AT_MOST: i64 = 10_000;

/// Reads the figures about webhooks and the feed.
pub async fn count_webhooks(app: &App) -> Result<(), Error> {
    app.background.set_stored(webhook_figures::read(&app.db).await?);
    Ok(())
}

/// Reads how far analytics are behind the feed.
pub async fn count_analytics(app: &App) -> Result<(), Error> {
    if analytics::is_enabled(app) {
        app.background.set_analytics_lag(analytics_ledgers::lag_seconds(&app.db).await?);
    }
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
