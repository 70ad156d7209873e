//! A subscription as the checker sees it, two numbers, and everything that was asked of it.
//! Its external id and its renewal are free text and a free instant: they can hold a unique number.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use perennial_harness::{Connection, Response};
use serde_json::{Value as Json, json};

use super::servers::Servers;
use super::{OPERATIONS, PLAN};
use crate::failure::{Failure, Result, could_not};
use crate::home::TRUSTED;
use crate::linearizable::{Operation, Outcome, Value};

/// What it is created as.
pub(crate) const INITIAL: Value = [0, 0];

pub(crate) struct Record {
    pub(crate) number: usize,
    pub(crate) path: String,
}

impl Record {
    pub(crate) fn create(servers: &Servers<'_>, user: &str, number: usize) -> Result<Self> {
        let mut body = fields(number, INITIAL.map(Some));
        body["user_id"] = json!(user);
        body["subscription_plan_id"] = json!(PLAN);
        let response = Connection::open(servers.address(0))
            .and_then(|mut connection| connection.call("POST", "/subscriptions", &[TRUSTED], Some(&body.to_string())))
            .map_err(could_not("create a subscription"))?;
        match response.header("location") {
            Some(path) if response.status == 201 => Ok(Self { number, path: path.to_owned() }),
            _ => Err(Failure::new(format!("a subscription was refused: {}", response.json()))),
        }
    }

    pub(crate) fn body(&self, set: [Option<u32>; 2]) -> String {
        fields(self.number, set).to_string()
    }

    /// What a response shows, with its tag; nothing if it is not ours.
    pub(crate) fn shown(&self, response: &Response) -> Option<(Value, String)> {
        let data = response.data();
        let external = data["external_subscription_id"].as_str()?.strip_prefix(&format!("{}-", self.number))?;
        let renewal = data["renews_at"].as_str()?.strip_prefix(RENEWAL)?.strip_suffix('Z')?;
        Some(([external.parse().ok()?, renewal.parse().ok()?], response.header("etag")?.to_owned()))
    }
}

/// What the number of microseconds is written after.
const RENEWAL: &str = "2100-01-01T00:00:00.";

fn fields(record: usize, set: [Option<u32>; 2]) -> Json {
    let mut body = json!({});
    if let Some(number) = set[0] {
        body["external_subscription_id"] = json!(format!("{record}-{number}"));
    }
    if let Some(number) = set[1] {
        body["renews_at"] = json!(format!("{RENEWAL}{number:06}Z"));
    }
    body
}

/// An operation and what the checker does not need to know: who was asked, and the words of the response.
pub(crate) struct Entry {
    pub(crate) operation: Operation,
    pub(crate) server: usize,
    pub(crate) tag: Option<String>,
    pub(crate) said: String,
    /// A response that no client should ever get.
    pub(crate) is_wrong: bool,
}

/// All that happened to one record, gathered by all its clients.
pub(crate) struct History {
    pub(crate) record: Record,
    begun: AtomicU32,
    entries: Mutex<Vec<Entry>>,
}

impl History {
    pub(crate) fn new(record: Record) -> Self {
        Self { record, begun: AtomicU32::new(0), entries: Mutex::default() }
    }

    /// The number of the next operation, from 1, while there are any.
    pub(crate) fn next(&self) -> Option<u32> {
        let number = self.begun.fetch_add(1, Relaxed) + 1;
        (number as usize <= OPERATIONS).then_some(number)
    }

    pub(crate) fn add(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often a tag stood for two values, or a value had two tags: every change makes one revision, and only one.
pub(crate) fn ambiguous_tags(entries: &[Entry]) -> usize {
    let (mut values, mut tags) = (HashMap::new(), HashMap::new());
    let mut ambiguous = 0;
    for entry in entries {
        if let (Some(tag), Outcome::Saw(value)) = (&entry.tag, entry.operation.outcome) {
            let same_value = *values.entry(tag).or_insert(value) == value;
            let same_tag = *tags.entry(value).or_insert(tag) == tag;
            ambiguous += usize::from(!(same_value && same_tag));
        }
    }
    ambiguous
}
