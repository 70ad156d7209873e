//! Writes the values of a record in the order of its table's columns. One `write` of a record serves its insert, its
//! update and its transfer: the writer leaves out what a statement does not bind. Debug builds, and so all tests,
//! check each name against the descriptor.

use crate::codec;
use crate::column::Column;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::time::Time;

/// The statement that the values are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Every column but `deleted_at`.
    Insert,
    /// The key and the mutable columns.
    Update,
    /// The key alone.
    Key,
    /// The whole row.
    Transfer,
}

/// Collects the values of one row.
pub struct RowWriter {
    columns: std::slice::Iter<'static, Column>,
    purpose: Purpose,
    values: Vec<Value>,
}

impl RowWriter {
    pub(crate) fn new(table: &'static Table, purpose: Purpose) -> Self {
        // An update adds the revision that was read, and no purpose needs more values than there are columns.
        let values = Vec::with_capacity(table.columns.len() + 1);
        Self { columns: table.columns.iter(), purpose, values }
    }

    pub(crate) fn finish(mut self) -> Vec<Value> {
        let left = self.next();
        debug_assert!(left.is_none(), "no value for the column {left:?}");
        self.values
    }

    pub fn uuid(&mut self, name: &str, value: [u8; 16]) {
        self.put(name, || value.into());
    }

    pub fn optional_uuid(&mut self, name: &str, value: Option<[u8; 16]>) {
        self.put(name, || value.into());
    }

    pub fn text(&mut self, name: &str, value: &str) {
        self.put(name, || value.into());
    }

    pub fn optional_text(&mut self, name: &str, value: Option<&str>) {
        self.put(name, || value.into());
    }

    /// Several texts in one column.
    pub fn list<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a str>) {
        self.put(name, || codec::join(values).into());
    }

    pub fn int(&mut self, name: &str, value: i64) {
        self.put(name, || value.into());
    }

    pub fn optional_int(&mut self, name: &str, value: Option<i64>) {
        self.put(name, || value.into());
    }

    pub fn bool(&mut self, name: &str, value: bool) {
        self.put(name, || value.into());
    }

    pub fn optional_bool(&mut self, name: &str, value: Option<bool>) {
        self.put(name, || value.into());
    }

    pub fn bytes(&mut self, name: &str, value: &[u8]) {
        self.put(name, || Value::bytes(value.to_vec()));
    }

    pub fn optional_bytes(&mut self, name: &str, value: Option<&[u8]>) {
        self.put(name, || Value::optional_bytes(value.map(<[u8]>::to_vec)));
    }

    pub fn time(&mut self, name: &str, value: Time) {
        self.put(name, || codec::time(value));
    }

    pub fn optional_time(&mut self, name: &str, value: Option<Time>) {
        self.put(name, || codec::optional_time(value));
    }

    fn put(&mut self, name: &str, value: impl FnOnce() -> Value) {
        let column = self.next();
        debug_assert_eq!(
            column.map(|column| column.name),
            Some(name),
            "the values are not in the order of the columns"
        );
        let is_bound = column.is_some_and(|column| match self.purpose {
            Purpose::Insert | Purpose::Transfer => true,
            Purpose::Update => column.is_key() || column.is_mutable(),
            Purpose::Key => column.is_key(),
        });
        if is_bound {
            self.values.push(value());
        }
    }

    /// The next column that a record has a value for.
    fn next(&mut self) -> Option<&'static Column> {
        let mut column = self.columns.next()?;
        while column.is_deletion() {
            if self.purpose == Purpose::Transfer {
                self.values.push(Value::Null(Type::Time));
            }
            column = self.columns.next()?;
        }
        Some(column)
    }
}
