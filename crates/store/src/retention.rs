//! The removal of rows for good: of deleted organizations, of records whose retention has passed, of what has expired.
//! Every function removes a bounded number of rows, so that other writers do not wait long.

use crate::change::Change;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Value;
use futures_util::future::try_join_all;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;

/// The number of rows that a deleted organization has left, counted up to `limit`, without the event `except`.
pub async fn count_owned(
    db: &Db,
    table: &'static Table,
    organization: OrganizationId,
    except: EventId,
    limit: i64,
) -> Result<i64, Error> {
    let sql = expected(table.statements().count_owned.as_ref());
    Ok(db.one(sql, &owned(table, organization, except, limit), |row| row.int(0)).await?.unwrap_or(0))
}

/// Removes up to `limit` rows of a deleted organization, but not the event `except`.
pub fn purge(
    change: Change,
    table: &'static Table,
    organization: OrganizationId,
    except: EventId,
    limit: i64,
) -> Change {
    let sql = expected(table.statements().purge.as_ref());
    change.execute_any(sql, owned(table, organization, except, limit))
}

fn owned(table: &Table, organization: OrganizationId, except: EventId, limit: i64) -> Vec<Value> {
    let mut params = vec![organization.bytes().into(), limit.into()];
    if table.keys().iter().any(|column| column.name == "id") {
        params.push(except.bytes().into());
    }
    params
}

/// A row of a walk along the primary key, deleted or not. No index serves the search for deleted rows: every create
/// would pay for it, and the search runs once a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Its id.
    pub id: [u8; 16],
    /// When it was deleted, if it was.
    pub deleted_at: Option<Time>,
    /// The rows that it refers to.
    pub refers_to: Vec<[u8; 16]>,
}

/// The next rows of an organization after an id, deleted or not.
pub async fn walk(
    db: &Db,
    table: &'static Table,
    organization: OrganizationId,
    after: [u8; 16],
    limit: i64,
) -> Result<Vec<Walked>, Error> {
    let references = table.references().count();
    let read = |row: &Row<'_>| {
        let deleted_at = if table.is_soft_deleted() { row.optional_time(1 + references)? } else { None };
        Ok(Walked {
            id: row.uuid(0)?,
            deleted_at: codec::read_optional_time(deleted_at)?,
            refers_to: (1..=references).map(|position| row.uuid(position)).collect::<Result<_, _>>()?,
        })
    };
    let sql = expected(table.statements().walk.as_ref());
    db.all(sql, &[organization.bytes().into(), after.into(), limit.into()], read).await
}

/// Whether an index finds the rows of one table that refer to a row of the other.
pub fn finds_references(referring: &'static Table, table: &'static Table) -> bool {
    referring.indexed_reference(table).is_some()
}

/// Those of the rows that a row of the other table refers to, deleted or not. There must be an index for it.
pub async fn referred_to(
    db: &Db,
    referring: &'static Table,
    organization: OrganizationId,
    ids: &[[u8; 16]],
) -> Result<Vec<[u8; 16]>, Error> {
    let sql = expected(referring.statements().refers.as_ref());
    let find = |id: &[u8; 16]| db.find(sql, [organization.bytes().into(), (*id).into()], |row| row.bool(0));
    let found = try_join_all(ids.iter().map(find)).await?;
    Ok(ids.iter().zip(found).filter(|(_, is_found)| *is_found == Some(true)).map(|(id, _)| *id).collect())
}

/// Removes a row for good that was deleted until `before`.
pub fn remove(
    change: Change,
    table: &'static Table,
    organization: OrganizationId,
    id: [u8; 16],
    before: Time,
) -> Change {
    let sql = expected(table.statements().remove.as_ref());
    change.execute_any(sql, vec![organization.bytes().into(), id.into(), codec::time(before)])
}

/// Removes the parts of a row that was deleted until `before`. `table` is the table of the parts.
pub fn remove_parts(
    change: Change,
    table: &'static Table,
    organization: OrganizationId,
    id: [u8; 16],
    before: Time,
) -> Change {
    let sql = expected(table.statements().remove_parts.as_ref());
    change.execute_any(sql, vec![organization.bytes().into(), id.into(), codec::time(before)])
}

/// The keys of the first `limit` rows of an organization that housekeeping removes.
pub(crate) async fn due<T: Send>(
    db: &Db,
    table: &'static Table,
    bound: (OrganizationId, Value, i64),
    read: impl Fn(&Row<'_>) -> Result<T, Error> + Send,
) -> Result<Vec<T>, Error> {
    db.all(expected(table.statements().due.as_ref()), &bounds(bound), read).await
}

/// The number of those rows, counted up to `limit`.
pub(crate) async fn count_due(
    db: &Db,
    table: &'static Table,
    bound: (OrganizationId, Value, i64),
) -> Result<i64, Error> {
    let sql = expected(table.statements().count_due.as_ref());
    Ok(db.one(sql, &bounds(bound), |row| row.int(0)).await?.unwrap_or(0))
}

/// Removes up to `limit` of those rows.
pub(crate) fn sweep(change: Change, table: &'static Table, bound: (OrganizationId, Value, i64)) -> Change {
    change.execute_any(expected(table.statements().sweep.as_ref()), bounds(bound).into())
}

fn bounds((organization, bound, limit): (OrganizationId, Value, i64)) -> [Value; 3] {
    [organization.bytes().into(), bound, limit.into()]
}

fn expected(sql: Option<&'static Sql>) -> &'static Sql {
    sql.expect("the columns of the table allow this statement")
}
