//! An issuer in a separate process, from the test's side. Its private keys never leave it.

use crate::control::{Command, MARK, VARIABLE};
use crate::keys::{PublicKey, token};
use crate::server::{Behavior, Seen};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

/// An issuer in a separate process, which ends with this value.
pub struct Issuer {
    /// Where it is, which is what its tokens say in `iss`.
    pub url: String,
    child: Child,
    lines: Arc<Mutex<Lines>>,
    behavior: Mutex<Behavior>,
}

struct Lines {
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Issuer {
    /// Starts the running test binary once more, to run nothing but `test`, which calls [`crate::run`].
    pub fn start(test: &str) -> Self {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--ignored", "--nocapture"])
            .env(VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = Lines { to: child.stdin.take(), from: BufReader::new(child.stdout.take().unwrap()) };
        let url = lines.read();
        Self { url, child, lines: Arc::new(Mutex::new(lines)), behavior: Mutex::default() }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has it make a key, which it does not publish yet.
    pub fn make(&self, kid: &str, algorithm: &str) -> PublicKey {
        self.send(&Command::Make { kid: kid.to_owned(), algorithm: algorithm.to_owned() })
    }

    /// Has it make a key, which it publishes and no other.
    pub fn rotate(&self, kid: &str, algorithm: &str) -> PublicKey {
        let public = self.make(kid, algorithm);
        self.set(|behavior| behavior.keys = vec![public.jwk.clone()]);
        public
    }

    /// A token of this header and these claims, whatever they are, signed with its key `kid`.
    pub fn token(&self, kid: &str, header: &Value, claims: &Value) -> String {
        let pss = header["alg"] == "PS256";
        token(header, claims, |message| {
            let message = String::from_utf8(message.to_vec()).unwrap();
            self.send(&Command::Sign { kid: kid.to_owned(), pss, message })
        })
    }

    /// Changes its behavior.
    pub fn set(&self, change: impl FnOnce(&mut Behavior)) {
        let mut behavior = self.behavior.lock().unwrap();
        change(&mut behavior);
        self.send::<Value>(&Command::Behave(behavior.clone()));
    }

    /// What it was asked so far.
    pub fn seen(&self) -> Seen {
        self.send(&Command::Seen)
    }

    /// Waits until it was asked for its keys so often.
    pub async fn asked_for_keys(&self, times: usize) {
        let lines = Arc::clone(&self.lines);
        let wait = move || lines.lock().unwrap().exchange::<Value>(&Command::AwaitKeys(times));
        tokio::task::spawn_blocking(wait).await.unwrap();
    }

    /// Closes its input, as the end of the test's process does, and waits for its end.
    pub fn close_input(&mut self) -> ExitStatus {
        drop(self.lines.lock().unwrap().to.take());
        self.child.wait().unwrap()
    }

    fn send<T: DeserializeOwned>(&self, command: &Command) -> T {
        self.lines.lock().unwrap().exchange(command)
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Lines {
    fn exchange<T: DeserializeOwned>(&mut self, command: &Command) -> T {
        let command = serde_json::to_string(command).unwrap();
        writeln!(self.to.as_mut().expect("its input is open"), "{command}").unwrap();
        self.read()
    }

    fn read<T: DeserializeOwned>(&mut self) -> T {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the issuer has ended");
            if let Some(answer) = line.strip_prefix(MARK) {
                return serde_json::from_str(answer).unwrap();
            }
        }
    }
}
