//! A server that is frozen for longer than its lease: another one delivers in its place, and when it wakes it changes
//! nothing. Each server is frozen once, so that one of them held the lease.

use std::time::Duration;

use perennial_harness::Server;
use serde_json::json;

use super::receiver::Receiver;
use super::{Found, REPEATS, post, undelivered, wait_for};
use crate::failure::{Failure, Result};
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run};

const PLANS: usize = 50;
const POSITION: &str = "SELECT COALESCE(MAX(sequence), 0) FROM webhook_readers";
/// How long the server that woke is observed.
const OBSERVED: Duration = Duration::from_secs(3);

pub(super) fn run(run: &Run, home: &Home, servers: &[Server], receiver: &Receiver) -> Result<Vec<Measured>> {
    let frozen_for = Duration::from_secs(run.size.choose(20, 20, 60));
    let (mut backwards, mut expected) = (0, 0);
    let before = Found::of(&receiver.arrivals());
    for (number, frozen) in servers.iter().enumerate() {
        let other = &servers[(number + 1) % servers.len()];
        if !frozen.signal("STOP") {
            return Err(Failure::new("a server could not be frozen"));
        }
        create_plans(other, number, "frozen")?;
        expected += PLANS;
        std::thread::sleep(frozen_for);
        wait_for(receiver, before.events + expected)?;
        let position = rows::count(home, POSITION)?;
        frozen.signal("CONT");
        std::thread::sleep(OBSERVED);
        backwards += usize::from(rows::count(home, POSITION)? < position);
        create_plans(other, number, "awake")?;
        expected += PLANS;
        wait_for(receiver, before.events + expected)?;
    }
    let after = Found::of(&receiver.arrivals());
    let (arrived, repeats) = (after.events - before.events, after.repeats - before.repeats);
    let most = REPEATS * servers.len();
    Ok(vec![
        Measured::at_least("servers frozen for longer than their lease", servers.len(), 2),
        Measured::none("events during the freeze and after it that did not arrive", expected.abs_diff(arrived)),
        Measured::new("events that arrived again", repeats, format!("<= {most}"), repeats <= most),
        Measured::none("positions that went back", backwards),
        Measured::none("undelivered rows of events that arrived", undelivered(home)?),
    ])
}

fn create_plans(server: &Server, number: usize, when: &str) -> Result {
    (0..PLANS).try_for_each(|at| {
        let slug = format!("{when}-{number}-{at}");
        let body = json!({ "name": slug, "slug": slug, "price": 10, "billing_cycle": "monthly" });
        post(server.address(), "/subscription-plans", &body)
    })
}
