//! What a person at a terminal sees. `script` of util-linux lends the terminal.

use crate::support::{Output, PATIENCE, Place, eventually, signal, skipped};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// A server whose standard streams are a terminal.
struct OnTerminal {
    script: Child,
    shown: Arc<Mutex<String>>,
    id: PathBuf,
}

impl OnTerminal {
    /// `None` where there is no `script`.
    fn start(place: &Place) -> Option<Self> {
        let present = Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success());
        if !present || Command::new("curl").arg("--version").output().is_err() {
            skipped("needs `script` of util-linux for a terminal, and `curl`");
            return None;
        }
        let line = format!("echo $$ > id && exec {} serve --listen 127.0.0.1:0", env!("CARGO_BIN_EXE_perennial"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(place.path()).env_clear().env("NO_COLOR", "1");
        command.envs(place.program().get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut script = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let (stdout, kept) = (script.stdout.take().unwrap(), Arc::clone(&shown));
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                kept.lock().unwrap().extend([line.trim_end(), "\n"]);
            }
        });
        let terminal = Self { script, shown, id: place.path().join("id") };
        eventually(PATIENCE, "a server on a terminal", || terminal.shown().contains("listening=").then_some(()));
        Some(terminal)
    }

    fn shown(&self) -> String {
        self.shown.lock().unwrap().clone()
    }

    fn stop(mut self) -> String {
        signal(std::fs::read_to_string(&self.id).unwrap().trim().parse().unwrap(), "INT");
        let status = eventually(PATIENCE, "the end on a terminal", || self.script.try_wait().unwrap());
        assert!(status.success(), "{}", self.shown());
        self.shown()
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        // The server goes when its terminal is gone.
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

#[test]
fn a_person_is_shown_both_ids_once_and_a_curl_line_that_works() {
    let place = Place::new();
    let Some(terminal) = OnTerminal::start(&place) else { return };
    let shown = terminal.shown();
    let trusted = place.first("trusted_client_id");
    assert!(shown.contains(&format!("trusted  {trusted}")), "{shown}");
    assert!(shown.contains("public   default"), "{shown}");
    assert!(shown.contains(&place.data().join("clients.json").display().to_string()), "{shown}");
    let curl = shown.lines().find(|line| line.trim_start().starts_with("curl ")).expect("a curl line").trim();
    let said = Output::of(Command::new("sh").args(["-c", &curl.replacen("curl", "curl -sS --fail", 1)])).succeeded();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&said).unwrap()["data"], serde_json::json!([]));
    terminal.stop();

    let again = OnTerminal::start(&place).unwrap().stop();
    assert!(!again.contains(&trusted) && !again.contains("curl"), "{again}");
}

#[test]
fn logs_on_a_terminal_are_for_people() {
    let place = Place::new();
    let Some(terminal) = OnTerminal::start(&place) else { return };
    let shown = terminal.stop();
    assert!(shown.lines().any(|line| line.contains("INFO") && line.contains("listening")), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with('{')), "{shown}");
}
