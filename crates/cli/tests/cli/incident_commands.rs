//! The commands for incidents: what they refuse, what they print, and how they are confirmed.

use crate::records::sign_up;
use crate::support::{Output, PATIENCE, Place, Setting, eventually};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

const ISSUER: &str = "urn:perennial:local";

fn file(place: &Place, name: &str, text: &str) -> String {
    let path = place.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_file_with_faults_is_refused_with_their_lines_and_changes_nothing() {
    let setting = Setting::new();
    let place = &setting.place;
    place.json(&["user", "create", "--email", "bob@example.com"]);
    let text = format!(
        "user,issuer,subject\nada@example.com,{ISSUER},one\nnobody@example.com,{ISSUER},two\n\nnonsense,{ISSUER},three\n\
         bob@example.com,https://typo.example.com,four\nbob@example.com,{ISSUER},\nbob@example.com\n"
    );
    let csv = file(place, "identities.csv", &text);
    let events = place.events();
    let Output { code, stdout, stderr } = place.run(&["user", "relink", "--file", &csv]);
    assert_eq!(code, Some(1), "{stdout}");
    let expected = [
        "identities.csv:3: the organization has no such user",
        "identities.csv:5: user must be an id",
        "identities.csv:6: \"https://typo.example.com\" is not an identity provider",
        "identities.csv:7: subject ",
        "identities.csv:8: the header names 3 columns, this line has 1",
    ];
    assert_eq!(stdout.lines().count(), expected.len(), "{stdout}");
    for (line, part) in stdout.lines().zip(expected) {
        assert!(line.contains(part), "{line:?} does not say {part:?}");
    }
    assert!(stderr.contains("5 faults in 6 lines, and nothing was changed"), "{stderr}");
    assert_eq!(place.events(), events);
    let Output { code, stdout, .. } = place.run(&["user", "relink", "--file", &csv, "--json"]);
    let reported: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &reported["data"]["faults"][0]["line"]), (Some(1), &json!(3)));
    let headless = file(place, "headless.csv", "ada@example.com,x,y\n");
    place.run(&["user", "relink", "--file", &headless]).refused_with(&["user, issuer and subject"]);
}

#[test]
fn both_forms_of_a_file_relink_and_twice_is_the_same_as_once() {
    let setting = Setting::new();
    let place = &setting.place;
    let line = json!({ "user": setting.user, "issuer": ISSUER, "subject": "one, \"two\"" });
    let ndjson = file(place, "identities.ndjson", &format!("{line}\n"));
    let csv = file(
        place,
        "identities.csv",
        &format!("subject,user,issuer\r\n\"one, \"\"two\"\"\",ada@example.com,{ISSUER}\r\n"),
    );
    let dry = place.json(&["user", "relink", "--file", &ndjson, "--dry-run"]);
    assert_eq!(dry, json!({ "dry_run": true, "relinked": 1, "unchanged": 0, "faults": [] }));
    assert_eq!(place.json(&["user", "get", "ada@example.com"])["auth_id"], Value::Null);
    assert_eq!(place.json(&["user", "relink", "--file", &ndjson])["relinked"], 1);
    assert_eq!(place.json(&["user", "relink", "--file", &csv])["unchanged"], 1);
    assert_eq!(place.json(&["user", "get", "ada@example.com"])["auth_id"], "one, \"two\"");
    let single = ["user", "relink", "--user", "ada@example.com", "--subject", "42", "--issuer"];
    place.run(&[&single[..], &["https://typo.example.com"]].concat()).refused_with(&["typo", "nothing was changed"]);
    let other = [&single[..], &["https://soon.example.com", "--allow-unknown-issuer"]].concat();
    assert_eq!(place.json(&other)["relinked"], 1);
    let Output { code, .. } = place.run(&["user", "relink", "--user", "ada@example.com"]);
    assert_eq!(code, Some(2), "an identity is needed");
}

#[test]
fn an_organization_is_deleted_once_its_name_is_typed() {
    let setting = Setting::new();
    let place = &setting.place;
    let acme = place.json(&["org", "create", "--name", "acme"]);
    let made = place.json(&[
        "client",
        "create",
        "--name",
        "api",
        "--kind",
        "trusted",
        "--scope",
        "plans:read",
        "--org",
        "acme",
    ]);
    let caller = setting.server.caller(made["client_id"].as_str().unwrap());
    caller.get("/subscription-plans").expect(200);
    for (typed, is_deleted) in [("", false), ("acm\n", false), ("acme\n", true)] {
        let mut command = place.program();
        command.args(["org", "delete", "acme"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.success(), is_deleted, "{typed:?}: {output:?}");
    }
    assert_eq!(place.json(&["org", "list"]).as_array().unwrap().len(), 1);
    place.run(&["client", "list", "--org", "acme"]).refused_with(&["no organization"]);
    let id = acme["id"].as_str().unwrap();
    place.run(&["client", "list", "--org", id]).refused_with(&["no organization"]);
    let events = place.json(&["events", "list", "--org", id]);
    assert_eq!((events.as_array().unwrap().len(), &events[0]["type"]), (1, &json!("organization.deleted")));
    assert_eq!(events[0]["data"]["name"], "acme");
    // A server remembers a client for less than five seconds.
    eventually(PATIENCE, "the client's end", || (caller.get("/subscription-plans").status == 401).then_some(()));
    place.run(&["org", "delete", "nowhere", "--yes"]).refused_with(&["\"nowhere\""]);
    // The name is free.
    place.json(&["org", "create", "--name", "acme"]);
}

#[test]
fn a_client_is_changed_and_enabled_and_what_its_kind_cannot_hold_is_refused() {
    let setting = Setting::new();
    let place = &setting.place;
    let before = place.json(&["client", "list"]);
    let public = before.as_array().unwrap().iter().find(|client| client["kind"] == "public").unwrap().clone();
    let events = place.events();
    let same: Vec<&str> = public["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    assert_eq!(place.json(&["client", "update", "public", "--scope", &same.join(",")]), public);
    assert_eq!(place.events(), events, "nothing changed, nothing is written");
    let changed = place.json(&["client", "update", "public", "--scope", "plans:read", "--no-origins"]);
    assert_eq!((&changed["scopes"], &changed["origins"]), (&json!(["plans:read"]), &json!([])));
    assert_eq!(place.json(&["events", "list"])[0]["type"], "client.updated");
    place.run(&["client", "update", "public", "--cidr", "10.0.0.0/8"]).refused_with(&["--cidr"]);
    place.run(&["client", "update", "public", "--scope", "plans:write"]).refused_with(&["plans:write"]);
    place.run(&["client", "update", "trusted", "--expires-at", "soon"]).refused_with(&["--expires-at"]);
    assert_eq!(place.run(&["client", "update", "public"]).code, Some(2), "something must change");
    assert_eq!(place.run(&["client", "update", "trusted", "--cidr", "::/0", "--no-cidrs"]).code, Some(2));
    assert!(place.json(&["client", "disable", "public"])["disabled_at"].is_string());
    assert_eq!(place.json(&["client", "enable", "public"])["disabled_at"], Value::Null);
    let limited = place.json(&["client", "update", "trusted", "--expires-at", "2099-01-01T00:00:00Z"]);
    assert_eq!(limited["expires_at"], "2099-01-01T00:00:00.000000Z");
    assert_eq!(place.json(&["client", "update", "trusted", "--no-expiry"])["expires_at"], Value::Null);
}

#[test]
fn sessions_are_revoked_and_users_blocked_next_to_a_running_server() {
    let setting = Setting::new();
    let place = &setting.place;
    sign_up(place, &setting.server, "bob@example.com");
    let session = place.json(&["session", "list", "--user", "bob@example.com"])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(place.json(&["session", "revoke", &session]), json!({ "session_id": session, "revoked": 1 }));
    assert_eq!(place.json(&["session", "revoke", &session])["revoked"], 0);
    assert_eq!(place.json(&["session", "revoke", "--email", "bob@example.com"])["revoked"], 0);
    assert_eq!(place.json(&["user", "block", "bob@example.com"])["is_blocked"], true);
    assert_eq!(place.json(&["user", "get", "bob@example.com"])["is_blocked"], true);
    assert_eq!(place.json(&["user", "unblock", "bob@example.com"])["is_blocked"], false);
    let erased = place.json(&["user", "erase", "ada@example.com"]);
    assert_eq!(erased, json!({ "user_id": setting.user, "sessions_ended": 0, "subscriptions_cancelled": 0 }));
    for words in [&["user", "block", "ada@example.com"][..], &["session", "revoke", "--user", "ada@example.com"]] {
        place.run(words).refused_with(&["no user"]);
    }
    assert_eq!(place.run(&["session", "revoke"]).code, Some(2));
}
