//! The secrets of providers: sealed in the store under the servers' own key, and nowhere else.

use crate::support::{MASTER_KEY, Output, Place, Server};
use perennial_store::Sql;
use std::io::Write;
use std::process::Stdio;

const CANARY: &str = "canary-0123456789-0123456789-0123456789";
const OTHER_KEY: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
const ADD: [&str; 8] =
    ["provider", "add", "--kind", "jwt_secret", "--issuer", "https://id.example.com", "--audience", "app"];

static SEALED: Sql = Sql::new("SELECT COUNT(*) FROM providers WHERE length(sealed_secret) > 40");
static PROVIDERS: Sql = Sql::new("SELECT COUNT(*) FROM providers");
/// The canary as text anywhere in the rows, and as bytes where it should only be sealed.
static TOLD: Sql = Sql::split(
    "SELECT (SELECT COUNT(*) FROM events WHERE COALESCE(before, '') || COALESCE(after, '') LIKE '%canary%')
          + (SELECT COUNT(*) FROM providers WHERE settings LIKE '%canary%' OR instr(sealed_secret, CAST('canary' AS BLOB)) > 0)",
    "SELECT (SELECT COUNT(*) FROM events WHERE COALESCE(before, '') || COALESCE(after, '') LIKE '%canary%')
          + (SELECT COUNT(*) FROM providers WHERE settings LIKE '%canary%' OR position('canary'::bytea IN sealed_secret) > 0)",
);
static SWAP: Sql = Sql::new("UPDATE providers SET issuer = 'https://evil.example.com'");

fn with_secret(place: &Place, words: &[&str]) -> Output {
    std::fs::write(place.path().join("secret"), format!("{CANARY}\n")).unwrap();
    Output::of(place.program().args(ADD).args(["--secret-file", "secret"]).args(words))
}

#[test]
fn a_secret_is_in_no_file_log_list_event_or_message() {
    let place = Place::new();
    let server = Server::start(place.serve_command().env("PERENNIAL_LOG", "trace"));
    let mut said = vec![with_secret(&place, &["--json"]).data().to_string()];
    said.push(with_secret(&place, &[]).refused());
    for words in [
        &["provider", "list", "--json"][..],
        &["provider", "list"],
        &["provider", "check"],
        &["events", "list", "--json"],
    ] {
        said.push(place.run(words).succeeded());
    }
    assert_eq!((place.number(&SEALED), place.number(&TOLD)), (1, 0));
    said.push(place.run(&["provider", "remove", "https://id.example.com", "--json"]).succeeded());
    said.push(with_secret(&place, &["--algorithm", "RS256"]).refused());
    said.push(with_secret(&place, &["--json"]).succeeded());
    said.push(server.logs());
    for text in said {
        assert!(!text.contains("canary"), "{text}");
    }
    server.stop("TERM");
    for entry in std::fs::read_dir(place.data()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"canary"), "{}", path.display());
    }
}

#[test]
fn a_secret_may_come_from_standard_input() {
    let place = Place::new();
    let _server = place.serve();
    let mut command = place.program();
    command.args(ADD).args(["--secret-file", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(CANARY.as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let text = place.run(&["provider", "check"]).succeeded();
    assert!(text.contains("the secret opens and is long enough"), "{text}");
    place.run(&[&ADD[..], &["--secret-file", "missing"]].concat()).refused_with(&["missing", "cannot be read"]);
}

#[test]
fn a_secret_is_sealed_with_the_servers_key_or_not_at_all() {
    let place = Place::new();
    let _server = place.serve();
    std::fs::write(place.path().join("secret"), CANARY).unwrap();
    let add = |key: Option<&str>| {
        let mut command = place.program();
        command.env_remove("PERENNIAL_MASTER_KEY").args(ADD).args(["--secret-file", "secret"]);
        if let Some(key) = key {
            command.env("PERENNIAL_MASTER_KEY", key);
        }
        Output::of(&mut command)
    };
    add(Some(OTHER_KEY)).refused_with(&["another master key"]);
    let file = place.data().join("master.key");
    let key = std::fs::read_to_string(&file).unwrap_or_else(|_| MASTER_KEY.to_owned());
    if file.exists() {
        std::fs::remove_file(&file).unwrap();
    }
    add(None).refused_with(&["master key", "PERENNIAL_MASTER_KEY_FILE"]);
    assert_eq!(place.number(&PROVIDERS), 0);
    add(Some(key.trim())).succeeded();

    let check = |key: Option<&str>| {
        let mut command = place.program();
        command.env_remove("PERENNIAL_MASTER_KEY").args(["provider", "check"]);
        command.envs(key.map(|key| ("PERENNIAL_MASTER_KEY", key)));
        Output::of(&mut command)
    };
    let without = check(None);
    assert_eq!(without.code, Some(1));
    assert!(without.stdout.contains("give this command the master key"), "{}", without.stdout);
    check(Some(OTHER_KEY)).refused_with(&["another master key"]);
    check(Some(key.trim())).succeeded();
    // A provider without a secret needs no key.
    let words = ["provider", "add", "--preset", "google", "--audience", "app"];
    Output::of(place.program().env_remove("PERENNIAL_MASTER_KEY").args(words)).succeeded();
}

#[test]
fn a_secret_moved_behind_another_issuer_does_not_open() {
    let place = Place::new();
    let _server = place.serve();
    with_secret(&place, &[]).succeeded();
    place.tamper(&SWAP);
    let output = place.run(&["provider", "check"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("does not open"), "{}", output.stdout);
}
