//! How it behaves, and what it was asked.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// What happens to a payment intent when it is confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Card {
    /// The money is taken.
    #[default]
    Good,
    /// A bank debit, which takes days.
    Slow,
    /// The bank declines: status 402.
    Declined,
    /// The customer would have to confirm.
    NeedsAction,
}

/// What goes wrong with one request that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request is lost: nothing happens, and there is no response.
    LoseRequest,
    /// It is done, and the response is lost.
    LoseResponse,
    /// Status 500, and nothing happens.
    FailBefore,
    /// It is done, and the response is status 500, also for each repetition.
    FailAfter,
}

/// Everything that can be configured.
#[derive(Clone, Debug)]
pub struct Behavior {
    /// The status of every response. None: as it should be.
    pub outage: Option<u16>,
    /// Requests per minute; the others get 429 with this many seconds to wait. None: no limit.
    pub retry_after: Option<u64>,
    /// How many requests still succeed before 429.
    pub allowed: usize,
    /// The objects on a page.
    pub page_size: usize,
    /// Whether every connection is closed without a response.
    pub drops: bool,
    /// Requests whose text contains this are received and wait for their response until it is removed. The text is
    /// `METHOD path query`.
    pub stall: Option<String>,
    /// What happens to intents.
    pub card: Card,
    /// What happens to intents of these payment methods.
    pub cards: BTreeMap<String, Card>,
    /// What goes wrong with the next requests that write. None: nothing.
    pub faults: VecDeque<Option<Fault>>,
    /// The key that requests must have.
    pub api_key: Option<String>,
    /// Paths that the key may not read.
    pub forbidden: Vec<String>,
    /// Whether intents cannot be canceled, because they succeed at that moment.
    pub cancel_fails: bool,
    /// The time that it puts into what it creates, in seconds since 1970.
    pub now: i64,
    /// The milliseconds that each response takes.
    pub delay_millis: u64,
}

impl Default for Behavior {
    fn default() -> Self {
        Self {
            outage: None,
            retry_after: None,
            allowed: usize::MAX,
            page_size: 100,
            drops: false,
            stall: None,
            card: Card::Good,
            cards: BTreeMap::new(),
            faults: VecDeque::new(),
            api_key: None,
            forbidden: Vec::new(),
            cancel_fails: false,
            now: 1_767_225_600,
            delay_millis: 0,
        }
    }
}

/// A request that it received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The query, decoded.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The form, decoded.
    pub form: Vec<(String, String)>,
    /// When it was received.
    pub at: Instant,
}

impl Seen {
    /// The method, the path and the query, as [`Behavior::stall`] compares them.
    pub fn line(&self) -> String {
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {} {}", self.method, self.path, query.join("&"))
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// A field of the form.
    pub fn field(&self, name: &str) -> Option<&str> {
        find(&self.form, name)
    }

    /// A parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}
