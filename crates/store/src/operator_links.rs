//! One-time links in the store: found by their SHA-256, and removed by their first use.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::operators::OPERATORS;
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::retention;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Sweep, Table};
use crate::value::{Type, Value};
use perennial_domain::id::{OperatorId, OrganizationId};
use perennial_domain::operators::{MAX_LINKS, Operator, OperatorLink};
use perennial_domain::time::Time;

/// The unused one-time links of operators. A used link is removed.
pub static OPERATOR_LINKS: Table = Table::new(
    16,
    "operator_links",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("operator_id", Type::Uuid).refers_to("operators"),
        Column::fixed("link_hash", Type::Bytes).unread(),
        Column::fixed("expires_at", Type::Time),
    ],
)
.on_conflict(Conflict::Fail)
.transient()
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

/// The SHA-256 of a link's text.
pub type LinkHash = [u8; 32];

pub(crate) static BY_LINK: LazyLock<Sql> = LazyLock::new(|| OPERATOR_LINKS.select("WHERE link_hash = $1"));

pub(crate) static UNDER_LIMIT: Sql = Sql::new(
    "SELECT 1 WHERE (
         SELECT COUNT(*) FROM operator_links WHERE organization_id = $1 AND operator_id = $2 AND expires_at > $3
     ) < $4",
);

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM operator_links WHERE organization_id = $1 AND id = $2");

pub(crate) static REMOVE_OF_OPERATOR: Sql =
    Sql::new("DELETE FROM operator_links WHERE organization_id = $1 AND operator_id = $2");

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM operator_links WHERE organization_id = $1");

impl Record for OperatorLink {
    fn table() -> &'static Table {
        &OPERATOR_LINKS
    }

    /// Without the link's hash: an insert passes it to [`write`].
    fn write(&self, row: &mut RowWriter) {
        write(self, &[], row);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: row.uuid("id")?,
            operator_id: OperatorId::from_bytes(row.uuid("operator_id")?),
            expires_at: row.time("expires_at")?,
        })
    }
}

fn write(link: &OperatorLink, hash: &[u8], row: &mut RowWriter) {
    row.uuid("organization_id", link.organization_id.bytes());
    row.uuid("id", link.id);
    row.uuid("operator_id", link.operator_id.bytes());
    row.bytes("link_hash", hash);
    row.time("expires_at", link.expires_at);
}

/// The unused link with this hash, expired or not.
pub async fn by_link(db: &Db, hash: LinkHash) -> Result<Option<OperatorLink>, Error> {
    db.find(&BY_LINK, [Value::bytes(hash.to_vec())], record::read).await
}

/// A new link; rejected with [`Violation::LinkLimit`] if the operator has the maximum number of unused links. The
/// operator must be locked with `operators::update`.
pub fn insert(change: Change, link: &OperatorLink, hash: LinkHash, now: Time) -> Change {
    let mut params = vec![link.organization_id.bytes().into(), link.operator_id.bytes().into()];
    params.extend([codec::time(now), MAX_LINKS.into()]);
    let (key, lock, violation) = (link.operator_id.bytes(), Lock::None, Violation::LinkLimit);
    let change = change.guard(Guard { table: &OPERATORS, key, lock, sql: &UNDER_LIMIT, params, violation });
    let values = record::values_of(&OPERATOR_LINKS, Purpose::Insert, |row| write(link, &hash, row));
    change.insert(&OPERATOR_LINKS.statements().insert, values, Violation::Link)
}

/// Uses up the link; rejected with [`Violation::Link`] if it was used before.
pub fn consume(change: Change, link: &OperatorLink) -> Change {
    let params = || vec![link.organization_id.bytes().into(), link.id.into()];
    let sql = &OPERATOR_LINKS.statements().live;
    let (key, lock, violation) = (link.id, Lock::Exclusive, Violation::Link);
    let change = change.guard(Guard { table: &OPERATOR_LINKS, key, lock, sql, params: params(), violation });
    change.execute(&REMOVE, params(), Violation::Link)
}

/// Removes the links of an operator, which the change must lock.
pub fn remove_of_operator(change: Change, operator: &Operator) -> Change {
    let params = vec![operator.organization_id.bytes().into(), operator.id.bytes().into()];
    change.execute_any(&REMOVE_OF_OPERATOR, params)
}

/// Removes every link of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// The first `limit` links of an organization that had expired at `before`, oldest first.
pub async fn due(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<Vec<[u8; 16]>, Error> {
    retention::due(db, &OPERATOR_LINKS, (organization, codec::time(before), limit), |row: &Row<'_>| row.uuid(0)).await
}

/// Removes up to `limit` of an organization's links that had expired at `before`.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    retention::sweep(change, &OPERATOR_LINKS, (organization, codec::time(before), limit))
}
