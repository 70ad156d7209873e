//! A column of a table descriptor: its name, its type, and the part it has in the derived statements.

use crate::value::Type;

/// A column. The derived statements and the transfer of rows use nothing else.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact about the column")]
pub struct Column {
    /// The name, the same on both engines.
    pub name: &'static str,
    /// The type.
    pub kind: Type,
    /// Whether the column can be null.
    pub nullable: bool,
    /// The table whose row the column refers to.
    pub references: Option<&'static str>,
    /// The least and the greatest number that the column can contain, if it is a setting. An import checks them, and
    /// takes the least for a line without the field.
    pub range: Option<(i64, i64)>,
    role: Role,
    indexed: bool,
    unique: bool,
    read: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Part of the primary key.
    Key,
    /// Written by an insert, never by the derived update.
    Fixed,
    /// Written by an insert and by every update.
    Mutable,
    /// Null in a live row. A record does not have it: neither an insert nor an update writes it.
    DeletedAt,
}

impl Column {
    /// A column of the primary key. These come first.
    pub const fn key(name: &'static str, kind: Type) -> Self {
        Self::new(name, kind, Role::Key)
    }

    /// A column that the derived update does not write.
    pub const fn fixed(name: &'static str, kind: Type) -> Self {
        Self::new(name, kind, Role::Fixed)
    }

    /// A column that every update writes.
    pub const fn mutable(name: &'static str, kind: Type) -> Self {
        Self::new(name, kind, Role::Mutable)
    }

    /// `deleted_at`: the table's rows are soft-deleted.
    pub const fn deleted_at() -> Self {
        Self::new("deleted_at", Type::Time, Role::DeletedAt).nullable()
    }

    const fn new(name: &'static str, kind: Type, role: Role) -> Self {
        Self {
            name,
            kind,
            nullable: false,
            references: None,
            range: None,
            role,
            indexed: false,
            unique: false,
            read: true,
        }
    }

    /// The column can be null.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// The column contains the id of a row of another table, which is not removed as long as this row exists.
    #[must_use]
    pub const fn refers_to(mut self, table: &'static str) -> Self {
        self.references = Some(table);
        self
    }

    /// An index finds the rows, deleted or not, that refer to a row.
    #[must_use]
    pub const fn indexed(mut self) -> Self {
        self.indexed = true;
        self
    }

    /// The column contains numbers of this range, the least by default.
    #[must_use]
    pub const fn between(mut self, least: i64, most: i64) -> Self {
        self.range = Some((least, most));
        self
    }

    /// The value is unique among the live rows of an organization. An import can name the row by it.
    #[must_use]
    pub const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// The column is written, but not read with the record.
    #[must_use]
    pub const fn unread(mut self) -> Self {
        self.read = false;
        self
    }

    pub(crate) fn is_key(&self) -> bool {
        self.role == Role::Key
    }

    pub(crate) fn is_indexed(&self) -> bool {
        self.indexed
    }

    pub(crate) fn is_unique(&self) -> bool {
        self.unique
    }

    /// Whether an update writes it.
    pub(crate) fn is_mutable(&self) -> bool {
        self.role == Role::Mutable
    }

    /// Whether it is `deleted_at` of a table with soft deletion.
    pub(crate) fn is_deletion(&self) -> bool {
        self.role == Role::DeletedAt
    }

    /// Whether a record is read from it.
    pub(crate) fn is_read(&self) -> bool {
        self.read && self.role != Role::DeletedAt
    }
}
