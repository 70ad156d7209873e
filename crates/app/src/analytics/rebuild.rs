//! Rebuilding a ledger from the events of the feed, next to the one that is served.

use super::reader::begin;
use crate::context::App;
use crate::error::Error;
use crate::feed::place_committed;
use perennial_domain::events::EventKind;
use perennial_domain::id::OrganizationId;
use perennial_store::analytics_ledgers::{self, LedgerState};
use perennial_store::feed::{self, Filter};
use perennial_store::{self as store, Change, Violation};

/// Whether events were pruned: the first event of an organization is its creation.
pub async fn is_pruned(app: &App, organization: OrganizationId) -> Result<bool, Error> {
    let first = feed::page(&app.db, organization, (0, i64::MAX), &Filter::default(), 1).await?;
    Ok(first.first().is_some_and(|first| first.event.kind != EventKind::OrganizationCreated))
}

/// Begins a rebuild, and returns the position that ends it. The background work fills the new ledger and then serves it.
pub async fn begin_rebuild(app: &App, organization: OrganizationId) -> Result<i64, Error> {
    place_committed(app).await?;
    let newest = feed::newest(&app.db, organization).await?.map_or(0, |(newest, _)| newest.sequence);
    let ledgers = analytics_ledgers::of_organization(&app.db, organization).await?;
    if ledgers.iter().any(|ledger| ledger.state == LedgerState::Building) {
        return Ok(newest);
    }
    let generation = ledgers.last().map_or(1, |last| last.generation + 1);
    let has_active = ledgers.iter().any(|ledger| ledger.state == LedgerState::Active);
    let state = if has_active { LedgerState::Building } else { LedgerState::Active };
    let change = analytics_ledgers::insert(Change::new(), &begin(organization, generation, state));
    match app.db.commit(change).await {
        // A server was faster.
        Ok(()) | Err(store::Error::Violated(Violation::Record)) => Ok(newest),
        Err(error) => Err(error.into()),
    }
}

/// Whether a rebuild has ended: there is one ledger, and it has reached the position.
pub async fn is_rebuilt(app: &App, organization: OrganizationId, position: i64) -> Result<bool, Error> {
    let ledgers = analytics_ledgers::of_organization(&app.db, organization).await?;
    Ok(ledgers.len() == 1 && ledgers.iter().all(|ledger| ledger.sequence >= position))
}

/// The number of generations: one, unless a rebuild is in progress or an old one is being removed.
pub async fn generations(app: &App, organization: OrganizationId) -> Result<usize, Error> {
    Ok(analytics_ledgers::of_organization(&app.db, organization).await?.len())
}

/// The position that every ledger of an organization has reached. None: there is no ledger, or analytics are disabled.
pub(crate) async fn position(app: &App, organization: OrganizationId) -> Result<Option<i64>, Error> {
    if !super::is_enabled(app) {
        return Ok(None);
    }
    let ledgers = analytics_ledgers::of_organization(&app.db, organization).await?;
    Ok(ledgers.iter().filter(|ledger| ledger.state != LedgerState::Obsolete).map(|ledger| ledger.sequence).min())
}
