//! The statements of a page, composed of static fragments; every value is bound.

use std::fmt::Write as _;

use super::{KeysetQuery, Nulls, Order, Segment};
use crate::sql::Sql;
use crate::value::Value;

/// The columns of a walk before the sort keys.
pub(super) const WALK_COLUMNS: usize = 2;

impl KeysetQuery {
    /// The rows of a segment of a list without filters: first the sort keys, then the columns of the record.
    pub(super) fn rows(&self, segment: Segment, wanted: usize) -> (Sql, Vec<Value>) {
        let mut query = Composed::default();
        self.select(segment, wanted, &mut query);
        query.finish()
    }

    /// Walks at most `rows` rows of a segment and tests each of them. Before the sort keys come the number of the row
    /// and whether it matches.
    ///
    /// SQLite returns every row, and the caller stops when it has enough: stepping through rows costs nothing there,
    /// and a window function that counts them triples the time. PostgreSQL returns the first `wanted` matches and the
    /// last row of the walk. Both stop as soon as there are enough matches.
    pub(super) fn walk_rows(&self, segment: Segment, rows: usize, wanted: usize) -> (Sql, Vec<Value>) {
        let (keys, columns) = (self.aliases(), &self.table.statements().columns);
        let mut query = Composed::default();
        self.select(segment, rows, &mut query);
        let (last, walk) = (query.values.len(), std::mem::take(&mut query.text));
        self.tests(segment, &mut query);
        let test = std::mem::take(&mut query.text);
        query.bind(count(wanted + 1));
        let most = std::mem::take(&mut query.text);
        // SQLite's limit never takes effect: it is there because both texts have the same parameters.
        let sqlite = format!(
            "SELECT 0 AS walked_rows, COALESCE({test}, FALSE) AS matched, {keys}, {columns} FROM ({walk}) AS walked \
             LIMIT ${last} + {most}"
        );
        let postgres = format!(
            "SELECT walked_rows, matched, {keys}, {columns} FROM (SELECT ROW_NUMBER() OVER () AS walked_rows, \
             COALESCE({test}, FALSE) AS matched, {keys}, {columns} FROM ({walk}) AS rows) AS walked \
             WHERE matched OR walked_rows = ${last} LIMIT {most}"
        );
        (Sql::built_pair(sqlite, postgres), query.values)
    }

    /// The condition that each row of a walk is tested for.
    fn tests(&self, segment: Segment, query: &mut Composed) {
        let absent = self.searches(segment).then(|| (format!("{} IS NULL", self.keys[0].name), Vec::new()));
        for (position, (condition, values)) in absent.iter().chain(&self.filters).enumerate() {
            query.text.push_str(if position == 0 { "(" } else { " AND (" });
            query.fill(condition, values);
            query.text.push(')');
        }
    }

    fn select(&self, segment: Segment, rows: usize, query: &mut Composed) {
        let _ = write!(query.text, "SELECT {}, {}", self.key_columns(), &self.table.statements().columns);
        self.indexed(segment, query);
        query.limit(rows);
    }

    /// Two segments share the rows that a page may walk.
    pub(super) fn walk_of(&self, segment: Segment) -> usize {
        match segment {
            Segment::All => self.walk,
            Segment::Present | Segment::Absent => self.walk / 2,
        }
    }

    /// FROM, the conditions an index serves, and the order.
    fn indexed(&self, segment: Segment, query: &mut Composed) {
        let _ = write!(query.text, " FROM {} WHERE organization_id = ", self.table.name);
        query.bind(Value::Uuid(self.organization));
        if self.table.is_soft_deleted() {
            query.text.push_str(" AND deleted_at IS NULL");
        }
        for (column, value) in &self.equal {
            query.condition(column, "=", value);
        }
        if let Some((condition, values)) = &self.among {
            query.text.push_str(" AND ");
            query.fill(condition, values);
        }
        let first = self.keys[0].name;
        // An index scan has one lower and one upper bound: of the range and the position, only the nearer is used.
        let passed = self.passed(segment);
        if let Some(value) = self.from.as_ref().filter(|_| passed != Some(Order::Ascending)) {
            query.condition(first, ">=", value);
        }
        if let Some(value) = self.until.as_ref().filter(|_| passed != Some(Order::Descending)) {
            query.condition(first, "<", value);
        }
        match segment {
            Segment::All => {}
            // The condition of an index that omits nulls is recognized if it is repeated.
            Segment::Present
                if self.keys[0].nulls != Nulls::Omitted
                    && (passed == Some(Order::Ascending) || self.from.is_some()) => {}
            Segment::Present => {
                let _ = write!(query.text, " AND {first} IS NOT NULL");
            }
            Segment::Absent if self.searches(segment) => {}
            Segment::Absent => {
                let _ = write!(query.text, " AND {first} IS NULL");
            }
        }
        self.position_condition(segment, query);
        self.order_by(segment, query);
    }

    /// Which bound of the range the position has passed: an ascending walk passes `from`, a descending one `until`.
    fn passed(&self, segment: Segment) -> Option<Order> {
        let after = &self.after.as_ref()?.values[0];
        let within = match self.order {
            Order::Ascending => self.from.as_ref().is_none_or(|from| after >= from),
            Order::Descending => self.until.as_ref().is_none_or(|until| after < until),
        };
        (within && segment != Segment::Absent && !after.is_null()).then_some(self.order)
    }

    fn position_condition(&self, segment: Segment, query: &mut Composed) {
        let Some(after) = &self.after else { return };
        let skipped = match (segment, after.values[0].is_null()) {
            // The position is in the segment before, so this one starts at its beginning.
            (Segment::Absent, false) => return,
            (Segment::Absent, true) => 1,
            // The whole range comes after the position.
            _ if self.passed(segment).is_none() => return,
            _ => 0,
        };
        let (keys, values) = (&self.keys[skipped..], &after.values[skipped..]);
        let sign = match self.order {
            Order::Ascending => ">",
            Order::Descending => "<",
        };
        if let ([key], [value]) = (keys, values) {
            return query.condition(key.name, sign, value);
        }
        let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
        let _ = write!(query.text, " AND ({}) {sign} (", names.join(", "));
        for (position, value) in values.iter().enumerate() {
            query.text.push_str(if position == 0 { "" } else { ", " });
            query.bind(value.clone());
        }
        query.text.push(')');
    }

    /// The same keys in every segment that an index leads to: PostgreSQL does not infer that a column of nulls is sorted.
    fn order_by(&self, segment: Segment, query: &mut Composed) {
        let skipped = usize::from(self.searches(segment));
        for (position, key) in self.keys[skipped..].iter().enumerate() {
            let lead = if position == 0 { " ORDER BY" } else { "," };
            let direction = match self.order {
                Order::Ascending => "",
                Order::Descending => " DESC",
            };
            let _ = write!(query.text, "{lead} {}{direction}", key.name);
        }
    }

    fn key_columns(&self) -> String {
        let keys = self.keys.iter().enumerate();
        let named: Vec<String> = keys.map(|(position, key)| format!("{} AS key_{position}", key.name)).collect();
        named.join(", ")
    }

    fn aliases(&self) -> String {
        let names: Vec<String> = (0..self.keys.len()).map(|position| format!("key_{position}")).collect();
        names.join(", ")
    }
}

/// A text and its values, growing together.
#[derive(Default)]
struct Composed {
    text: String,
    values: Vec<Value>,
}

impl Composed {
    fn bind(&mut self, value: Value) {
        self.values.push(value);
        let _ = write!(self.text, "${}", self.values.len());
    }

    fn condition(&mut self, column: &str, sign: &str, value: &Value) {
        let _ = write!(self.text, " AND {column} {sign} ");
        self.bind(value.clone());
    }

    fn limit(&mut self, rows: usize) {
        self.text.push_str(" LIMIT ");
        self.bind(count(rows));
    }

    /// Puts a parameter in place of each `{}`.
    fn fill(&mut self, condition: &str, values: &[Value]) {
        let mut pieces = condition.split("{}");
        self.text.push_str(pieces.next().unwrap_or_default());
        for (piece, value) in pieces.zip(values) {
            self.bind(value.clone());
            self.text.push_str(piece);
        }
    }

    fn finish(self) -> (Sql, Vec<Value>) {
        (Sql::built(self.text), self.values)
    }
}

fn count(rows: usize) -> Value {
    Value::Int(i64::try_from(rows).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::{Key, Position};
    use super::*;
    use crate::column::Column;
    use crate::table::Table;
    use crate::value::Type;

    static THINGS: Table = Table::new(
        0,
        "things",
        &[Column::key("id", Type::Uuid), Column::fixed("name", Type::Text), Column::deleted_at()],
    );
    static BY_TIER: &[Key] = &[Key::new("tier", Type::Int), Key::new("slug", Type::Text)];
    static BY_END: &[Key] = &[Key::nullable("ends_at", Type::Time), Key::new("id", Type::Uuid)];

    #[test]
    fn a_plain_page_follows_the_index() {
        let list = THINGS.list([1; 16]).sort(BY_TIER, Order::Descending);
        let list = list
            .equal("kind", "a")
            .from(Value::Int(3))
            .after(Some(Position { values: vec![Value::Int(5), "b".into()] }));
        let (sql, values) = list.rows(Segment::All, 51);
        assert_eq!(
            sql.postgres(),
            "SELECT tier AS key_0, slug AS key_1, id, name FROM things WHERE organization_id = $1 \
             AND deleted_at IS NULL AND kind = $2 AND tier >= $3 AND (tier, slug) < ($4, $5) \
             ORDER BY tier DESC, slug DESC LIMIT $6"
        );
        assert_eq!(values.len(), 6);
    }

    #[test]
    fn filters_are_tested_on_a_bounded_walk() {
        let list = THINGS.list([1; 16]).sort(BY_END, Order::Ascending);
        let list = list.filter("name = {} OR name = {}", vec!["a".into(), "b".into()]);
        let (sql, values) = list.walk_rows(Segment::Absent, 5000, 3);
        let walk = "SELECT ends_at AS key_0, id AS key_1, id, name FROM things WHERE organization_id = $1 \
                    AND deleted_at IS NULL AND ends_at IS NULL ORDER BY ends_at, id LIMIT $2";
        assert_eq!(
            sql.postgres(),
            format!(
                "SELECT walked_rows, matched, key_0, key_1, id, name FROM (SELECT ROW_NUMBER() OVER () AS walked_rows, \
                 COALESCE((name = $3 OR name = $4), FALSE) AS matched, key_0, key_1, id, name FROM ({walk}) AS rows) \
                 AS walked WHERE matched OR walked_rows = $2 LIMIT $5"
            )
        );
        assert_eq!(
            sql.sqlite(),
            format!(
                "SELECT 0 AS walked_rows, COALESCE((name = ?3 OR name = ?4), FALSE) AS matched, key_0, key_1, id, name \
                 FROM ({}) AS walked LIMIT ?2 + ?5",
                walk.replace('$', "?")
            )
        );
        assert_eq!((&values[1], &values[4]), (&Value::Int(5000), &Value::Int(4)));
    }

    #[test]
    fn rows_that_an_index_omits_are_searched_for_by_the_other_keys() {
        static BY_KNOWN_END: &[Key] = &[Key::mostly_null("ends_at", Type::Time), Key::new("id", Type::Uuid)];
        let after = Some(Position { values: vec![Value::Null(Type::Time), Value::Uuid([1; 16])] });
        let list = THINGS.list([1; 16]).sort(BY_KNOWN_END, Order::Descending);
        let (present, _) = list.clone().from(Value::Time(3)).rows(Segment::Present, 3);
        assert!(
            present.postgres().contains(" AND ends_at >= $2 AND ends_at IS NOT NULL ORDER BY ends_at DESC, id DESC")
        );
        let (absent, _) = list.after(after).walk_rows(Segment::Absent, 5000, 3);
        let walk =
            "FROM things WHERE organization_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3";
        assert!(absent.postgres().contains(walk), "{}", absent.postgres());
        assert!(absent.postgres().contains("COALESCE((ends_at IS NULL), FALSE) AS matched"), "{}", absent.postgres());
    }

    #[test]
    fn a_position_takes_the_place_of_the_bound_it_has_passed() {
        let text = |order, at| {
            let after = Some(Position { values: vec![Value::Time(at), Value::Uuid([1; 16])] });
            let list = THINGS.list([1; 16]).sort(BY_END, order).from(Value::Time(3)).until(Value::Time(7)).after(after);
            let (sql, _) = list.rows(Segment::Present, 3);
            let (_, conditions) = sql.postgres().split_once("deleted_at IS NULL AND ").unwrap();
            conditions.split_once(" ORDER").unwrap().0.to_owned()
        };
        assert_eq!(text(Order::Ascending, 5), "ends_at < $2 AND (ends_at, id) > ($3, $4)");
        assert_eq!(text(Order::Descending, 5), "ends_at >= $2 AND (ends_at, id) < ($3, $4)");
        assert_eq!(text(Order::Ascending, 1), "ends_at >= $2 AND ends_at < $3");
        assert_eq!(text(Order::Descending, 9), "ends_at >= $2 AND ends_at < $3");
    }
}
