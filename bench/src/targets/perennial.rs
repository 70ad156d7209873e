//! Perennial itself, with everything on that production has on; only the rate limits are lifted.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{Process, wait_until_ready};
use super::target::{EARLIER_POSTGRES, EARLIER_SQLITE, Headers, POSTGRES, Protocol, SQLITE, Target};
use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::request::Request;
use crate::rows::cluster::{Cluster, Layout};
use crate::rows::dataset::Dataset;
use crate::rows::store::Store;

/// A trusted client's id in its usual shape. It opens nothing but stores that live for this run.
const CLIENT_ID: &str = "pk_BenchBenchBenchBenchBenchBench00";
/// Likewise: a master key for databases that are thrown away.
const MASTER_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
pub(crate) const EMAIL: &str = "bench@example.com";
const SETTINGS: &str = "[rate_limits]\nenabled = false\n";

/// Where a Perennial keeps its things and which engine it runs on.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) binary: PathBuf,
    pub(crate) directory: PathBuf,
    /// `None` is SQLite.
    pub(crate) cluster: Option<Cluster>,
    /// Whether it is an earlier build that this one is compared with.
    pub(crate) is_earlier: bool,
    /// A library to load before all others: see `slow_sync`.
    pub(crate) preload: Option<PathBuf>,
    /// Further variables of the environment.
    pub(crate) environment: Vec<(&'static str, String)>,
}

impl Home {
    pub(crate) fn new(binary: &std::path::Path, directory: PathBuf, cluster: Option<Cluster>) -> Result<Self> {
        fs::create_dir_all(&directory).map_err(could_not(format!("create {}", directory.display())))?;
        fs::write(directory.join("perennial.toml"), SETTINGS).map_err(could_not("write perennial.toml"))?;
        Ok(Self {
            binary: binary.to_path_buf(),
            directory,
            cluster,
            is_earlier: false,
            preload: None,
            environment: Vec::new(),
        })
    }

    /// An earlier build.
    pub(crate) fn earlier(binary: &std::path::Path, directory: PathBuf, cluster: Option<Cluster>) -> Result<Self> {
        Ok(Self { is_earlier: true, ..Self::new(binary, directory, cluster)? })
    }

    pub(crate) fn store(&self) -> Store {
        match &self.cluster {
            Some(cluster) => Store::Postgres(cluster.clone()),
            None => Store::Sqlite(self.directory.join("data/perennial.db")),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match (self.is_earlier, self.cluster.is_some()) {
            (false, false) => SQLITE,
            (false, true) => POSTGRES,
            (true, false) => EARLIER_SQLITE,
            (true, true) => EARLIER_POSTGRES,
        }
    }

    /// Makes the store by running the server once, and loads the rows while it is down.
    pub(crate) fn fill(&self, dataset: Dataset) -> Result {
        self.start()?.process.end()?;
        self.store().load(Layout::Perennial, dataset)
    }

    pub(crate) fn start(&self) -> Result<Target> {
        self.start_timed().map(|(target, _)| target)
    }

    /// Starts it and returns the time until `/readyz` responded.
    pub(crate) fn start_timed(&self) -> Result<(Target, Duration)> {
        let name = self.name();
        let mut command = self.command();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        if let Some(library) = &self.preload {
            command.env("LD_PRELOAD", library);
        }
        let start = Instant::now();
        let (process, address) = Process::start(name, &mut command, &self.directory.join("server.log"))?;
        wait_until_ready(address, "/readyz")?;
        let took = start.elapsed();
        Ok((Target { name, address, process, protocol: Protocol::Perennial, store: Some(self.store()) }, took))
    }

    /// Signs one person in so many times, and gives each session's access and refresh token.
    pub(crate) fn sessions(&self, address: SocketAddr, count: usize) -> Result<Vec<(String, String)>> {
        let output = self
            .command()
            .args(["identity", "token", "--email", EMAIL])
            .output()
            .map_err(could_not("run `perennial identity token`"))?;
        let identity = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let body = format!("{{\"access_token\":\"{identity}\",\"email\":\"{EMAIL}\"}}");
        let sign = |what: &str, status: u16| {
            let request = Request::new("POST", &format!("/authentication/{what}"), &public_headers(None), &body);
            call::send(address, &request.status(status))
        };
        // The first run of the workload signs up; later ones find the person there.
        sign("sign-up", 201)?;
        (0..count)
            .map(|_| {
                let response = sign("sign-in", 200)?.json()?;
                let token = |name: &str| response["data"][name].as_str().map(str::to_owned);
                token("token").zip(token("refresh_token")).ok_or_else(|| refused(&response))
            })
            .collect()
    }

    /// Sees that a session that has just been ended is refused at once, however warm a cache may be.
    pub(crate) fn refuses_ended_session(&self, address: SocketAddr) -> Result {
        let sessions = self.sessions(address, 1)?;
        let (access, _) = sessions.first().ok_or_else(|| Failure::new("no user could sign in"))?;
        let ask = |path: &str, status: u16| {
            let request = Request::new("POST", path, &public_headers(Some(access)), "").status(status);
            call::expect(address, &request)
        };
        for _ in 0..3 {
            ask("/authentication/user-logged-in", 200)?;
        }
        ask("/authentication/tokens/logout", 200)?;
        ask("/authentication/user-logged-in", 401).map(drop)
    }

    /// Adds to the configuration that servers are started with.
    pub(crate) fn configure(&self, lines: &str) -> Result {
        fs::write(self.directory.join("perennial.toml"), format!("{SETTINGS}{lines}"))
            .map_err(could_not("write perennial.toml"))
    }

    /// What a command prints with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.command().args(arguments).arg("--json").output().map_err(could_not("run perennial"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let response: Value = serde_json::from_str(printed.trim()).map_err(|_| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            Failure::new(format!("`perennial {}` failed: {printed}{complaint}", arguments.join(" ")))
        })?;
        if output.status.success() { Ok(response["data"].clone()) } else { Err(Failure::new(response.to_string())) }
    }

    /// The program with this store, without arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.envs(self.environment.iter().map(|(name, value)| (*name, value)));
        command.env("PERENNIAL_BOOTSTRAP_CLIENT_ID", CLIENT_ID).current_dir(&self.directory);
        match &self.cluster {
            Some(cluster) => {
                command.env("PERENNIAL_DATABASE_URL", &cluster.url).env("PERENNIAL_MASTER_KEY", MASTER_KEY)
            }
            None => command.env("PERENNIAL_DATA_DIR", self.directory.join("data")),
        };
        command
    }
}

fn refused(response: &Value) -> Failure {
    Failure::new(format!("signing in was refused: {response}"))
}

pub(crate) fn trusted_headers() -> Headers {
    vec![("client-id".to_owned(), CLIENT_ID.to_owned())]
}

pub(crate) fn public_headers(token: Option<&str>) -> Headers {
    let mut headers = vec![("client-id".to_owned(), "default".to_owned())];
    headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
    headers
}
