//! `perennial import`.

use super::draft::Draft;
use super::faults::Faults;
use super::lines::{Found, LONGEST, Lines};
use super::progress::Bar;
use crate::arguments::Import as Flags;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::transfer::{Format, Import, RefusedLine, Tally, files};
use perennial_domain::id::OrganizationId;
use perennial_store::{Db, organizations};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file to read, and what it holds if it holds one kind of records only.
struct Source {
    path: PathBuf,
    kind: Option<&'static str>,
    format: Format,
    bytes: u64,
}

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let sources = sources(&flags.path)?;
    if flags.skip_bad.is_some() && sources.iter().any(|source| source.format == Format::Csv) {
        return Err(Failure::new("--skip-bad writes lines of JSON: use it with NDJSON, or correct the tables"));
    }
    let place = trial_place(config, flags)?;
    let db = match &place {
        Some(place) => storage::open_named(config, &place.path().to_string_lossy(), "--data-dir", true).await?,
        // As a server opens it: nobody may be at work in a SQLite store that is being filled.
        None => storage::open_server(config).await?,
    };
    let outcome = import(&db, flags, &sources, json).await;
    db.close().await;
    let (tally, faults) = outcome?;
    let is_kept = !flags.dry_run && (tally.refused == 0 || flags.skip_bad.is_some());
    let refused = tally.refused > 0 && flags.skip_bad.is_none();
    if json || !refused {
        let data = json!({
            "imported": is_kept,
            "lines": tally.lines,
            "made": tally.made,
            "unchanged": tally.unchanged,
            "refused": tally.refused,
            "faults": faults.kept,
            "fault_count": faults.count,
        });
        output::print(json, &data, || sentence(flags, tally))?;
    }
    if refused {
        let (count, lines) = (faults.count, tally.lines);
        return Err(Failure::new(format!(
            "{count} faults in {lines} lines, and nothing was imported: correct them, or take the others with --skip-bad"
        )));
    }
    Ok(())
}

fn sentence(flags: &Flags, tally: Tally) -> String {
    let Tally { made, unchanged, refused, .. } = tally;
    if flags.dry_run {
        return format!("Nothing is wrong: {made} records would be new, {unchanged} are there already.");
    }
    let kept = match &flags.skip_bad {
        Some(path) if refused > 0 => format!(" {refused} lines were refused and are in {}.", path.display()),
        _ => String::new(),
    };
    format!("Imported {made} records; {unchanged} were there already.{kept}")
}

/// Where there is no store yet, a trial is made elsewhere, so that it leaves none.
fn trial_place(config: &Config, flags: &Flags) -> Result<Option<TempDir>, Failure> {
    if !flags.dry_run || config.database_url.is_some() || storage::path(config).exists() {
        return Ok(None);
    }
    TempDir::new().map(Some).map_err(|error| Failure::new(format!("there is no place for a trial: {error}")))
}

async fn import(db: &Db, flags: &Flags, sources: &[Source], json: bool) -> Result<(Tally, Faults), Failure> {
    db.migrate().await?;
    let into = match &flags.into {
        Some(name) => Some(organization(db, name).await?),
        None => None,
    };
    let mut run = Run {
        import: Import::begin(db, into).await?,
        faults: Faults::new(json, flags.skip_bad.is_some()),
        skipped: flags.skip_bad.as_deref().map(Draft::begin).transpose()?,
        bar: Bar::new(json, sources.iter().map(|source| source.bytes).sum()),
        before: 0,
    };
    for source in sources {
        if source.path == Path::new("-") {
            run.read(source, stdin().lock()).await?;
        } else {
            let file = File::open(&source.path).map_err(|error| unreadable(&source.path, &error))?;
            run.read(source, BufReader::with_capacity(1 << 20, file)).await?;
        }
        run.before += source.bytes;
    }
    run.bar.clear();
    let Run { import, faults, skipped, .. } = run;
    let tally = import.tally();
    let is_wanted = !flags.dry_run && (tally.refused == 0 || skipped.is_some());
    // A file of refused lines where none was refused would only make people look.
    if tally.refused > 0 {
        skipped.map_or(Ok(()), Draft::finish)?;
    }
    if is_wanted {
        import.commit().await?;
    }
    Ok((tally, faults))
}

async fn organization(db: &Db, name_or_id: &str) -> Result<OrganizationId, Failure> {
    let found = match name_or_id.parse::<OrganizationId>() {
        Ok(id) => organizations::by_id(db, id).await?,
        Err(_) => organizations::by_name(db, name_or_id).await?,
    };
    let missing = || Failure::new(format!("there is no organization {name_or_id:?}: see `perennial org list`"));
    found.map(|organization| organization.id).ok_or_else(missing)
}

struct Run {
    import: Import,
    faults: Faults,
    skipped: Option<Draft>,
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
                Found::Line => self.import.line(lines.number, &line).await?,
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

    fn refuse(&mut self, source: &Source, refused: &[RefusedLine]) -> Result<(), Failure> {
        if refused.is_empty() {
            return Ok(());
        }
        self.bar.clear();
        let name = source.path.file_name().unwrap_or(source.path.as_os_str()).to_string_lossy();
        for line in refused {
            self.faults.tell(&name, line)?;
            if let Some(skipped) = &mut self.skipped {
                skipped.write(&line.text)?;
                skipped.write(b"\n")?;
            }
        }
        Ok(())
    }
}

fn sources(path: &Path) -> Result<Vec<Source>, Failure> {
    if path == Path::new("-") {
        return Ok(vec![Source { path: path.to_owned(), kind: None, format: Format::Ndjson, bytes: 0 }]);
    }
    let size = |path: &Path| path.metadata().map(|found| found.len()).map_err(|error| unreadable(path, &error));
    let file_of = |kind: &str, format: Format| format!("{kind}.{}", format.extension());
    if !path.is_dir() {
        // A table alone says by its name what it holds.
        let is_table = |kind: &&str| path.file_name().is_some_and(|name| *name == *file_of(kind, Format::Csv));
        let kind = files().find(is_table);
        let format = if kind.is_some() { Format::Csv } else { Format::Ndjson };
        return Ok(vec![Source { path: path.to_owned(), kind, format, bytes: size(path)? }]);
    }
    let mut sources = Vec::new();
    for kind in files() {
        for format in [Format::Ndjson, Format::Csv] {
            let file = path.join(file_of(kind, format));
            if file.exists() {
                let bytes = size(&file)?;
                sources.push(Source { path: file, kind: Some(kind), format, bytes });
            }
        }
    }
    if sources.is_empty() {
        let names: Vec<String> = files().map(|kind| file_of(kind, Format::Ndjson)).collect();
        let (names, path) = (names.join(", "), path.display());
        return Err(Failure::new(format!("there is nothing to import in {path}: none of {names}, nor as .csv")));
    }
    Ok(sources)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()))
}
