//! The reader of the feed: it stores its cursor after every page, and continues with it on any server that responds.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::home::TRUSTED;
use crate::killed_servers::Addresses;
use crate::threads;

const PAUSE: Duration = Duration::from_millis(5);
/// How long the last events may take after the writers have finished.
const LIMIT: Duration = Duration::from_mins(1);

/// An event as the feed returned it.
pub(super) struct Read {
    pub(super) id: String,
    pub(super) sequence: u64,
    pub(super) record: String,
    /// What the write has left in the record, as JSON.
    pub(super) mark: String,
}

pub(super) struct Reader {
    addresses: Addresses,
    cursor: Option<String>,
    read: Vec<Read>,
    pages: usize,
    failed: usize,
}

impl Reader {
    pub(super) fn new(addresses: Addresses) -> Self {
        Self { addresses, cursor: None, read: Vec::new(), pages: 0, failed: 0 }
    }

    pub(super) fn read(&self) -> &[Read] {
        &self.read
    }

    pub(super) fn pages(&self) -> usize {
        self.pages
    }

    pub(super) fn failed(&self) -> usize {
        self.failed
    }

    /// Reads until the writers have finished and the feed has nothing more.
    pub(super) fn follow(mut self, is_over: &AtomicBool) -> Result<Self> {
        let mut deadline = None;
        loop {
            let was_over = is_over.load(Relaxed);
            let at_end = self.follow_a_server(is_over)?;
            if was_over && at_end {
                return Ok(self);
            }
            if was_over && Instant::now() > *deadline.get_or_insert_with(|| Instant::now() + LIMIT) {
                return Err(Failure::new("the feed did not end after the last write"));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Reads from one server until it fails, or, after the last write, until an empty page: then true.
    fn follow_a_server(&mut self, is_over: &AtomicBool) -> Result<bool> {
        let addresses = threads::lock(&self.addresses).clone();
        let Ok(mut connection) = Connection::open(addresses[self.pages % addresses.len()]) else {
            self.failed += 1;
            return Ok(false);
        };
        loop {
            let was_over = is_over.load(Relaxed);
            let target = match &self.cursor {
                Some(cursor) => format!("/events?limit=200&wait=1&cursor={cursor}"),
                None => "/events?limit=200&wait=1".to_owned(),
            };
            let response = connection.call("GET", &target, &[TRUSTED], None);
            let Some(response) = response.ok().filter(|response| response.status != 503) else {
                self.failed += 1;
                return Ok(false);
            };
            let events = self.take(&response)?;
            if was_over && events == 0 {
                return Ok(true);
            }
        }
    }

    fn take(&mut self, response: &Response) -> Result<usize> {
        let page = response.json();
        let (Some(events), Some(cursor)) = (page["data"].as_array(), page["page"]["next_cursor"].as_str()) else {
            return Err(Failure::new(format!("the feed returned {} {page}", response.status)));
        };
        self.cursor = Some(cursor.to_owned());
        self.pages += 1;
        self.read.extend(events.iter().map(read));
        Ok(events.len())
    }
}

fn read(event: &Value) -> Read {
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let data = &event["data"];
    let is_payment = text("record_id").starts_with("pay_");
    let mark = if is_payment { &data["amount"] } else { &data["renews_at"] };
    Read {
        id: text("id"),
        sequence: event["sequence"].as_u64().unwrap_or_default(),
        record: text("record_id"),
        mark: mark.to_string(),
    }
}
