//! Clients: recognized at every request from a short-lived cache; created and changed over the API (`api.rs`) and on the
//! command line. A change takes effect on every server within seconds.

mod api;
pub(crate) mod cache;
mod confirm;
mod credential;
mod recognize;
mod write;

pub use api::{create_over_api, page, update_over_api};
pub(crate) use confirm::{confirm, confirm_granting};
pub use credential::Credential;
pub(crate) use credential::random_text;
pub use recognize::{origin_is_listed, recognize};
pub(crate) use write::prepare;
pub use write::{NewClient, Presents, generated_name, read};

use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use perennial_domain::clients::{Client, ClientPatch};
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_store::clients;
use write::{change, insert};

/// Creates a client on the command line. Returns `None` if its `client-id` is in use.
pub async fn create(app: &App, organization: OrganizationId, new: NewClient) -> Result<Option<Client>, Error> {
    match insert(app, &Caller::system(organization), new).await {
        Err(Error::Conflict(Conflict::ClientIdTaken)) => Ok(None),
        created => created.map(Some),
    }
}

/// Every client of an organization, oldest first.
pub async fn list(app: &App, organization: OrganizationId) -> Result<Vec<Client>, Error> {
    Ok(clients::by_organization(&app.db, organization).await?)
}

/// Disables a client. A disabled client stays as it is.
pub async fn disable(app: &App, organization: OrganizationId, id: ClientId) -> Result<Client, Error> {
    update(app, organization, id, &ClientPatch { is_active: Some(false), ..ClientPatch::default() }).await
}

/// Enables a client. An enabled client stays as it is. Only the command line can do this.
pub async fn enable(app: &App, organization: OrganizationId, id: ClientId) -> Result<Client, Error> {
    update(app, organization, id, &ClientPatch { is_active: Some(true), ..ClientPatch::default() }).await
}

/// Updates a client on the command line. Nothing is written if nothing changes.
pub async fn update(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    patch: &ClientPatch,
) -> Result<Client, Error> {
    let decide = |before: &Client, at| Ok(Some(patch.clone().apply(before, at)).filter(|after| after != before));
    change(app, &Caller::system(organization), id, &IfMatch::Unconditional, decide, clients::update).await
}

/// Replaces the credential of a trusted client. The old one stops working on every server within seconds.
pub async fn rotate(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    credential: &Credential,
) -> Result<Client, Error> {
    let hash = credential.hash();
    let write = |change, after: &Client, read_at| clients::rotate(change, after, read_at, hash);
    let decide = |before: &Client, _| Ok(Some(before.clone()));
    change(app, &Caller::system(organization), id, &IfMatch::Unconditional, decide, write).await
}
