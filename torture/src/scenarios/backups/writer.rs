//! One of the writers: it creates and changes subscriptions, one write after another, until it is stopped.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use perennial_harness::{Connection, Response, SeededRandom};
use serde_json::json;

use super::journal::Journal;
use crate::failure::{Result, could_not};
use crate::home::TRUSTED;

pub(super) const PLAN: &str = "permanent";
const PAUSE: Duration = Duration::from_millis(10);

pub(super) struct Writer<'a> {
    number: usize,
    random: SeededRandom,
    user: &'a str,
    journal: &'a Journal,
    /// Of each record, its id and its mark.
    records: Vec<(String, u32)>,
}

/// The name under which a record is found again.
pub(super) fn external(writer: usize, record: usize) -> String {
    format!("w{writer}-{record}")
}

impl<'a> Writer<'a> {
    pub(super) fn new(number: usize, random: SeededRandom, user: &'a str, journal: &'a Journal) -> Self {
        Self { number, random, user, journal, records: Vec::new() }
    }

    /// Writes until it is over; returns how many writes were refused.
    pub(super) fn work(&mut self, address: SocketAddr, over: &AtomicBool) -> Result<usize> {
        let mut connection = Connection::open(address).map_err(could_not("connect to the server"))?;
        let mut refused = 0;
        while !over.load(Relaxed) {
            // Two of three are new records.
            let record = match self.records.len() {
                0 => 0,
                count if self.random.between(0, 2) < 2 => count,
                count => self.random.index(count),
            };
            let mark = self.records.get(record).map_or(0, |(_, mark)| mark + 1);
            self.journal.send(record, mark);
            let response = loop {
                let response = self.send(&mut connection, record, mark).map_err(could_not("write"))?;
                // The response allows a retry, and the key or the target value prevents a second effect.
                if response.status != 503 {
                    break response;
                }
                std::thread::sleep(PAUSE);
            };
            if !matches!(response.status, 200 | 201) {
                refused += 1;
                continue;
            }
            self.journal.acknowledge(record, mark);
            match self.records.get_mut(record) {
                Some((_, known)) => *known = mark,
                None => self.records.push((response.data()["id"].as_str().unwrap_or_default().to_owned(), mark)),
            }
        }
        Ok(refused)
    }

    fn send(&self, connection: &mut Connection, record: usize, mark: u32) -> std::io::Result<Response> {
        // A change carries the value it leads to.
        let (hours, minutes, seconds) = (mark / 3_600, mark / 60 % 60, mark % 60);
        let renews = format!("2090-01-01T{hours:02}:{minutes:02}:{seconds:02}.000000Z");
        if let Some((id, _)) = self.records.get(record) {
            let body = json!({ "renews_at": renews }).to_string();
            return connection.call("PUT", &format!("/subscriptions/{id}"), &[TRUSTED], Some(&body));
        }
        let external = external(self.number, record);
        let body = json!({
            "user_id": self.user, "subscription_plan_id": PLAN,
            "external_subscription_id": external, "renews_at": renews,
        });
        let headers = [TRUSTED, ("idempotency-key", external.as_str())];
        connection.call("POST", "/subscriptions", &headers, Some(&body.to_string()))
    }
}
