//! The incident section of docs/operate.md: its commands run in a shell as they are written, and have the effects it names.

use crate::records::sign_up;
use crate::support::{Output, Setting};
use perennial_harness::readme;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;

const PAGE: &str = include_str!("../../../../docs/operate.md");
const HEADING: &str = "Incidents: what to type when …";

/// The file of identities in the section.
fn identities() -> &'static str {
    let section = PAGE.split(HEADING).nth(1).unwrap();
    section.split("```csv\n").nth(1).unwrap().split("```").next().unwrap()
}

/// The users, clients and tenant that the section names.
fn furnished() -> Setting {
    let setting = Setting::new();
    let place = &setting.place;
    for email in ["mallory@example.com", "grace@example.com"] {
        sign_up(place, &setting.server, email);
    }
    place.json(&["client", "create", "--name", "billing", "--kind", "trusted", "--scope", "plans:read"]);
    place.json(&["client", "create", "--name", "web", "--kind", "public", "--scope", "auth"]);
    place.json(&["org", "create", "--name", "acme"]);
    std::fs::write(place.path().join("identities.csv"), identities()).unwrap();
    setting
}

fn shell(setting: &Setting, script: &str) -> Output {
    let place = &setting.place;
    let bin = place.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_perennial"), bin.join("perennial")).unwrap();
    let mut command = Command::new("sh");
    command.args(["-e", "-c", script]).current_dir(place.path()).env_clear();
    let program = place.program();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Output::of(command.env("PATH", readme::path_with(&bin)))
}

#[test]
fn the_commands_of_the_incident_section_do_what_it_says() {
    let setting = furnished();
    let place = &setting.place;
    let script = readme::commands(PAGE, HEADING);
    assert!(script.lines().filter(|line| line.starts_with("perennial ")).count() >= 15, "{script}");
    let output = shell(&setting, &script);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{}", output.stdout);
    let events = place.json(&["events", "list", "--limit", "200"]);
    let kinds: BTreeSet<&str> =
        events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    for kind in [
        "session.revoked",
        "client.updated",
        "user.blocked",
        "user.unblocked",
        "user.deleted",
        "user.relinked",
        "organization.keys_rotated",
    ] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
    let ada = place.json(&["user", "get", "ada@example.com"]);
    assert_eq!(
        (&ada["auth_provider"], &ada["auth_id"], &ada["is_blocked"]),
        (&json!("https://login.example.com"), &json!("auth0|65a1b2c3d4"), &json!(false))
    );
    place.run(&["user", "get", "grace@example.com"]).refused_with(&["no user"]);
    assert_eq!(place.json(&["org", "list"]).as_array().unwrap().len(), 1);
    let clients = place.json(&["client", "list"]);
    let billing = clients.as_array().unwrap().iter().find(|client| client["name"] == "billing").unwrap();
    assert_eq!(
        (&billing["scopes"], &billing["cidrs"], &billing["disabled_at"], &billing["expires_at"]),
        (
            &json!(["plans:read", "subscriptions:read"]),
            &json!(["10.0.0.0/8"]),
            &Value::Null,
            &json!("2099-01-01T00:00:00.000000Z")
        )
    );
}
