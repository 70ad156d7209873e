//! `perennial export`.

use super::draft::{Draft, directory, refuse_taken};
use super::progress::Bar;
use crate::arguments::{Export as Flags, LineFormat};
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_store::Db;
use perennial_transfer::{Export, Format, Portion, files};
use serde_json::json;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let path = flags.path.as_path();
    let format = match flags.format {
        LineFormat::Ndjson if path.extension().is_some_and(|extension| extension == "csv") => {
            return Err(Failure::new(
                "a .csv file would hold lines of JSON: for CSV name a directory, as in tables/ --format csv",
            ));
        }
        LineFormat::Ndjson => Format::Ndjson,
        LineFormat::Csv if is_directory(path) => Format::Csv,
        LineFormat::Csv => return Err(Failure::new("CSV takes a file for each kind: name a directory, as in tables/")),
    };
    let db = storage::open_beside(config).await?;
    db.ping().await?;
    let written = write(&db, path, format, json).await;
    db.close().await;
    let records = written?;
    if is_stdout(path) {
        return Ok(());
    }
    output::print(json, &json!({ "path": path, "records": records }), || {
        format!("Wrote {records} records to {}. It contains personal data: protect it like the store.", path.display())
    })
}

async fn write(db: &Db, path: &Path, format: Format, json: bool) -> Result<u64, Failure> {
    let mut out = Out::at(path, format)?;
    let mut export = Export::begin(db, format).await?;
    let mut bar = Bar::new(json || (is_stdout(path) && stdout().is_terminal()), export.total);
    let mut records = 0;
    while let Some(portion) = export.next().await? {
        if !out.write(&portion)? {
            break;
        }
        records += portion.records;
        bar.show(records, records);
    }
    bar.clear();
    out.finish()?;
    Ok(records)
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The destination of the lines.
enum Out {
    Stdout,
    File(Draft),
    /// All files are renamed at the end, so that an existing one belongs to a complete export.
    Directory {
        path: PathBuf,
        format: Format,
        drafts: Vec<(&'static str, Draft)>,
    },
}

impl Out {
    fn at(path: &Path, format: Format) -> Result<Self, Failure> {
        if is_stdout(path) {
            return Ok(Self::Stdout);
        }
        if is_directory(path) {
            directory(path)?;
            for kind in files() {
                refuse_taken(&path.join(format.file(kind)))?;
            }
            return Ok(Self::Directory { path: path.to_owned(), format, drafts: Vec::new() });
        }
        Draft::begin(path).map(Self::File)
    }

    /// Returns false if the reader has closed the output.
    fn write(&mut self, portion: &Portion) -> Result<bool, Failure> {
        match self {
            Self::Stdout => return output::offer(&portion.lines),
            Self::File(draft) => draft.write(portion.lines.as_bytes())?,
            Self::Directory { path, format, drafts } => {
                if drafts.last().is_none_or(|(file, _)| *file != portion.file) {
                    drafts.push((portion.file, Draft::begin(&path.join(format.file(portion.file)))?));
                }
                if let Some((_, draft)) = drafts.last_mut() {
                    draft.write(portion.lines.as_bytes())?;
                }
            }
        }
        Ok(true)
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(draft) => draft.finish(),
            Self::Directory { mut drafts, .. } => {
                drafts.iter_mut().try_for_each(|(_, draft)| draft.sync())?;
                drafts.into_iter().try_for_each(|(_, draft)| draft.finish())
            }
        }
    }
}

/// Whether a path is a directory, or would be.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
