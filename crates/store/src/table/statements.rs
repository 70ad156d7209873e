//! The statements that follow from a table's columns. A statement that the columns do not allow is absent: a table
//! without a revision or without columns that change has no update, one without an organization is not purged. The committed
//! `statements.sql` shows all of them.

use crate::column::Column;
use crate::sql::{Insert, OnConflict, Sql};
use crate::update::Update;
use crate::value::Type;
use std::borrow::Cow;

/// What an insert does when a unique index rejects the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// It writes nothing. The change is rejected with its violation.
    Ignore,
    /// The same; on PostgreSQL the statement fails, which saves a record of its log for each row. Its own log names the values of
    /// the unique index, so this is not for personal data.
    Reject,
    /// The statement fails.
    Fail,
    /// It replaces the row with the same key under this condition.
    ReplaceIf(&'static str),
}

/// Which rows of an organization housekeeping removes, and in which order.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// The condition on a row, with `$2` as the bound.
    pub due: &'static str,
    /// The sort columns, which an index serves.
    pub order: &'static str,
}

/// What the statements of a table depend on.
pub(super) struct Description {
    pub(super) table: &'static str,
    pub(super) columns: &'static [Column],
    pub(super) keys: &'static [Column],
    pub(super) conflict: Conflict,
    pub(super) deleted_unless: Option<&'static str>,
    pub(super) part_of: Option<(&'static str, &'static str)>,
    pub(super) sweep: Option<Sweep>,
}

/// The derived statements of a table.
#[derive(Debug)]
pub(crate) struct Statements {
    /// The columns that a record is read from, as a SELECT lists them.
    pub(crate) columns: String,
    /// A new record.
    pub(crate) insert: Insert,
    /// A row that is known to be new, where an insert replaces rows: it writes nothing if there is one. As with
    /// [`Conflict::Reject`], PostgreSQL does not look for the row first.
    pub(crate) insert_new: Option<Insert>,
    /// The live record with a key.
    pub(crate) by_key: Sql,
    /// The live record with a unique value, and its id alone.
    pub(crate) by_unique: Option<Sql>,
    pub(crate) id_by_unique: Option<Sql>,
    /// One row if there is a live row with this key.
    pub(crate) live: Sql,
    /// One row if the live row with this key is at this revision.
    pub(crate) at_revision: Option<Sql>,
    /// Writes the mutable columns of a row that is at a revision, unless another live row has its unique value.
    pub(crate) update: Option<Update>,
    /// Soft-deletes a row that is at a revision.
    pub(crate) delete: Option<Sql>,
    /// Whole rows, deleted ones included, in the order of their keys: the first and the next, one, and a new one.
    pub(crate) first_rows: Sql,
    pub(crate) next_rows: Sql,
    pub(crate) row: Sql,
    pub(crate) insert_row: Insert,
    pub(crate) count: Sql,
    /// Whether any row, deleted or not, refers to a row by the column that has an index for it.
    pub(crate) refers: Option<Sql>,
    /// Rows by id with what they refer to and their `deleted_at`, and the removal of a deleted one.
    pub(crate) walk: Option<Sql>,
    pub(crate) remove: Option<Sql>,
    /// The removal of the parts of a deleted row.
    pub(crate) remove_parts: Option<Sql>,
    /// The rows of a deleted organization, except for one: counted and removed.
    pub(crate) count_owned: Option<Sql>,
    pub(crate) purge: Option<Sql>,
    /// Rows that housekeeping removes: their keys, their number, and their removal.
    pub(crate) due: Option<Sql>,
    pub(crate) count_due: Option<Sql>,
    pub(crate) sweep: Option<Sql>,
}

/// A derived statement by the ways in which it is used, for tests that prepare every text.
pub(crate) enum Statement<'a> {
    Plain(&'a Sql),
    /// A read by key, alone and for many keys.
    Key(&'a Sql, Vec<Type>),
    /// A guard, with each lock, which is also a read by key.
    Guard(&'a Sql, Vec<Type>),
    Insert(&'a Insert),
    Update(&'a Update),
}

impl Statements {
    pub(super) fn derive(table: &Description) -> Self {
        let Description { table: name, columns, keys, .. } = *table;
        let is_soft = columns.iter().any(Column::is_deletion);
        let live = if is_soft { " AND deleted_at IS NULL" } else { "" };
        let has_revision = columns.iter().any(|column| column.name == "revision");
        let unique = columns.iter().find(|column| column.is_unique());
        let read = names(columns, Column::is_read);
        let (all, key) = (names(columns, |_| true), names(keys, |_| true));
        let (key_is, key_values) = (equalities(keys, 1, " AND "), parameters(keys.len()));
        let next = keys.len() + 1;
        let by_unique = |selected: &str| {
            unique.map(|column| {
                let present = if column.nullable { format!(" AND {} IS NOT NULL", column.name) } else { String::new() };
                let is = format!("organization_id = $1 AND {} = $2{present}", column.name);
                Sql::built(format!("SELECT {selected} FROM {name} WHERE {is}{live}"))
            })
        };
        let built = |text: String| Sql::built(text);
        Self {
            insert: insert(
                name,
                columns.iter().filter(|column| !column.is_deletion()),
                table.replaces(),
                table.conflict(),
            ),
            insert_new: (table.replaces() > 0).then(|| insert(name, columns.iter(), 0, reject())),
            by_key: built(format!("SELECT {read} FROM {name} WHERE {key_is}{live}")),
            by_unique: by_unique(&read),
            id_by_unique: by_unique("id"),
            live: built(format!("SELECT 1 FROM {name} WHERE {key_is}{live}")),
            at_revision: has_revision
                .then(|| built(format!("SELECT 1 FROM {name} WHERE {key_is} AND revision = ${next}{live}"))),
            update: (has_revision && columns.iter().any(Column::is_mutable)).then(|| table.update(unique)),
            delete: (has_revision && is_soft).then(|| built(table.delete())),
            first_rows: built(format!("SELECT {all} FROM {name} ORDER BY {key} LIMIT $1")),
            next_rows: built(format!(
                "SELECT {all} FROM {name} WHERE ({key}) > ({key_values}) ORDER BY {key} LIMIT ${next}"
            )),
            row: built(format!("SELECT {all} FROM {name} WHERE {key_is}")),
            insert_row: insert(name, columns.iter(), 0, both(IGNORE)),
            count: built(format!("SELECT COUNT(*) FROM {name}")),
            refers: columns.iter().find(|column| column.is_indexed()).map(|column| {
                let refers = format!("organization_id = $1 AND {} = $2", column.name);
                built(format!("SELECT EXISTS (SELECT 1 FROM {name} WHERE {refers})"))
            }),
            walk: table.walk(is_soft).map(built),
            remove: is_soft.then(|| built(format!("DELETE FROM {name} WHERE {key_is} AND deleted_at <= ${next}"))),
            remove_parts: table.part_of.map(|(whole, column)| {
                built(format!(
                    "DELETE FROM {name} WHERE organization_id = $1 AND {column} IN \
                     (SELECT id FROM {whole} WHERE organization_id = $1 AND id = $2 AND deleted_at <= $3)"
                ))
            }),
            count_owned: table.has_organization().then(|| built(table.count_owned())),
            purge: table.has_organization().then(|| built(table.purge())),
            due: table.sweep.map(|sweep| built(table.due(sweep))),
            count_due: table.sweep.map(|sweep| {
                let due = format!("SELECT 1 FROM {name} WHERE organization_id = $1 AND {} LIMIT $3", sweep.due);
                built(format!("SELECT COUNT(*) FROM ({due}) AS counted"))
            }),
            sweep: table.sweep.map(|sweep| table.sweep(sweep)),
            columns: read,
        }
    }

    /// Every statement with its name. A field that is missing here does not compile.
    pub(crate) fn named(&self, keys: &[Type]) -> Vec<(&'static str, Statement<'_>)> {
        let Self {
            columns: _,
            insert,
            insert_new,
            by_key,
            by_unique,
            id_by_unique,
            live,
            at_revision,
            update,
            delete,
            first_rows,
            next_rows,
            row,
            insert_row,
            count,
            refers,
            walk,
            remove,
            remove_parts,
            count_owned,
            purge,
            due,
            count_due,
            sweep,
        } = self;
        let unique = || vec![Type::Uuid, Type::Text];
        let mut named = vec![
            ("insert", Statement::Insert(insert)),
            ("by_key", Statement::Key(by_key, keys.to_vec())),
            ("live", Statement::Guard(live, keys.to_vec())),
            ("first_rows", Statement::Plain(first_rows)),
            ("next_rows", Statement::Plain(next_rows)),
            ("row", Statement::Key(row, keys.to_vec())),
            ("insert_row", Statement::Insert(insert_row)),
            ("count", Statement::Plain(count)),
        ];
        named.extend(insert_new.as_ref().map(|insert| ("insert_new", Statement::Insert(insert))));
        named.extend(by_unique.as_ref().map(|sql| ("by_unique", Statement::Key(sql, unique()))));
        named.extend(id_by_unique.as_ref().map(|sql| ("id_by_unique", Statement::Key(sql, unique()))));
        named.extend(refers.as_ref().map(|sql| ("refers", Statement::Key(sql, vec![Type::Uuid, Type::Uuid]))));
        let with_revision = || keys.iter().copied().chain([Type::Uuid]).collect();
        named.extend(at_revision.as_ref().map(|sql| ("at_revision", Statement::Guard(sql, with_revision()))));
        named.extend(update.as_ref().map(|update| ("update", Statement::Update(update))));
        let others = [
            ("delete", delete),
            ("walk", walk),
            ("remove", remove),
            ("remove_parts", remove_parts),
            ("count_owned", count_owned),
            ("purge", purge),
            ("due", due),
            ("count_due", count_due),
            ("sweep", sweep),
        ];
        named.extend(others.into_iter().filter_map(|(name, sql)| Some((name, Statement::Plain(sql.as_ref()?)))));
        named
    }
}

impl Description {
    fn conflict(&self) -> OnConflict {
        match self.conflict {
            Conflict::Ignore => both(IGNORE),
            Conflict::Reject => reject(),
            Conflict::Fail => both(""),
            Conflict::ReplaceIf(condition) => {
                let others = self.columns.iter().filter(|column| !column.is_key());
                let replaced: Vec<String> =
                    others.map(|Column { name, .. }| format!("{name} = excluded.{name}")).collect();
                let (key, replaced) = (names(self.keys, |_| true), replaced.join(", "));
                both(format!("ON CONFLICT ({key}) DO UPDATE SET {replaced} WHERE {condition}"))
            }
        }
    }

    /// The columns of the key by which an insert replaces a row.
    fn replaces(&self) -> usize {
        if matches!(self.conflict, Conflict::ReplaceIf(_)) { self.keys.len() } else { 0 }
    }

    /// The revision that the guard of the change has checked is repeated here. PostgreSQL is sent a change in one go.
    /// A row whose guard has failed must not be locked after all, out of order, or two servers could wait for each
    /// other.
    fn update(&self, unique: Option<&Column>) -> Update {
        let (table, key) = (self.table, equalities(self.keys, 1, " AND "));
        let mutable: Vec<Column> = self.columns.iter().copied().filter(Column::is_mutable).collect();
        let first = self.keys.len() + 1;
        let (set, revision) = (equalities(&mutable, first, ", "), first + mutable.len());
        let place = |column: &Column| mutable.iter().position(|other| other.name == column.name);
        let is_free = unique.and_then(|column| Some((column.name, first + place(column)?))).map(|(column, value)| {
            format!(
                " AND NOT EXISTS (SELECT 1 FROM {table} AS other WHERE other.organization_id = $1 \
                 AND other.{column} = ${value} AND other.{column} IS NOT NULL AND other.deleted_at IS NULL \
                 AND other.id <> $2)"
            )
        });
        let conditions = format!("{key} AND revision = ${revision}{}", is_free.unwrap_or_default());
        let kinds = self.keys.iter().chain(&mutable).map(|column| column.kind).chain([Type::Uuid]).collect();
        Update::new(table, (&set, &conditions), kinds, self.keys.len())
    }

    fn delete(&self) -> String {
        let (table, key) = (self.table, equalities(self.keys, 1, " AND "));
        let [at, new, old] = [1, 2, 3].map(|place| self.keys.len() + place);
        let unless = self.deleted_unless.map(|query| format!(" AND NOT EXISTS ({query})")).unwrap_or_default();
        format!("UPDATE {table} SET deleted_at = ${at}, revision = ${new} WHERE {key} AND revision = ${old}{unless}")
    }

    /// Only a table that is soft-deleted or refers to others is walked.
    fn walk(&self, is_soft: bool) -> Option<String> {
        let references = names(self.columns, |column| column.references.is_some());
        let deleted_at = if is_soft { "deleted_at" } else { "" };
        let selected: Vec<&str> =
            ["id", &references, deleted_at].into_iter().filter(|names| !names.is_empty()).collect();
        let selected = (selected.len() > 1).then(|| selected.join(", "))?;
        Some(format!(
            "SELECT {selected} FROM {} WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3",
            self.table
        ))
    }

    fn has_organization(&self) -> bool {
        self.keys[0].name == "organization_id"
    }

    /// The row that is left out has this id; a table without an id has no such row.
    fn owned(&self) -> String {
        let except = if self.keys.iter().any(|column| column.name == "id") { " AND id <> $3" } else { "" };
        format!("FROM {} WHERE organization_id = $1{except}", self.table)
    }

    fn count_owned(&self) -> String {
        format!("SELECT COUNT(*) FROM (SELECT 1 {} LIMIT $2) AS counted", self.owned())
    }

    fn purge(&self) -> String {
        let (table, rest, owned) = (self.table, names(&self.keys[1..], |_| true), self.owned());
        let tuple = self.tuple();
        format!(
            "DELETE FROM {table} WHERE organization_id = $1 AND {tuple} IN \
             (SELECT {rest} {owned} ORDER BY {rest} LIMIT $2)"
        )
    }

    fn due(&self, sweep: Sweep) -> String {
        let (table, rest) = (self.table, names(&self.keys[1..], |_| true));
        let Sweep { due, order } = sweep;
        format!("SELECT {rest} FROM {table} WHERE organization_id = $1 AND {due} ORDER BY {order} LIMIT $3")
    }

    /// On PostgreSQL several servers sweep at the same time. Each takes rows that no other has locked, so that none
    /// waits.
    fn sweep(&self, sweep: Sweep) -> Sql {
        let (due, tuple) = (self.due(sweep), self.tuple());
        let delete = format!("DELETE FROM {} WHERE organization_id = $1 AND {tuple} IN", self.table);
        Sql::built_pair(format!("{delete} ({due})"), format!("{delete} ({due} FOR UPDATE SKIP LOCKED)"))
    }

    /// What identifies a row within its organization.
    fn tuple(&self) -> String {
        let rest = names(&self.keys[1..], |_| true);
        if self.keys.len() == 2 { rest } else { format!("({rest})") }
    }
}

fn insert<'a>(
    table: &'static str,
    columns: impl Iterator<Item = &'a Column>,
    replaces: usize,
    conflict: OnConflict,
) -> Insert {
    Insert::built(table, columns.map(|column| (column.name, column.kind)).collect(), replaces, conflict)
}

const IGNORE: &str = "ON CONFLICT DO NOTHING";

fn reject() -> OnConflict {
    OnConflict { postgres: Cow::Borrowed(""), ..both(IGNORE) }
}

fn both(clause: impl Into<Cow<'static, str>>) -> OnConflict {
    let clause = clause.into();
    OnConflict { sqlite: clause.clone(), postgres: clause }
}

fn names(columns: &[Column], included: impl Fn(&Column) -> bool) -> String {
    let names: Vec<&str> = columns.iter().filter(|column| included(column)).map(|column| column.name).collect();
    names.join(", ")
}

/// `a = $1`, `b = $2`, …
fn equalities(columns: &[Column], first: usize, separator: &str) -> String {
    let equalities = columns.iter().zip(first..).map(|(column, place)| format!("{} = ${place}", column.name));
    equalities.collect::<Vec<_>>().join(separator)
}

fn parameters(count: usize) -> String {
    (1..=count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ")
}
