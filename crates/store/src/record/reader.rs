//! Reads the values of a record in the order of its table's columns.
//! A statement that reads records lists exactly the columns that the descriptor marks as read. Debug builds, and so all
//! tests, check each name against the descriptor.

use crate::codec;
use crate::column::Column;
use crate::error::Error;
use crate::row::Row;
use crate::table::Table;
use perennial_domain::money::Money;
use perennial_domain::number::Whole;
use perennial_domain::time::Time;

/// The columns of one row, each read once, from the first to the last.
pub struct RowReader<'r, 'a> {
    row: &'r Row<'a>,
    position: usize,
    columns: &'static [Column],
}

impl<'r, 'a> RowReader<'r, 'a> {
    pub(crate) fn new(row: &'r Row<'a>, table: &'static Table) -> Self {
        Self::of_columns(row, table.columns)
    }

    /// A row of other columns than those of a table.
    pub(crate) fn of_columns(row: &'r Row<'a>, columns: &'static [Column]) -> Self {
        Self { row, position: 0, columns }
    }

    pub fn uuid(&mut self, name: &str) -> Result<[u8; 16], Error> {
        self.row.uuid(self.next(name))
    }

    pub fn optional_uuid(&mut self, name: &str) -> Result<Option<[u8; 16]>, Error> {
        self.row.optional_uuid(self.next(name))
    }

    pub fn text(&mut self, name: &str) -> Result<String, Error> {
        self.row.text(self.next(name))
    }

    pub fn optional_text(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.row.optional_text(self.next(name))
    }

    /// A text that is parsed: a status, a currency.
    pub fn word<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, Error> {
        codec::word(self.row.text_ref(self.next(name))?, parse)
    }

    /// A text that is parsed, if there is one.
    pub fn optional_word<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Error> {
        self.optional_text(name)?.map(|text| codec::word(&text, parse)).transpose()
    }

    /// A number with bounds.
    pub fn number<T>(&mut self, name: &str, read: impl FnOnce(i64) -> Option<T>) -> Result<T, Error> {
        codec::number(self.int(name)?, read)
    }

    /// A number with bounds, if there is one.
    pub fn optional_number<T>(&mut self, name: &str, read: impl FnOnce(i64) -> Option<T>) -> Result<Option<T>, Error> {
        self.optional_int(name)?.map(|value| codec::number(value, read)).transpose()
    }

    /// Several texts in one column.
    pub fn list(&mut self, name: &str) -> Result<impl Iterator<Item = String> + use<'a>, Error> {
        Ok(codec::split(self.row.text_ref(self.next(name))?))
    }

    pub fn int(&mut self, name: &str) -> Result<i64, Error> {
        self.row.int(self.next(name))
    }

    pub fn optional_int(&mut self, name: &str) -> Result<Option<i64>, Error> {
        self.row.optional_int(self.next(name))
    }

    pub fn whole<const MIN: i64, const MAX: i64>(&mut self, name: &str) -> Result<Whole<MIN, MAX>, Error> {
        self.int(name).map(Whole::from_stored)
    }

    pub fn bool(&mut self, name: &str) -> Result<bool, Error> {
        self.row.bool(self.next(name))
    }

    pub fn optional_bool(&mut self, name: &str) -> Result<Option<bool>, Error> {
        self.row.optional_bool(self.next(name))
    }

    pub fn bytes(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        self.row.bytes(self.next(name))
    }

    pub fn optional_bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        self.row.optional_bytes(self.next(name))
    }

    pub fn time(&mut self, name: &str) -> Result<Time, Error> {
        codec::read_time(self.row.time(self.next(name))?)
    }

    pub fn optional_time(&mut self, name: &str) -> Result<Option<Time>, Error> {
        codec::read_optional_time(self.row.optional_time(self.next(name))?)
    }

    pub fn money(&mut self, name: &str) -> Result<Money, Error> {
        codec::money(self.row.int(self.next(name))?)
    }

    fn next(&mut self, name: &str) -> usize {
        let position = self.position;
        debug_assert_eq!(
            self.columns.iter().filter(|column| column.is_read()).nth(position).map(|column| column.name),
            Some(name),
            "the columns are not read in their order"
        );
        self.position += 1;
        position
    }
}
