//! `perennial import`.

use super::draft::Draft;
use super::errors::ImportErrors;
use super::lines::{Found, LONGEST, Lines};
use super::progress::Bar;
use super::sources::{Source, sources, unreadable};
use crate::arguments::Import as Flags;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::context::Clock;
use perennial_domain::id::OrganizationId;
use perennial_store::{Db, examine, organizations};
use perennial_transfer::{Format, Import, RejectedLine, Tally};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use tempfile::TempDir;

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let sources = sources(&flags.path)?;
    if flags.skip_bad.is_some() && sources.len() > 1 && sources.iter().any(|source| source.format == Format::Csv) {
        return Err(Failure::new("--skip-bad takes one table at a time: name the file, not the directory"));
    }
    let (db, _trial) = if flags.dry_run { open_for_trial(config).await? } else { (open(config).await?, None) };
    let outcome = import(&db, flags, &sources, json).await;
    db.close().await;
    let (tally, errors) = outcome?;
    let is_imported = !flags.dry_run && (tally.refused == 0 || flags.skip_bad.is_some());
    let refused = tally.refused > 0 && flags.skip_bad.is_none();
    if json || !refused {
        let data = json!({
            "imported": is_imported,
            "lines": tally.lines,
            "made": tally.made,
            "unchanged": tally.unchanged,
            "refused": tally.refused,
            "faults": errors.listed,
            "fault_count": errors.count,
        });
        output::print(json, &data, || sentence(flags, tally))?;
    }
    if refused {
        let (count, lines) = (errors.count, tally.lines);
        let word = if count == 1 { "error" } else { "errors" };
        return Err(Failure::new(format!(
            "{count} {word} in {lines} lines, and nothing was imported: correct them, or take the others with --skip-bad"
        )));
    }
    Ok(())
}

fn sentence(flags: &Flags, tally: Tally) -> String {
    let Tally { made, unchanged, refused, .. } = tally;
    if flags.dry_run {
        return format!("Nothing is wrong: {made} records would be new, {unchanged} are there already.");
    }
    let skipped = match &flags.skip_bad {
        Some(path) if refused > 0 => format!(" {refused} lines were refused and are in {}.", path.display()),
        _ => String::new(),
    };
    format!("Imported {made} records; {unchanged} were there already.{skipped}")
}

/// Opened as a server opens it: no other process may use a SQLite store that is being filled.
pub(super) async fn open(config: &Config) -> Result<Db, Failure> {
    let db = storage::open_server(config).await?;
    db.migrate().await?;
    Ok(db)
}

/// A dry run changes nothing, including the schema. If there is no store, it uses a temporary one, which is
/// removed afterwards.
pub(super) async fn open_for_trial(config: &Config) -> Result<(Db, Option<TempDir>), Failure> {
    if config.database_url.is_some() || storage::path(config).exists() {
        let db = storage::open_server(config).await?;
        if examine::schema(&db).await?.found > 0 {
            db.ping().await?;
            return Ok((db, None));
        }
        db.close().await;
    }
    let place =
        TempDir::new().map_err(|error| Failure::new(format!("cannot create a temporary directory: {error}")))?;
    let db = storage::open_named(config, &place.path().to_string_lossy(), "--data-dir", true).await?;
    db.migrate().await?;
    Ok((db, Some(place)))
}

async fn import(db: &Db, flags: &Flags, sources: &[Source], json: bool) -> Result<(Tally, ImportErrors), Failure> {
    let into = match &flags.into {
        Some(name) => Some(organization(db, name).await?),
        None => None,
    };
    let mut run = Run {
        import: Import::begin(db, into).await?,
        errors: ImportErrors::new(json, flags.skip_bad.is_some()),
        skipped: flags.skip_bad.as_deref().map(Draft::begin).transpose()?,
        head: None,
        bar: Bar::new(json, sources.iter().map(|source| source.bytes).sum()),
        before: 0,
    };
    for source in sources {
        if source.is_stdin() {
            run.read(source, stdin().lock()).await?;
        } else {
            let file = File::open(&source.path).map_err(|error| unreadable(&source.path, &error))?;
            run.read(source, BufReader::with_capacity(1 << 20, file)).await?;
        }
        run.before += source.bytes;
    }
    run.bar.clear();
    let Run { mut import, errors, skipped, .. } = run;
    let tally = import.tally();
    let is_wanted = !flags.dry_run && (tally.refused == 0 || skipped.is_some());
    // An empty file of rejected lines would be misleading.
    if tally.refused > 0 {
        skipped.map_or(Ok(()), Draft::finish)?;
    }
    if is_wanted {
        if !flags.keep_webhooks {
            import.disable_webhooks(Clock::System.now()).await?;
        }
        if flags.no_feed {
            import.leave_out_of_feed().await?;
        }
        import.commit().await?;
    }
    Ok((tally, errors))
}

pub(super) async fn organization(db: &Db, name_or_id: &str) -> Result<OrganizationId, Failure> {
    let found = match name_or_id.parse::<OrganizationId>() {
        Ok(id) => organizations::by_id(db, id).await?,
        Err(_) => organizations::by_name(db, name_or_id).await?,
    };
    let missing = || Failure::new(format!("there is no organization {name_or_id:?}: see `perennial org list`"));
    let live = found.filter(|organization| organization.deleted_at.is_none());
    live.map(|organization| organization.id).ok_or_else(missing)
}

struct Run {
    import: Import,
    errors: ImportErrors,
    skipped: Option<Draft>,
    /// The header of a CSV file, until it is written above the rejected lines.
    head: Option<Vec<u8>>,
    bar: Bar,
    /// Bytes of the files before this one.
    before: u64,
}

impl Run {
    async fn read(&mut self, source: &Source, reader: impl BufRead) -> Result<(), Failure> {
        self.import.file(source.kind, source.format);
        let (mut lines, mut line) = (Lines::new(reader, source.format == Format::Csv), Vec::new());
        loop {
            let refused = match lines.next(&mut line).map_err(|error| unreadable(&source.path, &error))? {
                Found::Line => {
                    if source.format == Format::Csv && lines.number == 1 {
                        self.head = Some(line.clone());
                    }
                    self.import.line(lines.number, &line).await?
                }
                Found::TooLong => {
                    self.import.too_long(lines.number, LONGEST);
                    Vec::new()
                }
                Found::End => break,
            };
            self.refuse(source, &refused)?;
            self.bar.show(self.before + lines.bytes, self.import.tally().lines);
        }
        let refused = self.import.end_of_file().await?;
        self.refuse(source, &refused)
    }

    fn refuse(&mut self, source: &Source, refused: &[RejectedLine]) -> Result<(), Failure> {
        if refused.is_empty() {
            return Ok(());
        }
        self.bar.clear();
        for line in refused {
            self.errors.report(&source.name(), line)?;
            if let Some(skipped) = &mut self.skipped {
                let head = self.head.take().filter(|_| line.number > 1);
                for text in head.iter().chain([&line.text]) {
                    skipped.write(text)?;
                    skipped.write(b"\n")?;
                }
            }
        }
        Ok(())
    }
}
