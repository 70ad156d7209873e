//! What changes with every request to a provider: whether requests succeed, how many more are allowed now, and how far the
//! reconciler has come. A webhook does not write it.

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::time::Time;

/// The states of the connections.
pub static CONNECTION_STATES: Table = Table::new(
    48,
    "connection_states",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("connection_id", Type::Uuid),
        Column::fixed("succeeded_at", Type::Time).nullable(),
        Column::fixed("failing_since", Type::Time).nullable(),
        Column::fixed("probe_at", Type::Time).nullable(),
        Column::fixed("paused_until", Type::Time).nullable(),
        Column::fixed("slow_until", Type::Time).nullable(),
        Column::fixed("tokens", Type::Int),
        Column::fixed("tokens_at", Type::Time).nullable(),
        Column::fixed("cursor", Type::Text).nullable(),
        Column::fixed("caught_up_at", Type::Time).nullable(),
        Column::fixed("sweep", Type::Text).nullable(),
        Column::fixed("sweep_requested", Type::Text).nullable(),
        Column::fixed("swept_at", Type::Time).nullable(),
    ],
);

/// The state of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionProgress {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The connection.
    pub connection_id: ConnectionId,
    /// The last success, to the minute.
    pub succeeded_at: Option<Time>,
    /// The first failure since the last success.
    pub failing_since: Option<Time>,
    /// When one hint is tried although requests fail.
    pub probe_at: Option<Time>,
    /// No request before this time.
    pub paused_until: Option<Time>,
    /// Half the rate before this time.
    pub slow_until: Option<Time>,
    /// The requests that are allowed at `tokens_at`, in thousandths.
    pub tokens: i64,
    /// When the bucket was last filled. None: it is full.
    pub tokens_at: Option<Time>,
    /// The position in the provider's list of events.
    pub cursor: Option<String>,
    /// When the list was last read to its end.
    pub caught_up_at: Option<Time>,
    /// The progress of a running sweep, as JSON.
    pub sweep: Option<String>,
    /// The sweep that the operator requested, as JSON.
    pub sweep_requested: Option<String>,
    /// When the last sweep ended.
    pub swept_at: Option<Time>,
}

pub(crate) static SUCCEEDED: Sql = Sql::new(
    "UPDATE connection_states SET succeeded_at = $3, failing_since = NULL, probe_at = NULL
     WHERE organization_id = $1 AND connection_id = $2",
);

/// The first failure counts. The probe is moved by every failure.
pub(crate) static FAILED: Sql = Sql::new(
    "UPDATE connection_states SET failing_since = COALESCE(failing_since, $3), probe_at = $4
     WHERE organization_id = $1 AND connection_id = $2",
);

pub(crate) static PAUSE: Sql = Sql::new(
    "UPDATE connection_states SET paused_until = $3, slow_until = $4
     WHERE organization_id = $1 AND connection_id = $2",
);

pub(crate) static REMOVE: Sql =
    Sql::new("DELETE FROM connection_states WHERE organization_id = $1 AND connection_id = $2");

impl Record for ConnectionProgress {
    fn table() -> &'static Table {
        &CONNECTION_STATES
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("connection_id", self.connection_id.bytes());
        row.optional_time("succeeded_at", self.succeeded_at);
        row.optional_time("failing_since", self.failing_since);
        row.optional_time("probe_at", self.probe_at);
        row.optional_time("paused_until", self.paused_until);
        row.optional_time("slow_until", self.slow_until);
        row.int("tokens", self.tokens);
        row.optional_time("tokens_at", self.tokens_at);
        row.optional_text("cursor", self.cursor.as_deref());
        row.optional_time("caught_up_at", self.caught_up_at);
        row.optional_text("sweep", self.sweep.as_deref());
        row.optional_text("sweep_requested", self.sweep_requested.as_deref());
        row.optional_time("swept_at", self.swept_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            connection_id: ConnectionId::from_bytes(row.uuid("connection_id")?),
            succeeded_at: row.optional_time("succeeded_at")?,
            failing_since: row.optional_time("failing_since")?,
            probe_at: row.optional_time("probe_at")?,
            paused_until: row.optional_time("paused_until")?,
            slow_until: row.optional_time("slow_until")?,
            tokens: row.int("tokens")?,
            tokens_at: row.optional_time("tokens_at")?,
            cursor: row.optional_text("cursor")?,
            caught_up_at: row.optional_time("caught_up_at")?,
            sweep: row.optional_text("sweep")?,
            sweep_requested: row.optional_text("sweep_requested")?,
            swept_at: row.optional_time("swept_at")?,
        })
    }
}

impl ConnectionProgress {
    /// The state of a new connection.
    pub const fn new(organization_id: OrganizationId, connection_id: ConnectionId) -> Self {
        Self {
            organization_id,
            connection_id,
            succeeded_at: None,
            failing_since: None,
            probe_at: None,
            paused_until: None,
            slow_until: None,
            tokens: 0,
            tokens_at: None,
            cursor: None,
            caught_up_at: None,
            sweep: None,
            sweep_requested: None,
            swept_at: None,
        }
    }
}

/// The state of a connection.
pub async fn of_connection(
    db: &Db,
    organization: OrganizationId,
    connection: ConnectionId,
) -> Result<Option<ConnectionProgress>, Error> {
    record::by_id(db, organization, connection.bytes()).await
}

/// The state of a new connection.
pub fn insert(change: Change, state: &ConnectionProgress) -> Change {
    record::insert(change, state, Violation::Record)
}

/// A request succeeded.
pub fn succeeded(change: Change, organization: OrganizationId, connection: ConnectionId, at: Time) -> Change {
    let mut params = key(organization, connection);
    params.push(codec::time(at));
    change.execute_any(&SUCCEEDED, params)
}

/// A request failed. One hint is tried at `probe_at`.
pub fn failed(
    change: Change,
    organization: OrganizationId,
    connection: ConnectionId,
    at: Time,
    probe_at: Time,
) -> Change {
    let mut params = key(organization, connection);
    params.extend([codec::time(at), codec::time(probe_at)]);
    change.execute_any(&FAILED, params)
}

/// The provider asked for a pause.
pub fn pause(
    change: Change,
    organization: OrganizationId,
    connection: ConnectionId,
    until: Time,
    slow_until: Time,
) -> Change {
    let mut params = key(organization, connection);
    params.extend([codec::time(until), codec::time(slow_until)]);
    change.execute_any(&PAUSE, params)
}

/// Removes the state of a deleted connection.
pub fn remove(change: Change, organization: OrganizationId, connection: ConnectionId) -> Change {
    change.execute_any(&REMOVE, key(organization, connection))
}

fn key(organization: OrganizationId, connection: ConnectionId) -> Vec<Value> {
    vec![organization.bytes().into(), connection.bytes().into()]
}
