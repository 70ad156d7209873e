//! A Perennial of the scenario's own: its store, its log, and the program pointed at both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use perennial_harness::{Connection, Server};
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::failure::{Failure, Result, could_not};
use crate::scenario::{Engine, Run};

/// A trusted client's id in its usual shape. It opens nothing but stores that live for this run.
pub(crate) const CLIENT_ID: &str = "pk_TortureTortureTortureTorture0000";
/// Likewise: a master key for databases that are thrown away.
const MASTER_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Rate limits are not what the scenarios measure.
const SETTINGS: &str = "[rate_limits]\nenabled = false\n";
pub(crate) const TRUSTED: (&str, &str) = ("client-id", CLIENT_ID);
const START_LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Home {
    binary: PathBuf,
    directory: PathBuf,
    /// `None` is SQLite.
    pub(crate) cluster: Option<Cluster>,
}

impl Home {
    /// An empty store of the run's engine; on `PostgreSQL` with a separate server.
    pub(crate) fn new(run: &Run) -> Result<Self> {
        let directory = run.evidence.clone();
        fs::write(directory.join("perennial.toml"), SETTINGS).map_err(could_not("write perennial.toml"))?;
        let cluster = match run.engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Cluster::start(run)?),
        };
        Ok(Self { binary: run.binary.clone(), directory, cluster })
    }

    /// A place with the master key of this one, on SQLite, and no store yet.
    pub(crate) fn beside(&self, name: &str) -> Result<Self> {
        let directory = self.directory.join(name);
        let data = directory.join("data");
        fs::create_dir_all(&data)
            .and_then(|()| fs::copy(self.directory.join("data/master.key"), data.join("master.key")))
            .and_then(|_| fs::write(directory.join("perennial.toml"), SETTINGS))
            .map_err(could_not(format!("prepare {}", directory.display())))?;
        Ok(Self { binary: self.binary.clone(), directory, cluster: None })
    }

    /// Adds to the configuration that servers are started with.
    pub(crate) fn configure(&self, lines: &str) -> Result {
        let settings = format!("{SETTINGS}{lines}");
        fs::write(self.directory.join("perennial.toml"), settings).map_err(could_not("write perennial.toml"))
    }

    /// The run's `PostgreSQL`.
    pub(crate) fn cluster(&self) -> Result<&Cluster> {
        self.cluster.as_ref().ok_or_else(|| Failure::new("this scenario is about PostgreSQL"))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file that holds everything, on SQLite.
    pub(crate) fn database(&self) -> PathBuf {
        self.directory.join("data/perennial.db")
    }

    /// The program with this store, without arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.env("PERENNIAL_BOOTSTRAP_CLIENT_ID", CLIENT_ID).current_dir(&self.directory);
        match &self.cluster {
            Some(cluster) => {
                command.env("PERENNIAL_DATABASE_URL", cluster.url()).env("PERENNIAL_MASTER_KEY", MASTER_KEY)
            }
            None => command.env("PERENNIAL_DATA_DIR", self.directory.join("data")),
        };
        command
    }

    /// `perennial serve` on a free port, before it is started.
    pub(crate) fn serve_command(&self) -> Command {
        let mut command = self.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command
    }

    /// Starts a server and waits until it is ready.
    pub(crate) fn serve(&self) -> Result<Server> {
        self.start(&mut self.serve_command(), "server.log")
    }

    /// Starts a server on this URL of the database instead of the cluster's own, and waits until it is ready.
    pub(crate) fn serve_on(&self, url: &str, log: &str) -> Result<Server> {
        self.start(self.serve_command().env("PERENNIAL_DATABASE_URL", url), log)
    }

    fn start(&self, command: &mut Command, log: &str) -> Result<Server> {
        let complaint = || could_not("run the server");
        let mut server = Server::start(command, &self.directory.join(log)).map_err(complaint())?;
        server.wait_until_ready(START_LIMIT).map_err(complaint())?;
        Ok(server)
    }

    /// As many servers as the engine allows on one store: SQLite one, `PostgreSQL` two.
    pub(crate) fn serve_all(&self) -> Result<Vec<Server>> {
        let count = if self.cluster.is_some() { 2 } else { 1 };
        (0..count).map(|_| self.serve()).collect()
    }

    /// What a command of the operator prints with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Result<Value> {
        let text = self.text(&[arguments, &["--json"]].concat())?;
        let mut response: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("`perennial {}` printed no JSON: {error}", arguments.join(" "))))?;
        Ok(response["data"].take())
    }

    /// What a command of the operator prints.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String> {
        let name = format!("perennial {}", arguments.join(" "));
        let output = self.command().args(arguments).output().map_err(could_not(format!("run `{name}`")))?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(Failure::new(format!("`{name}` failed: {complaint}")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// A user for subscriptions to belong to; returns the ID.
    pub(crate) fn user(&self, email: &str) -> Result<String> {
        let user = self.json(&["user", "create", "--email", email])?;
        user["id"].as_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("a user without an id: {user}")))
    }
}

/// A plan for subscriptions to refer to.
pub(crate) fn create_plan(server: &Server, slug: &str) -> Result {
    let body = json!({ "name": slug, "slug": slug, "price": 10, "billing_cycle": "monthly" }).to_string();
    let response = Connection::open(server.address())
        .and_then(|mut connection| connection.call("POST", "/subscription-plans", &[TRUSTED], Some(&body)))
        .map_err(could_not("create a plan"))?;
    if response.status == 201 {
        return Ok(());
    }
    Err(Failure::new(format!("a plan was refused: {}", response.json())))
}
