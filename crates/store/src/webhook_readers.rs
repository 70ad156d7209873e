//! Readers in the store: the position of each webhook endpoint in the feed, and the state of its circuit.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::leases::{self, Unit};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{OrganizationId, WebhookEndpointId};
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::Reader;

/// The readers of the webhook endpoints.
pub static WEBHOOK_READERS: Table = Table::new(
    20,
    "webhook_readers",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("endpoint_id", Type::Uuid),
        Column::fixed("sequence", Type::Int),
        Column::fixed("failures", Type::Int),
        Column::fixed("failing_since", Type::Time).nullable(),
        Column::fixed("probes", Type::Int),
        Column::fixed("next_probe_at", Type::Time).nullable(),
    ],
);

/// The background work of an endpoint.
pub const JOB: &str = "webhooks";

/// Readers with something to send that no server holds. `$1` is now. PostgreSQL takes `EXISTS` of a range for likely and would
/// scan the whole feed when all readers are at its end, so the end itself is compared.
pub(crate) static WITH_WORK: LazyLock<Sql> = LazyLock::new(|| {
    leases::timed(
        "SELECT r.organization_id, r.endpoint_id
         FROM webhook_readers AS r
         JOIN webhook_endpoints AS e ON e.organization_id = r.organization_id AND e.id = r.endpoint_id
         LEFT JOIN leases AS l ON l.organization_id = r.organization_id AND l.job = 'webhooks' AND l.unit = r.endpoint_id
         WHERE e.deleted_at IS NULL AND e.state <> 'disabled' AND (l.expires_at IS NULL OR l.expires_at <= {now})
             AND CASE WHEN r.next_probe_at IS NOT NULL THEN r.next_probe_at <= $1 ELSE
                 (SELECT MAX(f.sequence) FROM feed AS f WHERE f.organization_id = r.organization_id) > r.sequence
                 OR EXISTS (
                     SELECT 1 FROM webhook_undelivered AS u
                     WHERE u.organization_id = r.organization_id AND u.endpoint_id = r.endpoint_id
                         AND u.next_attempt_at <= $1
                 )
             END
         LIMIT $2",
    )
});

/// The position up to which every reader has passed and nothing waits, of endpoints that are active or were disabled after
/// `$2`.
pub(crate) static PASSED: Sql = Sql::new(
    "SELECT MIN(passed) FROM (
         SELECT r.sequence AS passed
         FROM webhook_readers AS r
         JOIN webhook_endpoints AS e ON e.organization_id = r.organization_id AND e.id = r.endpoint_id
         WHERE r.organization_id = $1 AND e.deleted_at IS NULL AND (e.is_active OR e.disabled_at > $2)
         UNION ALL
         SELECT u.sequence - 1
         FROM webhook_undelivered AS u
         JOIN webhook_endpoints AS e ON e.organization_id = u.organization_id AND e.id = u.endpoint_id
         WHERE u.organization_id = $1 AND u.state = 'waiting' AND e.deleted_at IS NULL
             AND (e.is_active OR e.disabled_at > $2)
     ) AS readers",
);

pub(crate) static SAVE: Sql = Sql::new(
    "UPDATE webhook_readers
     SET sequence = $3, failures = $4, failing_since = $5, probes = $6, next_probe_at = $7
     WHERE organization_id = $1 AND endpoint_id = $2",
);

pub(crate) static CLOSE: Sql = Sql::new(
    "UPDATE webhook_readers SET failures = 0, probes = 0, next_probe_at = NULL
     WHERE organization_id = $1 AND endpoint_id = $2",
);

pub(crate) static END_FAILURES: Sql =
    Sql::new("UPDATE webhook_readers SET failing_since = NULL WHERE organization_id = $1 AND endpoint_id = $2");

pub(crate) static SEEK: Sql =
    Sql::new("UPDATE webhook_readers SET sequence = $3 WHERE organization_id = $1 AND endpoint_id = $2");

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM webhook_readers WHERE organization_id = $1 AND endpoint_id = $2");

impl Record for Reader {
    fn table() -> &'static Table {
        &WEBHOOK_READERS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("endpoint_id", self.endpoint_id.bytes());
        row.int("sequence", self.sequence);
        row.int("failures", self.failures);
        row.optional_time("failing_since", self.failing_since);
        row.int("probes", self.probes);
        row.optional_time("next_probe_at", self.next_probe_at);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            endpoint_id: WebhookEndpointId::from_bytes(row.uuid("endpoint_id")?),
            sequence: row.int("sequence")?,
            failures: row.int("failures")?,
            failing_since: row.optional_time("failing_since")?,
            probes: row.int("probes")?,
            next_probe_at: row.optional_time("next_probe_at")?,
        })
    }
}

/// The unit of background work that delivers to an endpoint.
pub const fn unit(organization: OrganizationId, endpoint: WebhookEndpointId) -> Unit {
    Unit { job: JOB, organization, id: endpoint.bytes() }
}

/// Units with something to send that no server holds.
pub async fn with_work(db: &Db, now: Time, limit: i64) -> Result<Vec<Unit>, Error> {
    let read = |row: &crate::row::Row<'_>| {
        Ok(Unit { job: JOB, organization: OrganizationId::from_bytes(row.uuid(0)?), id: row.uuid(1)? })
    };
    db.all(&WITH_WORK, &[codec::time(now), limit.into()], read).await
}

/// The reader of an endpoint.
pub async fn of_endpoint(
    db: &Db,
    organization: OrganizationId,
    endpoint: WebhookEndpointId,
) -> Result<Option<Reader>, Error> {
    record::by_id(db, organization, endpoint.bytes()).await
}

/// The position up to which every reader has passed and nothing waits. Endpoints that were disabled before `since` do not
/// count. None: there is no reader.
pub async fn passed(db: &Db, organization: OrganizationId, since: Time) -> Result<Option<i64>, Error> {
    let found = db.one(&PASSED, &[organization.bytes().into(), codec::time(since)], |row| row.optional_int(0)).await?;
    Ok(found.flatten())
}

/// The reader of a new endpoint.
pub fn insert(change: Change, reader: &Reader) -> Change {
    record::insert(change, reader, Violation::Record)
}

/// The reader as it is now. The change must be fenced by the lease of the endpoint.
pub fn save(change: Change, reader: &Reader) -> Change {
    change.execute(&SAVE, record::values(reader, record::Purpose::Insert), Violation::Record)
}

/// Closes the circuit: what waits is sent. The time of failures continues until a success.
pub fn close_circuit(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId) -> Change {
    change.execute_any(&CLOSE, key(organization, endpoint))
}

/// Ends the time of failures.
pub fn end_failures(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId) -> Change {
    change.execute_any(&END_FAILURES, key(organization, endpoint))
}

/// Moves the reader to a position.
pub fn seek(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId, sequence: i64) -> Change {
    let mut params = key(organization, endpoint);
    params.push(sequence.into());
    change.execute_any(&SEEK, params)
}

/// Removes the reader of a deleted endpoint.
pub fn remove(change: Change, organization: OrganizationId, endpoint: WebhookEndpointId) -> Change {
    change.execute_any(&REMOVE, key(organization, endpoint))
}

fn key(organization: OrganizationId, endpoint: WebhookEndpointId) -> Vec<Value> {
    vec![organization.bytes().into(), endpoint.bytes().into()]
}
