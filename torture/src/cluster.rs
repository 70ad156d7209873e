//! A `PostgreSQL` of the scenario's own, with `fsync` on, that can be ended and started again.
//! It does not run as root, so root lends it an account and a directory that account can reach.

mod standby;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::signal;

use crate::failure::{Failure, Result, could_not};
use crate::scenario::Run;

const KEEPER: &str = include_str!("keeper.sh");
const LIMIT: Duration = Duration::from_mins(1);
const SETTINGS: [&str; 4] = ["fsync=on", "listen_addresses=127.0.0.1", "max_connections=300", "shared_buffers=128MB"];

pub(crate) struct Cluster {
    programs: PathBuf,
    directory: PathBuf,
    /// Where the directory goes in the end.
    evidence: PathBuf,
    owner: Option<(u32, u32)>,
    port: u16,
    keeper: Option<Child>,
    pid: u32,
}

impl Cluster {
    pub(crate) fn start(run: &Run) -> Result<Self> {
        let mut cluster = Self::place(run)?;
        cluster.initialise()?;
        cluster.start_again()?;
        Ok(cluster)
    }

    /// A directory and a port, and nothing there yet.
    fn place(run: &Run) -> Result<Self> {
        let owner = owner(&run.evidence)?;
        let port = free_port()?;
        let evidence = run.evidence.join(format!("postgres-{port}"));
        let directory = match owner {
            Some(owner) if !can_reach(owner, &run.evidence) => {
                PathBuf::from(format!("/tmp/perennial-torture-{}-{port}", std::process::id()))
            }
            _ => evidence.clone(),
        };
        fs::DirBuilder::new().mode(0o700).create(&directory).map_err(could_not("create a directory for PostgreSQL"))?;
        if let Some((user, group)) = owner {
            chown(&directory, Some(user), Some(group)).map_err(could_not("give a directory to PostgreSQL"))?;
        }
        let programs = run.postgres_programs.clone();
        Ok(Self { programs, directory, evidence, owner, port, keeper: None, pid: 0 })
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The server's process and those it has started.
    pub(crate) fn processes(&self) -> Result<Vec<u32>> {
        let pid = self.pid;
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
            .map_err(could_not("find the processes of PostgreSQL"))?;
        let children = children.split_whitespace().filter_map(|child| child.parse().ok());
        Ok(std::iter::once(pid).chain(children).collect())
    }

    /// Where the account that owns the cluster may read.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// One of its programs, or another by its whole path, run as the account that owns the cluster.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.as_owner(Command::new(self.programs.join(program)))
    }

    /// What a query returns: a line for a row, `|` between columns.
    pub(crate) fn query(&self, sql: &str) -> Result<String> {
        run(self
            .command("psql")
            .args(["--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname"])
            .args([self.url().as_str(), "--command", sql]))
    }

    /// Starts the server after `stop`, on the same port and data, and waits until it takes queries.
    pub(crate) fn start_again(&mut self) -> Result {
        let mut command = self.as_owner(Command::new("sh"));
        command
            .args(["-c", KEEPER, "keeper"])
            .arg(self.programs.join("postgres"))
            // No socket but the port: the path of one may be a hundred bytes long at most.
            .args(["-D", "data", "-p", &self.port.to_string(), "-k", ""])
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            // Ctrl-C goes to the foreground group; the keeper must outlive it to end its server.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let keeper = self.keeper.insert(command.spawn().map_err(could_not("run `sh`"))?);
        let mut line = String::new();
        let stdout = keeper.stdout.as_mut().ok_or_else(|| Failure::new("the keeper of PostgreSQL has no output"))?;
        BufReader::new(stdout).read_line(&mut line).map_err(could_not("hear of PostgreSQL"))?;
        self.pid = line.trim().parse().map_err(|_| self.not_started("was not started"))?;
        self.wait_until_ready()
    }

    /// Ends the server: `INT` in order, `QUIT` at once as `pg_ctl stop -m immediate` does.
    pub(crate) fn stop(&mut self, name: &str) -> Result {
        let Some(mut keeper) = self.keeper.take() else { return Ok(()) };
        signal(self.pid, name);
        drop(keeper.stdin.take());
        keeper.wait().map(drop).map_err(could_not("wait for PostgreSQL to end"))
    }

    fn initialise(&self) -> Result {
        let settings = ["--pgdata=data", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"];
        run(self.command("initdb").args(settings)).map(drop)
    }

    fn as_owner(&self, mut command: Command) -> Command {
        command
            .current_dir(&self.directory)
            // A PGDATA or PGOPTIONS of the developer must not steer this server.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LC_ALL", "C");
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }

    fn wait_until_ready(&self) -> Result {
        let deadline = Instant::now() + LIMIT;
        let pid_file = self.directory.join("data/postmaster.pid");
        while Instant::now() < deadline {
            // The server writes its state on the eighth line; an open port is not enough, it opens before that.
            let text = fs::read_to_string(&pid_file).unwrap_or_default();
            let mut lines = text.lines();
            let own = lines.next().is_some_and(|pid| pid.trim() == self.pid.to_string());
            if own && lines.nth(6).is_some_and(|state| matches!(state.trim(), "ready" | "standby")) {
                return Ok(());
            }
            if !signal(self.pid, "0") {
                return Err(self.not_started("ended at once"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(self.not_started("was not ready within a minute"))
    }

    fn not_started(&self, what: &str) -> Failure {
        let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines[lines.len().saturating_sub(8)..].join("\n");
        Failure::new(format!("PostgreSQL {what}; its log ends:\n{tail}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(failure) = self.stop("INT") {
            eprintln!("{failure}");
        }
        if self.directory == self.evidence {
            return;
        }
        // `mv` copies where a rename cannot reach.
        let moved = Command::new("mv").args([&self.directory, &self.evidence]).status();
        if !moved.is_ok_and(|status| status.success()) {
            eprintln!("could not move {} to {}", self.directory.display(), self.evidence.display());
        }
    }
}

/// What a program prints; its complaints become part of the failure.
fn run(command: &mut Command) -> Result<String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command.output().map_err(could_not(format!("run `{name}`")))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    String::from_utf8(output.stdout).map_err(|_| Failure::new(format!("`{name}` printed something that is not UTF-8")))
}

/// Another account to run the server as, if we are root; files belong to the current account.
fn owner(evidence: &Path) -> Result<Option<(u32, u32)>> {
    if fs::metadata(evidence).map_err(could_not("look at the evidence"))?.uid() != 0 {
        return Ok(None);
    }
    let found = ["postgres", "nobody"].into_iter().find_map(|name| Some((id("-u", name)?, id("-g", name)?)));
    found.map(Some).ok_or_else(|| {
        Failure::new("PostgreSQL does not run as root and there is no user `postgres` or `nobody` to run it as")
    })
}

fn can_reach((user, group): (u32, u32), directory: &Path) -> bool {
    let asked = Command::new("test").arg("-x").arg(directory).current_dir("/").uid(user).gid(group).status();
    asked.is_ok_and(|status| status.success())
}

fn id(which: &str, user: &str) -> Option<u32> {
    let output = Command::new("id").args([which, user]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

pub(crate) fn free_port() -> Result<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(could_not("find a free port"))
}
