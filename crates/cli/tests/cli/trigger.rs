//! `perennial trigger`: a sample of every type, signed, and an exit code that scripts can use.

use crate::support::{Place, Receiver, masked, snapshot};
use perennial_domain::events::EventKind;
use serde_json::Value;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn every_type_has_a_sample_that_arrives_signed() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("secret"), format!("{SECRET}\n")).unwrap();
    let receiver = Receiver::start(&[]);
    let types: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).chain(["webhook.ping"]).collect();
    for (at, name) in types.iter().enumerate() {
        let said = place.run(&["trigger", name, "--to", &receiver.url(), "--secret-file", "secret"]).succeeded();
        assert!(said.starts_with(name) && said.contains("  204  "), "{said}");
        let event = receiver.received()[at].verified(SECRET);
        assert_eq!((&event["type"], &event["test"]), (&Value::from(*name), &Value::from(true)));
        if *name == "payment.created" {
            snapshot("trigger", &format!("{}\n", masked(said.trim_end().rsplit_once("  ").unwrap().0)));
        }
    }
    assert!(!place.data().exists(), "no store is opened");
}

#[test]
fn without_a_secret_it_uses_and_creates_the_one_of_listen() {
    let place = Place::sqlite();
    let receiver = Receiver::start(&[]);
    for _ in 0..2 {
        place.run(&["trigger", "webhook.ping", "--to", &receiver.url()]).succeeded();
    }
    let text = std::fs::read_to_string(place.path().join("perennial-listen.json")).unwrap();
    let state: Value = serde_json::from_str(&text).unwrap();
    let requests = receiver.received();
    let ids: Vec<Value> =
        requests.iter().map(|one| one.verified(state["secret"].as_str().unwrap())["id"].take()).collect();
    assert!(ids[0] != ids[1] && state["cursor"].is_null());
}

#[test]
fn what_is_not_accepted_exits_with_1() {
    let place = Place::sqlite();
    let receiver = Receiver::start(&[500, 301]);
    for status in ["500", "301"] {
        place.run(&["trigger", "plan.created", "--to", &receiver.url()]).refused_with(&["plan.created", status]);
    }
    place.run(&["trigger", "plan.created", "--to", "http://127.0.0.1:1/"]).refused_with(&["no connection"]);
    place.run(&["trigger", "plan.creates", "--to", &receiver.url()]).refused_with(&["plan.creates", "plan.created"]);
    place.run(&["trigger", "plan.created", "--to", "nowhere"]).refused_with(&["--to", "nowhere"]);
    std::fs::write(place.path().join("secret"), "hunter2").unwrap();
    let words = ["trigger", "plan.created", "--to", &receiver.url(), "--secret-file", "secret"];
    let sentence = place.run(&words).refused();
    assert!(sentence.contains("whsec_") && !sentence.contains("hunter2"), "{sentence}");
    assert_eq!(receiver.received().len(), 2);
}
