//! A caller that sends each request once and keeps in mind what the response promised.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};
use serde_json::json;

use crate::failure::{Failure, Result};
use crate::home::TRUSTED;
use crate::ledger::{Entry, Operation, Outcome};
use crate::responses::{Responses, Then, call};

pub(crate) const PAYMENTS: &str = "/subscription-payments";
/// The refusals that promise that nothing was changed; the others, such as `outcome_unknown`, promise nothing.
const PROMISES: [&str; 3] = ["overloaded", "shutting_down", "storage_unavailable"];
const PAUSE: Duration = Duration::from_millis(20);
const LIMIT: Duration = Duration::from_mins(2);

pub(crate) struct Caller<'a> {
    address: SocketAddr,
    connection: Option<Connection>,
    responses: &'a Responses,
    pub(crate) entries: Vec<Entry>,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(address: SocketAddr, responses: &'a Responses) -> Self {
        Self { address, connection: None, responses, entries: Vec::new() }
    }

    /// One request. After a refusal it waits a moment, as a client does.
    pub(crate) fn send(
        &mut self,
        method: &str,
        target: &str,
        key: Option<&str>,
        body: Option<&str>,
    ) -> (Outcome, Option<Response>) {
        let key = key.map(|key| ("idempotency-key", key));
        let headers: Vec<_> = [TRUSTED].into_iter().chain(key).collect();
        let (was_away, start) = (self.responses.is_away(), Instant::now());
        let response = call(&mut self.connection, self.address, |open| open.call(method, target, &headers, body));
        match (self.responses.judge(was_away, &response, start.elapsed()), response) {
            (Then::Done, response) => (Outcome::Acknowledged, response.ok()),
            (Then::Again, Ok(response)) if PROMISES.contains(&response.code().as_str()) => {
                std::thread::sleep(PAUSE);
                (Outcome::Refused, Some(response))
            }
            // A response that must not occur allows no conclusion.
            (Then::Again | Then::Wrong, response) => {
                std::thread::sleep(PAUSE);
                (Outcome::Unknown, response.ok())
            }
        }
    }

    /// Creates a payment of `number` units; returns its id if that was acknowledged.
    pub(crate) fn create(&mut self, subscription: &str, number: u64, key: Option<&str>) -> Option<String> {
        let body = json!({ "subscription_id": subscription, "amount": number, "currency": "USD" }).to_string();
        let (outcome, response) = self.send("POST", PAYMENTS, key, Some(&body));
        self.entries.push(Entry { operation: Operation::Created, number, outcome });
        let response = response.filter(|_| outcome == Outcome::Acknowledged)?;
        response.data()["id"].as_str().map(str::to_owned)
    }

    /// Creates a payment with a key, sent again until it is acknowledged or `is_over`.
    pub(crate) fn insist(&mut self, subscription: &str, number: u64, is_over: impl Fn() -> bool) -> Option<String> {
        let key = format!("payment-{number}");
        let deadline = Instant::now() + LIMIT;
        let mut attempts = 0_usize;
        loop {
            let created = self.create(subscription, number, Some(&key));
            attempts += 1;
            if created.is_some() || is_over() || Instant::now() > deadline {
                // With a key only the sum of all attempts counts; one that was unknown may have been the one.
                let ours = self.entries.len() - attempts;
                let outcome = match created {
                    Some(_) => Outcome::Acknowledged,
                    None => Outcome::Unknown,
                };
                self.entries.truncate(ours);
                self.entries.push(Entry { operation: Operation::Created, number, outcome });
                return created;
            }
        }
    }

    /// Gives a payment another amount.
    pub(crate) fn change(&mut self, payment: &str, number: u64) -> Outcome {
        let body = json!({ "amount": number }).to_string();
        self.change_to(&format!("{PAYMENTS}/{payment}"), payment, number, &body)
    }

    /// Gives a subscription another external id.
    pub(crate) fn rename(&mut self, subscription: &str, number: u64) -> Outcome {
        let body = json!({ "external_subscription_id": format!("n{number}") }).to_string();
        self.change_to(&format!("/subscriptions/{subscription}"), subscription, number, &body)
    }

    fn change_to(&mut self, target: &str, record: &str, number: u64, body: &str) -> Outcome {
        let (outcome, _) = self.send("PUT", target, None, Some(body));
        self.entries.push(Entry { operation: Operation::Changed(record.to_owned()), number, outcome });
        outcome
    }
}

/// A subscription; returns its id.
pub(crate) fn create_subscription(address: SocketAddr, user: &str, plan: &str) -> Result<String> {
    let body = json!({ "user_id": user, "subscription_plan_id": plan }).to_string();
    let response = Connection::open(address)
        .and_then(|mut connection| connection.call("POST", "/subscriptions", &[TRUSTED], Some(&body)))
        .map_err(crate::failure::could_not("create a subscription"))?;
    let id = response.data()["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::new(format!("a subscription was refused: {}", response.json())))
}
