//! Where `PostgreSQL`'s own programs are: on the PATH, in the places the packagers use, or freshly installed.
//! Distributions keep the server off the PATH, so finding it is most of the work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::process::{self, Failure, Result};

/// The oldest major version that Perennial supports.
const OLDEST: u32 = 14;

/// `<parent>/<prefix>*<suffix>`: where packages put the server, one directory per version.
const PACKAGED: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
];

const ADVICE: &str = "\
no PostgreSQL 14 or later was found, neither on the PATH nor where packages put it. Install the server:
  Debian, Ubuntu   sudo apt-get install postgresql
  Fedora           sudo dnf install postgresql-server
  macOS            brew install postgresql@17
or run the SQLite half alone: cargo xtask test --sqlite";

/// A directory that holds `initdb` and `postgres`, and their major version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binaries {
    pub(crate) directory: PathBuf,
    pub(crate) major: u32,
}

impl Binaries {
    /// Finds a server; on a Debian machine where we may, installs one.
    pub(crate) fn find_or_install() -> Result<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        if debian::can_install() {
            debian::install(&["postgresql"])?;
        }
        Self::find().ok_or_else(|| Failure::new(ADVICE))
    }

    fn find() -> Option<Self> {
        // A server on the PATH has precedence.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let chosen = std::env::split_paths(&path).find_map(|directory| Self::at(&directory));
        chosen.or_else(|| newest(packaged().iter().filter_map(|place| Self::at(place))))
    }

    fn at(directory: &Path) -> Option<Self> {
        if !directory.join("initdb").is_file() || !directory.join("postgres").is_file() {
            return None;
        }
        let version = process::output(Command::new(directory.join("postgres")).arg("--version"));
        let major = major(&version.ok()?)?;
        (major >= OLDEST).then(|| Self { directory: directory.to_path_buf(), major })
    }
}

/// `PgBouncer` is wanted by one test of the store, which is skipped without it, except where nothing may be skipped.
pub(crate) fn want_pgbouncer() -> Result {
    let present = || process::daemon("pgbouncer").is_some();
    if present() {
        return Ok(());
    }
    if debian::can_install() {
        debian::install(&["pgbouncer"])?;
    }
    if present() {
        Ok(())
    } else if process::in_ci() {
        Err(Failure::new(
            "pgbouncer was not found, and with CI set its test must not be skipped; install the package `pgbouncer`.",
        ))
    } else {
        println!("PgBouncer is not installed: its test will be skipped.");
        Ok(())
    }
}

fn packaged() -> Vec<PathBuf> {
    let mut places = Vec::new();
    for (parent, prefix, suffix) in PACKAGED {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                places.push(entry.path().join(suffix));
            }
        }
    }
    if let Ok(directory) = process::output(Command::new("pg_config").arg("--bindir")) {
        places.push(PathBuf::from(directory.trim()));
    }
    places
}

fn newest(found: impl Iterator<Item = Binaries>) -> Option<Binaries> {
    found.max_by_key(|binaries| binaries.major)
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn major(version: &str) -> Option<u32> {
    let number = version.split("(PostgreSQL)").nth(1)?.trim_start();
    let digits = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_any_packager_s_line() {
        assert_eq!(major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 17.2"), Some(17));
        assert_eq!(major("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major("postgres (PostgreSQL) 18"), Some(18));
        assert_eq!(major("something else 15"), None);
    }

    #[test]
    fn the_newest_server_is_taken() {
        let of = |major| Binaries { directory: PathBuf::from(format!("/{major}")), major };
        // As text, "9" would come after "17".
        assert_eq!(newest([of(9), of(17), of(15)].into_iter()), Some(of(17)));
        assert_eq!(newest(std::iter::empty()), None);
    }
}
