//! The files of an import: one, or those of a directory in the order in which they must be read.

use super::draft;
use crate::failure::Failure;
use perennial_transfer::{Format, files};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A file to read, and its kind of record if it holds only one.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) kind: Option<&'static str>,
    pub(super) format: Format,
    pub(super) bytes: u64,
}

impl Source {
    pub(super) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Its name in error messages.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}

pub(super) fn sources(path: &Path) -> Result<Vec<Source>, Failure> {
    if path == Path::new("-") {
        return Ok(vec![Source { path: path.to_owned(), kind: None, format: Format::Ndjson, bytes: 0 }]);
    }
    if path.is_dir() { directory(path) } else { Ok(vec![file(path)?]) }
}

fn file(path: &Path) -> Result<Source, Failure> {
    let bytes = size(path)?;
    let named = |format: Format| {
        files().find(move |kind| path.file_name().is_some_and(|name| name == OsStr::new(&format.file(kind))))
    };
    if path.extension() != Some(OsStr::new(Format::Csv.extension())) {
        // The lines contain their type, or the file name does.
        return Ok(Source { path: path.to_owned(), kind: named(Format::Ndjson), format: Format::Ndjson, bytes });
    }
    let unknown = || {
        Failure::new(format!("the name of a table must be its kind of record: call it one of {}", names(Format::Csv)))
    };
    let kind = Some(named(Format::Csv).ok_or_else(unknown)?);
    Ok(Source { path: path.to_owned(), kind, format: Format::Csv, bytes })
}

fn directory(path: &Path) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for kind in files() {
        for format in [Format::Ndjson, Format::Csv] {
            let file = path.join(format.file(kind));
            if file.with_added_extension(draft::ENDING).exists() {
                let path = path.display();
                return Err(Failure::new(format!("the export to {path} was not finished: remove it and export again")));
            }
            if file.exists() {
                let bytes = size(&file)?;
                sources.push(Source { path: file, kind: Some(kind), format, bytes });
            }
        }
    }
    if sources.is_empty() {
        let (names, path) = (names(Format::Ndjson), path.display());
        return Err(Failure::new(format!("there is nothing to import in {path}: none of {names}, nor as .csv")));
    }
    Ok(sources)
}

fn names(format: Format) -> String {
    let names: Vec<String> = files().map(|kind| format.file(kind)).collect();
    names.join(", ")
}

fn size(path: &Path) -> Result<u64, Failure> {
    path.metadata().map(|found| found.len()).map_err(|error| unreadable(path, &error))
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()))
}
