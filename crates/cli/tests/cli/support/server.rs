//! A running server: found by what it logs, stopped by its process id.

use super::{Answer, Caller, Connection, Output, PATIENCE, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where `/metrics` is, if it is anywhere.
    pub(crate) metrics: Option<SocketAddr>,
    logs: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server and waits until it logs its address.
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Self {
        let starting = Starting::spawn(command);
        starting.listening().unwrap_or_else(|logs| panic!("the server did not start: {logs}"))
    }

    /// Starts a server whose log reader is closed after it has logged its address.
    #[track_caller]
    pub(crate) fn start_unread(command: &mut Command) -> Self {
        let mut server = Self::spawn(command);
        let logs = BufReader::new(server.child.stderr.take().unwrap());
        let mut lines = logs.lines().map_while(|line| serde_json::from_str::<Value>(&line.ok()?).ok());
        let line = lines.find(|line| line["message"] == "listening").expect("it listens");
        server.address = line["listening"].as_str().unwrap().parse().unwrap();
        server
    }

    fn spawn(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (child, address) = (piped.spawn().unwrap(), SocketAddr::from(([0, 0, 0, 0], 0)));
        Self { child, address, metrics: None, logs: Arc::default(), listener: None }
    }

    /// Waits until the server is ready. On a slow disk its first commits can take longer than a health check allows.
    #[track_caller]
    pub(crate) fn wait_until_ready(&self) {
        let ready = || Some(self.get("/readyz")).filter(|answer| answer.status == 200);
        let answer = eventually(PATIENCE, "a server that is ready", ready);
        assert_eq!(answer.data()["status"], "ready");
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn caller(&self, client_id: impl Into<String>) -> Caller {
        Caller { address: self.address, client_id: client_id.into() }
    }

    /// GET without a client.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Answer {
        Connection::open(self.address).unwrap().call("GET", target, &[], None).unwrap()
    }

    /// The page of the metrics.
    #[track_caller]
    pub(crate) fn metrics_page(&self) -> String {
        let address = self.metrics.expect("the server has metrics");
        Connection::open(address).unwrap().call("GET", "/metrics", &[], None).unwrap().expect(200).body
    }

    /// What it has logged so far.
    pub(crate) fn logs(&self) -> String {
        self.logs.lock().unwrap().clone()
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Takes the process away without a word, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal and waits for the end; answers what is left and how long it took.
    #[track_caller]
    pub(crate) fn stop(self, name: &str) -> (Output, Duration) {
        self.signal(name);
        self.ended()
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn ended(mut self) -> (Output, Duration) {
        let start = Instant::now();
        let status = eventually(PATIENCE, "the server's end", || self.child.try_wait().unwrap());
        let took = start.elapsed();
        let _ = self.listener.take().map(JoinHandle::join);
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (Output { code: status.code(), stdout, stderr: self.logs() }, took)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that was started and has not been heard of.
pub(crate) struct Starting {
    server: Server,
    heard: Receiver<Value>,
}

impl Starting {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut server = Server::spawn(command);
        let (sender, heard) = channel();
        let stderr = server.child.stderr.take().unwrap();
        let logs = Arc::clone(&server.logs);
        let listener = std::thread::spawn(move || listen(stderr, &logs, |line| drop(sender.send(line))));
        server.listener = Some(listener);
        Self { server, heard }
    }

    /// The server, or all it said before it ended.
    pub(crate) fn listening(mut self) -> Result<Server, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line["message"] == "listening" => {
                    let address = |name: &str| line[name].as_str().and_then(|text| text.parse().ok());
                    self.server.address = address("listening").expect("an address");
                    self.server.metrics = address("metrics");
                    return Ok(self.server);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return Err(self.server.logs()),
            }
        }
    }
}

fn listen(stderr: ChildStderr, logs: &Mutex<String>, tell: impl Fn(Value)) {
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        logs.lock().unwrap().extend([&line, "\n"]);
        if let Ok(line) = serde_json::from_str(&line) {
            tell(line);
        }
    }
}

/// Sends a signal to one process.
pub(crate) fn signal(id: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -s {name} {id}")]).status().unwrap();
    assert!(status.success());
}
