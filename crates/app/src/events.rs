//! Events: listed and pruned by the command line. `feed.rs` reads them in their order.

use crate::analytics;
use crate::context::App;
use crate::error::Error;
use crate::feed::place_committed;
use crate::housekeeping::remove::{BATCH, remove};
use perennial_domain::events::Event;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::time::Time;
use perennial_store::{Change, events, feed, organizations, webhook_readers, webhook_undelivered};

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

/// The position of an event in the feed. None if it is not placed yet, or was imported without positions.
pub async fn position(app: &App, event: &Event) -> Result<Option<i64>, Error> {
    Ok(feed::sequence_of(&app.db, event.organization_id, event.id).await?)
}

/// The time of the newest event of any live organization. The events of others can have the time of a test clock.
pub async fn latest(app: &App) -> Result<Option<Time>, Error> {
    let mut latest = None;
    let organizations = organizations::all(&app.db).await?;
    for organization in organizations.into_iter().filter(|found| found.mode == OrganizationMode::Live) {
        let newest = list(app, organization.id, None, 1).await?;
        latest = latest.max(newest.first().map(|event| event.at));
    }
    Ok(latest)
}

/// Which readers hold back the removal of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Webhook endpoints that are active or were disabled within 30 days.
    Wait,
    /// None: a reader that is overtaken continues at the oldest event.
    Ignore,
}

/// How long a disabled endpoint holds back the removal of events.
const DISABLED_SECONDS: i64 = 30 * 86_400;

/// Removes an organization's events that entered the feed before `before`, except for the newest and those that analytics have
/// not read, and returns their number. Every removal of events uses this function.
pub async fn prune(app: &App, organization: OrganizationId, before: Time, readers: Readers) -> Result<u64, Error> {
    place_committed(app).await?;
    let Some(last) = feed::last_before(&app.db, organization, before).await? else { return Ok(0) };
    let newest = feed::newest(&app.db, organization).await?.map_or(0, |(newest, _)| newest.sequence);
    // Positions continue after the newest event.
    let mut last = last.sequence.min(newest - 1);
    if readers == Readers::Wait {
        let since = app.clock.now().plus_seconds(-DISABLED_SECONDS);
        let passed = webhook_readers::passed(&app.db, organization, since).await?;
        last = passed.map_or(last, |passed| last.min(passed));
    }
    if let Some(read) = analytics::rebuild::position(app, organization).await? {
        // The event at the position of the ledger stays, so that the ledger knows that it still is in this feed.
        last = last.min(read - 1);
    }
    let due = || feed::due(&app.db, organization, last, BATCH);
    let removed = remove(app, due, || feed::prune(Change::new(), organization, last, BATCH)).await?;
    if removed > 0 {
        app.db.commit(webhook_undelivered::remove_pruned(Change::new(), organization, last)).await?;
    }
    Ok(removed)
}
