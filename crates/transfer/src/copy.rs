//! Copies a store to another one, on either engine. Every row is read again on both sides and compared before
//! the copy is committed.

use super::PAGE;
use perennial_app::error::Error;
use perennial_domain::holds::HoldReason;
use perennial_domain::time::Time;
use perennial_store::Table;
use perennial_store::tables::{FEED, transferred};
use perennial_store::transfer::Values;
use perennial_store::{Bulk, Db, connections, feed, holds, webhook_endpoints};

/// The progress of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows that were written or compared.
    pub done: u64,
    /// All rows, each counted twice.
    pub total: u64,
}

/// The result of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copied {
    /// Every row was copied and is equal: the number of rows of each table.
    Whole(Vec<(&'static str, u64)>),
    /// The target store is not empty. Nothing was done.
    Occupied,
    /// A table differs after the copy. Nothing was committed.
    Differs(&'static str),
}

/// Copies everything that a server needs, and compares it. Then the webhook endpoints of the copy are disabled, unless
/// `disable_webhooks_at` is none.
pub async fn copy(
    from: &Db,
    to: &Db,
    disable_webhooks_at: Option<Time>,
    mut progress: impl FnMut(Progress),
) -> Result<Copied, Error> {
    let mut source = from.snapshot().await?;
    let mut target = to.load().await?;
    let mut total = 0;
    for table in transferred() {
        if !table.page(&mut target, None, 1).await?.is_empty() {
            return Ok(Copied::Occupied);
        }
        total += 2 * table.count(&mut source).await?.unsigned_abs();
    }
    let (mut done, mut rows) = (0, Vec::new());
    let mut report = |more: u64| {
        done += more;
        progress(Progress { done, total });
    };
    for table in transferred() {
        if table.name == FEED.name {
            feed::forget_copied(&mut target).await?;
        }
        match write(table, &mut source, &mut target, &mut report).await? {
            Some(written) => rows.push((table.name, written)),
            None => return Ok(Copied::Differs(table.name)),
        }
    }
    for table in transferred() {
        if !is_equal(table, &mut source, &mut target, &mut report).await? {
            return Ok(Copied::Differs(table.name));
        }
    }
    let queued = feed::queued(&mut source).await?;
    feed::resume(&mut target, &queued).await?;
    // The original may still be at work: what is due must not be done twice.
    holds::hold_all(&mut target, HoldReason::Copied).await?;
    if let Some(at) = disable_webhooks_at {
        webhook_endpoints::disable_copied(&mut target, at).await?;
        connections::disable_copied(&mut target, at).await?;
    }
    target.commit().await?;
    Ok(Copied::Whole(rows))
}

/// Copies a table and returns the number of rows. `None` if the target rejected a row.
async fn write(
    table: &'static Table,
    source: &mut Bulk,
    target: &mut Bulk,
    report: &mut impl FnMut(u64),
) -> Result<Option<u64>, Error> {
    let (mut written, mut after) = (0, None::<Values>);
    loop {
        let page = table.page(source, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(Some(written)) };
        after = Some(table.key(last).to_vec());
        let made = table.insert(target, &page).await?;
        if made != page.len() as u64 {
            return Ok(None);
        }
        written += made;
        report(made);
    }
}

/// Whether both sides hold the same rows.
async fn is_equal(
    table: &'static Table,
    source: &mut Bulk,
    target: &mut Bulk,
    report: &mut impl FnMut(u64),
) -> Result<bool, Error> {
    let mut after = None::<Values>;
    loop {
        let (here, there) =
            (table.page(source, after.as_deref(), PAGE).await?, table.page(target, after.as_deref(), PAGE).await?);
        if here != there {
            return Ok(false);
        }
        let Some(last) = here.last() else { return Ok(true) };
        after = Some(table.key(last).to_vec());
        report(here.len() as u64);
    }
}
