//! A connection and an inbox item as the API and the command line return them.

use super::Connection;
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::inbox::{InboxItem, InboxState};
use perennial_domain::connections::{
    AccountId, BaseUrl, ConnectionKind, ConnectionMode, ConnectionName, ConnectionState, Drift, ObjectKind,
    RequestsPerMinute,
};
use perennial_domain::id::ConnectionId;
use perennial_domain::time::Time;
use perennial_store::{connection_inbox, connection_states};
use serde::Serialize;

/// A connection as it is returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ConnectionView {
    pub id: ConnectionId,
    pub kind: ConnectionKind,
    pub name: ConnectionName,
    pub mode: ConnectionMode,
    pub account: Option<AccountId>,
    pub base_url: BaseUrl,
    pub drift: Drift,
    pub collect: bool,
    pub requests_per_minute: RequestsPerMinute,
    pub is_enabled: bool,
    pub state: ConnectionState,
    pub webhook_path: String,
    pub last_received_at: Option<Time>,
    pub last_swept_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
}

impl ConnectionView {
    /// The view of a connection.
    pub fn of(connection: Connection, last_received_at: Option<Time>, last_swept_at: Option<Time>) -> Self {
        Self {
            webhook_path: connection.webhook_path(),
            id: connection.id,
            kind: connection.kind,
            name: connection.name,
            mode: connection.mode,
            account: connection.account,
            base_url: connection.base_url,
            drift: connection.drift,
            collect: connection.collect,
            requests_per_minute: connection.requests_per_minute,
            is_enabled: connection.is_enabled,
            state: connection.state,
            last_received_at,
            last_swept_at,
            created_at: connection.created_at,
            updated_at: connection.updated_at,
        }
    }
}

/// Describes a connection.
pub async fn describe(app: &App, connection: Connection) -> Result<ConnectionView, Error> {
    let (organization, id) = (connection.organization_id, connection.id);
    let received = connection_inbox::last_received(&app.db, organization, id).await?;
    let state = connection_states::of_connection(&app.db, organization, id).await?;
    Ok(ConnectionView::of(connection, received, state.and_then(|state| state.swept_at)))
}

/// Describes the connections of a page.
pub async fn describe_all(app: &App, connections: Vec<Connection>) -> Result<Vec<ConnectionView>, Error> {
    let mut views = Vec::with_capacity(connections.len());
    for connection in connections {
        views.push(describe(app, connection).await?);
    }
    Ok(views)
}

/// An inbox item as it is returned. It contains nothing of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct InboxItemView {
    pub key: String,
    pub r#type: Option<String>,
    pub object: Option<ObjectKind>,
    pub object_id: Option<String>,
    pub state: InboxState,
    pub code: Option<String>,
    pub attempts: i64,
    pub next_attempt_at: Option<Time>,
    pub occurred_at: Option<Time>,
    pub received_at: Time,
}

impl From<InboxItem> for InboxItemView {
    fn from(item: InboxItem) -> Self {
        Self {
            key: item.key,
            r#type: item.kind,
            object: item.object,
            object_id: item.object_id,
            state: item.state,
            code: item.code,
            attempts: item.attempts,
            next_attempt_at: item.next_attempt_at,
            occurred_at: item.occurred_at,
            received_at: item.received_at,
        }
    }
}
