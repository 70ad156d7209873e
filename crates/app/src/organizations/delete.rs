//! Deletion of an organization. One change marks it as deleted and removes its clients and operators, so that no request can use it. Then its
//! records are removed in batches. The event of the deletion stays.

use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::{Organization, OrganizationName};
use perennial_domain::stamp::Stamp;
use perennial_store::{
    self as store, Change, Violation, clients, events, holds, operator_links, operator_sessions, operators,
    organizations, portal_links, providers, retention, tables, test_clocks,
};

/// Rows that one change removes, so that other writers do not wait long.
const AT_ONCE: i64 = 500;
/// How long servers look for rows that concurrent requests wrote after the deletion.
const LEFTOVERS_SECONDS: i64 = 24 * 3600;

/// The number of rows removed from each table.
pub type Removed = Vec<(&'static str, i64)>;

/// Deletes an organization with all its records. If it was interrupted, run it again to continue.
pub async fn delete(app: &App, id: OrganizationId) -> Result<(Organization, Removed), Error> {
    let deleted = mark(app, id).await?;
    let removed = purge(app, &deleted).await?;
    Ok((deleted, removed))
}

/// Removes rows that concurrent requests wrote to recently deleted organizations.
pub async fn purge_deleted(app: &App) -> Result<(), Error> {
    let since = app.clock.now().plus_seconds(-LEFTOVERS_SECONDS);
    for organization in organizations::deleted_since(&app.db, since).await? {
        purge(app, &organization).await?;
    }
    Ok(())
}

/// Marks the organization as deleted, with its event. Its clients are removed.
async fn mark(app: &App, id: OrganizationId) -> Result<Organization, Error> {
    for _ in 0..ATTEMPTS {
        let before = organizations::by_id(&app.db, id).await?.ok_or(Error::NotFound)?;
        if before.deleted_at.is_some() {
            return Ok(before);
        }
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        let after = Organization {
            // The name becomes available to another organization.
            name: OrganizationName::from_stored(id.to_string()),
            updated_at: at,
            deleted_at: Some(at),
            revision,
            ..before.clone()
        };
        let change = organizations::delete(Change::new(), &after, before.revision);
        let change = providers::remove_all(clients::remove_all(change, id), id);
        let change = operator_links::remove_all(operator_sessions::remove_all(change, id), id);
        let change = operators::remove_all(change, id);
        let change = holds::remove(test_clocks::remove_any(change, id), id);
        let change = portal_links::remove_all(change, id);
        let event = system_event(id, EventKind::OrganizationDeleted, id.bytes(), revision, at);
        let event = event.following(before.revision);
        let change = events::insert(change, &Event { before: Some(json(&before)), ..event });
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

async fn purge(app: &App, deleted: &Organization) -> Result<Removed, Error> {
    let mut removed = Vec::new();
    for table in tables::purged() {
        let mut total = 0;
        loop {
            let left = retention::count_owned(&app.db, table, deleted.id, deleted.revision, AT_ONCE).await?;
            if left == 0 {
                break;
            }
            app.db.commit(retention::purge(Change::new(), table, deleted.id, deleted.revision, AT_ONCE)).await?;
            total += left;
        }
        removed.push((table.name, total));
    }
    Ok(removed)
}
