//! Keyset pagination: page 1,000 costs as much as page 1.
//!
//! A page follows an index (the organization, equalities, a range on the first sort key, a position) and tests what is
//! left row by row, walking a bounded number of rows (`walk.rs`). The order is the same on both engines, nulls last
//! both ways.
//!
//! ```no_run
//! use perennial_store::tables::SUBSCRIPTIONS;
//! use perennial_store::{Db, Error, Key, Order, Page, Type, Value};
//!
//! static BY_RENEWAL: &[Key] = &[Key::nullable("renews_at", Type::Time), Key::new("id", Type::Uuid)];
//!
//! async fn renewing(db: &Db, organization: [u8; 16], now: i64) -> Result<Page<[u8; 16]>, Error> {
//!     SUBSCRIPTIONS
//!         .list(organization)
//!         .sort(BY_RENEWAL, Order::Ascending)
//!         .from(Value::time(now))
//!         .any_of("status", vec!["active".into(), "past_due".into()])
//!         .filter("is_active = {}", vec![true.into()])
//!         .limit(50)
//!         .page(db, |row| row.uuid(1))
//!         .await
//! }
//! ```

use std::cell::Cell;

use crate::db::Db;
use crate::error::Error;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::uuid_floor;
use perennial_domain::time::Time;

mod text;
mod walk;

/// The most rows that a page may walk in search of matches.
pub const WALK: usize = 10_000;

impl Table {
    /// The rows of an organization, without deleted ones, by id unless sorted otherwise.
    pub fn list(&'static self, organization: [u8; 16]) -> KeysetQuery {
        KeysetQuery {
            table: self,
            organization,
            keys: BY_CREATION,
            order: Order::Ascending,
            equal: Vec::new(),
            among: None,
            from: None,
            until: None,
            filters: Vec::new(),
            after: None,
            limit: 50,
            walk: WALK,
        }
    }
}

/// Creation order is id order.
pub(crate) static BY_CREATION: &[Key] = &[Key::new("id", Type::Uuid)];

/// A sort key. The keys of a sort together must be unique: the last one usually is `id`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    name: &'static str,
    kind: Type,
    nulls: Nulls,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    Never,
    Indexed,
    /// The index contains no row without a value.
    Omitted,
}

impl Key {
    /// A column that is never null.
    pub const fn new(name: &'static str, kind: Type) -> Self {
        Self { name, kind, nulls: Nulls::Never }
    }

    /// A column that may be null; only the first key of a sort may.
    pub const fn nullable(name: &'static str, kind: Type) -> Self {
        Self { name, kind, nulls: Nulls::Indexed }
    }

    /// A column that is null in most rows, which its index omits: they are searched for by the other keys of the sort,
    /// which another index must serve.
    pub const fn mostly_null(name: &'static str, kind: Type) -> Self {
        Self { name, kind, nulls: Nulls::Omitted }
    }

    fn is_nullable(&self) -> bool {
        self.nulls != Nulls::Never
    }
}

/// The times from `after` (inclusive) to `before` (exclusive).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first time in the range.
    pub after: Option<Time>,
    /// The first time after the range.
    pub before: Option<Time>,
}

/// The direction of a sort, for all its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Ascending,
    Descending,
}

/// A position in a list: the sort values of a row, the last of which makes it unique.
/// A null as the first value means that the position is among the rows without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub values: Vec<Value>,
}

/// Some rows, and the position of the next ones. A page can be short and still have a next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<Position>,
}

/// A page of a list, described step by step.
#[derive(Clone, Debug)]
pub struct KeysetQuery {
    table: &'static Table,
    organization: [u8; 16],
    keys: &'static [Key],
    order: Order,
    equal: Vec<(&'static str, Value)>,
    among: Option<(String, Vec<Value>)>,
    from: Option<Value>,
    until: Option<Value>,
    filters: Vec<(String, Vec<Value>)>,
    after: Option<Position>,
    limit: usize,
    walk: usize,
}

/// Rows with a value in the first sort key come before those without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment {
    All,
    Present,
    Absent,
}

impl KeysetQuery {
    /// By these keys, which an index must serve after the organization and the equalities.
    #[must_use]
    pub fn sort(mut self, keys: &'static [Key], order: Order) -> Self {
        self.keys = keys;
        self.order = order;
        self
    }

    /// An equality that the index leads with.
    #[must_use]
    pub fn equal(mut self, column: &'static str, value: impl Into<Value>) -> Self {
        self.equal.push((column, value.into()));
        self
    }

    /// One of several values of a column that the index leads with; none of them matches nothing.
    #[must_use]
    pub fn among(mut self, column: &'static str, values: Vec<Value>) -> Self {
        self.among = Some(one_of(column, values));
        self
    }

    /// Only rows whose first sort key is at least this.
    #[must_use]
    pub fn from(mut self, value: Value) -> Self {
        self.from = Some(value);
        self
    }

    /// Only rows whose first sort key is less than this.
    #[must_use]
    pub fn until(mut self, value: Value) -> Self {
        self.until = Some(value);
        self
    }

    /// Only rows whose first sort key is in this range.
    #[must_use]
    pub fn within(mut self, range: Range, value: impl Fn(Time) -> Value) -> Self {
        self.from = range.after.map(&value);
        self.until = range.before.map(value);
        self
    }

    /// Only rows that were created in this range, in creation order.
    #[must_use]
    pub fn created_within(self, range: Range) -> Self {
        self.within(range, |time| uuid_floor(time).into())
    }

    /// A condition tested row by row, with a `{}` for each value.
    #[must_use]
    pub fn filter(mut self, condition: &'static str, values: Vec<Value>) -> Self {
        self.filters.push((condition.to_owned(), values));
        self
    }

    /// One of several values, tested row by row; none of them matches nothing.
    #[must_use]
    pub fn any_of(mut self, column: &'static str, values: Vec<Value>) -> Self {
        self.filters.push(one_of(column, values));
        self
    }

    /// After this position.
    #[must_use]
    pub fn after(mut self, position: Option<Position>) -> Self {
        self.after = position;
        self
    }

    /// At most this many items.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    /// Walk at most this many rows.
    #[must_use]
    pub fn walk(mut self, rows: usize) -> Self {
        self.walk = rows.max(2);
        self
    }

    /// Reads the page.
    pub async fn page<T: Send>(
        &self,
        db: &Db,
        map: impl Fn(&Row<'_>) -> Result<T, Error> + Send + Sync,
    ) -> Result<Page<T>, Error> {
        self.check()?;
        let mut found: Vec<(T, Option<Position>)> = Vec::new();
        for segment in self.segments().iter().copied() {
            let end = if self.is_tested(segment) {
                self.walk_segment(db, segment, &mut found, &map).await?
            } else {
                found.extend(self.read_segment(db, segment, self.limit + 1 - found.len(), &map).await?);
                None
            };
            if found.len() > self.limit {
                found.truncate(self.limit);
                let next = found.last_mut().and_then(|(_, position)| position.take());
                return Ok(page(found, Some(next.expect("the last row of a full page was read with its position"))));
            }
            if end.is_some() {
                return Ok(page(found, end));
            }
        }
        Ok(page(found, None))
    }

    /// The first rows of a segment without tests. The last but one of them is the last of a full page and has its position.
    async fn read_segment<T: Send>(
        &self,
        db: &Db,
        segment: Segment,
        wanted: usize,
        map: &(impl Fn(&Row<'_>) -> Result<T, Error> + Send + Sync),
    ) -> Result<Vec<(T, Option<Position>)>, Error> {
        let (sql, params) = self.rows(segment, wanted);
        let left = Cell::new(wanted);
        let read = move |row: &Row<'_>| {
            left.set(left.get() - 1);
            let position = if left.get() == 1 { Some(self.position(segment, row)?) } else { None };
            Ok((map(&row.skip(self.keys.len()))?, position))
        };
        db.all(&sql, &params, read).await
    }

    /// Every statement that a page can use, for tests that prepare them or read their plans.
    pub(crate) fn statements(&self) -> Vec<Sql> {
        let segments = self.segments().iter();
        let statements = segments.map(|segment| {
            if self.is_tested(*segment) {
                self.walk_rows(*segment, self.walk_of(*segment), self.limit + 1)
            } else {
                self.rows(*segment, self.limit + 1)
            }
        });
        statements.map(|(sql, _)| sql).collect()
    }

    /// The position of a row in a segment, through which a walk may also come upon rows of the other one.
    fn position(&self, segment: Segment, row: &Row<'_>) -> Result<Position, Error> {
        let values = self.keys.iter().enumerate().map(|(column, key)| match (segment, column) {
            (Segment::Absent, 0) => Ok(Value::Null(key.kind)),
            _ => row.value(column, key.kind),
        });
        Ok(Position { values: values.collect::<Result<_, _>>()? })
    }

    /// Whether the rows of a segment are tested one by one.
    fn is_tested(&self, segment: Segment) -> bool {
        !self.filters.is_empty() || self.searches(segment)
    }

    /// Whether no index leads to the rows of a segment.
    fn searches(&self, segment: Segment) -> bool {
        segment == Segment::Absent && self.keys[0].nulls == Nulls::Omitted
    }

    fn segments(&self) -> &'static [Segment] {
        let ranged = self.from.is_some() || self.until.is_some();
        let in_absent = self.after.as_ref().is_some_and(|after| after.values[0].is_null());
        match (self.keys[0].is_nullable(), ranged, in_absent) {
            (false, _, _) => &[Segment::All],
            // A range contains no nulls.
            (true, true, _) => &[Segment::Present],
            (true, false, true) => &[Segment::Absent],
            (true, false, false) => &[Segment::Present, Segment::Absent],
        }
    }

    fn check(&self) -> Result<(), Error> {
        let defect = |what: &str| {
            let table = self.table.name;
            Err(Error::Internal(format!("the list of {table} {what}")))
        };
        if self.keys.is_empty() || self.keys[1..].iter().any(Key::is_nullable) {
            return defect("has a sort that no position can describe");
        }
        let Some(after) = &self.after else {
            return Ok(());
        };
        let kinds = after.values.iter().map(Value::kind);
        let fits = kinds.eq(self.keys.iter().map(|key| key.kind));
        let nulls = after.values.iter().zip(self.keys);
        let in_order = nulls.into_iter().all(|(value, key)| key.is_nullable() || !value.is_null());
        if fits && in_order { Ok(()) } else { defect("was given a position of another sort") }
    }
}

/// A condition on one of several values.
///
/// Both engines cache prepared statements by text. Repeated values are dropped and the last one fills up the next power
/// of two, so that no caller can produce many texts.
fn one_of(column: &'static str, mut values: Vec<Value>) -> (String, Vec<Value>) {
    values.sort_unstable();
    values.dedup();
    let condition = match values.last().cloned() {
        None => "1 = 0".to_owned(),
        Some(last) => {
            values.resize(values.len().next_power_of_two(), last);
            format!("{column} IN ({})", vec!["{}"; values.len()].join(", "))
        }
    };
    (condition, values)
}

fn page<T>(found: Vec<(T, Option<Position>)>, next: Option<Position>) -> Page<T> {
    Page { items: found.into_iter().map(|(item, _)| item).collect(), next }
}
