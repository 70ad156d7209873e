//! Tables as they travel: whole rows, in the order of their keys, deleted ones included.
//! Whoever copies or exports a store sees nothing else of it.

use std::sync::OnceLock;

use futures_util::future::join_all;

use crate::bulk::Bulk;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};

pub mod rows;
mod tables;

pub use tables::{
    ALL, CLIENTS, EVENTS, IDEMPOTENCY_KEYS, INSTALLATION, ORGANIZATIONS, PAYMENTS, PLANS, PROVIDERS, SESSIONS,
    SIGNING_KEYS, SUBSCRIPTIONS, USERS,
};

/// A row, its values in the order of the table's columns.
pub type Values = Vec<Value>;

/// A list of texts as a column keeps it.
pub fn join_list<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    codec::join(parts)
}

/// The texts of a list that a column keeps.
pub fn split_list(text: &str) -> impl Iterator<Item = String> {
    codec::split(text)
}

/// A table that can be read and written as a whole.
pub struct Portable {
    /// Its name.
    pub name: &'static str,
    /// Its columns, those of the key first.
    pub columns: &'static [(&'static str, Type)],
    keys: usize,
    /// The column by which people know a live row of theirs.
    name_column: Option<&'static str>,
    insert: Insert,
    texts: OnceLock<Texts>,
}

struct Texts {
    first: Sql,
    next: Sql,
    by_key: Sql,
    by_name: Option<Sql>,
    any: Sql,
    /// Only of tables whose rows are deleted softly.
    live: Option<Sql>,
    count: Sql,
}

impl Portable {
    const fn new(name: &'static str, keys: usize, columns: &'static [(&'static str, Type)]) -> Self {
        Self::known_by(None, name, keys, columns)
    }

    const fn known_by(
        name_column: Option<&'static str>,
        name: &'static str,
        keys: usize,
        columns: &'static [(&'static str, Type)],
    ) -> Self {
        let insert = Insert::new(name, columns, "ON CONFLICT DO NOTHING");
        Self { name, columns, keys, name_column, insert, texts: OnceLock::new() }
    }

    /// The part of a row that names it.
    pub fn key<'a>(&self, row: &'a [Value]) -> &'a [Value] {
        &row[..self.keys]
    }

    /// Where a column stands.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| *name == column)
    }

    /// Rows in the order of their keys, from behind this one on.
    pub async fn page(&self, bulk: &mut Bulk, after: Option<&[Value]>, limit: i64) -> Result<Vec<Values>, Error> {
        let mut params = after.map(<[Value]>::to_vec).unwrap_or_default();
        params.push(limit.into());
        let texts = self.texts();
        let sql = if after.is_some() { &texts.next } else { &texts.first };
        bulk.all(sql, &params, |row| self.read(row)).await
    }

    /// The row of each key, where there is one.
    pub async fn find(&self, bulk: &mut Bulk, keys: &[Values]) -> Result<Vec<Option<Values>>, Error> {
        bulk.find(&self.texts().by_key, keys, |row| self.read(row)).await
    }

    /// The id of the live row that each organization knows by each name, where there is one.
    pub async fn find_named(&self, bulk: &mut Bulk, names: &[Values]) -> Result<Vec<Option<[u8; 16]>>, Error> {
        match &self.texts().by_name {
            Some(sql) => bulk.find(sql, names, |row| row.uuid(0)).await,
            None => Ok(vec![None; names.len()]),
        }
    }

    /// Whether each row, deleted or not, is committed: what an open transaction has written is not.
    pub async fn are_committed(&'static self, db: &Db, keys: &[Values]) -> Result<Vec<bool>, Error> {
        let sql = &self.texts().any;
        let found = keys.iter().map(|key| async move {
            let [organization, id] = key.as_slice() else {
                return Err(Error::Internal(format!("{} has no key of an organization and an ID", self.name)));
            };
            Ok(db.find(sql, [organization.clone(), id.clone()], |_| Ok(())).await?.is_some())
        });
        join_all(found).await.into_iter().collect()
    }

    /// Locks the live rows of these keys until the transaction ends, in this order. Returns the keys that have no live row.
    pub async fn hold_live(&self, bulk: &mut Bulk, keys: &[Values]) -> Result<Vec<Values>, Error> {
        let Some(live) = &self.texts().live else { return Ok(Vec::new()) };
        if bulk.hold(live, keys).await? == keys.len() as u64 {
            return Ok(Vec::new());
        }
        let found = bulk.find(live, keys, |_| Ok(())).await?;
        Ok(keys.iter().zip(found).filter(|(_, row)| row.is_none()).map(|(key, _)| key.clone()).collect())
    }

    /// Adds rows, except for those whose key or unique name is taken; answers how many there were.
    pub async fn insert(&'static self, bulk: &mut Bulk, rows: &[Values]) -> Result<u64, Error> {
        bulk.insert(&self.insert, rows).await
    }

    /// How many rows there are.
    pub async fn count(&self, bulk: &mut Bulk) -> Result<i64, Error> {
        let counted = bulk.all(&self.texts().count, &[], |row| row.int(0)).await?;
        Ok(counted.into_iter().next().unwrap_or_default())
    }

    fn read(&self, row: &crate::Row<'_>) -> Result<Values, Error> {
        self.columns.iter().enumerate().map(|(place, (_, kind))| row.value(place, *kind)).collect()
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
            let (name, all, key) = (self.name, names.join(", "), names[..self.keys].join(", "));
            let places: Vec<String> = (1..=self.keys).map(|place| format!("${place}")).collect();
            let places = places.join(", ");
            let limit = self.keys + 1;
            Texts {
                first: Sql::built(format!("SELECT {all} FROM {name} ORDER BY {key} LIMIT $1")),
                next: Sql::built(format!(
                    "SELECT {all} FROM {name} WHERE ({key}) > ({places}) ORDER BY {key} LIMIT ${limit}"
                )),
                by_key: Sql::built(format!("SELECT {all} FROM {name} WHERE ({key}) = ({places})")),
                by_name: self.name_column.map(|column| {
                    Sql::built(format!(
                        "SELECT id FROM {name} WHERE organization_id = $1 AND {column} = $2 \
                         AND {column} IS NOT NULL AND deleted_at IS NULL"
                    ))
                }),
                any: Sql::built(format!("SELECT 1 FROM {name} WHERE ({key}) = ({places})")),
                live: self.place("deleted_at").map(|_| {
                    Sql::built(format!("SELECT 1 FROM {name} WHERE ({key}) = ({places}) AND deleted_at IS NULL"))
                }),
                count: Sql::built(format!("SELECT COUNT(*) FROM {name}")),
            }
        })
    }
}
