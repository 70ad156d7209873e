//! What the first run tells: the two client ids, once on a terminal, and in a private file.
//! The trusted id is on disk before the store knows it, so that neither a crash nor a full disk can lose the only copy.

use crate::failure::Failure;
use crate::{output, private_file};
use perennial_app::clients::Credential;
use perennial_app::first_run::FirstRun;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where the ids will be kept, and where the trusted one waits until the store has it.
pub(crate) struct ClientsFile {
    path: PathBuf,
    waiting: PathBuf,
}

impl ClientsFile {
    /// Makes sure that the ids of a first run can be kept, and keeps the trusted one for now.
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

    /// Another server was first: its ids are the ones that count.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        private_file::remove(&self.waiting).map_err(|error| unwritable(&self.waiting, &error))
    }

    fn keep(&self, first: &FirstRun) -> Result<(), Failure> {
        let content = serde_json::json!({
            "organization_id": first.organization.id,
            "trusted_client_id": first.trusted.expose(),
            "public_client_id": first.public.as_str(),
        });
        private_file::create(&self.path, &format!("{content:#}\n"))
            .and_then(|()| private_file::remove(&self.waiting))
            .map_err(|error| unwritable(&self.path, &error))
    }
}

/// Keeps the ids, unless the operator chose them, and tells them, or where they are.
pub(crate) fn tell(first: &FirstRun, file: Option<&ClientsFile>, address: SocketAddr) -> Result<(), Failure> {
    if let Some(file) = file {
        file.keep(first)?;
    }
    if std::io::stdout().is_terminal() {
        return output::write(&greeting(first, file, address));
    }
    if let Some(file) = file {
        tracing::info!(path = %file.path.display(), "first run: the client ids are in a private file");
    }
    Ok(())
}

fn greeting(first: &FirstRun, file: Option<&ClientsFile>, address: SocketAddr) -> String {
    let (trusted, public) = (first.trusted.expose(), first.public.as_str());
    let kept = file.map_or(String::new(), |file| format!("They are kept in {}. ", file.path.display()));
    format!(
        "\nA new store. Its organization is `default`; two clients may call it:\n\n  \
         trusted  {trusted}  (a credential: for your servers, never for a browser)\n  \
         public   {public}  (no secret: for browsers and apps)\n\n\
         {kept}Try:\n\n  curl -H 'client-id: {trusted}' http://{address}/subscription-plans\n\n"
    )
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::new(format!(
        "the client ids cannot be written to {path}: {error}; choose a --data-dir that can be written"
    ))
}
