//! `perennial config check`: all that is wrong, at once, each fault with its place.

use crate::support::{MASTER_KEY, Output, Place, Server, snapshot};

const WRONG: &str = "# ours
lissten = \"127.0.0.1:1\"
public_url = \"billing.example.com\"
trusted_proxies = [
  \"10.0.0.0/8\",
  \"proxy.example\",
]

[limits]
connections = 0
body = 1
json_depth = \"deep\"

[[providers]]
kind = \"saml\"
isuer = \"https://id.example.com\"
secret = 12345
";

fn with_file(text: &str, words: &[&str]) -> Output {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), text).unwrap();
    Output::of(place.program().args(["config", "check"]).args(words))
}

#[test]
fn a_right_configuration_is_called_right() {
    let said = with_file("listen = \"127.0.0.1:0\"\n", &[]).succeeded();
    snapshot("config-check", &said);
    let place = Place::sqlite();
    snapshot("config-check-no-file", &place.run(&["config", "check"]).succeeded());
    assert_eq!(place.json(&["config", "check"])["faults"], serde_json::json!([]));
    assert!(!place.data().exists(), "nothing was opened");
}

#[test]
fn all_faults_are_told_at_once_each_with_its_line() {
    let output = with_file(WRONG, &[]);
    assert_eq!(output.code, Some(1));
    snapshot("config-check-faults", &format!("{}{}", output.stdout, output.stderr));
    let places: Vec<&str> = output.stdout.lines().filter_map(|line| line.split_once(": ")).map(|pair| pair.0).collect();
    let expected = [2, 3, 4, 10, 11, 12, 15, 16, 17].map(|line| format!("perennial.toml:{line}"));
    assert_eq!(places, expected, "{}", output.stdout);
    assert!(!output.stdout.contains("12345"), "{}", output.stdout);

    let output = with_file(WRONG, &["--json"]);
    let data: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(data["data"]["faults"].as_array().unwrap().len(), expected.len());
    assert_eq!(data["data"]["faults"][0]["place"]["line"], 2);
}

#[test]
fn a_server_tells_the_first_fault_and_how_many_there_are() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), WRONG).unwrap();
    let words = ["line 2", "`lissten`", "`listen`", "`perennial config check` reports 8 more"];
    Output::of(&mut place.serve_command()).refused_with(&words);
    assert!(!place.data().exists());
}

#[test]
fn secrets_and_providers_are_looked_at_too() {
    let place = Place::sqlite();
    let file = "[[providers]]\nkind = \"oidc\"\nissuer = \"https://a.example.com\"\naudience = [\"app\"]\n\n\
                [[providers]]\nkind = \"jwt_secret\"\nissuer = \"https://b.example.com\"\naudience = [\"app\"]\n\
                secret_file = \"missing\"\n\n\
                [[providers]]\npreset = \"google\"\n";
    std::fs::write(place.path().join("perennial.toml"), file).unwrap();
    let mut command = place.program();
    command.env("PERENNIAL_MASTER_KEY", "hunter2").env("PERENNIAL_BOOTSTRAP_CLIENT_ID", "hunter2");
    command.env("PERENNIAL_LOG", "=loud=").args(["config", "check"]);
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(1));
    assert!(!output.stdout.contains("hunter2"), "{}", output.stdout);
    snapshot("config-check-secrets", &format!("{}{}", output.stdout, output.stderr));
    for part in
        ["PERENNIAL_MASTER_KEY", "PERENNIAL_BOOTSTRAP_CLIENT_ID", "PERENNIAL_LOG", "perennial.toml:7: provider 2"]
    {
        assert!(output.stdout.contains(part), "{}", output.stdout);
    }
}

#[test]
fn a_variable_that_nothing_reads_is_told_if_it_is_nearly_ours() {
    let place = Place::sqlite();
    let mut command = place.program();
    command.env("PERENNIAL_LISTN", "127.0.0.1:1").env("PERENNIAL_SERVICE_HOST", "10.0.0.1").args(["config", "check"]);
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stdout, "PERENNIAL_LISTN: nothing reads this; did you mean PERENNIAL_LISTEN?\n");
    Output::of(command.env_remove("PERENNIAL_LISTN")).succeeded();
    let server = Server::start(place.serve_command().env("PERENNIAL_LISTN", "127.0.0.1:1"));
    let logs = server.logs();
    assert!(logs.lines().any(|line| line.contains("WARN") && line.contains("PERENNIAL_LISTN: ")), "{logs}");
}

#[test]
fn a_database_needs_a_key_that_is_given() {
    let place = Place::sqlite();
    let mut command = place.program();
    command.args(["config", "check", "--database-url", "postgres://u@h/d"]);
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("PERENNIAL_MASTER_KEY"), "{}", output.stdout);
    Output::of(command.env("PERENNIAL_MASTER_KEY", MASTER_KEY)).succeeded();
}

#[test]
fn a_file_that_is_not_there_or_no_text_is_a_fault() {
    let place = Place::sqlite();
    let output = place.run(&["config", "check", "--config", "missing.toml"]);
    assert!(output.code == Some(1) && output.stdout.contains("missing.toml cannot be read"), "{}", output.stdout);
    std::fs::write(place.path().join("perennial.toml"), b"listen = \"\xff\"").unwrap();
    let output = place.run(&["config", "check"]);
    assert!(output.code == Some(1) && output.stdout.contains("perennial.toml cannot be read"), "{}", output.stdout);
}
