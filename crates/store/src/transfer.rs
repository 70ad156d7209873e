//! Whole rows of a table, in the order of their keys, deleted ones included, for copies, exports and imports of a
//! store.

use futures_util::future::join_all;
use std::borrow::Cow;

use crate::bulk::Bulk;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
use crate::events::{self, EVENTS};
use crate::lock::Lock;
use crate::record::{self, Purpose, Record};
use crate::row::Row;
use crate::table::Table;
use crate::value::Value;

/// A row, its values in the order of the table's columns.
pub type Values = Vec<Value>;

/// The row of a live record.
pub fn row<R: Record>(record: &R) -> Values {
    record::values(record, Purpose::Transfer)
}

/// A list of texts as a column stores it.
pub fn join_list<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    codec::join(parts)
}

/// The texts of a list that a column stores.
pub fn split_list(text: &str) -> impl Iterator<Item = String> {
    codec::split(text)
}

impl Table {
    /// Rows in the order of their keys, after this key.
    pub async fn page(&self, bulk: &mut Bulk, after: Option<&[Value]>, limit: i64) -> Result<Vec<Values>, Error> {
        let mut params = after.map(<[Value]>::to_vec).unwrap_or_default();
        params.push(limit.into());
        let statements = self.statements();
        let sql = if after.is_some() { &statements.next_rows } else { &statements.first_rows };
        bulk.all(sql, &params, |row| self.read(row)).await
    }

    /// The row of each key, where there is one.
    pub async fn find(&self, bulk: &mut Bulk, keys: &[Values]) -> Result<Vec<Option<Values>>, Error> {
        bulk.find(&self.statements().row, keys, |row| self.read(row)).await
    }

    /// The id of the live row that has each (organization, unique value), where there is one.
    pub async fn find_named(&self, bulk: &mut Bulk, names: &[Values]) -> Result<Vec<Option<[u8; 16]>>, Error> {
        match &self.statements().id_by_unique {
            Some(sql) => bulk.find(sql, names, |row| row.uuid(0)).await,
            None => Ok(vec![None; names.len()]),
        }
    }

    /// Whether each row, deleted or not, is committed. Rows that an open transaction has written are not.
    pub async fn are_committed(&'static self, db: &Db, keys: &[Values]) -> Result<Vec<bool>, Error> {
        let sql = &self.statements().row;
        let found = keys.iter().map(|key| async move {
            let [organization, id] = key.as_slice() else {
                return Err(Error::Internal(format!("{} has no key of an organization and an ID", self.name)));
            };
            Ok(db.find(sql, [organization.clone(), id.clone()], |_| Ok(())).await?.is_some())
        });
        join_all(found).await.into_iter().collect()
    }

    /// Locks the live rows of these keys until the transaction ends, in this order. Returns the keys that have no live
    /// row.
    pub async fn hold_live(&self, bulk: &mut Bulk, keys: &[Values], lock: Lock) -> Result<Vec<Values>, Error> {
        let live = &self.statements().live;
        if bulk.hold(live, keys, lock).await? == keys.len() as u64 {
            return Ok(Vec::new());
        }
        let found = bulk.find(live, keys, |_| Ok(())).await?;
        Ok(keys.iter().zip(found).filter(|(_, row)| row.is_none()).map(|(key, _)| key.clone()).collect())
    }

    /// Adds rows, except for those whose key or unique value is in use. Returns the number of rows that were added.
    pub async fn insert(&'static self, bulk: &mut Bulk, rows: &[Values]) -> Result<u64, Error> {
        let mut rows = Cow::Borrowed(rows);
        if self.name == EVENTS.name {
            rows.to_mut().iter_mut().for_each(|row| events::shorten_row(row));
        }
        bulk.insert(&self.statements().insert_row, &rows).await
    }

    /// The number of rows.
    pub async fn count(&self, bulk: &mut Bulk) -> Result<i64, Error> {
        let counted = bulk.all(&self.statements().count, &[], |row| row.int(0)).await?;
        Ok(counted.into_iter().next().unwrap_or_default())
    }

    fn read(&self, row: &Row<'_>) -> Result<Values, Error> {
        let columns = self.columns.iter().enumerate();
        let mut values = columns.map(|(place, column)| row.value(place, column.kind)).collect::<Result<Values, _>>()?;
        if self.name == EVENTS.name {
            events::restore_row(&mut values)?;
        }
        Ok(values)
    }
}
