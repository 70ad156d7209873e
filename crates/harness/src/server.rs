//! One `perennial serve`: started from a command, found by what it logs, ended by its process id.

use std::fs::OpenOptions;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::log::{self, Addresses};
use crate::signal::signal;
use crate::tether::Tether;

const START_LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(2);

/// A running server; dropping it kills it, and so does the end of this process.
#[derive(Debug)]
pub struct Server {
    child: Child,
    addresses: Addresses,
    log: PathBuf,
    /// Let go after the process was waited for.
    _tether: Tether,
}

impl Server {
    /// Starts a server and waits until it logs its address. Its output is appended to the file `log`.
    pub fn start(command: &mut Command, log: &Path) -> io::Result<Self> {
        Self::start_within(command, log, START_LIMIT)
    }

    /// The same for a server that may need longer, or must not.
    pub fn start_within(command: &mut Command, log: &Path, limit: Duration) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(log)?;
        let before = file.metadata()?.len();
        let mut child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn()?;
        let tether = Tether::to(child.id()).inspect_err(|_| end(&mut child))?;
        let nowhere = Addresses { api: SocketAddr::from(([0, 0, 0, 0], 0)), metrics: None };
        let mut server = Self { child, addresses: nowhere, log: log.to_path_buf(), _tether: tether };
        let deadline = Instant::now() + limit;
        loop {
            if let Some(addresses) = log::addresses(log, before)? {
                server.addresses = addresses;
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                return Err(server.failure(&format!("ended before it listened ({status})")));
            }
            if Instant::now() > deadline {
                return Err(server.failure(&format!("did not say where it listens within {limit:?}")));
            }
            std::thread::sleep(POLL);
        }
    }

    /// Where the API is.
    pub fn address(&self) -> SocketAddr {
        self.addresses.api
    }

    /// Where `/metrics` is, if it is anywhere.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.addresses.metrics
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Waits until `/readyz` returns 200.
    pub fn wait_until_ready(&mut self, limit: Duration) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.is_ready() {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                return Err(self.failure(&format!("ended before it was ready ({status})")));
            }
            std::thread::sleep(POLL);
        }
        Err(self.failure(&format!("did not return 200 at /readyz within {limit:?}")))
    }

    /// Sends a signal by its name, such as `TERM`; false if the process is gone.
    pub fn signal(&self, name: &str) -> bool {
        signal(self.pid(), name)
    }

    /// Takes the process away without a word (SIGKILL), and waits until it is gone.
    pub fn kill(&mut self) -> io::Result<ExitStatus> {
        self.child.kill()?;
        self.child.wait()
    }

    /// Waits for its end; `None` if it has not ended within the limit.
    pub fn ended(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || Instant::now() > deadline {
                return Ok(status);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Ends it as an operator would (SIGTERM), and insists that it ends well.
    pub fn stop(mut self, limit: Duration) -> io::Result<()> {
        self.signal("TERM");
        match self.ended(limit)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.failure(&format!("did not end well on SIGTERM ({status})"))),
            None => Err(self.failure(&format!("did not end within {limit:?} of SIGTERM"))),
        }
    }

    fn is_ready(&self) -> bool {
        let called = Connection::open(self.address()).and_then(|mut one| one.call("GET", "/readyz", &[], None));
        called.is_ok_and(|response| response.status == 200)
    }

    fn failure(&self, what: &str) -> io::Error {
        let (log, tail) = (self.log.display(), log::tail(&self.log));
        io::Error::other(format!("`perennial serve` {what}; its log is {log} and ends:\n{tail}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// It may have ended already, which is as well.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, name: &str) -> (io::Result<Server>, PathBuf) {
        let log = std::env::temp_dir().join(format!("perennial-harness-{name}-{}", std::process::id()));
        let limit = Duration::from_millis(500);
        (Server::start_within(Command::new("sh").args(["-c", script]), &log, limit), log)
    }

    #[test]
    fn a_server_is_found_by_its_log_and_ends_on_a_signal() {
        let script = r#"echo '{"message":"listening","listening":"127.0.0.1:7"}' >&2; exec sleep 60"#;
        let (server, log) = shell(script, "found");
        std::fs::remove_file(log).unwrap();
        let mut server = server.unwrap();
        assert_eq!(server.address().port(), 7);
        assert_eq!(server.ended(Duration::ZERO).unwrap(), None);
        assert!(server.signal("TERM"));
        let status = server.ended(Duration::from_secs(10)).unwrap().unwrap();
        assert!(!status.success());
    }

    #[test]
    fn one_that_ends_or_stays_silent_is_a_sentence_with_its_last_words() {
        let (ended, log) = shell("echo no such database >&2; exit 3", "ended");
        std::fs::remove_file(log).unwrap();
        let ended = ended.unwrap_err().to_string();
        assert!(ended.contains("ended before it listened") && ended.contains("no such database"), "{ended}");
        let (silent, log) = shell("exec sleep 60", "silent");
        std::fs::remove_file(log).unwrap();
        assert!(silent.unwrap_err().to_string().contains("did not say where it listens"));
    }
}
