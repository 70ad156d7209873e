//! The changes of clients, for the API and the command line: each writes its event, and no caller grants a scope that it
//! does not hold when the change is committed.

use super::confirm::confirm_granting;
use super::credential::{self, Credential};
use crate::audit::json;
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use ipnet::IpNet;
use perennial_domain::clients::{Client, ClientKind, ClientName, Origin, PublicId, Scopes};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId};
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

/// A generated `client-id` for a public client.
pub fn generated_name(app: &App) -> PublicId {
    PublicId::from_stored(format!("app-{:016x}", app.entropy.bits()))
}

/// The client with this ID.
pub async fn read(app: &App, caller: &Caller, id: ClientId) -> Result<Client, Error> {
    clients::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// Changes a client. `decide` returns the client after the change at an instant, or `None` if nothing changes.
pub(super) async fn change(
    app: &App,
    caller: &Caller,
    id: ClientId,
    if_match: &IfMatch,
    decide: impl Fn(&Client, Time) -> Result<Option<Client>, Error>,
    write: impl Fn(Change, &Client, EventId) -> Change,
) -> Result<Client, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        let Some(after) = decide(&before, at)? else { return Ok(before) };
        let after = Client { updated_at: at, revision, ..after };
        let event = caller.event(EventKind::ClientUpdated, id.bytes(), revision, at).following(before.revision);
        let change = write(Change::new(), &after, before.revision);
        let (before_change, after_change) = (json(&before.view(None)), json(&after.view(None)));
        let event = Event { before: Some(before_change), after: Some(after_change), ..event };
        let change = events::insert(change, &event);
        let change = confirm_granting(app, caller, after.scopes.beyond(before.scopes), change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Creates a client that the caller may create.
pub(super) async fn insert(app: &App, caller: &Caller, new: NewClient) -> Result<Client, Error> {
    let granted = new.scopes;
    let (client, change) = prepare(app, Change::new(), caller, new);
    let change = confirm_granting(app, caller, granted, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(client),
        Err(store::Error::Violated(Violation::Credential)) => Err(Conflict::ClientIdTaken.into()),
        Err(error) => Err(error.into()),
    }
}

/// Adds a new client and its event to a change.
pub(crate) fn prepare(app: &App, change: Change, caller: &Caller, new: NewClient) -> (Client, Change) {
    let now = app.clock.now();
    let (kind, public_id, hash) = match new.presents {
        Presents::Public(id) => {
            let hash = credential::hash(id.as_str());
            (ClientKind::Public, Some(id), hash)
        }
        Presents::Trusted(credential) => (ClientKind::Trusted, None, credential.hash()),
    };
    let client = Client {
        id: ClientId::new(now, app.entropy.id_bits()),
        organization_id: caller.organization(),
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
        revision: EventId::new(now, app.entropy.id_bits()),
    };
    let event = caller.event(EventKind::ClientCreated, client.id.bytes(), client.revision, now);
    let change = clients::insert(change, &client, hash);
    let change = events::insert(change, &Event { after: Some(json(&client.view(None))), ..event });
    (client, change)
}
