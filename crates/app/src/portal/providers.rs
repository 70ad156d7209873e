//! Our registrations at identity providers for sign-ins to the portal. The settings are read at every sign-in; what was
//! learned of a provider (its endpoints) is remembered as long as they do not change.

use crate::context::App;
use crate::error::Error;
use crate::keys::sha256;
use crate::providers::{Description, portal_providers};
use perennial_domain::id::OrganizationId;
use perennial_identity::secret::Secret;
use perennial_identity::sign_in::RelyingParty;
use std::sync::Arc;

/// The registrations of an organization, in the order of its providers. One that cannot be used is left out.
pub(super) async fn of_organization(app: &App, organization: OrganizationId) -> Result<Vec<Arc<RelyingParty>>, Error> {
    let described = portal_providers(app, organization).await?;
    Ok(described.iter().filter_map(|description| registered(app, description)).collect())
}

fn registered(app: &App, description: &Description) -> Option<Arc<RelyingParty>> {
    let settings = serde_json::to_vec(&description.settings).ok()?;
    let secret = description.secret.as_ref().map(Secret::expose).unwrap_or_default();
    // The separators cannot occur in an issuer.
    let key = sha256(&[description.issuer.as_bytes(), b"\0", secret.as_bytes(), b"\0", &settings]);
    app.portal_providers.get_or_insert(key, || description.relying_party(app.verifiers.keyring())?.ok())
}
