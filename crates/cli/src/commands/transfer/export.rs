//! `perennial export`.

use super::draft::{Draft, directory};
use super::progress::Bar;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::transfer::{Export, Portion};
use perennial_store::Db;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(super) async fn run(config: &Config, path: &Path, json: bool) -> Result<(), Failure> {
    let db = storage::open_beside(config).await?;
    db.ping().await?;
    let written = write(&db, path, json).await;
    db.close().await;
    let (out, records) = written?;
    if matches!(out, Out::Stdout) {
        return Ok(());
    }
    output::print(json, &json!({ "path": path, "records": records }), || {
        format!("Wrote {records} records to {}. There are people in it: keep it as safe as the store.", path.display())
    })
}

async fn write(db: &Db, path: &Path, json: bool) -> Result<(Out, u64), Failure> {
    let mut out = Out::at(path)?;
    let mut export = Export::begin(db).await?;
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
    Directory { path: PathBuf, current: Option<(&'static str, Draft)> },
    Finished,
}

impl Out {
    fn at(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            directory(path)?;
            return Ok(Self::Directory { path: path.to_owned(), current: None });
        }
        Draft::begin(path).map(Self::File)
    }

    /// Answers whether anybody still reads.
    fn write(&mut self, portion: &Portion) -> Result<bool, Failure> {
        match self {
            Self::Stdout => return output::offer(&portion.lines),
            Self::File(draft) => draft.write(portion.lines.as_bytes())?,
            Self::Directory { path, current } => {
                if current.as_ref().is_none_or(|(file, _)| *file != portion.file) {
                    current.take().map_or(Ok(()), |(_, draft)| draft.finish())?;
                    let draft = Draft::begin(&path.join(format!("{}.ndjson", portion.file)))?;
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
