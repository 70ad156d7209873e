//! Statements: one text with `$1 … $N` for both engines, and structured inserts.
//! Texts are static or composed of static fragments; a value is always bound, never written into a text.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::lock::Lock;
use crate::value::{Type, Value};

/// A statement, written once.
///
/// ```
/// use perennial_store::Sql;
///
/// static BY_NAME: Sql = Sql::new("SELECT id FROM organizations WHERE name = $1");
/// ```
#[derive(Debug)]
pub struct Sql {
    sqlite: Cow<'static, str>,
    postgres: Cow<'static, str>,
    numbered: OnceLock<String>,
    many: OnceLock<String>,
    share: Locking,
    exclusive: Locking,
}

/// Which rows a read by key returns. A statement is read in one of the two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// The first, if there is one.
    One,
    /// All, in any order.
    All,
}

impl Rows {
    /// The most rows.
    pub(crate) const fn limit(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => usize::MAX,
        }
    }
}

/// A guard's text with its row lock: for one row, and for many at once.
#[derive(Debug)]
struct Locking {
    one: OnceLock<String>,
    many: OnceLock<String>,
}

impl Locking {
    const fn new() -> Self {
        Self { one: OnceLock::new(), many: OnceLock::new() }
    }
}

impl Sql {
    /// One text for both engines.
    pub const fn new(text: &'static str) -> Self {
        Self::split(text, text)
    }

    /// A pair, for the rare statement that the engines cannot share.
    pub const fn split(sqlite: &'static str, postgres: &'static str) -> Self {
        Self {
            sqlite: Cow::Borrowed(sqlite),
            postgres: Cow::Borrowed(postgres),
            numbered: OnceLock::new(),
            many: OnceLock::new(),
            share: Locking::new(),
            exclusive: Locking::new(),
        }
    }

    /// A text composed at run time from static fragments.
    pub fn built(text: String) -> Self {
        Self::built_pair(text.clone(), text)
    }

    /// Such a pair, with the same parameters in both.
    pub(crate) fn built_pair(sqlite: String, postgres: String) -> Self {
        Self {
            sqlite: Cow::Owned(sqlite),
            postgres: Cow::Owned(postgres),
            numbered: OnceLock::new(),
            many: OnceLock::new(),
            share: Locking::new(),
            exclusive: Locking::new(),
        }
    }

    /// The text as SQLite reads it: `?N`, because SQLite numbers `$N` by first appearance.
    pub(crate) fn sqlite(&self) -> &str {
        self.numbered.get_or_init(|| rename_parameters(&self.sqlite, "?"))
    }

    pub(crate) fn postgres(&self) -> &str {
        &self.postgres
    }

    /// The text of many such reads by key: each parameter is an array, and the last column is the position of the key.
    /// The limit or the offset prevents PostgreSQL from merging the reads into one join, so that each key uses its index
    /// without statistics.
    pub(crate) fn many(&self, rows: Rows, kinds: impl Iterator<Item = Type>) -> &str {
        self.many.get_or_init(|| {
            let (arrays, names) = wanted(kinds);
            let one = rename_parameters(&self.postgres, "wanted.p");
            let bound = match rows {
                Rows::One => "LIMIT 1",
                Rows::All => "OFFSET 0",
            };
            format!(
                "SELECT found.*, wanted.place FROM unnest({arrays}) WITH ORDINALITY AS wanted ({names}, place), \
                 LATERAL ({one} {bound}) AS found"
            )
        })
    }

    /// The text of a guard with its row lock.
    pub(crate) fn locking(&self, lock: Lock) -> &str {
        match lock {
            Lock::None => &self.postgres,
            Lock::Share => self.share.one.get_or_init(|| format!("{} FOR SHARE", self.postgres)),
            Lock::Exclusive => self.exclusive.one.get_or_init(|| format!("{} FOR UPDATE", self.postgres)),
        }
    }

    /// The text of many such guards, which lock their rows in the order of the arrays that their parameters become;
    /// `None` for guards without a lock, whose rows cannot be counted.
    pub(crate) fn locking_many(&self, lock: Lock, kinds: impl Iterator<Item = Type>) -> Option<&str> {
        let locking = match lock {
            Lock::None => return None,
            Lock::Share => &self.share,
            Lock::Exclusive => &self.exclusive,
        };
        Some(locking.many.get_or_init(|| {
            let (arrays, names) = wanted(kinds);
            let one = rename_parameters(self.locking(lock), "wanted.p");
            format!("SELECT 1 FROM unnest({arrays}) AS wanted ({names}), LATERAL ({one}) AS held")
        }))
    }
}

/// What an insert does on a conflict, on each engine.
#[derive(Clone, Debug)]
pub(crate) struct OnConflict {
    pub(crate) sqlite: Cow<'static, str>,
    pub(crate) postgres: Cow<'static, str>,
}

impl OnConflict {
    /// What SQLite does with a statement that fails and has no clause. The writer rolls back the change anyway; by default
    /// SQLite would copy every page before the statement changes it, so that it can undo the statement alone.
    fn sqlite_verb(&self) -> &'static str {
        if self.sqlite.is_empty() { "INSERT OR FAIL" } else { "INSERT" }
    }
}

/// An insert of one row, structured so that PostgreSQL can take many of them as one statement.
///
/// A conflict clause is empty or `ON CONFLICT …`; it may use literals and `excluded`, but no parameters. One that replaces rows
/// belongs to a table descriptor, which knows their key.
#[derive(Debug)]
pub struct Insert {
    pub table: &'static str,
    pub columns: Cow<'static, [(&'static str, Type)]>,
    /// The columns of the key of a row that it may replace, which are the first; 0 if it replaces none.
    replaces: usize,
    conflict: OnConflict,
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
    folded: OnceLock<String>,
}

impl Insert {
    /// Describes an insert; usable in a `static`.
    pub const fn new(table: &'static str, columns: &'static [(&'static str, Type)], conflict: &'static str) -> Self {
        let conflict = OnConflict { sqlite: Cow::Borrowed(conflict), postgres: Cow::Borrowed(conflict) };
        Self::with(table, Cow::Borrowed(columns), 0, conflict)
    }

    /// An insert derived from a table descriptor.
    pub(crate) fn built(
        table: &'static str,
        columns: Vec<(&'static str, Type)>,
        replaces: usize,
        conflict: OnConflict,
    ) -> Self {
        Self::with(table, Cow::Owned(columns), replaces, conflict)
    }

    const fn with(
        table: &'static str,
        columns: Cow<'static, [(&'static str, Type)]>,
        replaces: usize,
        conflict: OnConflict,
    ) -> Self {
        Self {
            table,
            columns,
            replaces,
            conflict,
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
            folded: OnceLock::new(),
        }
    }

    /// The key of the row that this one may replace.
    pub(crate) fn replaced<'a>(&self, values: &'a [Value]) -> Option<&'a [Value]> {
        (self.replaces > 0).then(|| &values[..self.replaces])
    }

    /// Whether the values are those of the columns.
    pub(crate) fn takes(&self, values: &[Value]) -> bool {
        self.columns.iter().map(|(_, kind)| *kind).eq(values.iter().map(Value::kind))
    }

    pub(crate) fn sqlite(&self) -> &str {
        self.sqlite.get_or_init(|| {
            let values = format!("VALUES ({})", self.placeholders("?"));
            self.text(self.conflict.sqlite_verb(), &values, &self.conflict.sqlite)
        })
    }

    pub(crate) fn postgres(&self) -> &str {
        self.postgres.get_or_init(|| {
            self.text("INSERT", &format!("VALUES ({})", self.placeholders("$")), &self.conflict.postgres)
        })
    }

    /// One statement for any number of rows: a parameter is the array of a column.
    pub(crate) fn folded(&self) -> &str {
        self.folded.get_or_init(|| {
            let arrays = arrays(self.columns.iter().map(|(_, kind)| *kind));
            self.text("INSERT", &format!("SELECT {}", unnested(&arrays).join(", ")), &self.conflict.postgres)
        })
    }

    fn text(&self, verb: &str, source: &str, conflict: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let text = format!("{verb} INTO {} ({}) {source} {conflict}", self.table, names.join(", "));
        text.trim_end().to_owned()
    }

    fn placeholders(&self, sign: &str) -> String {
        let all: Vec<String> = (1..=self.columns.len()).map(|position| format!("{sign}{position}")).collect();
        all.join(", ")
    }
}

/// Parameters that are arrays of these kinds, and the names of their columns. Inside a separate SELECT, the length of an
/// array does not affect the plan: PostgreSQL would plan each execution otherwise.
pub(crate) fn wanted(kinds: impl Iterator<Item = Type>) -> (String, String) {
    let arrays: Vec<String> = arrays(kinds).into_iter().map(|array| format!("(SELECT {array})")).collect();
    let names: Vec<String> = (1..=arrays.len()).map(|position| format!("p{position}")).collect();
    (arrays.join(", "), names.join(", "))
}

/// The elements of arrays of one length as the columns of a SELECT. In FROM, PostgreSQL would first store each array again,
/// element by element: for the row of an event that takes as long as its insertion.
fn unnested(arrays: &[String]) -> Vec<String> {
    arrays.iter().map(|array| format!("unnest({array})")).collect()
}

/// Rows whose columns `p1`, `p2`, … are the elements of parameters, which are arrays of these kinds. As in [`wanted`], the
/// length of an array does not affect the plan.
pub(crate) fn wanted_rows(kinds: impl Iterator<Item = Type>) -> String {
    let arrays: Vec<String> = arrays(kinds).into_iter().map(|array| format!("(SELECT {array})")).collect();
    let columns = unnested(&arrays).into_iter().zip(1..).map(|(column, position)| format!("{column} AS p{position}"));
    format!("SELECT {}", columns.collect::<Vec<_>>().join(", "))
}

/// Parameters that are arrays of these kinds.
fn arrays(kinds: impl Iterator<Item = Type>) -> Vec<String> {
    kinds.zip(1..).map(|(kind, position)| format!("${position}::{}", array_name(kind))).collect()
}

fn array_name(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "boolean[]",
        Type::Int => "bigint[]",
        Type::Text => "text[]",
        Type::Bytes => "bytea[]",
        Type::Uuid => "uuid[]",
        Type::Time => "timestamptz[]",
    }
}

/// Rewrites the `$` of every `$N` outside string literals.
pub(crate) fn rename_parameters(text: &str, prefix: &str) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut quoted = false;
    for (position, piece) in text.split('$').enumerate() {
        if position > 0 {
            let is_parameter = !quoted && piece.starts_with(|first: char| first.is_ascii_digit());
            rewritten.push_str(if is_parameter { prefix } else { "$" });
        }
        quoted ^= piece.matches('\'').count() % 2 == 1;
        rewritten.push_str(piece);
    }
    rewritten
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_outside_literals_only() {
        let sql = Sql::new("SELECT '$1 it''s $2', $2, $10 FROM t WHERE a = $1");
        assert_eq!(sql.sqlite(), "SELECT '$1 it''s $2', ?2, ?10 FROM t WHERE a = ?1");
        assert_eq!(sql.locking(Lock::Share), format!("{} FOR SHARE", sql.postgres()));
    }

    #[test]
    fn many_reads_return_the_position_of_the_key() {
        let sql = Sql::new("SELECT n FROM t WHERE id = $1");
        assert_eq!(
            sql.many(Rows::One, [Type::Uuid].into_iter()),
            "SELECT found.*, wanted.place FROM unnest((SELECT $1::uuid[])) WITH ORDINALITY AS wanted (p1, place), \
             LATERAL (SELECT n FROM t WHERE id = wanted.p1 LIMIT 1) AS found"
        );
    }

    #[test]
    fn many_guards_lock_their_rows_in_the_order_of_the_arrays() {
        let sql = Sql::new("SELECT 1 FROM t WHERE id = $1 AND n = $2");
        let many = |lock| sql.locking_many(lock, [Type::Uuid, Type::Int].into_iter());
        let text = "SELECT 1 FROM unnest((SELECT $1::uuid[]), (SELECT $2::bigint[])) AS wanted (p1, p2), \
                    LATERAL (SELECT 1 FROM t WHERE id = wanted.p1 AND n = wanted.p2 FOR SHARE) AS held";
        assert_eq!(many(Lock::Share), Some(text));
        assert!(many(Lock::Exclusive).unwrap().ends_with("FOR UPDATE) AS held"));
        assert_eq!(many(Lock::None), None);
    }

    #[test]
    fn a_failing_insert_is_not_undone_alone() {
        let insert = Insert::new("t", &[("id", Type::Uuid)], "");
        assert_eq!(insert.sqlite(), "INSERT OR FAIL INTO t (id) VALUES (?1)");
        assert_eq!(insert.postgres(), "INSERT INTO t (id) VALUES ($1)");
    }

    #[test]
    fn an_insert_has_three_texts() {
        let insert = Insert::new("t", &[("id", Type::Uuid), ("at", Type::Time)], "ON CONFLICT DO NOTHING");
        assert_eq!(insert.sqlite(), "INSERT INTO t (id, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
        assert_eq!(insert.postgres(), "INSERT INTO t (id, at) VALUES ($1, $2) ON CONFLICT DO NOTHING");
        assert_eq!(
            insert.folded(),
            "INSERT INTO t (id, at) SELECT unnest($1::uuid[]), unnest($2::timestamptz[]) ON CONFLICT DO NOTHING"
        );
    }
}
