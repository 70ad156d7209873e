//! An update of a row by its key, structured so that PostgreSQL can take many of them as one statement.

use crate::sql::{Sql, rename_parameters, wanted_rows};
use crate::value::{Type, Value};

/// An update of a row. The first parameters are its key.
#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) table: &'static str,
    /// The text for one row.
    pub(crate) one: Sql,
    /// The text for any number of rows on PostgreSQL: a parameter is the array of a column.
    pub(crate) many: String,
    pub(crate) kinds: Vec<Type>,
    keys: usize,
}

impl Update {
    /// The new values (`a = $3, …`) of the row for which the conditions hold.
    pub(crate) fn new(table: &'static str, (values, conditions): (&str, &str), kinds: Vec<Type>, keys: usize) -> Self {
        let wanted = wanted_rows(kinds.iter().copied());
        let [new_values, new_conditions] = [values, conditions].map(|text| rename_parameters(text, "wanted.p"));
        Self {
            table,
            one: Sql::built(format!("UPDATE {table} SET {values} WHERE {conditions}")),
            many: format!("UPDATE {table} SET {new_values} FROM ({wanted}) AS wanted WHERE {new_conditions}"),
            kinds,
            keys,
        }
    }

    /// Whether the values are those of the parameters.
    pub(crate) fn takes(&self, values: &[Value]) -> bool {
        self.kinds.iter().copied().eq(values.iter().map(Value::kind))
    }

    /// The key of the row.
    pub(crate) fn key<'a>(&self, params: &'a [Value]) -> &'a [Value] {
        &params[..self.keys]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_has_a_text_for_one_row_and_one_for_many() {
        let update = Update::new("t", ("n = $2", "id = $1 AND n < $2"), vec![Type::Uuid, Type::Int], 1);
        assert_eq!(update.one.postgres(), "UPDATE t SET n = $2 WHERE id = $1 AND n < $2");
        assert_eq!(
            update.many,
            "UPDATE t SET n = wanted.p2 \
             FROM (SELECT unnest((SELECT $1::uuid[])) AS p1, unnest((SELECT $2::bigint[])) AS p2) AS wanted \
             WHERE id = wanted.p1 AND n < wanted.p2"
        );
        let params = [Value::Uuid([1; 16]), Value::Int(1)];
        assert!(update.takes(&params) && !update.takes(&params[..1]));
        assert_eq!(update.key(&params), &params[..1]);
    }
}
