//! Writes the values of a record in the order of its table's columns. One `write` of a record serves its insert, its
//! update and its transfer: the writer leaves out what a statement does not bind. Debug builds, and so all tests,
//! check each name against the descriptor.

use crate::codec;
use crate::column::Column;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::number::Whole;
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
    table: &'static Table,
    purpose: Purpose,
    /// Which of the next columns are bound, the next one in the lowest bit. Creates are frequent: this costs one shift
    /// a column.
    bound: u64,
    position: usize,
    values: Vec<Value>,
}

impl RowWriter {
    pub(crate) fn new(table: &'static Table, purpose: Purpose) -> Self {
        let bound = match purpose {
            Purpose::Insert | Purpose::Transfer => u64::MAX,
            Purpose::Update => mask(table, |column| column.is_key() || column.is_mutable()),
            Purpose::Key => mask(table, Column::is_key),
        };
        // An update adds the revision that was read, and no purpose needs more values than there are columns.
        let values = Vec::with_capacity(table.columns.len() + 1);
        Self { table, purpose, bound, position: 0, values }
    }

    pub(crate) fn finish(mut self) -> Vec<Value> {
        debug_assert_eq!(self.expected(), None, "no value for a column of {}", self.table.name);
        if self.purpose == Purpose::Transfer
            && let Some(place) = self.table.columns.iter().position(Column::is_deletion)
        {
            self.values.insert(place, Value::Null(Type::Time));
        }
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

    pub fn whole<const MIN: i64, const MAX: i64>(&mut self, name: &str, value: Whole<MIN, MAX>) {
        self.int(name, value.get());
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
        debug_assert_eq!(self.expected(), Some(name), "the values are not in the order of the columns");
        let is_bound = self.bound & 1 == 1;
        self.bound >>= 1;
        self.position += 1;
        if is_bound {
            self.values.push(value());
        }
    }

    /// The next column that a record has a value for.
    fn expected(&self) -> Option<&'static str> {
        record_columns(self.table).nth(self.position).map(|column| column.name)
    }
}

fn record_columns(table: &'static Table) -> impl Iterator<Item = &'static Column> {
    table.columns.iter().filter(|column| !column.is_deletion())
}

fn mask(table: &'static Table, is_bound: impl Fn(&Column) -> bool) -> u64 {
    record_columns(table).zip(0..).fold(0, |mask, (column, place)| mask | (u64::from(is_bound(column)) << place))
}
