//! How far the reconciler of a connection has come: the cursor in the list of events, and the progress of a sweep.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::connection_links::{CONNECTION_LINKS, Link};
use crate::db::Db;
use crate::error::Error;
use crate::leases::Unit;
use crate::record;
use crate::sql::Sql;
use crate::value::{Type, Value};
use perennial_domain::connections::ObjectKind;
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::time::Time;

/// The name of the job in leases.
pub const JOB: &str = "reconcile";

pub(crate) static CAUGHT_UP: Sql = Sql::new(
    "UPDATE connection_states SET cursor = $3, caught_up_at = $4 WHERE organization_id = $1 AND connection_id = $2",
);

pub(crate) static SWEEP: Sql =
    Sql::new("UPDATE connection_states SET sweep = $3 WHERE organization_id = $1 AND connection_id = $2");

pub(crate) static SWEPT: Sql = Sql::new(
    "UPDATE connection_states SET sweep = NULL, swept_at = $3 WHERE organization_id = $1 AND connection_id = $2",
);

pub(crate) static SEEN: Sql = Sql::new(
    "UPDATE connection_links SET seen_at = $5
     WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id = $4 AND seen_at < $5",
);

pub(crate) static UNSEEN: LazyLock<Sql> = LazyLock::new(|| {
    CONNECTION_LINKS.select(
        "WHERE organization_id = $1 AND connection_id = $2 AND object = $3 AND external_id > $4 AND seen_at < $5
             AND created_at >= $6
         ORDER BY external_id LIMIT $7",
    )
});

/// The unit of work of a connection.
pub const fn unit(organization: OrganizationId, connection: ConnectionId) -> Unit {
    Unit { job: JOB, organization, id: connection.bytes() }
}

/// The list of events was read to its end.
pub fn caught_up(
    change: Change,
    organization: OrganizationId,
    connection: ConnectionId,
    cursor: Option<&str>,
    at: Time,
) -> Change {
    let mut params = key(organization, connection);
    params.extend([cursor.map_or(Value::Null(Type::Text), Value::from), codec::time(at)]);
    change.execute_any(&CAUGHT_UP, params)
}

/// The progress of a sweep.
pub fn sweep(change: Change, organization: OrganizationId, connection: ConnectionId, progress: &str) -> Change {
    let mut params = key(organization, connection);
    params.push(progress.into());
    change.execute_any(&SWEEP, params)
}

/// A sweep has ended.
pub fn swept(change: Change, organization: OrganizationId, connection: ConnectionId, at: Time) -> Change {
    let mut params = key(organization, connection);
    params.push(codec::time(at));
    change.execute_any(&SWEPT, params)
}

/// An object was in a list.
pub fn seen(change: Change, link: &Link, at: Time) -> Change {
    let mut params = key(link.organization_id, link.connection_id);
    params.extend([link.object.as_str().into(), link.external_id.as_str().into(), codec::time(at)]);
    change.execute_any(&SEEN, params)
}

/// Links of a kind, made since an instant, whose objects were not seen since another, in the order of their external IDs.
pub async fn unseen(
    db: &Db,
    (organization, connection): (OrganizationId, ConnectionId),
    object: ObjectKind,
    after: &str,
    (seen_before, made_since): (Time, Time),
    limit: i64,
) -> Result<Vec<Link>, Error> {
    let mut params = key(organization, connection);
    params.extend([
        object.as_str().into(),
        after.into(),
        codec::time(seen_before),
        codec::time(made_since),
        limit.into(),
    ]);
    db.all(&UNSEEN, &params, record::read).await
}

fn key(organization: OrganizationId, connection: ConnectionId) -> Vec<Value> {
    vec![organization.bytes().into(), connection.bytes().into()]
}
