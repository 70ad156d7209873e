//! Organizations: made and listed by the operator.

use crate::caller::{json, operator_event};
use crate::context::App;
use crate::error::Error;
use perennial_domain::currency::Currency;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::{Organization, OrganizationName};
use perennial_store::{self as store, Change, Miss, events, organizations};

/// The organization of the first run.
pub const DEFAULT_NAME: &str = "default";

/// Creates an organization; `None` if the name is in use.
pub async fn create(app: &App, name: OrganizationName, currency: Currency) -> Result<Option<Organization>, Error> {
    let (organization, change) = prepare(app, Change::new(), name, currency);
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(organization)),
        Err(store::Error::Missed(Miss::Name)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Every organization, oldest first.
pub async fn list(app: &App) -> Result<Vec<Organization>, Error> {
    Ok(organizations::all(&app.db).await?)
}

/// The organization with this name or id.
pub async fn find(app: &App, name_or_id: &str) -> Result<Option<Organization>, Error> {
    Ok(match name_or_id.parse::<OrganizationId>() {
        Ok(id) => organizations::by_id(&app.db, id).await?,
        Err(_) => organizations::by_name(&app.db, name_or_id).await?,
    })
}

/// A new organization, added to a change together with its event.
pub(crate) fn prepare(app: &App, change: Change, name: OrganizationName, currency: Currency) -> (Organization, Change) {
    let now = app.clock.now();
    let organization = Organization {
        id: OrganizationId::new(now, app.chance.bits()),
        name,
        currency,
        max_sessions: None,
        created_at: now,
        updated_at: now,
        revision: EventId::new(now, app.chance.bits()),
    };
    let (id, revision) = (organization.id, organization.revision);
    let event = operator_event(id, EventKind::OrganizationCreated, id.bytes(), revision, now);
    let change = organizations::insert(change, &organization);
    let change = events::insert(change, &Event { after: Some(json(&organization)), ..event });
    (organization, change)
}
