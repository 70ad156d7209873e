//! Changes of connections, by the command line.

use super::provider::Account;
use super::secrets::ConnectionSecrets;
use super::{Connection, ConnectionDraft, InboxQuery, read};
use crate::audit::json;
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::connections::inbox::InboxItem;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ConnectionId, EventId};
use perennial_domain::organizations::Organization;
use perennial_domain::stamp::Stamp;
use perennial_identity::secret::Secret;
use perennial_store::connection_states::ConnectionProgress;
use perennial_store::{
    self as store, Change, Page, Position, Violation, connection_inbox, connection_links, connection_states,
    connections, events, organizations, subscriptions,
};

/// Subscriptions that one change releases.
const AT_ONCE: i64 = 100;

/// Creates a connection.
pub async fn create(
    app: &App,
    caller: &Caller,
    draft: ConnectionDraft,
    api_key: Secret,
    webhook_secret: Secret,
) -> Result<Connection, Error> {
    let organization = organization(app, caller).await?;
    let now = app.clock.now();
    let (id, revision) = (ConnectionId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
    let mut connection = Connection::create(draft, (organization.id, organization.mode), id, revision, now)?;
    let secrets = ConnectionSecrets { api_key, webhook: vec![webhook_secret] };
    connection.sealed_secrets = secrets.seal(&app.keys, &connection)?;
    let event = caller.event(EventKind::ConnectionCreated, id.bytes(), revision, now);
    let change = connections::insert(Change::new(), &connection);
    let change = connection_states::insert(change, &ConnectionProgress::new(organization.id, id));
    let change = events::insert(change, &Event { after: Some(json(&connection)), ..event });
    match app.db.commit(change).await {
        Ok(()) => {
            app.connection_cache.clear();
            Ok(connection)
        }
        Err(store::Error::Violated(Violation::Name)) => Err(Conflict::NameTaken.into()),
        Err(error) => Err(error.into()),
    }
}

/// Updates a connection. Nothing is written if nothing changes. A connection that is enabled again applies what waits.
pub async fn update(app: &App, caller: &Caller, id: ConnectionId, patch: ConnectionDraft) -> Result<Connection, Error> {
    let mode = organization(app, caller).await?.mode;
    for _ in 0..ATTEMPTS {
        let before = read(app, caller, id).await?;
        let after = before.merge(patch.clone(), mode)?;
        if after == before {
            return Ok(before);
        }
        let (after, mut change) = prepare_update(app, caller, &before, after);
        if after.is_enabled && !before.is_enabled {
            let now = app.clock.now();
            change = connection_inbox::hasten(change, after.organization_id, id, now);
            change = connection_states::succeeded(change, after.organization_id, id, now);
        }
        if commit(app, change).await? {
            return Ok(after);
        }
    }
    Err(Conflict::Contended.into())
}

/// Replaces the API key, adds a webhook secret, or drops the previous one.
pub async fn rotate(
    app: &App,
    caller: &Caller,
    id: ConnectionId,
    (api_key, webhook): (Option<Secret>, Option<Secret>),
    drop_previous: bool,
) -> Result<Connection, Error> {
    for _ in 0..ATTEMPTS {
        let before = read(app, caller, id).await?;
        let secrets = ConnectionSecrets::open(&app.keys, &before)?;
        let secrets = secrets.rotated(api_key.clone(), webhook.clone(), drop_previous);
        let sealed_secrets = secrets.seal(&app.keys, &before)?;
        let (after, change) = prepare_update(app, caller, &before, Connection { sealed_secrets, ..before.clone() });
        if commit(app, connections::set_secrets(change, &after)).await? {
            return Ok(after);
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes a connection, its secrets, its inbox and its links. `release` clears `managed_by` of its subscriptions first;
/// without it the connection must have none.
pub async fn remove(app: &App, caller: &Caller, id: ConnectionId, release: bool) -> Result<Connection, Error> {
    let organization = caller.organization();
    if release {
        // Otherwise a hint could link a subscription again.
        let patch = ConnectionDraft { is_enabled: Some(false), ..ConnectionDraft::default() };
        update(app, caller, id, patch).await?;
        while release_some(app, caller, id).await? {}
    }
    for _ in 0..ATTEMPTS {
        let connection = read(app, caller, id).await?;
        let subscriptions = subscriptions::count_managed(&app.db, organization, id).await?;
        if subscriptions > 0 {
            return Err(Conflict::ConnectionInUse { subscriptions }.into());
        }
        let Stamp { at, revision } = app.stamp(&connection, app.clock.now());
        let event = caller.event(EventKind::ConnectionDeleted, id.bytes(), revision, at);
        let event = event.following(connection.revision);
        let change = connections::delete(Change::new(), &connection, at, revision);
        let change = connection_inbox::remove(change, organization, id);
        let change = connection_links::remove(change, organization, id);
        let change = connection_states::remove(change, organization, id);
        let change = events::insert(change, &Event { before: Some(json(&connection)), ..event });
        if commit(app, change).await? {
            return Ok(connection);
        }
    }
    Err(Conflict::Contended.into())
}

/// Clears `managed_by` of some subscriptions. False: there are none left.
async fn release_some(app: &App, caller: &Caller, id: ConnectionId) -> Result<bool, Error> {
    let managed = subscriptions::managed(&app.db, caller.organization(), id, AT_ONCE).await?;
    if managed.is_empty() {
        return Ok(false);
    }
    for before in managed {
        let mut after = before.clone();
        after.managed_by = None;
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        (after.updated_at, after.revision) = (at, revision);
        let event = caller.event(EventKind::SubscriptionUpdated, before.id.bytes(), revision, at);
        let event = event.following(before.revision);
        let change = subscriptions::update(Change::new(), &after, before.revision);
        let change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        match app.db.commit(change).await {
            // Read again in the next round.
            Ok(()) | Err(store::Error::Violated(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Applies failed hints again, or one hint. Returns their number.
pub async fn retry(app: &App, caller: &Caller, id: ConnectionId, event_key: Option<&str>) -> Result<i64, Error> {
    let organization = caller.organization();
    read(app, caller, id).await?;
    let count = match event_key {
        Some(_) => 1,
        None => connection_inbox::count_failed(&app.db, organization, id).await?,
    };
    let change = connection_inbox::retry(Change::new(), organization, id, event_key, app.clock.now());
    match app.db.commit(change).await {
        Ok(()) => Ok(count),
        Err(store::Error::Violated(Violation::Key)) => Err(Error::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// A page of a connection's inbox after a position.
pub async fn inbox_page(
    app: &App,
    caller: &Caller,
    id: ConnectionId,
    query: &InboxQuery,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<InboxItem>, Error> {
    Ok(connection_inbox::list(&app.db, caller.organization(), id, query, after, limit).await?)
}

/// Checks that the API key has every permission that the connection needs. The inner error names what is missing.
pub async fn check(app: &App, caller: &Caller, id: ConnectionId) -> Result<Result<(), String>, Error> {
    let connection = read(app, caller, id).await?;
    let secrets = ConnectionSecrets::open(&app.keys, &connection)?;
    let account =
        Account { connection: &connection, api_key: &secrets.api_key, db: &app.db, figures: &app.connections };
    Ok(app.payment_providers().check(account).await)
}

async fn organization(app: &App, caller: &Caller) -> Result<Organization, Error> {
    organizations::by_id(&app.db, caller.organization()).await?.ok_or(Error::NotFound)
}

/// The connection with its new stamp, and the change with its event.
fn prepare_update(app: &App, caller: &Caller, before: &Connection, after: Connection) -> (Connection, Change) {
    let Stamp { at, revision } = app.stamp(before, app.clock.now());
    let after = Connection { updated_at: at, revision, ..after };
    let event = caller.event(EventKind::ConnectionUpdated, after.id.bytes(), revision, at);
    let event = event.following(before.revision);
    let change = connections::update(Change::new(), &after, before.revision);
    let change = events::insert(change, &Event { before: Some(json(before)), after: Some(json(&after)), ..event });
    (after, change)
}

/// Commits a change of a connection. False: another writer was faster, so decide again.
async fn commit(app: &App, change: Change) -> Result<bool, Error> {
    match app.db.commit(change).await {
        Ok(()) => {
            app.connection_cache.clear();
            Ok(true)
        }
        Err(store::Error::Violated(Violation::Record)) => Ok(false),
        Err(store::Error::Violated(Violation::Name)) => Err(Conflict::NameTaken.into()),
        Err(error) => Err(error.into()),
    }
}
