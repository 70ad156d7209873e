//! `perennial backup`. It works on files, with or without a running server, and opens no store.

mod progress;

use crate::arguments::Backup;
use crate::config::Config;
use crate::failure::Failure;
use crate::{master_key, output, storage};
use perennial_store::backup::{self, Report, Restored};
use progress::Bar;
use serde_json::{Map, Value, json};
use std::path::Path;

pub(super) fn run(config: &Config, command: Backup, json: bool) -> Result<(), Failure> {
    if config.database_url.is_some() {
        return Err(on_postgres(&command));
    }
    match command {
        Backup::Create { file } => create(config, &file, json),
        Backup::Verify { file } => {
            let report = backup::verify(&file)?;
            let key = Key::of(config, &report)?;
            output::print(json, &record(&report, key), || describe(&file, &report, key))
        }
        Backup::Restore { file, replace } => restore(config, &file, replace, json),
    }
}

fn create(config: &Config, file: &Path, json: bool) -> Result<(), Failure> {
    let store = storage::existing_path(config)?;
    let mut bar = Bar::new(json);
    let bytes = backup::create(&store, file, |progress| bar.show(progress));
    bar.clear();
    let bytes = bytes?;
    output::print(json, &json!({ "file": file, "bytes": bytes }), || {
        format!(
            "Wrote {} ({bytes} bytes). The master key is not in it: keep it too, elsewhere.\n\
             `perennial backup verify` checks whether a backup is complete.",
            file.display()
        )
    })
}

fn restore(config: &Config, file: &Path, replace: bool, json: bool) -> Result<(), Failure> {
    let mut key = Key::NotNeeded;
    let accept = |report: &Report| {
        key = Key::of(config, report)?;
        match key {
            Key::Other => Err(Failure::new(format!(
                "{} belongs to another master key than the configured one: give that of its store, \
                 or no server could start on it",
                file.display()
            ))),
            _ => Ok(()),
        }
    };
    let Restored { report, replaced } = backup::restore(file, &storage::path(config), replace, accept)?;
    let mut data = record(&report, key);
    data.insert("replaced".to_owned(), json!(replaced));
    output::print(json, &data, || {
        let replaced = replaced.map_or(String::new(), |path| {
            format!("\nThe store that was there is {}: remove it when you are sure.", path.display())
        });
        format!("Restored.{replaced}\n{}", describe(file, &report, key))
    })
}

/// Whether the master key of a backup is configured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    NotNeeded,
    AtHand,
    Missing,
    Other,
}

impl Key {
    fn of(config: &Config, report: &Report) -> Result<Self, Failure> {
        let Some(fingerprint) = &report.key_fingerprint else { return Ok(Self::NotNeeded) };
        Ok(match master_key::keys(config)? {
            None => Self::Missing,
            Some(keys) if keys.know(fingerprint) => Self::AtHand,
            Some(_) => Self::Other,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::AtHand => "at_hand",
            Self::Missing => "missing",
            Self::Other => "other",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::NotNeeded => "It needs no master key: no server has run on it.",
            Self::AtHand => "It needs the configured master key.",
            Self::Missing => {
                "It needs the master key of its store, which is not configured: no server starts without it."
            }
            Self::Other => "It needs the master key of its store; the configured one is another.",
        }
    }
}

fn record(report: &Report, key: Key) -> Map<String, Value> {
    let rows: Map<String, Value> = report.rows.iter().map(|(table, rows)| (table.clone(), json!(rows))).collect();
    let record = json!({
        "bytes": report.bytes,
        "schema_version": report.schema_version,
        "program_schema_version": report.known_version,
        "last_event_at": report.last_event_at,
        "master_key": key.name(),
        "rows": rows,
    });
    record.as_object().cloned().unwrap_or_default()
}

fn describe(file: &Path, report: &Report, key: Key) -> String {
    let rows: Vec<[String; 2]> = report.rows.iter().map(|(table, rows)| [table.clone(), rows.to_string()]).collect();
    let last = report.last_event_at.map_or("none".to_owned(), |at| at.to_string());
    let version = match report.schema_version {
        version if version == report.known_version => format!("{version}, this program's"),
        version if version > report.known_version => {
            format!("{version}, newer than this program's {} and compatible with it", report.known_version)
        }
        version => format!("{version}; a server of this program brings it to {}", report.known_version),
    };
    format!(
        "{} is whole: {} bytes, schema version {version}, last event {last}.\n{}\n\n{}",
        file.display(),
        report.bytes,
        key.sentence(),
        output::table(["TABLE", "ROWS"], &rows)
    )
}

/// A database server has better tools, which know its users, its tablespaces and its log.
fn on_postgres(command: &Backup) -> Failure {
    let line = match command {
        Backup::Create { file } => {
            format!("pg_dump --format=custom --file={} \"$PERENNIAL_DATABASE_URL\"", file.display())
        }
        Backup::Verify { file } => format!("pg_restore --list {}", file.display()),
        Backup::Restore { file, .. } => format!(
            "pg_restore --single-transaction --no-owner --dbname=\"$PERENNIAL_DATABASE_URL\" {}",
            file.display()
        ),
    };
    Failure::new(format!("this store is in PostgreSQL, whose own tools do this: {line}"))
}
