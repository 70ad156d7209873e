//! Identity providers: whose word an organization takes on who somebody is.

use crate::context::App;
use crate::error::Error;
use crate::signing_keys;
use perennial_domain::id::OrganizationId;
use perennial_domain::users::Email;
use perennial_identity::fetch::{Fetcher, Limits};
use perennial_identity::jwks::Keyring;
use perennial_identity::local::LocalIssuer;
use perennial_identity::providers::Provider;
use perennial_identity::secret::Secret;
use perennial_identity::verify::Verifier;
use std::sync::{Arc, OnceLock};

/// What is shared by the providers of every organization.
#[derive(Default)]
pub(crate) struct Providers {
    keyring: OnceLock<Arc<Keyring>>,
}

/// The providers of an organization, ready to be asked.
pub(crate) async fn verifier(app: &App, organization: OrganizationId) -> Result<Arc<Verifier>, Error> {
    let keyring = app.providers.keyring.get_or_init(|| {
        let fetcher = Fetcher::with_system_roots(Limits::default()).expect("the protocol versions are the library's");
        Arc::new(Keyring::new(Arc::new(fetcher)))
    });
    let mut providers = Vec::new();
    if app.options.local_provider {
        providers.push(Provider::local(LocalIssuer::new(&app.keys.local_seed, organization)));
    }
    let issuer = signing_keys::issuer(app).await?;
    let verifier = Verifier::new(Arc::clone(keyring), providers, &issuer);
    verifier.map(Arc::new).map_err(|fault| Error::Internal(fault.to_string()))
}

/// A token of the `local` provider for this address, as an identity provider would issue one.
pub fn local_token(app: &App, organization: OrganizationId, email: &Email, subject: Option<&str>) -> Secret {
    LocalIssuer::new(&app.keys.local_seed, organization).mint(email, subject, app.clock.now())
}
