//! Removal of events whose retention has passed.

use crate::context::App;
use crate::error::Error;
use crate::events;
use perennial_store::organizations;

/// Removes the events of every organization whose retention has passed; returns how many.
pub async fn prune_events(app: &App) -> Result<u64, Error> {
    let Some(before) = app.options.retention.events_before(app.clock.now()) else { return Ok(0) };
    let mut pruned = 0;
    for organization in organizations::all(&app.db).await? {
        pruned += events::prune(app, organization.id, before, events::Readers::Wait).await?;
    }
    Ok(pruned)
}
