//! The feed while the clocks of servers differ: the order is that of the commits, and a reader misses nothing.

use perennial_testkit::TestApp;
use serde_json::{Value, json};
use std::collections::HashMap;

const SKEW_SECONDS: i64 = 5;
const CHAINS: usize = 4;
const STEPS: usize = 30;

/// Three servers, one of them five seconds ahead and one behind. SQLite has one server, whose clock steps instead.
struct Servers(Vec<TestApp>);

impl Servers {
    async fn start() -> Self {
        let mut servers = vec![TestApp::start().await];
        for seconds in [SKEW_SECONDS, -SKEW_SECONDS] {
            let other = servers[0].second_server_with_clock(seconds).await;
            servers.extend(other);
        }
        Self(servers)
    }

    /// The server of a chain's n-th step: another one than that of the step before.
    fn at(&self, chain: usize, step: usize) -> &TestApp {
        if let [only] = self.0.as_slice() {
            only.advance(if (chain + step).is_multiple_of(2) { SKEW_SECONDS } else { -SKEW_SECONDS });
        }
        &self.0[(chain + step) % self.0.len()]
    }
}

/// Makes one change after another, each on another server than the one before: new plans, and changes of the last plan.
async fn write(servers: &Servers, chain: usize) {
    let mut target = String::new();
    for step in 0..STEPS {
        let (app, mark) = (servers.at(chain, step), json!({ "description": format!("{chain} {step}") }));
        if step % 3 == 0 {
            let plan = app.plan(&format!("c{chain}-{step}"), mark).await;
            target = format!("/subscription-plans/{}", plan["id"].as_str().unwrap());
        } else {
            app.put(&target, &mark).await.expect(200);
        }
    }
}

/// Follows the feed with its cursor, each page from another server.
async fn follow(servers: &Servers) -> Vec<Value> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    for page in 0..10_000 {
        let target = format!("/events?type=plan.*&limit=7&wait=1{cursor}");
        let answer = servers.0[page % servers.0.len()].get(&target).await.expect(200).json;
        events.extend(answer["data"].as_array().unwrap().clone());
        if events.len() >= CHAINS * STEPS {
            break;
        }
        cursor = format!("&cursor={}", answer["page"]["next_cursor"].as_str().unwrap());
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feed_has_the_order_of_commits_although_clocks_differ_by_five_seconds() {
    let servers = Servers::start().await;
    let (events, ..) =
        tokio::join!(follow(&servers), write(&servers, 0), write(&servers, 1), write(&servers, 2), write(&servers, 3));
    let number = |event: &Value| event["sequence"].as_i64().unwrap();
    assert!(events.is_sorted_by(|one, next| number(one) < number(next)), "a position appeared behind a reader");
    let mut chains: HashMap<&str, Vec<usize>> = HashMap::new();
    for event in &events {
        let (chain, step) = event["data"]["description"].as_str().unwrap().split_once(' ').unwrap();
        chains.entry(chain).or_default().push(step.parse().unwrap());
    }
    assert_eq!(chains.len(), CHAINS);
    for (chain, steps) in chains {
        // A change that was decided after another one was committed comes after it, of whichever record.
        assert!(steps.iter().copied().eq(0..STEPS), "chain {chain}: {steps:?}");
    }
    // Read again from the beginning, the feed is the same.
    assert_eq!(follow(&servers).await, events);
    // The IDs alone would have another order: they are of the clocks.
    let ids: Vec<&str> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert!(!ids.is_sorted(), "the clocks did not differ");
}
