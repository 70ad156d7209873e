//! A server is killed in the middle of enforced usage, again and again: no more is accepted than the quota, nothing that was
//! accepted is lost, and the answer about entitlements equals what is stored.

use crate::support::{Caller, Connection, Setting};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

const QUOTA: usize = 60;
const CALLS: usize = 120;
const WORKERS: usize = 4;
/// The number of responses after which a server is killed.
const KILLS: [usize; 3] = [11, 23, 37];

fn event(subscription: &Value, number: usize) -> Value {
    let event = json!({ "id": format!("e{number}"), "subscription_id": subscription, "meter": "calls" });
    json!({ "mode": "enforce", "events": [event] })
}

/// What the server answered: the events that it stored or knew, and whether it was alive to the end.
fn send_all(caller: &Caller, subscription: &Value, kill_after: Option<usize>, kill: &mpsc::Sender<()>) -> Vec<usize> {
    let (next, answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut accepted = Vec::new();
        let Ok(mut connection) = Connection::open(caller.address) else { return accepted };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= CALLS {
                return accepted;
            }
            let body = event(subscription, number);
            // A killed server answers nothing: whether the event is stored is unknown.
            let Ok(answer) = connection.call("POST", "/usage-events", &[&caller.header()], Some(&body)) else {
                return accepted;
            };
            match answer.status {
                200 => accepted.push(number),
                _ => assert_eq!(answer.json()["code"], "quota_exceeded", "{}", answer.json()),
            }
            if Some(answered.fetch_add(1, Ordering::Relaxed) + 1) == kill_after {
                let _ = kill.send(());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

#[test]
fn a_quota_holds_and_nothing_accepted_is_lost_when_the_server_is_killed() {
    let Setting { place, mut server, caller, user } = Setting::new();
    caller.post("/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "count" })).expect(201);
    let feature = json!({ "key": "api", "name": "API", "kind": "quota", "meter": "calls", "period": "ever" });
    caller.post("/features", &feature).expect(201);
    let grants = json!({ "entitlements": { "api": QUOTA } });
    caller.call("PUT", "/subscription-plans/pro", Some(&grants)).expect(200);
    let body = json!({ "user_id": user, "subscription_plan_id": "pro" });
    let subscription = caller.post("/subscriptions", &body).expect(201).data()["id"].clone();
    let mut accepted = BTreeSet::new();
    for after in KILLS {
        let caller = server.caller(caller.client_id.clone());
        let (kill, killed) = mpsc::channel();
        let found = std::thread::scope(|scope| {
            let sending = scope.spawn(|| send_all(&caller, &subscription, Some(after), &kill));
            killed.recv().unwrap();
            server.kill();
            sending.join().unwrap()
        });
        accepted.extend(found);
        server = place.serve();
    }
    // All again with the same IDs: what was accepted is a duplicate, and the rest fills the quota exactly.
    let caller = server.caller(caller.client_id);
    let (kill, _) = mpsc::channel();
    let known: BTreeSet<usize> = send_all(&caller, &subscription, None, &kill).into_iter().collect();
    assert!(known.is_superset(&accepted), "lost: {:?}", accepted.difference(&known).collect::<Vec<_>>());
    assert_eq!(known.len(), QUOTA, "exactly the quota is stored");
    let check = caller.get(&format!("/users/{user}/entitlements/api")).expect(200).data();
    assert_eq!((&check["used"], &check["remaining"]), (&json!(QUOTA), &json!(0)));
    let usage = caller.get(&format!("/subscriptions/{}/usage", subscription.as_str().unwrap())).expect(200).data();
    assert_eq!(usage["meters"][0]["quantity"], json!(QUOTA), "the total equals the stored events");
    let events = caller.all_events();
    let reached: Vec<&Value> = events.iter().filter(|event| event["type"] == "usage.threshold_reached").collect();
    let thresholds: Vec<&Value> = reached.iter().map(|event| &event["data"]["threshold"]).collect();
    assert_eq!(thresholds, [&json!(80), &json!(100)], "each threshold once");
}
