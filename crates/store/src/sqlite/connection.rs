//! Opening the file: permissions, pragmas, and how values are bound.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags};

use super::database_error::read_error;
use super::options::SqliteOptions;
use crate::error::Error;
use crate::value::Value;

/// Prepared statements per connection: all fixed ones and many variants of lists.
const STATEMENTS: usize = 512;

/// Pages that all readers together may cache, allocated on use: enough for some hundred thousand records.
const READ_CACHE_KIBIBYTES: usize = 96 << 10;

/// The characters that are not encoded in the path of a URI.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
    Checkpoint,
}

/// Creates the directory and the file so that no other user can read them.
pub(super) fn create_file(path: &Path) -> Result<(), Error> {
    create_directory(path)?;
    private_file(path).map(drop).map_err(|error| cannot_open(path, &error))
}

/// Creates the directory of a file so that no other user can read it.
pub(super) fn create_directory(path: &Path) -> Result<(), Error> {
    if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(|error| cannot_open(path, &error))?;
        sync_directory_of(directory).map_err(|error| cannot_open(path, &error))?;
    }
    Ok(())
}

fn cannot_open(path: &Path, error: &std::io::Error) -> Error {
    Error::Unavailable(format!("{} cannot be opened: {error}", path.display()))
}

/// Makes the names in a file's directory durable, above all that of the log. SQLite syncs the directory after it has
/// created the log, but ignores a failure, and a synced file without a durable name is lost.
fn sync_directory_of(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(directory) if cfg!(unix) => {
            let here = Path::new(".");
            File::open(if directory.as_os_str().is_empty() { here } else { directory })?.sync_all()
        }
        _ => Ok(()),
    }
}

/// Opens or creates a file with access for its owner only; SQLite gives its log files the same permissions.
pub(super) fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(super) fn open(options: &SqliteOptions, purpose: Purpose) -> Result<Connection, Error> {
    let connection = connect(options, purpose).map_err(|error| read_error(&error))?;
    if purpose == Purpose::Write {
        // The log exists by now and remains as long as this connection.
        sync_directory_of(&options.path)
            .map_err(|error| Error::Unavailable(format!("the directory of the database cannot be synced: {error}")))?;
    }
    Ok(connection)
}

/// Opens a store without writing anything. Without a log no process uses the file, and no log is created. The content
/// of an existing log belongs to the store and must be read.
fn connect_read_only(options: &SqliteOptions) -> rusqlite::Result<Connection> {
    let mut log = options.path.clone().into_os_string();
    log.push("-wal");
    let connection = if Path::new(&log).exists() {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&options.path, flags)?
    } else {
        open_immutable(&options.path)?
    };
    connection.busy_timeout(options.busy_timeout)?;
    Ok(connection)
}

/// Opens a file that does not change: nothing is written next to it either.
pub(super) fn open_immutable(file: &Path) -> rusqlite::Result<Connection> {
    let uri = format!("file:{}?immutable=1", percent_encode(file.as_os_str().as_bytes(), IN_PATH));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags)
}

fn connect(options: &SqliteOptions, purpose: Purpose) -> rusqlite::Result<Connection> {
    if options.read_only {
        return connect_read_only(options);
    }
    // Two threads never use a connection at the same time, so SQLite's mutexes are not needed.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&options.path, flags)?;
    connection.busy_timeout(options.busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // A plan that depends on bound values would be discarded and made again at every call.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if purpose == Purpose::Write {
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    }
    // Acknowledged means synced: every commit waits for the disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    // Mapped pages could be overwritten or unmapped while they are read.
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(())).or_else(no_result)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Erased data is overwritten, so that personal data does not remain in the free space of the file and its backups.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).or_else(no_result)?;
    // Checkpoints run on a separate thread, so that no commit waits for one.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(())).or_else(no_result)?;
    let cache_kibibytes = match purpose {
        Purpose::Write => 32 << 10,
        Purpose::Read => (READ_CACHE_KIBIBYTES / options.readers.max(1)).max(8 << 10),
        Purpose::Checkpoint => 256,
    };
    connection.pragma_update(None, "cache_size", format!("-{cache_kibibytes}"))?;
    if purpose == Purpose::Read {
        connection.pragma_update(None, "query_only", true)?;
    }
    Ok(connection)
}

fn no_result(error: rusqlite::Error) -> rusqlite::Result<()> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(()),
        other => Err(other),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null(_) => ValueRef::Null,
            Self::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Self::Int(value) | Self::Time(value) => ValueRef::Integer(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
            Self::Uuid(value) => ValueRef::Blob(value),
        }))
    }
}
