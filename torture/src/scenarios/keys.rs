//! R6: sixteen concurrent POSTs with one key create one row and return identical responses.
//! On PostgreSQL the sixteen are spread over two servers, which share nothing but the database. A request that
//! got 503 is sent again with the same key.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use perennial_harness::{Response, Server};
use serde_json::json;

use crate::concurrent_callers::{ConcurrentCallers, Post};
use crate::failure::Result;
use crate::home::{self, Home, TRUSTED};
use crate::rows;
use crate::scenario::{Measured, Run};
use crate::threads;

const CALLERS: usize = 16;
/// Keys in use at the same time.
const GROUPS: usize = 4;
const PLAN: &str = "keyed";

const ROWS: &str = "SELECT COUNT(*) FROM subscriptions";
const EVENTS: &str = "SELECT COUNT(*) FROM events WHERE kind = 'subscription.created'";
const KEYS: &str = "SELECT COUNT(*) FROM idempotency_keys";

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let keys = run.size.choose(50, 1_000, 10_000);
    let home = Home::new(run)?;
    let servers = home.serve_all()?;
    home::create_plan(&servers[0], PLAN)?;
    let user = home.user("keyed@example.com")?;
    let addresses: Vec<SocketAddr> = servers.iter().map(Server::address).collect();

    let tallies = std::thread::scope(|scope| {
        let (addresses, user) = (&addresses, &user);
        let group = |number| scope.spawn(move || ask(addresses, user, (number..keys).step_by(GROUPS)));
        let groups: Vec<_> = (0..GROUPS).map(group).collect();
        threads::join(groups)
    })?;
    let total = |scenario: fn(&Tally) -> usize| tallies.iter().map(scenario).sum::<usize>();
    let refusals: BTreeSet<&str> = tallies.iter().flat_map(|tally| &tally.refusals).map(String::as_str).collect();
    let refusals = refusals.into_iter().collect::<Vec<_>>().join(", ");
    let exactly = |what: &str, count: usize| Measured::new(what, count, keys.to_string(), count == keys);
    Ok(vec![
        exactly("rows, one for each key", rows::count(&home, ROWS)?),
        exactly("events of their making", rows::count(&home, EVENTS)?),
        exactly("keys stored", rows::count(&home, KEYS)?),
        exactly("responses that made the row", total(|tally| tally.fresh)),
        Measured::none("keys whose 16 responses differ", total(|tally| tally.differing)),
        Measured::none("responses other than 201", total(|tally| tally.refused)),
        Measured::new("  which", format!("[{refusals}]"), "none", refusals.is_empty()),
        Measured::new("refused with 503, and sent again", total(|tally| tally.refused_at_first), "any", true),
    ])
}

#[derive(Default)]
struct Tally {
    fresh: usize,
    differing: usize,
    refused: usize,
    /// The status and code of each kind of them.
    refusals: BTreeSet<String>,
    refused_at_first: usize,
}

impl Tally {
    fn take(&mut self, responses: &[Response]) {
        let refused = || responses.iter().filter(|response| response.status != 201);
        self.refused += refused().count();
        self.refusals.extend(refused().map(|response| format!("{} {}", response.status, response.code())));
        self.fresh += responses.iter().filter(|response| response.header("idempotency-replayed").is_none()).count();
        let compared = |response: &Response| {
            let header = |name| response.header(name).map(str::to_owned);
            (response.status, response.body.clone(), header("location"), header("etag"))
        };
        self.differing += usize::from(responses.iter().any(|response| compared(response) != compared(&responses[0])));
    }
}

fn ask(servers: &[SocketAddr], user: &str, numbers: impl Iterator<Item = usize>) -> Result<Tally> {
    let mut callers = ConcurrentCallers::open(servers, CALLERS)?;
    let mut tally = Tally::default();
    for number in numbers {
        let key = format!("key-{number}");
        let body = json!({ "user_id": user, "subscription_plan_id": PLAN }).to_string();
        let post = Post { target: "/subscriptions", headers: vec![TRUSTED, ("idempotency-key", &key)], body: &body };
        let posts = vec![post; CALLERS];
        tally.take(&callers.send_all(&posts)?);
    }
    Ok(Tally { refused_at_first: callers.refused(), ..tally })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &str, replayed: bool) -> Response {
        let replayed = replayed.then(|| ("idempotency-replayed".to_owned(), "true".to_owned()));
        Response { status, headers: replayed.into_iter().collect(), body: body.into() }
    }

    #[test]
    fn one_answer_that_differs_is_enough() {
        let mut tally = Tally::default();
        tally.take(&[response(201, "a", false), response(201, "a", true)]);
        assert_eq!((tally.fresh, tally.differing, tally.refused), (1, 0, 0));
        tally.take(&[response(201, "a", false), response(201, "b", false), response(409, "a", true)]);
        assert_eq!((tally.fresh, tally.differing, tally.refused), (3, 1, 1));
    }
}
