//! Identity providers of an organization (OIDC, shared-secret JWT, introspection). The operator configures them in the file or adds
//! them to the store. Running servers notice a change of the store within seconds.

mod check;
pub(crate) mod description;
mod gather;
pub(crate) mod record;
mod start;
#[cfg(test)]
mod tests;
pub(crate) mod verifiers;

pub use check::{Checked, Seen, Trouble, check};
pub use description::{Configured, Description, ProviderKind, Settings};
pub use gather::Source;
pub(crate) use gather::{portal_providers, verifier};
pub use perennial_identity::providers::{Algorithm, EmailVerified, ProviderError};
pub use perennial_identity::secret::Secret;
pub use perennial_outbound::{FetchError, Limits as FetchLimits};
pub use record::{ProviderRecord, Unusable};
pub use start::{StartError, check_at_start};

use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::Error;
use crate::signing_keys;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, ProviderId};
use perennial_domain::stamp::Stamp;
use perennial_domain::users::Email;
use perennial_identity::local::LocalIssuer;
use perennial_store::{self as store, Change, Violation, events, providers};
use serde::Serialize;

/// The issuer of the `local` provider.
pub const LOCAL_ISSUER: &str = LocalIssuer::ISSUER;

/// A provider in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The provider.
    #[serde(flatten)]
    pub record: ProviderRecord,
    /// Where it comes from.
    pub source: Source,
    /// Whether the configuration file has the same issuer, so that this one is not used.
    pub overridden: bool,
}

/// Why a provider was not added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdded {
    /// The organization has a provider with this issuer.
    #[error("the organization has a provider with this issuer already")]
    IssuerTaken,
    /// It is not safe to use, or conflicts with the others.
    #[error("{0}")]
    Fault(#[from] ProviderError),
    /// The store failed.
    #[error(transparent)]
    App(#[from] Error),
}

/// Adds a provider to the store. Running servers use it within seconds. Its secret is sealed under the keys of this
/// context, which must be those of the store.
pub async fn add(
    app: &App,
    organization: OrganizationId,
    description: &Description,
) -> Result<ProviderRecord, NotAdded> {
    let ours = signing_keys::issuer(app).await?;
    description.build()?.fits_beside(std::iter::empty(), &ours)?;
    let stored = providers::by_organization(&app.db, organization).await.map_err(Error::from)?;
    let introspects = |kind: &str| kind == ProviderKind::Introspection.as_str();
    if introspects(description.kind.as_str()) && stored.iter().any(|row| introspects(&row.kind)) {
        return Err(ProviderError::IntrospectionTwice.into());
    }
    let now = app.clock.now();
    let id = ProviderId::new(now, app.entropy.id_bits());
    let row = record::seal(&app.keys, organization, id, description, now).map_err(Error::from)?;
    let record = ProviderRecord::of_row(&row);
    let event_id = EventId::new(now, app.entropy.id_bits());
    let event = system_event(organization, EventKind::ProviderCreated, id.bytes(), event_id, now);
    let change = providers::insert(Change::new(), &row);
    let change = events::insert(change, &Event { after: Some(json(&record)), ..event });
    match app.db.commit(change).await {
        Ok(()) => Ok(record),
        Err(store::Error::Violated(Violation::Name)) => Err(NotAdded::IssuerTaken),
        Err(error) => Err(Error::from(error).into()),
    }
}

/// The providers of an organization: the file's, then the store's, oldest first.
pub async fn list(app: &App, organization: OrganizationId) -> Result<Vec<Listed>, Error> {
    let configured = gather::configured(app, organization).await?;
    let of_file = configured.iter().map(|configured| Listed {
        record: ProviderRecord::of_file(organization, &configured.description),
        source: Source::File,
        overridden: false,
    });
    let mut listed: Vec<Listed> = of_file.collect();
    for row in providers::by_organization(&app.db, organization).await? {
        let overridden = configured.iter().any(|configured| configured.description.issuer == row.issuer);
        listed.push(Listed { record: ProviderRecord::of_row(&row), source: Source::Store, overridden });
    }
    Ok(listed)
}

/// Removes a provider, named by its issuer or ID, from the store. Returns `None` if there is none. Its users stay signed
/// in, and cannot sign in again.
pub async fn remove(
    app: &App,
    organization: OrganizationId,
    issuer_or_id: &str,
) -> Result<Option<ProviderRecord>, Error> {
    let rows = providers::by_organization(&app.db, organization).await?;
    let named = |row: &providers::Row| row.issuer == issuer_or_id || row.id.to_string() == issuer_or_id;
    let Some(row) = rows.into_iter().find(named) else { return Ok(None) };
    let record = ProviderRecord::of_row(&row);
    // Its only earlier event is its creation.
    let Stamp { at, revision } = Stamp::last_at(row.created_at).next(app.clock.now(), app.entropy.id_bits());
    let event = system_event(organization, EventKind::ProviderDeleted, row.id.bytes(), revision, at);
    let change = providers::remove(Change::new(), organization, row.id);
    let change = events::insert(change, &Event { before: Some(json(&record)), ..event });
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(record)),
        // Another operator was faster.
        Err(store::Error::Violated(Violation::Record)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A token of the `local` provider for this address. Servers accept it if that provider is enabled.
/// The keys of this context must be those of the store.
pub fn local_token(app: &App, organization: OrganizationId, email: &Email, subject: Option<&str>) -> Secret {
    LocalIssuer::new(&app.keys.local_seed, organization).mint(email, subject, app.clock.now())
}
