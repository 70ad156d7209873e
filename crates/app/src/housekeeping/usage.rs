//! Removal of usage events whose retention has passed.

use super::remove::{BATCH, remove};
use crate::context::App;
use crate::error::Error;
use perennial_domain::usage::retained_since;
use perennial_store::{Change, organizations, usage_events, usage_totals};

/// How long a running total is stored after its period ended. Few events are accepted that long ago.
const TOTALS_SECONDS: i64 = 40 * 24 * 3600;

/// Removes the usage events of every organization whose retention has passed; returns how many.
pub async fn sweep_usage(app: &App) -> Result<u64, Error> {
    let before = retained_since(app.clock.now());
    let ended_before = app.clock.now().plus_seconds(-TOTALS_SECONDS);
    let mut removed = 0;
    for organization in organizations::all(&app.db).await? {
        let mut after = [0; 16];
        while let Some(subscription) = usage_events::next_subscription(&app.db, organization.id, after).await? {
            after = subscription.bytes();
            let due = || usage_events::old(&app.db, organization.id, subscription, before, BATCH);
            let change = || usage_events::remove_old(Change::new(), organization.id, subscription, before, BATCH);
            removed += remove(app, due, change).await?;
            if usage_totals::any_ended(&app.db, organization.id, subscription, ended_before).await? {
                let change = Change::new().background();
                app.db.commit(usage_totals::remove_ended(change, organization.id, subscription, ended_before)).await?;
            }
            // Other tasks run between two subscriptions.
            tokio::task::yield_now().await;
        }
    }
    Ok(removed)
}
