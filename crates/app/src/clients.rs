//! Clients: recognized at every request from a short-lived cache; created, disabled and rotated by the operator.

pub(crate) mod cache;
mod confirm;
mod credential;
mod recognize;

pub(crate) use confirm::confirm;
pub use credential::Credential;
pub use recognize::{origin_is_listed, recognize};

use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use ipnet::IpNet;
use perennial_domain::clients::{Client, ClientKind, ClientName, Origin, PublicId, Scopes};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId, OrganizationId};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, clients, events};

/// The fields of a new client.
pub struct NewClient {
    /// Its display name.
    pub name: ClientName,
    /// What it sends as `client-id`.
    pub presents: Presents,
    /// Its scopes.
    pub scopes: Scopes,
    /// The origins that a public client's pages may come from.
    pub origins: Vec<Origin>,
    /// The networks that a trusted client may call from.
    pub cidrs: Vec<IpNet>,
    /// When it expires.
    pub expires_at: Option<Time>,
}

/// What a client sends as `client-id`.
pub enum Presents {
    /// A public name.
    Public(PublicId),
    /// A secret.
    Trusted(Credential),
}

/// Creates a client. Returns `None` if its `client-id` is in use.
pub async fn create(app: &App, organization: OrganizationId, new: NewClient) -> Result<Option<Client>, Error> {
    let (client, change) = prepare(app, Change::new(), organization, new);
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(client)),
        Err(store::Error::Violated(Violation::Credential)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Every client of an organization, oldest first.
pub async fn list(app: &App, organization: OrganizationId) -> Result<Vec<Client>, Error> {
    Ok(clients::by_organization(&app.db, organization).await?)
}

/// Disables a client on every server within seconds. A disabled client stays as it is.
pub async fn disable(app: &App, organization: OrganizationId, id: ClientId) -> Result<Client, Error> {
    let client = clients::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
    if client.disabled_at.is_some() {
        return Ok(client);
    }
    change(
        app,
        organization,
        id,
        |client, now| client.disabled_at = Some(now),
        |change, after, before| clients::disable(change, after, before.revision),
    )
    .await
}

/// Enables a client on every server within seconds. An enabled client stays as it is.
pub async fn enable(app: &App, organization: OrganizationId, id: ClientId) -> Result<Client, Error> {
    edit(app, organization, id, |client| client.disabled_at = None).await
}

/// The changes to a client. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientChanges {
    /// Its scopes.
    pub scopes: Option<Scopes>,
    /// The origins that a public client's pages may come from.
    pub origins: Option<Vec<Origin>>,
    /// The networks that a trusted client may call from.
    pub cidrs: Option<Vec<IpNet>>,
    /// When it expires, if ever.
    pub expires_at: Option<Option<Time>>,
}

/// Updates a client on every server within seconds. Nothing is written if nothing changes.
pub async fn update(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    changes: &ClientChanges,
) -> Result<Client, Error> {
    edit(app, organization, id, |client| {
        client.scopes = changes.scopes.unwrap_or(client.scopes);
        client.expires_at = changes.expires_at.unwrap_or(client.expires_at);
        if let Some(origins) = &changes.origins {
            client.origins.clone_from(origins);
        }
        if let Some(cidrs) = &changes.cidrs {
            client.cidrs.clone_from(cidrs);
        }
    })
    .await
}

async fn edit(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    edit: impl Fn(&mut Client),
) -> Result<Client, Error> {
    let before = clients::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
    let mut after = before.clone();
    edit(&mut after);
    if after == before {
        return Ok(before);
    }
    let write = |change, after: &Client, before: &Client| clients::update(change, after, before.revision);
    change(app, organization, id, |client, _| edit(client), write).await
}

/// Replaces the credential of a trusted client. The old one stops working on every server within seconds.
pub async fn rotate(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    credential: &Credential,
) -> Result<Client, Error> {
    let hash = credential.hash();
    change(
        app,
        organization,
        id,
        |_, _| {},
        |change, after, before| clients::rotate(change, after, before.revision, hash),
    )
    .await
}

async fn change(
    app: &App,
    organization: OrganizationId,
    id: ClientId,
    edit: impl Fn(&mut Client, Time),
    write: impl Fn(Change, &Client, &Client) -> Change,
) -> Result<Client, Error> {
    for _ in 0..ATTEMPTS {
        let before = clients::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        let mut after = before.clone();
        edit(&mut after, at);
        (after.updated_at, after.revision) = (at, revision);
        let event = system_event(organization, EventKind::ClientUpdated, id.bytes(), revision, at);
        let change = write(Change::new(), &after, &before);
        let change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Adds a new client and its event to a change.
pub(crate) fn prepare(app: &App, change: Change, organization: OrganizationId, new: NewClient) -> (Client, Change) {
    let now = app.clock.now();
    let (kind, public_id, hash) = match new.presents {
        Presents::Public(id) => {
            let hash = credential::hash(id.as_str());
            (ClientKind::Public, Some(id), hash)
        }
        Presents::Trusted(credential) => (ClientKind::Trusted, None, credential.hash()),
    };
    let client = Client {
        id: ClientId::new(now, app.entropy.bits()),
        organization_id: organization,
        name: new.name,
        kind,
        public_id,
        scopes: new.scopes,
        origins: new.origins,
        cidrs: new.cidrs,
        expires_at: new.expires_at,
        disabled_at: None,
        created_at: now,
        updated_at: now,
        revision: EventId::new(now, app.entropy.bits()),
    };
    let event = system_event(organization, EventKind::ClientCreated, client.id.bytes(), client.revision, now);
    let change = clients::insert(change, &client, hash);
    let change = events::insert(change, &Event { after: Some(json(&client)), ..event });
    (client, change)
}
