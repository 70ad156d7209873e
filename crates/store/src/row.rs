//! A row of either engine, read by position.
//! A column of another type than expected is a defect of the statement and is returned as an internal error.

use rusqlite::types::ValueRef;

use crate::error::Error;
use crate::postgres::value as wire;
use crate::value::{Type, Value};

/// A borrowed row; positions start at 0.
pub struct Row<'a> {
    source: Source<'a>,
    /// Leading columns that belong to the store itself (a list's position).
    offset: usize,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    /// A row of SQLite that was read on another thread.
    Copied(&'a [rusqlite::types::Value]),
    Postgres(&'a tokio_postgres::Row),
}

impl<'a> Row<'a> {
    pub(crate) fn sqlite(row: &'a rusqlite::Row<'a>) -> Self {
        Self { source: Source::Sqlite(row), offset: 0 }
    }

    pub(crate) fn copied(values: &'a [rusqlite::types::Value]) -> Self {
        Self { source: Source::Copied(values), offset: 0 }
    }

    pub(crate) fn postgres(row: &'a tokio_postgres::Row) -> Self {
        Self { source: Source::Postgres(row), offset: 0 }
    }

    /// The same row without its first `columns` columns.
    pub(crate) fn skip(&self, columns: usize) -> Row<'a> {
        Row { source: self.source, offset: self.offset + columns }
    }

    pub fn optional_uuid(&self, position: usize) -> Result<Option<[u8; 16]>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, |value| match value {
                ValueRef::Blob(bytes) => bytes.try_into().ok(),
                _ => None,
            }),
            Source::Postgres(_) => Ok(self.wire::<wire::Uuid>(position)?.map(|uuid| uuid.0)),
        }
    }

    /// Borrowed text, for columns that are parsed.
    pub fn optional_text_ref(&self, position: usize) -> Result<Option<&'a str>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, |value| match value {
                ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
                _ => None,
            }),
            Source::Postgres(_) => self.wire(position),
        }
    }

    pub fn optional_bytes(&self, position: usize) -> Result<Option<Vec<u8>>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, |value| match value {
                ValueRef::Blob(bytes) => Some(bytes.to_vec()),
                _ => None,
            }),
            Source::Postgres(_) => self.wire(position),
        }
    }

    pub fn optional_int(&self, position: usize) -> Result<Option<i64>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, integer),
            Source::Postgres(_) => Ok(self.wire::<wire::Int>(position)?.map(|int| int.0)),
        }
    }

    pub fn optional_bool(&self, position: usize) -> Result<Option<bool>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, |value| match integer(value) {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            }),
            Source::Postgres(_) => self.wire(position),
        }
    }

    /// Microseconds since 1970.
    pub fn optional_time(&self, position: usize) -> Result<Option<i64>, Error> {
        match self.source {
            Source::Sqlite(_) | Source::Copied(_) => self.sqlite_value(position, integer),
            Source::Postgres(_) => Ok(self.wire::<wire::Time>(position)?.map(|time| time.0)),
        }
    }

    pub fn optional_text(&self, position: usize) -> Result<Option<String>, Error> {
        Ok(self.optional_text_ref(position)?.map(str::to_owned))
    }

    pub fn uuid(&self, position: usize) -> Result<[u8; 16], Error> {
        self.optional_uuid(position)?.ok_or_else(|| null(position))
    }

    pub fn text(&self, position: usize) -> Result<String, Error> {
        self.optional_text(position)?.ok_or_else(|| null(position))
    }

    pub fn text_ref(&self, position: usize) -> Result<&'a str, Error> {
        self.optional_text_ref(position)?.ok_or_else(|| null(position))
    }

    pub fn bytes(&self, position: usize) -> Result<Vec<u8>, Error> {
        self.optional_bytes(position)?.ok_or_else(|| null(position))
    }

    pub fn int(&self, position: usize) -> Result<i64, Error> {
        self.optional_int(position)?.ok_or_else(|| null(position))
    }

    pub fn bool(&self, position: usize) -> Result<bool, Error> {
        self.optional_bool(position)?.ok_or_else(|| null(position))
    }

    /// Microseconds since 1970.
    pub fn time(&self, position: usize) -> Result<i64, Error> {
        self.optional_time(position)?.ok_or_else(|| null(position))
    }

    /// A column as a bindable value; a null has the expected type.
    pub fn value(&self, position: usize, kind: Type) -> Result<Value, Error> {
        Ok(match kind {
            Type::Bool => self.optional_bool(position)?.into(),
            Type::Int => self.optional_int(position)?.into(),
            Type::Text => self.optional_text(position)?.into(),
            Type::Bytes => Value::optional_bytes(self.optional_bytes(position)?),
            Type::Uuid => self.optional_uuid(position)?.into(),
            Type::Time => Value::optional_time(self.optional_time(position)?),
        })
    }

    fn sqlite_value<T>(
        &self,
        position: usize,
        convert: impl FnOnce(ValueRef<'a>) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let column = position + self.offset;
        let value = match self.source {
            Source::Sqlite(row) => row.get_ref(column).ok(),
            Source::Copied(values) => values.get(column).map(ValueRef::from),
            Source::Postgres(_) => return Err(Error::Internal("not a row of SQLite".to_owned())),
        };
        let value = value.ok_or_else(|| Error::Internal(format!("there is no column {position}")))?;
        if matches!(value, ValueRef::Null) {
            return Ok(None);
        }
        let found = value.data_type();
        convert(value).map(Some).ok_or_else(|| Error::Internal(format!("column {position} has another type: {found}")))
    }

    fn wire<T: tokio_postgres::types::FromSql<'a>>(&self, position: usize) -> Result<Option<T>, Error> {
        let Source::Postgres(row) = self.source else {
            return Err(Error::Internal("not a row of PostgreSQL".to_owned()));
        };
        row.try_get(position + self.offset).map_err(|_| match row.columns().get(position + self.offset) {
            Some(column) => {
                let found = column.type_().name();
                Error::Internal(format!("column {position} has another type: {found}"))
            }
            None => Error::Internal(format!("there is no column {position}")),
        })
    }
}

fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(integer) => Some(integer),
        _ => None,
    }
}

fn null(position: usize) -> Error {
    Error::Internal(format!("column {position} is null"))
}
