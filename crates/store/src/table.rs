//! The descriptor of a table, from which its statements are derived (`table/statements.rs`), once per process.
//! Nothing here accesses a database, so that every layer of the store can use the list of tables.

use std::sync::OnceLock;

use crate::column::Column;
use crate::sql::Sql;
use crate::value::{Type, Value};

mod statements;

use statements::Description;
pub use statements::{Conflict, Sweep};
pub(crate) use statements::{Statement, Statements};

/// A table: its columns, listed once, and what else the derived statements depend on.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact about the table")]
pub struct Table {
    /// The name.
    pub name: &'static str,
    /// The columns, those of the primary key first.
    pub columns: &'static [Column],
    /// The place in `tables::ALL`. Locks are taken in this order.
    pub(crate) order: u8,
    conflict: Conflict,
    deleted_unless: Option<&'static str>,
    /// The table that the rows are parts of, and the column with the id of the whole.
    part_of: Option<(&'static str, &'static str)>,
    sweep: Option<Sweep>,
    personal: bool,
    small: bool,
    transient: bool,
    under_clock: bool,
    statements: OnceLock<Statements>,
}

impl Table {
    /// Describes a table. `order` is its place in `tables::ALL`.
    pub const fn new(order: u8, name: &'static str, columns: &'static [Column]) -> Self {
        assert!(columns.len() <= 64, "a row writer selects columns by the bits of a u64");
        Self {
            name,
            columns,
            order,
            conflict: Conflict::Ignore,
            deleted_unless: None,
            part_of: None,
            sweep: None,
            personal: false,
            small: false,
            transient: false,
            under_clock: false,
            statements: OnceLock::new(),
        }
    }

    /// What an insert does on a conflict.
    #[must_use]
    pub const fn on_conflict(mut self, conflict: Conflict) -> Self {
        self.conflict = conflict;
        self
    }

    /// A row is not deleted as long as this query (`$1` organization, `$2` id) returns a row.
    #[must_use]
    pub const fn deleted_unless(mut self, query: &'static str) -> Self {
        self.deleted_unless = Some(query);
        self
    }

    /// A row is part of the row of another table whose id is in this column, and is removed for good with it.
    #[must_use]
    pub const fn part_of(mut self, table: &'static str, column: &'static str) -> Self {
        self.part_of = Some((table, column));
        self
    }

    /// Housekeeping removes old rows.
    #[must_use]
    pub const fn swept(mut self, sweep: Sweep) -> Self {
        self.sweep = Some(sweep);
        self
    }

    /// The rows are about people: they are removed first when an organization is deleted.
    #[must_use]
    pub const fn personal(mut self) -> Self {
        self.personal = true;
        self
    }

    /// An organization has few rows: they are removed at once when it is deleted.
    #[must_use]
    pub const fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// The rows are not part of a copy of the store.
    #[must_use]
    pub const fn transient(mut self) -> Self {
        self.transient = true;
        self
    }

    /// The rows use the time of the organization, which can be that of a test clock, and are removed with the clock.
    #[must_use]
    pub const fn under_clock(mut self) -> Self {
        self.under_clock = true;
        self
    }

    /// The columns of the primary key.
    pub fn keys(&self) -> &'static [Column] {
        let count = self.columns.iter().take_while(|column| column.is_key()).count();
        &self.columns[..count]
    }

    /// The part of a whole row that identifies it.
    pub fn key<'a>(&self, row: &'a [Value]) -> &'a [Value] {
        &row[..self.keys().len()]
    }

    /// The position of a column in a whole row.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// Whether its rows belong to organizations, any number to each.
    pub fn is_large(&self) -> bool {
        self.columns[0].name == "organization_id" && !self.small && !self.transient
    }

    /// Whether its rows are about people.
    pub fn is_personal(&self) -> bool {
        self.personal
    }

    /// Whether a copy of the store leaves it out.
    pub fn is_transient(&self) -> bool {
        self.transient
    }

    /// Whether its rows are removed with a test clock.
    pub fn is_under_clock(&self) -> bool {
        self.under_clock
    }

    /// Whether its rows are soft-deleted.
    pub fn is_soft_deleted(&self) -> bool {
        self.columns.iter().any(Column::is_deletion)
    }

    /// Whether its rows are parts of rows of this table.
    pub(crate) fn is_part_of(&self, table: &Self) -> bool {
        self.part_of.is_some_and(|(whole, _)| whole == table.name)
    }

    /// The columns that refer to rows of other tables.
    pub(crate) fn references(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| column.references.is_some())
    }

    /// The column by which an index finds the rows that refer to a row of this table.
    pub(crate) fn indexed_reference(&self, table: &Table) -> Option<&'static Column> {
        self.references().find(|column| column.is_indexed() && column.references == Some(table.name))
    }

    /// The columns that a record is read from.
    pub(crate) fn read_columns(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| column.is_read())
    }

    /// The number of columns that a record is read from.
    pub(crate) fn width(&self) -> usize {
        self.read_columns().count()
    }

    /// The types of the primary key.
    pub(crate) fn key_kinds(&self) -> Vec<Type> {
        self.keys().iter().map(|column| column.kind).collect()
    }

    /// The columns of a record as a SELECT lists them, with the alias of the table.
    pub(crate) fn columns_of(&self, alias: &str) -> String {
        let names: Vec<String> = self.read_columns().map(|column| format!("{alias}.{}", column.name)).collect();
        names.join(", ")
    }

    /// A read of records under conditions that no derived statement has.
    pub(crate) fn select(&self, conditions: &str) -> Sql {
        let columns: Vec<&str> = self.read_columns().map(|column| column.name).collect();
        Sql::built(format!("SELECT {} FROM {} {conditions}", columns.join(", "), self.name))
    }

    /// The derived statements.
    pub(crate) fn statements(&self) -> &Statements {
        self.statements.get_or_init(|| {
            Statements::derive(&Description {
                table: self.name,
                columns: self.columns,
                keys: self.keys(),
                conflict: self.conflict,
                deleted_unless: self.deleted_unless,
                part_of: self.part_of,
                sweep: self.sweep,
            })
        })
    }
}
