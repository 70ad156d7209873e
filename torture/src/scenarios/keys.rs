//! R6: sixteen concurrent POSTs with one key create one row and return identical responses.
//! On PostgreSQL the sixteen are spread over two servers, which share nothing but the database. A request that
//! got 503 is sent again with the same key.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use perennial_harness::{Answer, Server};
use serde_json::json;

use crate::crew::{Crew, Post};
use crate::failure::Result;
use crate::home::{self, Home, TRUSTED};
use crate::rows;
use crate::scenario::{Measured, Run};
use crate::threads;

const CALLERS: usize = 16;
/// Keys in use at the same time.
const CREWS: usize = 4;
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
        let crew = |number| scope.spawn(move || ask(addresses, user, (number..keys).step_by(CREWS)));
        let crews: Vec<_> = (0..CREWS).map(crew).collect();
        threads::join(crews)
    })?;
    let total = |scenario: fn(&Tally) -> usize| tallies.iter().map(scenario).sum::<usize>();
    let refusals: BTreeSet<&str> = tallies.iter().flat_map(|tally| &tally.refusals).map(String::as_str).collect();
    let refusals = refusals.into_iter().collect::<Vec<_>>().join(", ");
    let exactly = |what: &str, count: usize| Measured::new(what, count, keys.to_string(), count == keys);
    Ok(vec![
        exactly("rows, one for each key", rows::count(&home, ROWS)?),
        exactly("events of their making", rows::count(&home, EVENTS)?),
        exactly("keys stored", rows::count(&home, KEYS)?),
        exactly("answers that made the row", total(|tally| tally.fresh)),
        Measured::none("keys whose 16 answers differ", total(|tally| tally.differing)),
        Measured::none("answers other than 201", total(|tally| tally.refused)),
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
    fn take(&mut self, answers: &[Answer]) {
        let refused = || answers.iter().filter(|answer| answer.status != 201);
        self.refused += refused().count();
        self.refusals.extend(refused().map(|answer| format!("{} {}", answer.status, answer.code())));
        self.fresh += answers.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count();
        let told = |answer: &Answer| {
            let header = |name| answer.header(name).map(str::to_owned);
            (answer.status, answer.body.clone(), header("location"), header("etag"))
        };
        self.differing += usize::from(answers.iter().any(|answer| told(answer) != told(&answers[0])));
    }
}

fn ask(servers: &[SocketAddr], user: &str, numbers: impl Iterator<Item = usize>) -> Result<Tally> {
    let mut crew = Crew::open(servers, CALLERS)?;
    let mut tally = Tally::default();
    for number in numbers {
        let key = format!("key-{number}");
        let body = json!({ "user_id": user, "subscription_plan_id": PLAN }).to_string();
        let post = Post { target: "/subscriptions", headers: vec![TRUSTED, ("idempotency-key", &key)], body: &body };
        let posts = vec![post; CALLERS];
        tally.take(&crew.all(&posts)?);
    }
    Ok(Tally { refused_at_first: crew.refused(), ..tally })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str, replayed: bool) -> Answer {
        let replayed = replayed.then(|| ("idempotency-replayed".to_owned(), "true".to_owned()));
        Answer { status, headers: replayed.into_iter().collect(), body: body.into() }
    }

    #[test]
    fn one_answer_that_differs_is_enough() {
        let mut tally = Tally::default();
        tally.take(&[answer(201, "a", false), answer(201, "a", true)]);
        assert_eq!((tally.fresh, tally.differing, tally.refused), (1, 0, 0));
        tally.take(&[answer(201, "a", false), answer(201, "b", false), answer(409, "a", true)]);
        assert_eq!((tally.fresh, tally.differing, tally.refused), (3, 1, 1));
    }
}
