//! Events: read and pruned by the operator.

use crate::context::App;
use crate::error::Error;
use crate::housekeeping::remove::{BATCH, remove};
use perennial_domain::events::Event;
use perennial_domain::id::{EventId, OrganizationId, uuid_floor};
use perennial_domain::time::Time;
use perennial_store::{Change, events, organizations};

/// An organization's events before `before`, or all of them, newest first.
pub async fn list(
    app: &App,
    organization: OrganizationId,
    before: Option<EventId>,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let before = before.unwrap_or(EventId::from_bytes([0xff; 16]));
    Ok(events::newest(&app.db, organization, before, limit).await?)
}

/// The time of the newest event of any organization.
pub async fn latest(app: &App) -> Result<Option<Time>, Error> {
    let mut latest = None;
    for organization in organizations::all(&app.db).await? {
        let newest = list(app, organization.id, None, 1).await?;
        latest = latest.max(newest.first().map(|event| event.at));
    }
    Ok(latest)
}

/// Removes an organization's events older than `before` and returns their number.
///
/// Every removal of events uses this function. If a consumer still needs events, lower the bound here.
pub async fn prune(app: &App, organization: OrganizationId, before: Time) -> Result<u64, Error> {
    let bound = EventId::from_bytes(uuid_floor(before));
    let due = || events::due(&app.db, organization, bound, BATCH);
    remove(app, due, || events::prune(Change::new(), organization, bound, BATCH)).await
}
