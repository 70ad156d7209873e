//! `perennial listen`: the feed of a real server, forwarded to a real receiver.

use crate::support::{Output, PATIENCE, Place, Receiver, Setting, eventually, masked, signal, snapshot};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

const STATE: &str = "perennial-listen.json";

/// The command, with the client and the server of a setting.
fn command(setting: &Setting, receiver: &Receiver, flags: &[&str]) -> Command {
    let mut command = setting.place.program();
    command.args(["listen", "--forward-to", &receiver.url()]).args(flags);
    command.env("PERENNIAL_URL", format!("http://{}", setting.server.address));
    command.env("PERENNIAL_CLIENT_ID", &setting.caller.client_id);
    command
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal and returns what was printed.
#[track_caller]
fn stop(child: Child, name: &str) -> Output {
    signal(child.id(), name);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Output { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn state(place: &Place) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(place.path().join(STATE)).ok()?).ok()
}

/// Waits until the position is stored that a later position differs from.
#[track_caller]
fn cursor_after(place: &Place, before: Option<&str>) -> String {
    eventually(PATIENCE, "a stored cursor", || {
        let cursor = state(place)?["cursor"].as_str()?.to_owned();
        (Some(cursor.as_str()) != before).then_some(cursor)
    })
}

fn create_plan(setting: &Setting, slug: &str) {
    let plan = json!({ "name": slug, "slug": slug, "price": 19.9, "billing_cycle": "monthly" });
    setting.caller.post("/subscription-plans", &plan).expect(201);
}

fn slugs(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["data"]["slug"].as_str().unwrap()).collect()
}

#[test]
fn events_are_forwarded_in_order_until_they_are_accepted_and_a_restart_continues() {
    let setting = Setting::new();
    let receiver = Receiver::start(&[204, 500, 302, 200]);
    let child = start(&mut command(&setting, &receiver, &["--types", "plan.*"]));
    let newest = cursor_after(&setting.place, None);
    create_plan(&setting, "first");
    create_plan(&setting, "second");
    let secret = state(&setting.place).unwrap()["secret"].as_str().unwrap().to_owned();
    // The plan of the setting is older than the newest event. A redirect is a failure.
    let requests = receiver.wait_for(4);
    let events: Vec<Value> = requests.iter().map(|one| one.verified(&secret)).collect();
    assert_eq!(slugs(&events), ["first", "second", "second", "second"]);
    let feed = setting.caller.all_events();
    assert_eq!(events[0], feed[feed.len() - 2], "the body is the event of the feed");
    assert!(feed.contains(&events[1]) && events[1] == events[3]);
    let mode = std::fs::metadata(setting.place.path().join(STATE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let first = cursor_after(&setting.place, Some(&newest));
    let stored = eventually(PATIENCE, "the second position", || {
        let now = cursor_after(&setting.place, Some(&newest));
        let next = setting.caller.get(&format!("/events?cursor={now}")).json();
        (next["data"] == json!([])).then_some(now)
    });
    assert!(!first.is_empty());
    let output = stop(child, "INT");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let lines = masked(&output.stdout).lines().map(without_duration).collect::<Vec<_>>().join("\n");
    snapshot("listen", &format!("{lines}\n"));

    // What happens while it is stopped arrives after the restart, signed with the same secret.
    create_plan(&setting, "third");
    let child = start(&mut command(&setting, &receiver, &["--types", "plan.*", "--since", "1h"]));
    let requests = receiver.wait_for(5);
    assert_eq!(slugs(&[requests[4].verified(&secret)]), ["third"]);
    cursor_after(&setting.place, Some(&stored));
    let output = stop(child, "TERM");
    assert_eq!((output.code, receiver.received().len()), (Some(0), 5), "{}", output.stderr);
    assert!(output.stderr.contains("--since is ignored"), "{}", output.stderr);
}

/// A line of an attempt without the time it took.
fn without_duration(line: &str) -> String {
    line.rsplit_once("  ").unwrap().0.to_owned()
}

#[test]
fn an_event_that_was_not_accepted_is_sent_again_after_a_restart() {
    let setting = Setting::new();
    let receiver = Receiver::start(&[503]);
    let flags = ["--since", "1h", "--types", "plan.created", "--json"];
    let child = start(&mut command(&setting, &receiver, &flags));
    receiver.wait_for(1);
    let output = stop(child, "INT");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    for line in output.stdout.lines() {
        let attempt: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&attempt["event_type"], &attempt["status"]), (&json!("plan.created"), &json!(503)));
    }
    let child = start(&mut command(&setting, &receiver, &flags));
    let requests = receiver.wait_for(2);
    assert_eq!(requests[0].event(), requests[1].event());
    assert_eq!(stop(child, "INT").code, Some(0));
}

#[test]
fn a_position_that_is_gone_is_an_error_with_a_remedy() {
    let setting = Setting::new();
    let receiver = Receiver::start(&[]);
    let child = start(&mut command(&setting, &receiver, &["--since", "1h", "--types", "plan.created"]));
    receiver.wait_for(1);
    cursor_after(&setting.place, None);
    assert_eq!(stop(child, "TERM").code, Some(0));
    create_plan(&setting, "later");
    setting.place.prune_events("9999-01-01T00:00:00Z").succeeded();
    let output = Output::of(&mut command(&setting, &receiver, &["--types", "plan.created"]));
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    let said = output.stderr.lines().last().unwrap();
    for part in ["error: the feed no longer continues", "pruned", "Read your records again", "`cursor`", STATE] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_cannot_work_is_refused_at_once() {
    let setting = Setting::new();
    let receiver = Receiver::start(&[]);
    let refused = |flags: &[&str], parts: &[&str]| {
        let output = Output::of(&mut command(&setting, &receiver, flags));
        assert_eq!(output.code, Some(1), "{}", output.stderr);
        for part in parts {
            assert!(output.stderr.contains(part), "{:?} does not say {part:?}", output.stderr);
        }
        assert!(!output.stderr.contains(&setting.caller.client_id));
    };
    refused(&["--since", "soon"], &["--since", "10m"]);
    refused(&["--api", "nowhere"], &["--api"]);
    refused(&["--types", "plan.eaten"], &["400", "invalid_parameter"]);
    refused(&["--client-id-file", "none"], &["none cannot be read"]);
    std::fs::write(setting.place.path().join("wrong-id"), "pk_wrong\n").unwrap();
    refused(&["--client-id-file", "wrong-id"], &["401"]);
    std::fs::write(setting.place.path().join("other.json"), "{}").unwrap();
    refused(&["--state", "other.json"], &["other.json is not a state file"]);
    let mut without = command(&setting, &receiver, &[]);
    let output = Output::of(without.env_remove("PERENNIAL_CLIENT_ID"));
    assert!(output.code == Some(1) && output.stderr.contains("PERENNIAL_CLIENT_ID"), "{}", output.stderr);
    let mut mailing = setting.place.program();
    mailing.args(["listen", "--forward-to", "mailto:ada@example.com"]).env("PERENNIAL_CLIENT_ID", "pk");
    let output = Output::of(&mut mailing);
    assert!(output.code == Some(1) && output.stderr.contains("--forward-to"), "{}", output.stderr);
    assert!(receiver.received().is_empty());
}
