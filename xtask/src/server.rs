//! A `perennial serve` for a test run: started on a free port, ended with SIGTERM, expected to exit with 0.
//! Its address comes from its log, where a JSON line with the message `listening` names it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{self, Failure, Result, could_not};

const START_LIMIT: Duration = Duration::from_secs(30);
/// The server gives what is in flight ten seconds; this is that and some.
const STOP_LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts `perennial serve` and waits until it is ready. Everything it logs goes to the file `log`.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).map_err(could_not(format!("create {}", log.display())))?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(could_not("start `perennial serve`"))?;
        let (sender, receiver) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || follow(stderr, file, &sender));
        }
        let announced = receiver.recv_timeout(START_LIMIT);
        let Ok(address) = announced else {
            // Nothing useful is left to learn from these two: the failure below is the one to report.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::new(format!(
                "`perennial serve` never logged the address it listens on; its log is {}.",
                log.display()
            )));
        };
        let server = Self { child, address, log: log.to_path_buf() };
        server.wait_until_ready()?;
        Ok(server)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends the server as an operator would, and insists that it ends well.
    pub(crate) fn stop(mut self) -> Result {
        process::signal(self.child.id(), "TERM");
        match self.wait_for_end()? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.failure(&format!("did not end well on SIGTERM ({status})"))),
            None => Err(self.failure("did not end within 20 seconds of SIGTERM")),
        }
    }

    fn wait_until_ready(&self) -> Result {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            if is_ready(self.address) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(self.failure("did not answer 200 at /readyz within 30 seconds"))
    }

    fn wait_for_end(&mut self) -> Result<Option<ExitStatus>> {
        let deadline = Instant::now() + STOP_LIMIT;
        while Instant::now() < deadline {
            let status = self.child.try_wait().map_err(could_not("wait for it"))?;
            if status.is_some() {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(None)
    }

    fn failure(&self, what: &str) -> Failure {
        let log = self.log.display();
        Failure::new(format!("`perennial serve` {what}; its log is {log}."))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // After `stop` it has ended already, and both do nothing; after a failure nobody waits for a drain.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Copies the server's log to a file and reports the address once. Reading goes on to the end: a full pipe would
/// stop the server.
fn follow(stderr: ChildStderr, mut file: File, sender: &mpsc::Sender<SocketAddr>) {
    for line in BufReader::new(stderr).lines().map_while(std::result::Result::ok) {
        if let Some(address) = listening(&line) {
            // Only the first address is waited for; later ones find nobody listening.
            let _ = sender.send(address);
        }
        if writeln!(file, "{line}").is_err() {
            eprintln!("{line}");
        }
    }
}

/// The address in a log line such as `{"fields":{"message":"listening","listening":"127.0.0.1:40001"}}`.
/// The metrics listener says the same under another message, so the message counts when there is one.
fn listening(line: &str) -> Option<SocketAddr> {
    let line: Value = serde_json::from_str(line).ok()?;
    let field = |name: &str| {
        let nested = line.get("fields").and_then(|fields| fields.get(name));
        nested.or_else(|| line.get(name)).and_then(Value::as_str)
    };
    if field("message").is_some_and(|message| message != "listening") {
        return None;
    }
    field("listening")?.parse().ok()
}

fn is_ready(address: SocketAddr) -> bool {
    answer(address).is_ok_and(|text| text.starts_with("HTTP/1.1 200"))
}

fn answer(address: SocketAddr) -> std::io::Result<String> {
    let limit = Duration::from_secs(2);
    let mut stream = TcpStream::connect_timeout(&address, limit)?;
    stream.set_read_timeout(Some(limit))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_either_shape_of_line() {
        let wanted = Some(SocketAddr::from(([127, 0, 0, 1], 40_001)));
        let nested = r#"{"level":"INFO","fields":{"message":"listening","listening":"127.0.0.1:40001"}}"#;
        let flat = r#"{"level":"INFO","message":"listening","listening":"127.0.0.1:40001"}"#;
        assert_eq!(listening(nested), wanted);
        assert_eq!(listening(flat), wanted);
        assert_eq!(listening(r#"{"listening":"127.0.0.1:40001"}"#), wanted);
    }

    #[test]
    fn other_lines_are_passed_over() {
        let metrics = r#"{"fields":{"message":"metrics are served","listening":"127.0.0.1:9"}}"#;
        assert_eq!(listening(metrics), None);
        assert_eq!(listening("listening on 127.0.0.1:8080"), None);
        assert_eq!(listening(r#"{"message":"listening"}"#), None);
        assert_eq!(listening(r#"{"message":"listening","listening":"soon"}"#), None);
    }
}
