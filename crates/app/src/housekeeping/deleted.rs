//! Deleted records whose retention has passed are removed for good.
//!
//! A record stays for as long as another row refers to it, deleted or not: a payment's owner is found through its
//! subscription, and an export must not name records that are not in it. So payments are removed first, then
//! subscriptions, then plans and users. A deleted record gets no new references: every change guards what it refers to.

use super::{commit, pause};
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_store::deleted::{self, Kind, Place};
use perennial_store::{Change, organizations};
use std::collections::HashSet;

/// Rows read by one statement.
const PAGE: i64 = 1_000;
/// Records considered together: payments have no index by subscription, so that creates stay cheap, and are read once for
/// so many deleted subscriptions.
const TOGETHER: usize = 100_000;
/// Records removed by one change.
const AT_ONCE: usize = 100;

/// Removes deleted records whose retention has passed, of every organization; returns how many.
pub async fn remove_deleted(app: &App) -> Result<u64, Error> {
    let Some(before) = app.options.retention.deleted_before(app.clock.now()) else { return Ok(0) };
    let mut removed = 0;
    for organization in organizations::all(&app.db).await? {
        for kind in [Kind::Payments, Kind::Subscriptions, Kind::Plans, Kind::Users] {
            removed += remove_kind(app, organization.id, kind, before).await?;
        }
    }
    Ok(removed)
}

async fn remove_kind(app: &App, organization: OrganizationId, kind: Kind, before: Time) -> Result<u64, Error> {
    let (mut removed, mut after) = (0, Some(Place::START));
    while let Some(place) = after {
        let (mut ids, next) = candidates(app, organization, kind, before, place).await?;
        if kind == Kind::Subscriptions {
            leave_paid(app, organization, &mut ids).await?;
        }
        let ids: Vec<[u8; 16]> = ids.into_iter().collect();
        for ids in ids.chunks(AT_ONCE) {
            let add = |change, id: &[u8; 16]| deleted::remove(change, kind, organization, *id, before);
            commit(app, || ids.iter().fold(Change::new(), add)).await?;
            removed += ids.len() as u64;
            pause(app).await;
        }
        after = next;
    }
    Ok(removed)
}

/// The next records that no row known by an index refers to, and where to continue if there may be more.
async fn candidates(
    app: &App,
    organization: OrganizationId,
    kind: Kind,
    before: Time,
    mut place: Place,
) -> Result<(HashSet<[u8; 16]>, Option<Place>), Error> {
    let mut ids = HashSet::new();
    while ids.len() < TOGETHER {
        let page = deleted::page(&app.db, kind, organization, before, place, PAGE).await?;
        let Some(last) = page.last() else { return Ok((ids, None)) };
        place = last.place;
        ids.extend(page.iter().filter(|record| !record.is_referenced).map(|record| record.place.id));
    }
    Ok((ids, Some(place)))
}

/// Leaves out subscriptions that a payment refers to.
async fn leave_paid(app: &App, organization: OrganizationId, ids: &mut HashSet<[u8; 16]>) -> Result<(), Error> {
    let mut after = [0; 16];
    while !ids.is_empty() {
        let page = deleted::paid(&app.db, organization, after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, subscription) in &page {
            ids.remove(subscription);
        }
        // A page takes a millisecond; others get their turn between two of them.
        tokio::task::yield_now().await;
    }
    Ok(())
}
