//! Files with secrets: mode 0600 from the first byte, in a directory of mode 0700, written completely or not at all.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Writes a new file, and creates its directory if necessary. Fails if the file exists.
pub(crate) fn create(path: &Path, content: &str) -> std::io::Result<()> {
    if path.try_exists()? {
        return Err(ErrorKind::AlreadyExists.into());
    }
    replace(path, content)
}

/// Writes a file, in place of the one that may exist.
pub(crate) fn replace(path: &Path, content: &str) -> std::io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let draft = path.with_added_extension("draft");
    remove(&draft)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)?;
    // The name is durable only when its directory is.
    File::open(directory)?.sync_all()
}

/// Removes a file, if it exists.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
