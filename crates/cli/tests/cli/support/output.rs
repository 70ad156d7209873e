//! What a finished run of the program left behind, and the two shapes it may have.

use super::PATIENCE;
use serde_json::Value;
use std::process::{Command, Stdio};

/// The exit code and both streams.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Runs a command that is meant to end by itself, for no longer than we have patience.
    #[track_caller]
    pub(crate) fn of(command: &mut Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let id = child.id();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(PATIENCE) else {
            super::server::signal(id, "KILL");
            panic!("{command:?} did not end");
        };
        let output = output.unwrap();
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// It succeeded; returns its standard output.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// It succeeded and printed one JSON object, `{"data": …}`, for a list with its page, and nothing else.
    #[track_caller]
    pub(crate) fn data(self) -> Value {
        let stdout = self.succeeded();
        let mut object: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
        let names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(matches!(names[..], ["data"] | ["data", "page"]), "{stdout}");
        assert!(stdout.ends_with("}\n") && stdout.lines().count() == 1, "{stdout}");
        object["data"].take()
    }

    /// It said in one sentence why not, and exited with 1. Answers the sentence.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(1), ""), "{}", self.stderr);
        for word in ["panicked", "backtrace", "RUST_BACKTRACE", "Error(", "Some("] {
            assert!(!self.stderr.contains(word), "{}", self.stderr);
        }
        // A server that got as far as logging has said other things before, as JSON.
        let (logs, said): (Vec<&str>, Vec<&str>) = self.stderr.lines().partition(|line| line.starts_with('{'));
        for line in logs {
            let log: Value = serde_json::from_str(line).unwrap();
            assert_eq!(log["level"], "INFO", "the sentence is enough: {line}");
        }
        let [sentence] = said[..] else { panic!("not one sentence: {}", self.stderr) };
        let sentence = sentence.strip_prefix("error: ").unwrap_or_else(|| panic!("{sentence}"));
        assert!(!sentence.contains("\\n"), "{sentence}");
        sentence.to_owned()
    }

    /// The same, and the sentence contains all of this.
    #[track_caller]
    pub(crate) fn refused_with(self, parts: &[&str]) {
        let sentence = self.refused();
        for part in parts {
            assert!(sentence.contains(part), "{sentence:?} does not say {part:?}");
        }
    }
}
