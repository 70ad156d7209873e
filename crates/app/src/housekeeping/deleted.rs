//! Removal of deleted records whose retention has passed.
//!
//! A record stays for as long as another row refers to it, deleted or not: a payment's owner is found through its
//! subscription, and an export must not name records that are not in it. So the tables are taken in the order of
//! `tables::soft_deleted`: each before those it refers to. A deleted record gets no new references: every change guards
//! what it refers to.

use super::remove::{commit, pause};
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;
use perennial_store::retention::{self, Walked};
use perennial_store::{Change, Table, organizations, tables};
use std::collections::HashSet;

/// Rows read by one statement.
const PAGE: i64 = 1_000;
/// Records considered together: their references are read once for this many.
const TOGETHER: usize = 100_000;
/// Records looked up together, and records removed by one change.
const AT_ONCE: usize = 100;

/// Removes deleted records whose retention has passed, of every organization, and returns their number.
pub async fn remove_deleted(app: &App) -> Result<u64, Error> {
    let Some(before) = app.options.retention.deleted_before(app.clock.now()) else { return Ok(0) };
    let mut removed = 0;
    for organization in organizations::all(&app.db).await? {
        for table in tables::soft_deleted() {
            removed += remove_rows(app, organization.id, table, before).await?;
        }
    }
    Ok(removed)
}

async fn remove_rows(
    app: &App,
    organization: OrganizationId,
    table: &'static Table,
    before: Time,
) -> Result<u64, Error> {
    let mut removed = 0;
    let mut walk = Walk::new(app, organization, table);
    loop {
        let mut ids = candidates(&mut walk, before).await?;
        if ids.is_empty() {
            return Ok(removed);
        }
        leave_referenced(app, organization, table, &mut ids).await?;
        let ids: Vec<[u8; 16]> = ids.into_iter().collect();
        for ids in ids.chunks(AT_ONCE) {
            let add = |change, id: &[u8; 16]| {
                let parts = |change, part| retention::remove_parts(change, part, organization, *id, before);
                let change = tables::parts_of(table).fold(change, parts);
                retention::remove(change, table, organization, *id, before)
            };
            commit(app, || ids.iter().fold(Change::new(), add)).await?;
            removed += ids.len() as u64;
            pause(app).await;
        }
    }
}

/// The next records whose retention has passed. None at the end of the walk.
async fn candidates(walk: &mut Walk<'_>, before: Time) -> Result<HashSet<[u8; 16]>, Error> {
    let mut ids = HashSet::new();
    while ids.len() < TOGETHER {
        let Some(page) = walk.next().await? else { break };
        let is_due = |record: &&Walked| record.deleted_at.is_some_and(|at| at <= before);
        ids.extend(page.iter().filter(is_due).map(|record| record.id));
    }
    Ok(ids)
}

/// Excludes records that another record refers to, deleted or not.
async fn leave_referenced(
    app: &App,
    organization: OrganizationId,
    table: &'static Table,
    ids: &mut HashSet<[u8; 16]>,
) -> Result<(), Error> {
    for referring in tables::referring(table) {
        if retention::finds_references(referring, table) {
            let candidates: Vec<[u8; 16]> = ids.iter().copied().collect();
            for candidates in candidates.chunks(AT_ONCE) {
                for id in retention::referred_to(&app.db, referring, organization, candidates).await? {
                    ids.remove(&id);
                }
                // Other tasks run between two of them.
                tokio::task::yield_now().await;
            }
            continue;
        }
        let mut walk = Walk::new(app, organization, referring);
        while let Some(page) = walk.next().await? {
            for record in page.iter().flat_map(|record| &record.refers_to) {
                ids.remove(record);
            }
        }
    }
    Ok(())
}

/// All rows of a table, page by page.
struct Walk<'a> {
    app: &'a App,
    organization: OrganizationId,
    table: &'static Table,
    after: [u8; 16],
}

impl<'a> Walk<'a> {
    fn new(app: &'a App, organization: OrganizationId, table: &'static Table) -> Self {
        Self { app, organization, table, after: [0; 16] }
    }

    async fn next(&mut self) -> Result<Option<Vec<Walked>>, Error> {
        // A page takes a millisecond; other tasks run between two of them.
        tokio::task::yield_now().await;
        let page = retention::walk(&self.app.db, self.table, self.organization, self.after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = last.id;
        Ok(Some(page))
    }
}
