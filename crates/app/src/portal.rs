//! The customer portal: one-time links, sessions of its users, sign-in at an identity provider, and what users may do there.
//!
//! A user of the portal is a caller that sees its own records only. A session of the portal is an ordinary session without a
//! client and without tokens: a sealed cookie names it, and every request reads it, so that an end takes effect at once.

pub mod entitlements;
pub mod invoices;
pub mod links;
pub mod options;
pub(crate) mod provider_cache;
pub(crate) mod providers;
pub mod sessions;
pub mod sign_in;
pub mod subscriptions;

pub use links::{NewLink, Opened, create_link, enter, open_link};
pub use options::PortalOptions;
pub use sessions::{PortalSession, recognize, sign_out};

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::Organization;
use perennial_store::organizations;

/// Whether the portal is served.
pub fn is_enabled(app: &App) -> bool {
    app.options.portal.enabled
}

/// The URL that one-time links begin with.
pub fn base_url(app: &App) -> &str {
    &app.options.portal.base_url
}

/// The organization, if it exists and is not deleted.
pub async fn organization(app: &App, id: OrganizationId) -> Result<Option<Organization>, Error> {
    let found = organizations::by_id(&app.db, id).await?;
    Ok(found.filter(|organization| organization.deleted_at.is_none()))
}

/// The organization of the installation, if there is only one.
pub async fn only_organization(app: &App) -> Result<Option<Organization>, Error> {
    let mut all = organizations::all(&app.db).await?;
    Ok(if all.len() == 1 { all.pop() } else { None })
}
