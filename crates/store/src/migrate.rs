//! The migrations compiled into the program, and the rules for applying them.
//! A migration that has ever been released is never edited: its checksum would differ.
//!
//! Servers of two versions run at the same time during an upgrade, so each migration declares the oldest program that
//! still works with the resulting schema. A program is identified by its newest migration.

use aws_lc_rs::digest::{Context, SHA256};

use crate::error::Error;

/// What a run of the migrations did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The names applied now, in order; empty when the schema was current.
    pub applied: Vec<String>,
    /// The version of the schema now. It is above the program's own after a compatible newer program has migrated.
    pub version: i64,
}

/// A migration, as one engine has it.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number: the first is 1.
    pub version: i64,
    /// The name of its file, without `.sql`.
    pub name: &'static str,
    /// Its statements.
    pub text: &'static str,
    /// The oldest program that still works once this migration is applied. Equal to `version` if none older does.
    pub oldest_program: i64,
    /// Indexes of tables that may be large.
    pub indexes: &'static [Index],
}

/// An index that must not block writes while it is built. PostgreSQL builds it concurrently, after the migrations.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// Its name, unique in the schema.
    pub name: &'static str,
    /// What follows `ON`: the table, the columns and the condition, in SQL for both engines.
    pub on: &'static str,
}

impl Migration {
    pub(crate) fn checksum(&self) -> Vec<u8> {
        let mut context = Context::new(&SHA256);
        context.update(self.text.as_bytes());
        for index in self.indexes {
            context.update(format!("\n{} ON {}", index.name, index.on).as_bytes());
        }
        context.finish().as_ref().to_vec()
    }
}

/// One line for each migration: version, file, oldest program that works with it and, if any, its large indexes.
macro_rules! migrations {
    ($($version:literal => $name:literal, oldest_program $oldest:literal $(, indexes $indexes:expr)?;)+) => {
        static SQLITE: &[Migration] = &[$(migrations!(@one "sqlite", $version, $name, $oldest $(, $indexes)?)),+];
        static POSTGRES: &[Migration] = &[$(migrations!(@one "postgres", $version, $name, $oldest $(, $indexes)?)),+];
    };
    (@one $engine:literal, $version:literal, $name:literal, $oldest:literal) => {
        migrations!(@one $engine, $version, $name, $oldest, &[])
    };
    (@one $engine:literal, $version:literal, $name:literal, $oldest:literal, $indexes:expr) => {
        Migration {
            version: $version,
            name: $name,
            text: include_str!(concat!("../migrations/", $engine, "/", $name, ".sql")),
            oldest_program: $oldest,
            indexes: $indexes,
        }
    };
}

// See docs/decisions/0011-upgrades-expand-then-contract.md before you add a line.
migrations! {
    1 => "0001_foundation", oldest_program 1;
    2 => "0002_identity", oldest_program 2;
    3 => "0003_blocked_users", oldest_program 2;
    4 => "0004_retention", oldest_program 2, indexes RETENTION;
    5 => "0005_no_retention_indexes", oldest_program 2;
    6 => "0006_operators", oldest_program 2;
    7 => "0007_quantity", oldest_program 2;
    8 => "0008_plan_versions", oldest_program 2;
    9 => "0009_management", oldest_program 2, indexes MANAGEMENT;
    10 => "0010_feed", oldest_program 2;
    11 => "0011_webhook_delivery", oldest_program 2;
    12 => "0012_webhook_endpoints", oldest_program 2;
    13 => "0013_access_changes", oldest_program 2, indexes ACCESS_CHANGES;
    14 => "0014_lifecycle", oldest_program 2, indexes LIFECYCLE;
    15 => "0015_test_clocks", oldest_program 2, indexes TEST_CLOCKS;
    16 => "0016_analytics", oldest_program 2;
    17 => "0017_portal", oldest_program 2;
    18 => "0018_billing_records", oldest_program 2;
    19 => "0019_invoices", oldest_program 2, indexes INVOICES;
    20 => "0020_entitlements", oldest_program 2;
    21 => "0021_connections", oldest_program 2, indexes CONNECTIONS;
    22 => "0022_lost_times", oldest_program 2;
    23 => "0023_feed_entry", oldest_program 2;
    24 => "0024_feed_head", oldest_program 2;
    25 => "0025_known_ends", oldest_program 2, indexes KNOWN_ENDS;
    26 => "0026_due_hints", oldest_program 2, indexes DUE_HINTS;
    27 => "0027_feature_versions", oldest_program 2;
    28 => "0028_queue_of_statements", oldest_program 2;
}

/// Dropped by the next migration: every create paid for them.
const RETENTION: &[Index] = &[
    Index { name: "payments_deleted", on: "payments (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL" },
    Index {
        name: "subscriptions_deleted",
        on: "subscriptions (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL",
    },
    Index {
        name: "subscriptions_deleted_by_plan",
        on: "subscriptions (organization_id, plan_id) WHERE deleted_at IS NOT NULL",
    },
    Index {
        name: "subscriptions_deleted_by_user",
        on: "subscriptions (organization_id, user_id) WHERE deleted_at IS NOT NULL",
    },
    Index { name: "plans_deleted", on: "plans (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL" },
    Index { name: "users_deleted", on: "users (organization_id, deleted_at, id) WHERE deleted_at IS NOT NULL" },
];

/// For the list of users by their ID at an identity provider, whatever the provider.
const MANAGEMENT: &[Index] = &[
    // For the filter `auth_id`.
    Index {
        name: "users_by_subject",
        on: "users (organization_id, subject, id) WHERE deleted_at IS NULL AND subject IS NOT NULL",
    },
    // Deleted payments too: housekeeping looks for any that refers to a subscription.
    Index { name: "payments_by_subscription", on: "payments (organization_id, subscription_id, id)" },
];

/// Few payments name an invoice.
const INVOICES: &[Index] = &[Index {
    name: "payments_by_invoice",
    on: "payments (organization_id, invoice_id, id) WHERE invoice_id IS NOT NULL AND deleted_at IS NULL",
}];

/// Few rows have a due time, and other rows pay nothing for the index.
const ACCESS_CHANGES: &[Index] = &[Index {
    name: "subscriptions_by_due",
    on: "subscriptions (organization_id, due_at) WHERE due_at IS NOT NULL AND deleted_at IS NULL",
}];

/// For the guard of a plan's deletion. Few subscriptions have a pending change.
const LIFECYCLE: &[Index] = &[Index {
    name: "subscriptions_by_change_plan",
    on: "subscriptions (organization_id, change_plan_id) WHERE change_plan_id IS NOT NULL AND deleted_at IS NULL",
}];

const TEST_CLOCKS: &[Index] = &[
    // For the question whether anything is due at all, in any organization.
    Index { name: "subscriptions_due", on: "subscriptions (due_at) WHERE due_at IS NOT NULL AND deleted_at IS NULL" },
    // The few parked subscriptions are counted every minute.
    Index {
        name: "subscriptions_parked",
        on: "subscriptions (organization_id) WHERE billing LIKE '%\"parked_at\":%' AND deleted_at IS NULL",
    },
];

/// Few subscriptions follow a payment provider in most installations.
const CONNECTIONS: &[Index] = &[Index {
    name: "subscriptions_by_connection",
    on: "subscriptions (organization_id, managed_by) WHERE managed_by IS NOT NULL AND deleted_at IS NULL",
}];

/// Most subscriptions have no end when they are created, and pay nothing for the index.
const KNOWN_ENDS: &[Index] = &[Index {
    name: "subscriptions_by_known_end",
    on: "subscriptions (organization_id, ends_at, id) WHERE ends_at IS NOT NULL AND deleted_at IS NULL",
}];

/// For the oldest due hints of one connection.
const DUE_HINTS: &[Index] = &[Index {
    name: "connection_inbox_due_by_connection",
    on: "connection_inbox (organization_id, connection_id, next_attempt_at) WHERE state = 'waiting'",
}];

/// The migrations of a program for one engine, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Migrations(&'static [Migration]);

impl Migrations {
    /// This program's, for SQLite.
    pub const fn sqlite() -> Self {
        Self(SQLITE)
    }

    /// This program's, for PostgreSQL.
    pub const fn postgres() -> Self {
        Self(POSTGRES)
    }

    /// The migrations of a later program. Only tests call this, to run two versions at the same time; the list is
    /// leaked.
    #[doc(hidden)]
    #[must_use]
    pub fn followed_by(self, later: Migration) -> Self {
        let all: Vec<Migration> = self.0.iter().copied().chain([later]).collect();
        Self(Box::leak(all.into_boxed_slice()))
    }

    /// The migrations of an earlier program. Only tests call this, to upgrade a store.
    #[doc(hidden)]
    #[must_use]
    pub fn up_to(self, version: i64) -> Self {
        let count = self.0.iter().take_while(|migration| migration.version <= version).count();
        Self(&self.0[..count])
    }

    /// The schema version that the program needs, which is also the name of the program.
    pub fn version(self) -> i64 {
        self.0.last().map_or(0, |last| last.version)
    }

    /// Every index that is built concurrently and that no migration drops.
    pub(crate) fn indexes(self) -> impl Iterator<Item = &'static Index> {
        self.0.iter().flat_map(|migration| migration.indexes).filter(move |index| !self.drops(index))
    }

    fn drops(self, index: &Index) -> bool {
        let statement = format!("DROP INDEX IF EXISTS {};", index.name);
        self.0.iter().any(|migration| migration.text.contains(&statement))
    }

    /// The next migration to apply, or `None` when the schema has all of them.
    pub(crate) fn next(self, applied: &[Applied]) -> Result<Option<&'static Migration>, Error> {
        self.check(Found::of(applied))?;
        for row in applied {
            // One that is not known here comes from a newer program that is compatible.
            let known = self.0.iter().find(|known| known.version == row.version);
            if known.is_some_and(|migration| migration.checksum() != row.checksum) {
                return Err(Error::Migration(format!(
                    "migration {} was applied with another content than this program carries: \
                     an applied migration must never be edited; restore it and add a new one",
                    row.name
                )));
            }
        }
        let latest = Found::of(applied).version;
        let missing = self.0.iter().find(|migration| applied.iter().all(|row| row.version != migration.version));
        match missing {
            Some(migration) if migration.version < latest => Err(Error::Migration(format!(
                "migration {} is missing although later ones were applied",
                migration.name
            ))),
            missing => Ok(missing),
        }
    }

    /// Whether this program works on the schema that was found, or will once it has migrated it.
    pub(crate) fn check(self, found: Found) -> Result<(), Error> {
        let known = self.version();
        if found.version > known && found.oldest_program > known {
            return Err(Error::SchemaNewer { found: found.version, oldest: found.oldest_program, known });
        }
        Ok(())
    }
}

/// A row of `schema_migrations`.
pub(crate) struct Applied {
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) checksum: Vec<u8>,
    /// None in rows of programs that did not record it: those need a program of the same version.
    pub(crate) oldest_program: Option<i64>,
}

/// What the table of applied migrations records about a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) version: i64,
    /// The oldest program that works with all of its migrations.
    pub(crate) oldest_program: i64,
}

impl Found {
    fn of(applied: &[Applied]) -> Self {
        let oldest = |row: &Applied| row.oldest_program.unwrap_or(row.version);
        Self {
            version: applied.iter().map(|row| row.version).max().unwrap_or(0),
            oldest_program: applied.iter().map(oldest).max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn migration(version: i64, name: &'static str, oldest_program: i64) -> Migration {
        Migration { version, name, text: name, oldest_program, indexes: &[] }
    }

    static LIST: &[Migration] =
        &[migration(1, "0001_a", 1), migration(2, "0002_b", 2), migration(3, "0003_c", 2), migration(4, "0004_d", 4)];

    fn row(migration: &Migration) -> Applied {
        Applied {
            version: migration.version,
            name: migration.name.to_owned(),
            checksum: migration.checksum(),
            oldest_program: Some(migration.oldest_program),
        }
    }

    fn rows(count: usize) -> Vec<Applied> {
        LIST[..count].iter().map(row).collect()
    }

    fn program(version: usize) -> Migrations {
        Migrations(&LIST[..version])
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
            assert!((1..=migration.version).contains(&migration.oldest_program));
        }
    }

    #[test]
    fn a_gap_is_refused() {
        assert_eq!(program(3).next(&[]).unwrap().unwrap().version, 1);
        assert_eq!(program(3).next(&rows(1)).unwrap().unwrap().version, 2);
        let gap = [row(&LIST[0]), row(&LIST[2])];
        assert!(matches!(program(3).next(&gap), Err(Error::Migration(_))));
        assert!(program(3).next(&rows(3)).unwrap().is_none());
    }

    #[test]
    fn a_newer_schema_is_accepted_by_the_programs_it_declares_itself_compatible_with() {
        assert!(program(2).next(&rows(3)).unwrap().is_none(), "the third migration works with program 2");
        let newer = |found, oldest, known| Some(Error::SchemaNewer { found, oldest, known });
        assert_eq!(program(1).next(&rows(3)).err(), newer(3, 2, 1));
        for version in 1..4 {
            let known = i64::try_from(version).unwrap();
            assert_eq!(program(version).next(&rows(4)).err(), newer(4, 4, known));
        }
        let mut silent = rows(3);
        silent[2].oldest_program = None;
        assert_eq!(program(2).next(&silent).err(), newer(3, 3, 2), "a schema that declares nothing is not compatible");
    }

    #[test]
    fn an_edited_index_changes_the_checksum() {
        let plain = migration(1, "0001_a", 1);
        let with = |on| Migration { indexes: Box::leak(Box::new([Index { name: "a_by_b", on }])), ..plain };
        assert_ne!(plain.checksum(), with("a (b)").checksum());
        assert_ne!(with("a (c)").checksum(), with("a (b)").checksum());
    }

    #[test]
    fn a_dropped_index_is_not_built_again() {
        let index: &'static [Index] =
            &[Index { name: "a_by_b", on: "a (b)" }, Index { name: "a_by_b_c", on: "a (b, c)" }];
        let builds = Migration { indexes: index, ..migration(1, "0001_a", 1) };
        let drops = Migration { text: "DROP INDEX IF EXISTS a_by_b;", ..migration(2, "0002_b", 1) };
        let names = |list: Migrations| list.indexes().map(|index| index.name).collect::<Vec<_>>();
        assert_eq!(names(Migrations(&[]).followed_by(builds)), ["a_by_b", "a_by_b_c"]);
        assert_eq!(names(Migrations(&[]).followed_by(builds).followed_by(drops)), ["a_by_b_c"]);
    }

    /// Statements that break an older program. A migration with one of them must not declare that program compatible.
    /// Without an index a program is slower, but correct; without a constraint, nothing that it writes is rejected.
    fn is_breaking(statement: &str, created: &[&str]) -> bool {
        let words: Vec<String> = statement.split_whitespace().map(str::to_uppercase).collect();
        let has = |sought: &str| words.join(" ").contains(sought);
        let is_created = created.iter().any(|name| words.contains(&name.to_uppercase()));
        let required = has("ADD COLUMN") && has("NOT NULL") && !has("DEFAULT");
        let changes = !has("DROP INDEX ")
            && !has("DROP CONSTRAINT ")
            && ["DROP ", "RENAME ", "ALTER COLUMN ", "ADD CONSTRAINT "].iter().any(|word| has(word));
        (changes || required || has("CREATE UNIQUE INDEX")) && !is_created
    }

    #[test]
    fn a_migration_that_claims_to_work_with_older_programs_only_adds() {
        for migration in SQLITE.iter().chain(POSTGRES).filter(|entry| entry.oldest_program < entry.version) {
            let text: String = migration
                .text
                .lines()
                .map(|line| line.split("--").next().unwrap_or(""))
                .fold(String::new(), |text, line| text + line + "\n");
            let statements: Vec<&str> = text.split(';').map(str::trim).collect();
            // New tables, and triggers that replace those of the same name.
            let created: Vec<&str> = statements
                .iter()
                .filter_map(|sql| sql.strip_prefix("CREATE TABLE ").or_else(|| sql.strip_prefix("CREATE TRIGGER ")))
                .filter_map(|rest| rest.split_whitespace().next())
                .collect();
            for statement in statements {
                assert!(!is_breaking(statement, &created), "{}: {statement}", migration.name);
            }
        }
        assert!(is_breaking("ALTER TABLE plans DROP COLUMN tier", &[]));
        assert!(!is_breaking("DROP INDEX IF EXISTS plans_deleted", &[]));
        assert!(!is_breaking("ALTER TABLE plans DROP CONSTRAINT plans_tier_check", &[]));
        assert!(is_breaking("ALTER TABLE plans ADD COLUMN a BIGINT NOT NULL", &[]));
        assert!(!is_breaking("ALTER TABLE plans ADD COLUMN a BIGINT NOT NULL DEFAULT 0", &[]));
        assert!(is_breaking("CREATE UNIQUE INDEX a ON plans (tier)", &["invoices"]));
        assert!(!is_breaking("CREATE UNIQUE INDEX a ON invoices (number)", &["invoices"]));
    }
}
