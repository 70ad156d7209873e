//! A client that creates one subscription after another, opens a new connection when the server closes the old one, and
//! ends when the server no longer accepts connections.

use std::io;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};
use serde_json::json;

use super::ledger::{Entry, Moment, Outcome};
use super::{PLAN, Round};
use crate::failure::{Failure, Result};
use crate::home::TRUSTED;

/// No round takes this long.
const LIMIT: Duration = Duration::from_mins(1);

pub(super) fn work(round: &Round<'_>, client: usize) -> Result<Vec<Entry>> {
    let deadline = Instant::now() + LIMIT;
    let mut entries = Vec::new();
    while let Ok(mut connection) = Connection::open(round.address) {
        loop {
            if Instant::now() > deadline {
                return Err(Failure::new("the server neither answered for a minute nor ended"));
            }
            let external = format!("{}-{client}-{}", round.number, entries.len());
            let body = body(round, &external);
            let sent = connection.send("POST", "/subscriptions", &[TRUSTED], Some(&body));
            let moment = if round.signal.get().is_none() { Moment::Sent } else { Moment::After };
            let response = sent.and_then(|()| connection.receive("POST"));
            let closes = response.as_ref().map_or(true, Response::closes);
            entries.push(Entry { external, moment, outcome: outcome(&response, &connection) });
            if closes {
                break;
            }
        }
    }
    Ok(entries)
}

pub(super) fn body(round: &Round<'_>, external: &str) -> String {
    json!({ "user_id": round.user, "subscription_plan_id": PLAN, "external_subscription_id": external }).to_string()
}

pub(super) fn outcome(response: &io::Result<Response>, connection: &Connection) -> Outcome {
    match response {
        Ok(response) if response.status == 201 => Outcome::Created,
        Ok(response) => Outcome::Refused(response.status, response.code()),
        Err(_) if connection.has_received() => Outcome::Half,
        Err(error) => Outcome::Silent(error.to_string()),
    }
}
