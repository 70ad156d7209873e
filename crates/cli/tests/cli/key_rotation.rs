//! Rotation of the master key with the program's own settings, step by step as docs/operate.md describes it.

use crate::doctor::Seen;
use crate::support::{Answer, MASTER_KEY, Output, Place, Server};
use serde_json::{Value, json};
use std::process::Command;

const NEW_KEY: &str = "ffeeddccbbaa99887766554433221100fedcba9876543210fedcba9876543210";

/// The settings of one step: the current key, and the variable with a second one.
#[derive(Clone, Copy)]
struct Step {
    current: &'static str,
    other: Option<(&'static str, &'static str)>,
}

const OLD_ONLY: Step = Step { current: MASTER_KEY, other: None };
const FIRST: Step = Step { current: MASTER_KEY, other: Some(("PERENNIAL_MASTER_KEY_NEXT", NEW_KEY)) };
const SECOND: Step = Step { current: NEW_KEY, other: Some(("PERENNIAL_MASTER_KEY_PREVIOUS", MASTER_KEY)) };
const THIRD: Step = Step { current: NEW_KEY, other: None };

impl Step {
    fn set(self, command: &mut Command) -> &mut Command {
        command.env("PERENNIAL_MASTER_KEY", self.current).envs(self.other)
    }

    #[track_caller]
    fn serve(self, place: &Place) -> Server {
        Server::start(self.set(&mut place.serve_command()))
    }

    fn try_to_serve(self, place: &Place) -> Output {
        Output::of(self.set(&mut place.serve_command()))
    }

    fn doctor(self, place: &Place) -> Seen {
        Seen::of(self.set(place.program().args(["doctor", "--json"])))
    }
}

#[track_caller]
fn post(server: &Server, client: &str, target: &str, body: &Value) -> Answer {
    server.caller(client).post(target, body)
}

/// Signs a user up and returns the refresh token.
#[track_caller]
fn sign_up(place: &Place, step: Step, server: &Server, client: &str, email: &str) -> String {
    let words = ["identity", "token", "--email", email, "--json"];
    let token = Output::of(step.set(place.program().args(words))).data()["token"].clone();
    let body = json!({ "access_token": token, "email": email });
    let data = post(server, client, "/authentication/sign-up", &body).expect(201).data();
    data["refresh_token"].as_str().unwrap().to_owned()
}

#[track_caller]
fn refresh(server: &Server, client: &str, token: &str) -> Answer {
    post(server, client, "/authentication/refresh-token", &json!({ "refresh_token": token }))
}

#[test]
fn a_rotation_step_by_step_keeps_sessions_and_ends_with_the_new_key_alone() {
    let place = Place::new();
    let server = OLD_ONLY.serve(&place);
    let client = place.first("trusted_client_id");
    let token = sign_up(&place, OLD_ONLY, &server, &client, "ada@example.com");
    let keys = server.get("/.well-known/jwks.json").expect(200).body;
    server.stop("TERM");

    THIRD.try_to_serve(&place).refused_with(&["another master key"]);
    FIRST.doctor(&place).says("key_rotation", "ok", &["0 of 1", "next"]);
    let server = FIRST.serve(&place);
    let token = refresh(&server, &client, &token).expect(200).data()["refresh_token"].as_str().unwrap().to_owned();
    server.stop("TERM");

    let before = SECOND.doctor(&place);
    before.says("key_rotation", "warning", &["1 of 1", "previous"]);
    let server = SECOND.serve(&place);
    assert_eq!(server.get("/.well-known/jwks.json").expect(200).body, keys);
    SECOND.doctor(&place).says("key_rotation", "ok", &["0 of 1", "previous"]);
    // The commands of an operator who still has the settings of the first step work as well.
    sign_up(&place, FIRST, &server, &client, "bob@example.com");
    let token = refresh(&server, &client, &token).expect(200).data()["refresh_token"].as_str().unwrap().to_owned();
    server.stop("TERM");

    OLD_ONLY.try_to_serve(&place).refused_with(&["another master key"]);
    let server = THIRD.serve(&place);
    refresh(&server, &client, &token).expect(200);
    assert_eq!(server.get("/.well-known/jwks.json").expect(200).body, keys);
    THIRD.doctor(&place).has_no_problem();
}

#[test]
fn two_rotations_at_once_are_refused() {
    let place = Place::new();
    let both = Output::of(SECOND.set(&mut place.serve_command()).env("PERENNIAL_MASTER_KEY_NEXT", MASTER_KEY));
    both.refused_with(&["next", "previous", "finish one rotation"]);
    let output = Output::of(OLD_ONLY.set(&mut place.serve_command()).env("PERENNIAL_MASTER_KEY_PREVIOUS", "canary"));
    assert!(!output.stderr.contains("canary"));
    output.refused_with(&["PERENNIAL_MASTER_KEY_PREVIOUS", "32 bytes"]);
}

#[test]
fn on_sqlite_the_keys_may_be_files_of_the_data_directory() {
    let place = Place::sqlite();
    drop(place.serve());
    let key = place.data().join("master.key");
    std::fs::rename(&key, place.data().join("master.key.previous")).unwrap();
    std::fs::write(&key, NEW_KEY).unwrap();
    drop(place.serve());
    std::fs::remove_file(place.data().join("master.key.previous")).unwrap();
    place.serve().wait_until_ready();
}

#[test]
fn a_server_without_the_key_of_a_signing_key_does_not_start() {
    let place = Place::new();
    drop(OLD_ONLY.serve(&place));
    // As if the old key had been removed before the servers had sealed everything again.
    let sealed = place.signing_key_seal();
    drop(SECOND.serve(&place));
    place.set_signing_key_seal(sealed);
    THIRD.try_to_serve(&place).refused_with(&["1 signing keys", "PERENNIAL_MASTER_KEY_PREVIOUS"]);
    THIRD.doctor(&place).has_one_problem("key_rotation", &["1 of 1", "PERENNIAL_MASTER_KEY_PREVIOUS"]);
    drop(SECOND.serve(&place));
    THIRD.serve(&place).wait_until_ready();
}
