//! A file that appears under its name when it is complete. It contains personal data, so only its owner may read it.

use crate::failure::Failure;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The suffix of its name until then.
pub(super) const ENDING: &str = "draft";

pub(super) struct Draft {
    file: BufWriter<File>,
    partial: PathBuf,
    path: PathBuf,
}

impl Draft {
    /// Creates the draft.
    pub(super) fn begin(path: &Path) -> Result<Self, Failure> {
        refuse_taken(path)?;
        let partial = path.with_added_extension(ENDING);
        // The remains of a killed run are removed. A new file follows no link and has our permissions.
        let _ = std::fs::remove_file(&partial);
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial);
        let file = opened.map_err(|error| cannot(path, &error))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), partial, path: path.to_owned() })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| cannot(&self.path, &error))
    }

    /// Makes the content durable, still under the draft's name.
    pub(super) fn sync(&mut self) -> Result<(), Failure> {
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        synced.map_err(|error| cannot(&self.path, &error))
    }

    /// Renames the draft.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.sync()?;
        std::fs::rename(&self.partial, &self.path).map_err(|error| cannot(&self.path, &error))
    }
}

/// An existing file is never replaced.
pub(super) fn refuse_taken(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Err(Failure::new(format!("{} is there already: name another, or remove it", path.display())));
    }
    Ok(())
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the rename there is nothing to remove; before, the draft is useless.
        let _ = std::fs::remove_file(&self.partial);
    }
}

/// Creates a directory that only its owner can read, unless it exists.
pub(super) fn directory(path: &Path) -> Result<(), Failure> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| cannot(path, &error))
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be written: {error}", path.display()))
}
