//! The migrations compiled into the program, and the rules for applying them.
//! A migration that has ever been released is never edited: its checksum says so.

use aws_lc_rs::digest::{SHA256, digest};

use crate::error::Error;

/// What a run of the migrations did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The names applied now, in order; empty when the schema was current.
    pub applied: Vec<String>,
    /// The version of the schema now.
    pub version: i64,
}

/// A migration, as both engines have it.
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Migration {
    pub(crate) fn checksum(&self) -> Vec<u8> {
        digest(&SHA256, self.text.as_bytes()).as_ref().to_vec()
    }
}

macro_rules! migrations {
    ($engine:literal: $($version:literal => $name:literal),+ $(,)?) => {
        &[$(Migration {
            version: $version,
            name: $name,
            text: include_str!(concat!("../migrations/", $engine, "/", $name, ".sql")),
        }),+]
    };
}

pub(crate) static SQLITE: &[Migration] =
    migrations!("sqlite": 1 => "0001_foundation", 2 => "0002_identity", 3 => "0003_blocked_users", 4 => "0004_retention");
pub(crate) static POSTGRES: &[Migration] =
    migrations!("postgres": 1 => "0001_foundation", 2 => "0002_identity", 3 => "0003_blocked_users", 4 => "0004_retention");

/// The schema version this program needs; the same on both engines.
pub(crate) fn known_version() -> i64 {
    SQLITE.last().map_or(0, |last| last.version)
}

/// A row of `schema_migrations`.
pub(crate) struct Applied {
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) checksum: Vec<u8>,
}

/// The next migration to apply, or `None` when the schema is current.
pub(crate) fn next(known: &'static [Migration], applied: &[Applied]) -> Result<Option<&'static Migration>, Error> {
    let latest = applied.iter().map(|row| row.version).max().unwrap_or(0);
    for row in applied {
        let Some(migration) = known.iter().find(|known| known.version == row.version) else {
            return Err(Error::SchemaNewer { found: latest, known: known_version() });
        };
        if migration.checksum() != row.checksum {
            return Err(Error::Migration(format!(
                "migration {} was applied with another content than this program carries: \
                 an applied migration must never be edited; restore it and add a new one",
                row.name
            )));
        }
    }
    let missing = known.iter().find(|migration| applied.iter().all(|row| row.version != migration.version));
    match missing {
        Some(migration) if migration.version < latest => {
            Err(Error::Migration(format!("migration {} is missing although later ones were applied", migration.name)))
        }
        missing => Ok(missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(migration: &Migration) -> Applied {
        Applied { version: migration.version, name: migration.name.to_owned(), checksum: migration.checksum() }
    }

    fn names(directory: &str) -> Vec<String> {
        let path = format!("{}/migrations/{directory}", env!("CARGO_MANIFEST_DIR"));
        let mut names: Vec<String> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn both_engines_have_the_same_migrations_and_all_are_compiled_in() {
        let compiled =
            |list: &[Migration]| -> Vec<String> { list.iter().map(|entry| format!("{}.sql", entry.name)).collect() };
        assert_eq!(names("sqlite"), names("postgres"));
        assert_eq!(compiled(SQLITE), names("sqlite"));
        assert_eq!(compiled(POSTGRES), names("postgres"));
        for (position, migration) in SQLITE.iter().enumerate() {
            assert_eq!(migration.version, i64::try_from(position).unwrap() + 1);
            assert!(migration.name.starts_with(&format!("{:04}_", migration.version)));
        }
    }

    #[test]
    fn a_gap_is_refused() {
        static LIST: &[Migration] = &[
            Migration { version: 1, name: "0001_a", text: "a" },
            Migration { version: 2, name: "0002_b", text: "b" },
            Migration { version: 3, name: "0003_c", text: "c" },
        ];
        assert_eq!(next(LIST, &[]).unwrap().unwrap().version, 1);
        assert_eq!(next(LIST, &[row(&LIST[0])]).unwrap().unwrap().version, 2);
        let gap = [row(&LIST[0]), row(&LIST[2])];
        assert!(matches!(next(LIST, &gap), Err(Error::Migration(_))));
        let all: Vec<Applied> = LIST.iter().map(row).collect();
        assert!(next(LIST, &all).unwrap().is_none());
    }
}
