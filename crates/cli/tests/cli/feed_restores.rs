//! A store that was restored to an earlier state: what readers of the feed and webhook endpoints get from it.

use crate::backups::with_key_of;
use crate::support::{Caller, Output, PATIENCE, Place, Received, Receiver, Server, eventually};
use serde_json::{Value, json};

fn serve(place: &Place) -> Server {
    Server::start(place.serve_command().env("PERENNIAL_WEBHOOKS_PRIVATE_NETWORKS", "127.0.0.0/8"))
}

/// Creates a plan, and returns the end of the feed after it.
#[track_caller]
fn create_plan(caller: &Caller, slug: &str) -> String {
    let plan = json!({ "name": slug, "slug": slug, "price": 19.9, "billing_cycle": "monthly" });
    caller.post("/subscription-plans", &plan).expect(201);
    eventually(PATIENCE, "the event of a plan", || {
        let page = caller.get("/events?type=plan.*&limit=200").expect(200).json();
        let is_placed = page["data"].as_array()?.iter().any(|event| event["data"]["slug"] == slug);
        is_placed.then(|| page["page"]["next_cursor"].as_str().unwrap().to_owned())
    })
}

fn slugs<'a>(events: impl IntoIterator<Item = &'a Value>) -> Vec<&'a str> {
    events.into_iter().map(|event| event["data"]["slug"].as_str().unwrap()).collect()
}

/// The store as it is, to be restored later: a backup, or on PostgreSQL a copy of the database. No server is running.
fn saved(place: &Place) -> Place {
    if let Some(copy) = place.copied() {
        return copy;
    }
    place.run(&["backup", "create", "yesterday.db"]).succeeded();
    let restored = with_key_of(place);
    restored.run(&["backup", "restore", place.path().join("yesterday.db").to_str().unwrap()]).succeeded();
    restored
}

#[test]
fn after_a_restore_later_cursors_are_gone_earlier_ones_continue_and_webhooks_go_on() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let server = serve(&place);
    let client_id = place.first("trusted_client_id");
    let caller = server.caller(&client_id);
    let early = create_plan(&caller, "first");
    let endpoint = json!({ "url": receiver.url(), "types": ["plan.*"] });
    caller.post("/webhook-endpoints", &endpoint).expect(201);
    create_plan(&caller, "second");
    receiver.wait_for(1);
    server.stop("TERM");
    let yesterday = saved(&place);

    let server = serve(&place);
    let caller = server.caller(&client_id);
    let late = create_plan(&caller, "lost");
    let lost = receiver.wait_for(2)[1].event();
    server.stop("TERM");

    // The database of today is gone; that of yesterday is served, and other things happen.
    let server = serve(&yesterday);
    let caller = server.caller(&client_id);
    let gone = |cursor: &str| caller.get(&format!("/events?wait=25&cursor={cursor}")).expect(410).json();
    assert_eq!((&gone(&late)["code"], &gone(&late)["restored"]), (&json!("cursor_gone"), &json!(true)));
    create_plan(&caller, "other");
    // Also if the feed has an event at that position again.
    create_plan(&caller, "another");
    let problem = gone(&late);
    assert_eq!((&problem["restored"], problem["oldest"].is_string()), (&json!(true), true), "{problem}");
    caller.get(&format!("/events/{}", lost["id"].as_str().unwrap())).expect(404);

    let page = caller.get(&format!("/events?type=plan.*&cursor={early}")).expect(200).json();
    let read = page["data"].as_array().unwrap();
    assert_eq!(slugs(read), ["second", "other", "another"]);
    assert!(read.is_sorted_by_key(|event| event["sequence"].as_u64().unwrap()));

    // The endpoint continues after the last event that it had received by yesterday.
    let mut events: Vec<Value> = receiver.wait_for(4).iter().map(Received::event).collect();
    // Different records are sent at the same time.
    events[2..].sort_by_key(|event| event["sequence"].as_u64());
    assert_eq!(slugs(&events), ["second", "lost", "other", "another"]);
    assert_eq!(events[2..], read[1..]);
    assert!(events[2..].iter().all(|event| event["id"] != lost["id"]), "an ID is never used again");

    // A program that stores its position ends with the reason.
    let state = json!({ "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "cursor": late });
    std::fs::write(yesterday.path().join("perennial-listen.json"), state.to_string()).unwrap();
    let mut listen = yesterday.program();
    listen.args(["listen", "--forward-to", &receiver.url()]).env("PERENNIAL_CLIENT_ID", &client_id);
    let output = Output::of(listen.env("PERENNIAL_URL", format!("http://{}", server.address)));
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains("restored to an earlier state"), "{}", output.stderr);
}
