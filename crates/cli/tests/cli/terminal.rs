//! What a person at a terminal sees. `script` of util-linux lends the terminal.

use crate::support::{Connection, Output, PATIENCE, Place, eventually, signal, skipped, snapshot};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
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
        Self::listening(place, "127.0.0.1:0")
    }

    fn listening(place: &Place, address: &str) -> Option<Self> {
        let present = Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success());
        if !present || Command::new("curl").arg("--version").output().is_err() {
            skipped("needs `script` of util-linux for a terminal, and `curl`");
            return None;
        }
        let line = format!("echo $$ > id && exec {} serve --listen {address}", env!("CARGO_BIN_EXE_perennial"));
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

    /// What comes after a word of the log, up to the next space.
    fn logged(&self, name: &str) -> String {
        let shown = self.shown();
        let word = shown.split_whitespace().find_map(|word| word.strip_prefix(name));
        word.unwrap_or_else(|| panic!("no {name} in {shown}")).trim_matches('"').to_owned()
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
    assert!(again.contains("An existing store: 1 organization, 0 subscriptions."), "{again}");
}

#[test]
fn logs_on_a_terminal_are_for_people() {
    let place = Place::new();
    let Some(terminal) = OnTerminal::start(&place) else { return };
    let shown = terminal.stop();
    assert!(shown.lines().any(|line| line.contains("INFO") && line.contains("listening")), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with('{')), "{shown}");
}

#[test]
fn a_person_is_shown_where_everything_is() {
    let place = Place::sqlite();
    let Some(terminal) = OnTerminal::start(&place) else { return };
    let (api, metrics) = (terminal.logged("listening="), terminal.logged("metrics="));
    let shown = terminal.stop();
    let start = shown.find("Perennial ").unwrap_or_else(|| panic!("{shown}"));
    let end = shown.find("/subscription-plans'\n").unwrap_or_else(|| panic!("{shown}"));
    let text = shown[start..end].replace(&place.first("trusted_client_id"), &format!("pk_{}", "x".repeat(32)));
    let text = text.replace(&api, "127.0.0.1:8080").replace(&metrics, "127.0.0.1:8081");
    let mut text = text.replace(&place.path().display().to_string(), "/srv");
    let link = text.find("#link=lnk_").map(|start| text[start..].lines().next().unwrap().to_owned());
    text = text.replace(&link.unwrap(), "#link=lnk_LINK");
    snapshot("first-run", &format!("{}/subscription-plans'\n", text.replace(env!("CARGO_PKG_VERSION"), "VERSION")));
}

#[test]
fn a_server_on_all_addresses_is_shown_by_addresses_that_answer() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        if TcpListener::bind(listen).is_err() {
            skipped("needs IPv6");
            continue;
        }
        let place = Place::new();
        let Some(terminal) = OnTerminal::listening(&place, listen) else { return };
        let shown = terminal.shown();
        let port = terminal.logged("listening=").rsplit_once(':').unwrap().1.to_owned();
        let urls = shown.split_whitespace().filter_map(|word| word.strip_prefix("http://"));
        let addresses = urls.filter_map(|url| url.parse::<SocketAddr>().ok());
        let ours: Vec<SocketAddr> = addresses.filter(|address| address.port().to_string() == port).collect();
        for address in &ours {
            let mut connection = Connection::open(*address).unwrap_or_else(|error| panic!("{address}: {error}"));
            connection.call("GET", "/livez", &[], None).unwrap().expect(200);
        }
        // Whichever loopback answers is shown: at `[::]` that may be both.
        for loopback in ["127.0.0.1", "[::1]"] {
            let address: SocketAddr = format!("{loopback}:{port}").parse().unwrap();
            assert_eq!(ours.contains(&address), Connection::open(address).is_ok(), "{address}: {shown}");
        }
        assert!(!shown.contains("http://0.0.0.0") && !shown.contains("http://[::]"), "{shown}");
        terminal.stop();
    }
}

#[test]
fn colour_is_for_terminals_whose_owner_did_not_decline_it() {
    if Command::new("script").arg("--version").output().is_err() {
        return skipped("needs `script` of util-linux for a terminal");
    }
    let coloured = |variable: &str| {
        let line = format!("{} --help", env!("CARGO_BIN_EXE_perennial"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR").env("TERM", "xterm").env(variable, "1");
        Output::of(&mut command).stdout.contains('\x1b')
    };
    assert!(coloured("ANYTHING") && !coloured("NO_COLOR"));
}
