//! A client of the proxy: it makes a subscription, changes it, and reads it after each step, wherever the proxy sends it.
//! What fails is sent again, the same request with the same key, until it is served.

use std::io;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};
use serde_json::{Value, json};

use super::PLAN;
use super::load::{Kind, Load, Outcomes, Record};
use crate::failure::{Failure, Result, could_not};
use crate::home::TRUSTED;

/// How long a request may fail, again and again.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);
const CHANGES: usize = 3;

struct Client<'a> {
    load: &'a Load,
    connection: Connection,
    outcomes: Outcomes,
}

/// A request that is to be served.
struct Wanted<'a> {
    kind: Kind,
    method: &'a str,
    target: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: Option<String>,
}

pub(super) fn work(load: &Load, number: usize) -> Result<Outcomes> {
    let connection = open(load)?;
    let mut client = Client { load, connection, outcomes: Outcomes::default() };
    for turn in 0.. {
        if load.is_over() {
            break;
        }
        client.one_life(format!("c{number}-{turn}"))?;
    }
    Ok(client.outcomes)
}

impl Client<'_> {
    fn one_life(&mut self, external: String) -> Result {
        let body = json!({
            "user_id": self.load.user,
            "subscription_plan_id": PLAN,
            "external_subscription_id": external,
            "renews_at": renewal(0),
        });
        let created = self.until_served(&Wanted {
            kind: Kind::Create,
            method: "POST",
            target: "/subscriptions",
            headers: &[TRUSTED, ("idempotency-key", &external)],
            body: Some(body.to_string()),
        })?;
        let id = created.data()["id"].as_str().unwrap_or_default().to_owned();
        let target = format!("/subscriptions/{id}");
        self.outcomes.records.push(Record { external, changes: 0 });
        self.read(&target, 0)?;
        for change in 1..=CHANGES {
            let body = Some(json!({ "renews_at": renewal(change) }).to_string());
            let put = Wanted { kind: Kind::Change, method: "PUT", target: &target, headers: &[TRUSTED], body };
            self.until_served(&put)?;
            if let Some(record) = self.outcomes.records.last_mut() {
                record.changes = change;
            }
            self.read(&target, change)?;
        }
        Ok(())
    }

    fn read(&mut self, target: &str, changes: usize) -> Result {
        let get = Wanted { kind: Kind::Read, method: "GET", target, headers: &[TRUSTED], body: None };
        let shown = self.until_served(&get)?.data();
        if shown["renews_at"] != renewal(changes) {
            self.outcomes.stale(format!("{target} shows {} after change {changes}", shown["renews_at"]));
        }
        Ok(())
    }

    fn until_served(&mut self, wanted: &Wanted<'_>) -> Result<Response> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let Wanted { kind, method, target, headers, body } = wanted;
            let response = self.connection.call(method, target, headers, body.as_deref());
            if response.as_ref().map_or(true, Response::closes) {
                self.connection = open(self.load)?;
            }
            // A request belongs to the time in which it ended: one that is on its way when a server is killed may fail of it.
            let phase = self.load.phase();
            match outcome(response) {
                Ok(response) => {
                    self.outcomes.served(phase, *kind);
                    return Ok(response);
                }
                Err(how) => self.outcomes.failed(phase, *kind, &how),
            }
            if Instant::now() > deadline {
                return Err(Failure::new(format!("{method} {target} was not served within {PATIENCE:?}")));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn outcome(response: io::Result<Response>) -> std::result::Result<Response, String> {
    let response = response.map_err(|error| error.to_string())?;
    match response.status {
        200 | 201 => Ok(response),
        status => Err(format!("{status} {}", response.code())),
    }
}

fn open(load: &Load) -> Result<Connection> {
    Connection::open(load.proxy).map_err(could_not("connect to the proxy"))
}

/// What a change leads to, so that sending it twice changes nothing twice.
fn renewal(change: usize) -> Value {
    json!(format!("2090-01-01T00:00:{change:02}.000000Z"))
}
