//! Connections to payment providers: webhooks are received as hints, the objects that they name are fetched, and what a
//! fetch returns is written as records.
//!
//! Connections hold the operator's secrets, so only the command line creates and changes them.

mod apply;
pub(crate) mod cache;
pub mod collect;
mod control;
pub mod drift;
pub mod figures;
mod health;
pub mod http;
pub mod job;
pub(crate) mod managed;
mod outcome;
pub mod provider;
pub mod receive;
pub mod reconcile;
mod references;
mod secrets;
mod view;

pub use cache::OpenConnection;
pub use collect::Collections;
pub use control::{check, create, inbox_page, remove, retry, rotate, update};
pub use job::Connections;
pub use perennial_domain::connections::{
    AccountId, Connection, ConnectionDraft, ConnectionKind, ConnectionMode, ConnectionName, Drift, ObjectKind,
    RequestsPerMinute,
};
pub use perennial_store::connection_inbox::Query as InboxQuery;
pub use reconcile::Reconcile;
pub use secrets::ConnectionSecrets;
pub(crate) use secrets::{reseal, sealed_under};
pub use view::{ConnectionView, InboxItemView, describe, describe_all};

use crate::background;
use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use crate::keys::sha256;
use cache::Known;
use perennial_domain::connections::inbox::InboxItem;
use perennial_domain::id::{ConnectionId, OrganizationId, UserId};
use perennial_domain::payments::Payment;
use perennial_store::{
    Change, Page, Position, connection_collections, connection_inbox, connection_links, connections, payments,
    subscriptions,
};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::Instant;

/// Runs all work of connections until the server stops.
pub async fn run(app: Arc<App>, stopping: watch::Receiver<bool>) {
    let hints = background::run(Arc::clone(&app), Connections, stopping.clone());
    let collections = background::run(Arc::clone(&app), Collections, stopping.clone());
    let reconciler = background::run(app, Reconcile, stopping);
    tokio::join!(hints, collections, reconciler);
}

/// The connection with this ID.
pub async fn read(app: &App, caller: &Caller, id: ConnectionId) -> Result<Connection, Error> {
    connections::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// The connection with this ID or name.
pub async fn find(app: &App, caller: &Caller, key: &str) -> Result<Connection, Error> {
    match key.parse() {
        Ok(id) => read(app, caller, id).await,
        Err(_) => connections::by_name(&app.db, caller.organization(), key).await?.ok_or(Error::NotFound),
    }
}

/// A page of connections, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Connection>, Option<String>), Error> {
    let name = cursor::connections(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of connections after a position.
pub async fn page(
    app: &App,
    caller: &Caller,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Connection>, Error> {
    Ok(connections::list(&app.db, caller.organization(), after, limit).await?)
}

/// A page of a connection's inbox, newest first, and the cursor of the next page.
pub async fn inbox(
    app: &App,
    caller: &Caller,
    id: ConnectionId,
    query: &InboxQuery,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<InboxItem>, Option<String>), Error> {
    read(app, caller, id).await?;
    let name = cursor::connection_inbox(caller.organization(), id, query);
    let after = cursor.map(|cursor| cursor::open(&app.keys, &name, cursor)).transpose()?;
    let page = connection_inbox::list(&app.db, caller.organization(), id, query, after, limit).await?;
    Ok(cursor::with_next(&app.keys, &name, page))
}

/// Deletes the bodies about a user's objects and marks the customers that are this user.
pub(crate) async fn prepare_erasure(
    app: &App,
    change: Change,
    organization: OrganizationId,
    user: UserId,
) -> Result<Change, Error> {
    let known = known(app).await?;
    let own: Vec<&Connection> =
        known.values().map(|open| &open.connection).filter(|own| own.organization_id == organization).collect();
    if own.is_empty() {
        return Ok(change);
    }
    let mut change = connection_links::erase(change, organization, user.bytes());
    let (records, payments) = records_of(app, organization, user).await?;
    for record in records {
        for link in connection_links::of_record(&app.db, organization, record).await? {
            change = connection_inbox::forget_object(change, organization, link.connection_id, &link.external_id);
        }
    }
    // Intents that were collected here have no link.
    for connection in own.iter().filter(|own| own.collect) {
        for payment in &payments {
            let intents = connection_collections::intents(&app.db, organization, payment.id).await?;
            let external = payment.external_payment_id.as_ref().map(|external| external.as_str().to_owned());
            for charge in intents.into_iter().chain(external) {
                change = connection_inbox::forget_object(change, organization, connection.id, &charge);
            }
        }
    }
    Ok(change)
}

/// The user, its subscriptions and their payments, up to a bound: what is older has lost its bodies anyway.
async fn records_of(
    app: &App,
    organization: OrganizationId,
    user: UserId,
) -> Result<(Vec<[u8; 16]>, Vec<Payment>), Error> {
    const AT_MOST: usize = 200;
    let query = subscriptions::Query { user_id: Some(user), ..subscriptions::Query::default() };
    let subscriptions = subscriptions::list(&app.db, organization, &query, None, AT_MOST).await?;
    let query = payments::Query { user_id: Some(user), ..payments::Query::default() };
    let payments = payments::list(&app.db, organization, &query, None, AT_MOST).await?;
    let subscriptions = subscriptions.items.into_iter().map(|subscription| subscription.id.bytes());
    let ids = payments.items.iter().map(|payment| payment.id.bytes());
    Ok(([user.bytes()].into_iter().chain(subscriptions).chain(ids).collect(), payments.items))
}

/// Every connection of the installation, as it was at most two seconds ago.
pub(crate) async fn known(app: &App) -> Result<Arc<Known>, Error> {
    if let Some(known) = app.connection_cache.get() {
        return Ok(known);
    }
    let began = Instant::now();
    let stored = connections::all(&app.db).await?;
    let open = |connection: Connection| {
        let secrets = ConnectionSecrets::open(&app.keys, &connection).ok();
        (connection.id, Arc::new(OpenConnection { connection, secrets }))
    };
    let known = Arc::new(stored.into_iter().map(open).collect());
    app.connection_cache.put(began, &known);
    Ok(known)
}

/// A connection with its secrets, as it was at most two seconds ago.
pub async fn open(app: &App, id: ConnectionId) -> Result<Option<Arc<OpenConnection>>, Error> {
    Ok(known(app).await?.get(&id).map(Arc::clone))
}

/// The unit of background work of an object: a digest that identifies the link.
pub(crate) fn object_unit(connection: ConnectionId, object: ObjectKind, external_id: &str) -> [u8; 16] {
    let hash = sha256(&[&connection.bytes(), object.as_str().as_bytes(), b"\0", external_id.as_bytes()]);
    let mut unit = [0; 16];
    unit.copy_from_slice(&hash[..16]);
    unit
}
