//! `perennial export`.

use super::draft::{Draft, directory};
use super::progress::Bar;
use crate::arguments::{Export as Flags, LineFormat};
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::transfer::{Export, Format, Portion};
use perennial_store::Db;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let path = flags.path.as_path();
    let format = match flags.format {
        LineFormat::Ndjson => Format::Ndjson,
        LineFormat::Csv if is_directory(path) => Format::Csv,
        LineFormat::Csv => return Err(Failure::new("CSV takes a file for each kind: name a directory, as in tables/")),
    };
    let db = storage::open_beside(config).await?;
    db.ping().await?;
    let written = write(&db, path, format, json).await;
    db.close().await;
    let (out, records) = written?;
    if matches!(out, Out::Stdout) {
        return Ok(());
    }
    output::print(json, &json!({ "path": path, "records": records }), || {
        format!("Wrote {records} records to {}. There are people in it: keep it as safe as the store.", path.display())
    })
}

async fn write(db: &Db, path: &Path, format: Format, json: bool) -> Result<(Out, u64), Failure> {
    let mut out = Out::at(path, format)?;
    let mut export = Export::begin(db, format).await?;
    let mut bar = Bar::new(json || matches!(out, Out::Stdout), export.total);
    let mut records = 0;
    while let Some(portion) = export.next().await? {
        if !out.write(&portion)? {
            break;
        }
        records += portion.records;
        bar.show(records, records);
    }
    bar.clear();
    Ok((out.finish()?, records))
}

/// Where the lines go.
enum Out {
    Stdout,
    File(Draft),
    Directory { path: PathBuf, format: Format, current: Option<(&'static str, Draft)> },
    Finished,
}

impl Out {
    fn at(path: &Path, format: Format) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        if is_directory(path) {
            directory(path)?;
            return Ok(Self::Directory { path: path.to_owned(), format, current: None });
        }
        Draft::begin(path).map(Self::File)
    }

    /// Answers whether anybody still reads.
    fn write(&mut self, portion: &Portion) -> Result<bool, Failure> {
        match self {
            Self::Stdout => return output::offer(&portion.lines),
            Self::File(draft) => draft.write(portion.lines.as_bytes())?,
            Self::Directory { path, format, current } => {
                if current.as_ref().is_none_or(|(file, _)| *file != portion.file) {
                    current.take().map_or(Ok(()), |(_, draft)| draft.finish())?;
                    let draft = Draft::begin(&path.join(format!("{}.{}", portion.file, format.extension())))?;
                    *current = Some((portion.file, draft));
                }
                if let Some((_, draft)) = current {
                    draft.write(portion.lines.as_bytes())?;
                }
            }
            Self::Finished => {}
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, Failure> {
        match self {
            Self::Stdout => return Ok(Self::Stdout),
            Self::File(draft) => draft.finish()?,
            Self::Directory { current, .. } => current.map_or(Ok(()), |(_, draft)| draft.finish())?,
            Self::Finished => {}
        }
        Ok(Self::Finished)
    }
}

/// Whether a path is a directory's, or would be.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
