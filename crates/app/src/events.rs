//! Events: read and pruned by the operator.

use crate::context::App;
use crate::error::Error;
use perennial_domain::events::Event;
use perennial_domain::id::{EventId, OrganizationId, uuid_floor};
use perennial_domain::time::Time;
use perennial_store::{Change, events, organizations};

/// How many events one change removes, so that writers beside it do not wait long.
const PRUNE_AT_ONCE: i64 = 1_000;

/// An organization's events before `before` (or all), newest first.
pub async fn list(
    app: &App,
    organization: OrganizationId,
    before: Option<EventId>,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let before = before.unwrap_or(EventId::from_bytes([0xff; 16]));
    Ok(events::newest(&app.db, organization, before, limit).await?)
}

/// When the newest event of any organization happened.
pub async fn latest(app: &App) -> Result<Option<Time>, Error> {
    let mut latest = None;
    for organization in organizations::all(&app.db).await? {
        let newest = list(app, organization.id, None, 1).await?;
        latest = latest.max(newest.first().map(|event| event.at));
    }
    Ok(latest)
}

/// Removes an organization's events older than `before`; answers how many there were.
pub async fn prune(app: &App, organization: OrganizationId, before: Time) -> Result<i64, Error> {
    let bound = EventId::from_bytes(uuid_floor(before));
    let count = events::count_older(&app.db, organization, bound).await?;
    let mut left = count;
    while left > 0 {
        app.db.commit(events::prune(Change::new(), organization, bound, PRUNE_AT_ONCE)).await?;
        left -= PRUNE_AT_ONCE;
    }
    Ok(count)
}
