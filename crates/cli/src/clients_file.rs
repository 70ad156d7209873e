//! The private file to which the first run writes the two client IDs.
//! The trusted ID is on disk before the store has it, so that neither a crash nor a full disk can lose the only copy.

use crate::failure::Failure;
use crate::private_file;
use perennial_app::clients::Credential;
use perennial_app::first_run::FirstRun;
use std::path::{Path, PathBuf};

/// The path of the file, and of the draft with the trusted ID until the store has it.
pub(crate) struct ClientsFile {
    path: PathBuf,
    waiting: PathBuf,
}

impl ClientsFile {
    /// Checks that the file can be written, and writes the draft.
    pub(crate) fn prepare(directory: &Path, trusted: &Credential) -> Result<Self, Failure> {
        let file = Self { path: directory.join("clients.json"), waiting: directory.join("clients.new.json") };
        if file.path.exists() {
            let path = file.path.display();
            return Err(Failure::new(format!(
                "{path} holds the client ids of another store: move it away, or choose another --data-dir"
            )));
        }
        let content = serde_json::json!({ "trusted_client_id": trusted.expose() });
        private_file::remove(&file.waiting)
            .and_then(|()| private_file::create(&file.waiting, &format!("{content:#}\n")))
            .map_err(|error| unwritable(&file.waiting, &error))?;
        Ok(file)
    }

    /// Removes the draft: another server was faster, and its IDs are in the store.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        private_file::remove(&self.waiting).map_err(|error| unwritable(&self.waiting, &error))
    }

    /// Writes both IDs, now that the store has them, and returns the path.
    pub(crate) fn keep(self, first: &FirstRun) -> Result<PathBuf, Failure> {
        let content = serde_json::json!({
            "organization_id": first.organization.id,
            "trusted_client_id": first.trusted.expose(),
            "public_client_id": first.public.as_str(),
        });
        private_file::create(&self.path, &format!("{content:#}\n"))
            .and_then(|()| private_file::remove(&self.waiting))
            .map_err(|error| unwritable(&self.path, &error))?;
        Ok(self.path)
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::new(format!(
        "the client ids cannot be written to {path}: {error}; choose a --data-dir that can be written"
    ))
}
