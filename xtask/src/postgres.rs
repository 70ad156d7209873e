//! A `PostgreSQL` of our own: in a temporary directory, on loopback only, gone when its owner is.
//! `keeper.sh` starts and stops it, so that neither a failed test nor Ctrl-C nor a kill leaves a server behind.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::signal;

use crate::postgres_binaries::Binaries;
use crate::process::{self, Failure, Result, could_not};

const KEEPER: &str = include_str!("keeper.sh");
const START_LIMIT: Duration = Duration::from_mins(1);

const SETTINGS: [&str; 3] = ["listen_addresses=127.0.0.1", "max_connections=300", "shared_buffers=128MB"];

/// What a server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Nothing here outlives the machine, so that `fsync` is off. A test has a database, and autovacuum would visit hundreds
    /// of them in turn. Everything else that tests can notice is left alone.
    Test,
    /// What is acknowledged is on the disk, as in production.
    Measure,
}

impl Purpose {
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Test => &["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "autovacuum=off"],
            Self::Measure => &["-c", "fsync=on"],
        }
    }
}

/// A running server; dropping it stops it and removes its directory.
pub(crate) struct Server {
    keeper: Child,
    port: u16,
    binaries: Binaries,
    pid: u32,
}

impl Server {
    pub(crate) fn start() -> Result<Self> {
        Self::start_for(Purpose::Test)
    }

    pub(crate) fn start_for(purpose: Purpose) -> Result<Self> {
        let binaries = Binaries::find_or_install()?;
        let owner = Owner::choose()?;
        let port = free_port()?;
        let directory = owner.new_directory(port)?;
        let mut keeper = keeper(&binaries, owner.0, &directory, port);
        keeper.args(purpose.settings());
        let spawned = keeper.spawn().map_err(could_not("run `sh`"));
        let mut server = match spawned {
            Ok(keeper) => Self { keeper, port, binaries, pid: 0 },
            Err(failure) => {
                // Without a keeper the directory, still empty, is ours to remove.
                fs::remove_dir(&directory).map_err(could_not("remove an empty directory"))?;
                return Err(failure);
            }
        };
        server.wait_until_ready(&directory)?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub(crate) fn name(&self) -> String {
        format!("PostgreSQL {}", self.binaries.major)
    }

    /// The process that all others of this server descend from.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Where its programs are.
    pub(crate) fn programs(&self) -> &Path {
        &self.binaries.directory
    }

    fn wait_until_ready(&mut self, directory: &Path) -> Result {
        let deadline = Instant::now() + START_LIMIT;
        let Some(pid) = self.read_pid() else {
            return Err(not_started("could not be set up", directory));
        };
        self.pid = pid;
        while Instant::now() < deadline {
            if is_ready(&directory.join("data/postmaster.pid")) {
                return Ok(());
            }
            if !signal(pid, "0") {
                return Err(not_started("ended at once", directory));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(not_started("was not ready within 60 seconds", directory))
    }

    /// The keeper's one line: the server's process id, or nothing when there is no server.
    fn read_pid(&mut self) -> Option<u32> {
        let mut line = String::new();
        let stdout = self.keeper.stdout.as_mut()?;
        BufReader::new(stdout).read_line(&mut line).ok()?;
        line.trim().parse().ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        if let Err(error) = self.keeper.wait() {
            eprintln!("could not wait for the temporary PostgreSQL to end: {error}");
        }
    }
}

/// `cargo xtask postgres`: a server for a developer's own runs of `cargo test`.
pub(crate) fn foreground() -> Result {
    let server = Server::start()?;
    println!("{} is running until Ctrl-C or Ctrl-D. In another terminal:", server.name());
    println!("\n  export PERENNIAL_TEST_POSTGRES={}\n", server.url());
    std::io::stdin().lock().read_to_end(&mut Vec::new()).map_err(could_not("read the input"))?;
    println!("Stopping {}.", server.name());
    Ok(())
}

/// The account that runs the server. `PostgreSQL` refuses to run as root, so root lends it another.
struct Owner(Option<(u32, u32)>);

impl Owner {
    fn choose() -> Result<Self> {
        if !process::is_root() {
            return Ok(Self(None));
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| Some((id("-u", name)?, id("-g", name)?)))
            .map(|ids| Self(Some(ids)))
            .ok_or_else(|| {
                Failure::new(
                    "PostgreSQL does not run as root and there is no user `postgres` or `nobody` to run it as; run this as another user.",
                )
            })
    }

    /// The port distinguishes the servers of one run.
    fn new_directory(&self, port: u16) -> Result<PathBuf> {
        // Root's own temporary directory may be closed to the account that must reach it.
        let parent = match self.0 {
            Some(_) => PathBuf::from("/tmp"),
            None => std::env::temp_dir(),
        };
        let directory = parent.join(format!("perennial-postgres-{}-{port}", std::process::id()));
        let complaint = || could_not(format!("create {}", directory.display()));
        fs::DirBuilder::new().mode(0o700).create(&directory).map_err(complaint())?;
        if let Some((user, group)) = self.0 {
            chown(&directory, Some(user), Some(group)).map_err(complaint())?;
        }
        Ok(directory)
    }
}

fn keeper(binaries: &Binaries, ids: Option<(u32, u32)>, directory: &Path, port: u16) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", KEEPER, "keeper"])
        .args([directory, &binaries.directory])
        .args(["-p", &port.to_string(), "-k"])
        .arg(directory)
        .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .current_dir(directory)
        // A PGDATA or PGOPTIONS of the developer must not steer this server.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C")
        // Ctrl-C goes to the foreground group; the keeper must outlive it to clean up.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if let Some((user, group)) = ids {
        command.uid(user).gid(group);
    }
    command
}

fn id(which: &str, user: &str) -> Option<u32> {
    let id = process::output(Command::new("id").args([which, user])).ok()?;
    id.trim().parse().ok()
}

pub(crate) fn free_port() -> Result<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(could_not("find a free port on 127.0.0.1"))
}

/// The server writes its state on the eighth line of its pid file, as `pg_ctl` knows too. An open port is not
/// enough: it is open before the server takes queries.
fn is_ready(pid_file: &Path) -> bool {
    fs::read_to_string(pid_file).is_ok_and(|text| text.lines().nth(7).is_some_and(|state| state.trim() == "ready"))
}

fn not_started(what: &str, directory: &Path) -> Failure {
    let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    let tail = &lines[lines.len().saturating_sub(15)..];
    Failure::new(format!("the temporary PostgreSQL {what}. The end of its log:\n{}", tail.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_port_can_be_bound() {
        let port = free_port().unwrap();
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    }

    #[test]
    fn a_server_is_ready_only_when_its_pid_file_says_so() {
        let file = std::env::temp_dir().join(format!("perennial-pid-file-{}", std::process::id()));
        let mut seen = Vec::new();
        for state in ["starting", "ready   ", "stopping"] {
            let text = format!("1\n/data\n0\n5432\n/tmp\n127.0.0.1\n1 2\n{state}\n");
            fs::write(&file, text).unwrap();
            seen.push(is_ready(&file));
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(seen, [false, true, false]);
        assert!(!is_ready(&file));
    }
}
