//! How records of one kind are shown: their name, fields and table columns.

use super::table::Column;
use crate::failure::Failure;

/// A kind of record.
pub(in crate::commands) struct Kind {
    /// Its name on the command line.
    pub(in crate::commands) name: &'static str,
    /// The fields of its record, in the API's order.
    pub(in crate::commands) fields: fn() -> Vec<String>,
    /// The columns of a table.
    pub(in crate::commands) columns: &'static [Column],
}

impl Kind {
    /// The failure for a record that does not exist.
    pub(in crate::commands) fn missing(&self, named: &str) -> Failure {
        let name = self.name;
        Failure::new(format!("there is no {name} {named:?}: see `perennial {name} list`"))
    }
}
