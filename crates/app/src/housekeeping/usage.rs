//! Removal of usage events whose retention has passed.

use super::remove::{BATCH, remove};
use crate::business_time;
use crate::context::App;
use crate::error::Error;
use perennial_domain::usage::removable_before;
use perennial_store::{Change, organizations, subscriptions, usage_events, usage_totals};

/// How long a running total is stored after its period ended. Few events are accepted that long ago.
const TOTALS_SECONDS: i64 = 40 * 24 * 3600;

/// Removes the usage events of every organization whose retention has passed; returns how many.
pub async fn sweep_usage(app: &App) -> Result<u64, Error> {
    let mut removed = 0;
    for organization in organizations::all(&app.db).await? {
        // The times of events are those of the organization: its test clock may show another year.
        let now = business_time::now_of(app, organization.id).await?;
        let mut after = [0; 16];
        while let Some(subscription) = usage_events::next_subscription(&app.db, organization.id, after).await? {
            after = subscription.bytes();
            let ended_before = now.plus_seconds(-TOTALS_SECONDS);
            if usage_totals::any_ended(&app.db, organization.id, subscription, ended_before).await? {
                let change = Change::new().background();
                app.db.commit(usage_totals::remove_ended(change, organization.id, subscription, ended_before)).await?;
            }
            let owner = subscriptions::by_id(&app.db, organization.id, subscription).await?;
            let Some(before) = removable_before(owner.as_ref(), None, now) else { continue };
            let due = || usage_events::old(&app.db, organization.id, subscription, before, BATCH);
            let change = || usage_events::remove_old(Change::new(), organization.id, subscription, before, BATCH);
            removed += remove(app, due, change).await?;
            // Other tasks run between two subscriptions.
            tokio::task::yield_now().await;
        }
    }
    Ok(removed)
}
