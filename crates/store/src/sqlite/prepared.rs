//! The prepared statements of the writer, found by the address of their text: rusqlite's cache hashes and copies the whole text at
//! every use. The texts are static, so that two of them never have the same address and length.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, PrepFlags, Statement};

pub(super) struct Prepared<'c> {
    connection: &'c Connection,
    statements: RefCell<HashMap<*const str, Statement<'c>>>,
}

impl<'c> Prepared<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self { connection, statements: RefCell::default() }
    }

    /// Runs a statement, which is prepared when it is first used.
    pub(super) fn run<T>(
        &self,
        text: &'static str,
        run: impl FnOnce(&mut Statement<'c>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut statements = self.statements.borrow_mut();
        let statement = match statements.entry(std::ptr::from_ref(text)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let prepared = self.connection.prepare_with_flags(text, PrepFlags::SQLITE_PREPARE_PERSISTENT)?;
                place.insert(prepared)
            }
        };
        run(statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_prepared_once_and_survives_a_failure_and_a_change_of_the_schema() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE notes (note TEXT UNIQUE)").unwrap();
        let prepared = Prepared::new(&connection);
        let insert = |note: &str| prepared.run("INSERT INTO notes (note) VALUES (?1)", |insert| insert.execute([note]));
        assert_eq!(insert("first"), Ok(1));
        assert!(insert("first").is_err());
        connection.execute_batch("ALTER TABLE notes ADD COLUMN more TEXT").unwrap();
        assert_eq!(insert("second"), Ok(1));
        let count = prepared.run("SELECT COUNT(*) FROM notes", |count| count.query_row((), |row| row.get::<_, i64>(0)));
        assert_eq!(count, Ok(2));
        assert_eq!(prepared.statements.borrow().len(), 2);
        assert!(prepared.run("INSERT INTO nothing VALUES (1)", |insert| insert.execute(())).is_err());
    }
}
