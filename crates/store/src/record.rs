//! A record of the domain and its row: written and read in the order of its table's columns, and the changes that every
//! record has in common. An update and a delete hold the revision that the record was read at, under an exclusive lock.

use crate::change::{Change, Guard};
use crate::codec;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Value;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;

mod reader;
mod writer;

pub use reader::RowReader;
pub(crate) use writer::Purpose;
pub use writer::RowWriter;

/// A record that one row of a table holds.
pub trait Record: Sized {
    /// Its table.
    fn table() -> &'static Table;

    /// Writes every column but `deleted_at`, in the order of the descriptor.
    fn write(&self, row: &mut RowWriter);

    /// Reads every column that the descriptor marks as read, in its order.
    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error>;
}

/// Reads a record from a row that begins with its columns.
pub(crate) fn read<R: Record>(row: &Row<'_>) -> Result<R, Error> {
    R::read(&mut RowReader::new(row, R::table()))
}

/// Reads a row of a list in which one invalid record must not hide the others: its id is returned in place of it.
pub(crate) fn read_or_id<R: Record>(row: &Row<'_>) -> Result<Result<R, [u8; 16]>, Error> {
    const ID: usize = 1;
    match read(row) {
        Ok(record) => Ok(Ok(record)),
        Err(Error::Internal(reason)) => {
            tracing::error!(table = R::table().name, %reason, "a stored record is invalid");
            Ok(Err(row.uuid(ID)?))
        }
        Err(error) => Err(error),
    }
}

/// The live record of an organization with this id.
pub(crate) async fn by_id<R: Record + Send>(
    db: &Db,
    organization: OrganizationId,
    id: [u8; 16],
) -> Result<Option<R>, Error> {
    db.find(&R::table().statements().by_key, [organization.bytes().into(), id.into()], read).await
}

/// The live record that has this value in the unique column.
pub(crate) async fn by_unique<R: Record + Send>(
    db: &Db,
    organization: OrganizationId,
    value: &str,
) -> Result<Option<R>, Error> {
    db.find(unique_statement::<R>(), [organization.bytes().into(), value.into()], read).await
}

/// The read by the unique column.
pub(crate) fn unique_statement<R: Record>() -> &'static Sql {
    expected(R::table().statements().by_unique.as_ref())
}

/// Whether a live record of the organization has this id.
pub(crate) async fn exists<R: Record>(db: &Db, organization: OrganizationId, id: [u8; 16]) -> Result<bool, Error> {
    let key = [organization.bytes().into(), id.into()];
    Ok(db.find(&R::table().statements().live, key, |_| Ok(())).await?.is_some())
}

/// The id of the live record that has this value in the unique column.
pub(crate) async fn id_by_unique<R: Record>(
    db: &Db,
    organization: OrganizationId,
    value: &str,
) -> Result<Option<[u8; 16]>, Error> {
    let sql = expected(R::table().statements().id_by_unique.as_ref());
    db.find(sql, [organization.bytes().into(), value.into()], |row| row.uuid(0)).await
}

/// A new record; rejected with `violation` if a unique value is in use.
pub(crate) fn insert<R: Record>(change: Change, record: &R, violation: Violation) -> Change {
    change.insert(&R::table().statements().insert, values(record, Purpose::Insert), violation)
}

/// The record as it is now, if it is still at the revision it was read at. If it is, and no row was updated, another
/// record has its unique value: the change is rejected with `violation`.
pub(crate) fn update<R: Record>(change: Change, record: &R, read_at: EventId, violation: Violation) -> Change {
    write_update(at_revision(change, record, read_at), record, read_at, violation)
}

/// The update alone, for a record with a guard that no other has.
pub(crate) fn write_update<R: Record>(change: Change, record: &R, read_at: EventId, violation: Violation) -> Change {
    let mut values = values(record, Purpose::Update);
    values.push(read_at.bytes().into());
    change.update(expected(R::table().statements().update.as_ref()), values, violation)
}

/// Soft-deletes the record, if it is still at the revision it was read at.
pub(crate) fn delete<R: Record>(
    change: Change,
    record: &R,
    read_at: EventId,
    (at, revision): (Time, EventId),
    violation: Violation,
) -> Change {
    let mut values = values(record, Purpose::Key);
    values.extend([codec::time(at), revision.bytes().into(), read_at.bytes().into()]);
    let change = at_revision(change, record, read_at);
    change.execute(expected(R::table().statements().delete.as_ref()), values, violation)
}

/// Locks the record as it was read until the change is committed; rejected with [`Violation::Record`] if it has
/// changed.
pub(crate) fn at_revision<R: Record>(change: Change, record: &R, read_at: EventId) -> Change {
    let table = R::table();
    let mut params = values(record, Purpose::Key);
    let key = lock_key(&params);
    params.push(read_at.bytes().into());
    let sql = expected(table.statements().at_revision.as_ref());
    change.guard(Guard { table, key, lock: Lock::Exclusive, sql, params, violation: Violation::Record })
}

/// Locks the live record against changes until the change is committed; rejected with `violation` if there is none.
pub(crate) fn guard_live<R: Record>(
    change: Change,
    organization: OrganizationId,
    id: [u8; 16],
    violation: Violation,
) -> Change {
    let table = R::table();
    let params = vec![organization.bytes().into(), id.into()];
    change.guard(Guard { table, key: id, lock: Lock::Share, sql: &table.statements().live, params, violation })
}

/// The values of a record for a statement.
pub(crate) fn values<R: Record>(record: &R, purpose: Purpose) -> Vec<Value> {
    values_of(R::table(), purpose, |row| record.write(row))
}

/// The values of a row that no record describes as a whole.
pub(crate) fn values_of(table: &'static Table, purpose: Purpose, write: impl FnOnce(&mut RowWriter)) -> Vec<Value> {
    let mut row = RowWriter::new(table, purpose);
    write(&mut row);
    row.finish()
}

/// Locks are ordered by the last value of the key, which is the id.
fn lock_key(key: &[Value]) -> [u8; 16] {
    match key.last() {
        Some(Value::Uuid(id)) => *id,
        _ => [0; 16],
    }
}

fn expected<T>(statement: Option<&'static T>) -> &'static T {
    statement.expect("the columns of the record's table allow this statement")
}
