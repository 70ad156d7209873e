//! A server of this workspace on one engine, in a separate directory, for tests that call it from outside.
//! Everything stays on loopback and in the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use perennial_harness::Server;

use crate::process::{self, Failure, Result, could_not};

/// A trusted client's id in its usual shape. It opens nothing but servers that live for one run.
pub(crate) const CLIENT_ID: &str = "pk_XtaskRunsItsServersWithThisOneId";
/// Likewise: a master key for databases that are thrown away.
const MASTER_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const START_LIMIT: Duration = Duration::from_secs(30);
/// The server gives what is in flight ten seconds; this is that and some.
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// Where one engine's run keeps its data, its log and its reports, emptied before each run.
pub(crate) struct Place {
    directory: PathBuf,
    /// The database; none means `SQLite`.
    url: Option<String>,
}

impl Place {
    pub(crate) fn new(purpose: &str, url: Option<String>) -> Result<Self> {
        let engine = if url.is_some() { "postgres" } else { "sqlite" };
        let directory = process::emptied(&process::target()?.join(purpose).join(engine))?;
        Ok(Self { directory, url })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The program, pointed at the run's own store.
    pub(crate) fn perennial(&self) -> Result<Command> {
        let mut command = Command::new(process::binary("perennial")?);
        // Away from the root of the workspace, where a developer may keep a `perennial.toml`.
        command.env("PERENNIAL_BOOTSTRAP_CLIENT_ID", CLIENT_ID).current_dir(&self.directory);
        match &self.url {
            Some(url) => command.env("PERENNIAL_DATABASE_URL", url).env("PERENNIAL_MASTER_KEY", MASTER_KEY),
            None => command.env("PERENNIAL_DATA_DIR", self.directory.join("data")),
        };
        Ok(command)
    }

    /// Starts the server, does something with its address, and stops it again.
    pub(crate) fn serving<T>(&self, work: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let mut serve = self.perennial()?;
        serve.args(["serve", "--listen", "127.0.0.1:0"]);
        let complaint = || could_not("run the server");
        let mut server = Server::start(&mut serve, &self.directory.join("server.log")).map_err(complaint())?;
        server.wait_until_ready(START_LIMIT).map_err(complaint())?;
        let worked = work(&format!("http://{}", server.address()));
        let stopped = server.stop(STOP_LIMIT).map_err(could_not("stop the server"));
        let worked = worked?;
        stopped.map(|()| worked)
    }

    /// A token that signs this person up and in.
    pub(crate) fn identity(&self, email: &str) -> Result<String> {
        let output = self
            .perennial()?
            .args(["identity", "token", "--email", email])
            .output()
            .map_err(could_not("run `perennial identity token`"))?;
        let token = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if token.is_empty() {
            let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(Failure::new(format!("no identity token could be made: {reason}")));
        }
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_id_has_the_shape_of_a_trusted_one() {
        let random = CLIENT_ID.strip_prefix("pk_").unwrap();
        assert_eq!(random.len(), 32);
        assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
