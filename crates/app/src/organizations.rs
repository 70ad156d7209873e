//! Organizations: created, listed and deleted on the command line; read and changed there and over the API.

mod delete;

pub use delete::{Removed, delete, purge_deleted};

use crate::audit::{json, system_event};
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use perennial_domain::currency::Currency;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName, OrganizationPatch};
use perennial_domain::portal::PortalSettings;
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Violation, events, organizations, tax_rates};

/// The organization of the first run.
pub const DEFAULT_NAME: &str = "default";

/// Creates an organization; `None` if the name is in use.
pub async fn create(
    app: &App,
    name: OrganizationName,
    currency: Currency,
    max_sessions: Option<u32>,
) -> Result<Option<Organization>, Error> {
    create_in(app, name, currency, max_sessions, OrganizationMode::Live).await
}

/// Creates an organization that is live or for tests; `None` if the name is in use.
pub async fn create_in(
    app: &App,
    name: OrganizationName,
    currency: Currency,
    max_sessions: Option<u32>,
    mode: OrganizationMode,
) -> Result<Option<Organization>, Error> {
    let (organization, change) = prepare(app, Change::new(), name, currency, max_sessions, mode);
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(organization)),
        Err(store::Error::Violated(Violation::Name)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The organization of the caller.
pub async fn read(app: &App, caller: &Caller) -> Result<Organization, Error> {
    let found = organizations::by_id(&app.db, caller.organization()).await?;
    found.filter(|found| found.deleted_at.is_none()).ok_or(Error::NotFound)
}

/// Updates the organization of the caller. `read_patch` reads the request against the organization as it is. Nothing is
/// written if nothing changes.
pub async fn update(
    app: &App,
    caller: &Caller,
    if_match: &IfMatch,
    read_patch: impl Fn(&Organization) -> (OrganizationPatch, ValidationErrors),
) -> Result<Organization, Error> {
    let id = caller.organization();
    let mut attempts = app.locks.attempts(id.bytes());
    while attempts.next().await {
        let before = read(app, caller).await?;
        if_match.check(before.revision)?;
        let (patch, mut errors) = read_patch(&before);
        check_rates(app, &before, &patch, &mut errors).await?;
        if !errors.is_empty() {
            return Err(errors.into());
        }
        let after = before.apply(patch);
        if after == before {
            return Ok(before);
        }
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        let after = Organization { updated_at: at, revision, ..after };
        // A clock that moves bills by these settings.
        business_time::check(app, caller).await?;
        if caller.is_dry_run {
            return Ok(after);
        }
        let event = caller.event(EventKind::OrganizationUpdated, id.bytes(), revision, at).following(before.revision);
        let change = organizations::update(Change::new(), &after, before.revision);
        let change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Adds an error for each tax rate that is named for the first time and does not exist or is inactive.
async fn check_rates(
    app: &App,
    before: &Organization,
    patch: &OrganizationPatch,
    errors: &mut ValidationErrors,
) -> Result<(), Error> {
    let known = before.settings().tax_rate_ids;
    for (index, id) in patch.billing.tax_rate_ids.iter().flatten().enumerate() {
        if known.contains(id) {
            continue;
        }
        let found = tax_rates::by_id(&app.db, before.id, *id).await?;
        if !found.is_some_and(|rate| rate.is_active) {
            let detail = "names no active tax rate of this organization";
            errors.note(format!("/billing/tax_rate_ids/{index}"), ValidationCode::NotFound, detail);
        }
    }
    Ok(())
}

/// Every organization, oldest first.
pub async fn list(app: &App) -> Result<Vec<Organization>, Error> {
    Ok(organizations::all(&app.db).await?)
}

/// The organization with this name or ID.
pub async fn find(app: &App, name_or_id: &str) -> Result<Option<Organization>, Error> {
    Ok(find_with_deleted(app, name_or_id).await?.filter(|found| found.deleted_at.is_none()))
}

/// The organization with this name or ID. A deleted one is found by its ID.
pub async fn find_with_deleted(app: &App, name_or_id: &str) -> Result<Option<Organization>, Error> {
    Ok(match name_or_id.parse::<OrganizationId>() {
        Ok(id) => organizations::by_id(&app.db, id).await?,
        Err(_) => organizations::by_name(&app.db, name_or_id).await?,
    })
}

/// Adds a new organization and its event to a change.
pub(crate) fn prepare(
    app: &App,
    change: Change,
    name: OrganizationName,
    currency: Currency,
    max_sessions: Option<u32>,
    mode: OrganizationMode,
) -> (Organization, Change) {
    let now = app.clock.now();
    let organization = Organization {
        id: OrganizationId::new(now, app.entropy.id_bits()),
        name,
        currency,
        max_sessions,
        mode,
        billing: None,
        portal: PortalSettings::default(),
        created_at: now,
        updated_at: now,
        deleted_at: None,
        revision: EventId::new(now, app.entropy.id_bits()),
    };
    let (id, revision) = (organization.id, organization.revision);
    let event = system_event(id, EventKind::OrganizationCreated, id.bytes(), revision, now);
    let change = organizations::insert(change, &organization);
    let change = events::insert(change, &Event { after: Some(json(&organization)), ..event });
    (organization, change)
}
