//! A process that the bench started: its log in a file, its address from what it prints, its end certain.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use perennial_harness::{Tether, signal};
use serde_json::Value;

use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::request::Request;

const TIMEOUT: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(2);

pub(crate) struct Process {
    child: Child,
    name: String,
    /// Let go after the process was waited for.
    _tether: Tether,
}

impl Process {
    /// Starts a program that prints an address, alone on a line of its output or in a JSON line of its log.
    pub(crate) fn start(name: &str, command: &mut Command, log: &Path) -> Result<(Self, SocketAddr)> {
        let file = File::create(log).map_err(could_not(format!("create {}", log.display())))?;
        let other = file.try_clone().map_err(could_not("share a log"))?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(could_not(format!("start {name}")))?;
        let tether = Tether::to(child.id()).map_err(could_not("run `sh`"))?;
        let (sender, receiver) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            std::thread::spawn(move || follow(BufReader::new(stdout), file, &sender));
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || follow(BufReader::new(stderr), other, &sender));
        }
        let process = Self { child, name: name.to_owned(), _tether: tether };
        let Ok(address) = receiver.recv_timeout(TIMEOUT) else {
            let end = std::fs::read_to_string(log).unwrap_or_default();
            let lines: Vec<&str> = end.lines().collect();
            let tail = lines[lines.len().saturating_sub(8)..].join("\n");
            return Err(Failure::new(format!("{name} did not print its address; the end of its log:\n{tail}")));
        };
        Ok((process, address))
    }

    /// Starts a program whose address was chosen for it.
    pub(crate) fn start_at(name: &str, command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).map_err(could_not(format!("create {}", log.display())))?;
        let other = file.try_clone().map_err(could_not("share a log"))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(other)
            .spawn()
            .map_err(could_not(format!("start {name}")))?;
        let tether = Tether::to(child.id()).map_err(could_not("run `sh`"))?;
        Ok(Self { child, name: name.to_owned(), _tether: tether })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as an operator would and waits for it.
    pub(crate) fn end(mut self) -> Result {
        self.stop()
    }

    /// The same, for one that is replaced afterwards. It may have ended already.
    pub(crate) fn stop(&mut self) -> Result {
        if self.child.try_wait().map_err(could_not("look at a process"))?.is_some() {
            return Ok(());
        }
        signal(self.id(), "TERM");
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if self.child.try_wait().map_err(could_not("wait for a process"))?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(Failure::new(format!("{} did not end after SIGTERM", self.name)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // After `end` both do nothing; after a failure a drain is not needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a GET of this path is answered with 200.
pub(crate) fn wait_until_ready(address: SocketAddr, path: &str) -> Result {
    let request = Request::new("GET", path, &[], "");
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        if call::send(address, &request).is_ok_and(|raw| raw.status == 200) {
            return Ok(());
        }
        std::thread::sleep(POLL);
    }
    Err(Failure::new(format!("{address} did not answer 200 at {path}")))
}

/// A free port.
pub(crate) fn free_port() -> Result<u16> {
    std::net::TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(could_not("find a free port"))
}

/// Copies lines to the log and returns the first address; reads to the end, since a full pipe would stop the process.
fn follow(lines: impl BufRead, mut log: File, sender: &mpsc::Sender<SocketAddr>) {
    use std::io::Write;
    for line in lines.lines().map_while(std::result::Result::ok) {
        if let Some(address) = address(&line) {
            // Only the first is waited for.
            let _ = sender.send(address);
        }
        // A log that cannot be written is not worth a run.
        let _ = writeln!(log, "{line}");
    }
}

fn address(line: &str) -> Option<SocketAddr> {
    if let Ok(address) = line.trim().parse() {
        return Some(address);
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let fields = line.get("fields").unwrap_or(&line);
    if fields.get("message").and_then(Value::as_str) != Some("listening") {
        return None;
    }
    fields.get("listening")?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_alone_on_a_line_or_in_a_log() {
        let wanted = Some(SocketAddr::from(([127, 0, 0, 1], 9)));
        assert_eq!(address("127.0.0.1:9\n"), wanted);
        assert_eq!(address(r#"{"fields":{"message":"listening","listening":"127.0.0.1:9"}}"#), wanted);
        assert_eq!(address(r#"{"message":"listening","listening":"127.0.0.1:9"}"#), wanted);
        assert_eq!(address(r#"{"message":"other","listening":"127.0.0.1:9"}"#), None);
        assert_eq!(address("listening"), None);
    }
}
