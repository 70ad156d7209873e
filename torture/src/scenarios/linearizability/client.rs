//! One client of one record: sends requests, records responses and times, and continues after a kill as a new client.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response, SeededRandom};

use super::record::{Entry, History};
use super::servers::Servers;
use crate::home::TRUSTED;
use crate::linearizable::{Action, NEVER, Operation, Outcome, Value};

/// Refusals that promise that nothing was changed.
const WITHOUT_EFFECT: [&str; 4] = ["contended", "overloaded", "shutting_down", "storage_unavailable"];
const PAUSE: Duration = Duration::from_millis(2);
/// Of what a client was shown, it remembers this much: now and then it expects something old.
const MEMORY: usize = 4;

pub(crate) struct Client<'a> {
    number: u16,
    history: &'a History,
    servers: &'a Servers<'a>,
    start: Instant,
    random: SeededRandom,
    connections: Vec<Option<Open>>,
    /// The newest last.
    shown: Vec<(Value, String)>,
}

/// A connection to a server, while it is at this address.
struct Open {
    server: usize,
    address: SocketAddr,
    connection: Connection,
}

impl<'a> Client<'a> {
    pub(crate) fn new(
        number: u16,
        history: &'a History,
        servers: &'a Servers<'a>,
        start: Instant,
        random: SeededRandom,
    ) -> Self {
        let connections = (0..servers.count()).map(|_| None).collect();
        Self { number, history, servers, start, random, connections, shown: Vec::new() }
    }

    /// Works until the history is long enough or everything is called off.
    pub(crate) fn work(mut self, done: &AtomicUsize, stopped: &AtomicBool) {
        while let Some(number) = self.history.next().filter(|_| !stopped.load(Relaxed)) {
            let (action, tag) = self.choose(number);
            let Some(open) = self.open(stopped) else { return };
            self.ask(open, action, tag.as_deref());
            done.fetch_add(1, Relaxed);
        }
    }

    /// Reads once more.
    pub(crate) fn look(mut self, stopped: &AtomicBool) {
        if let Some(open) = self.open(stopped) {
            self.ask(open, Action::Read, None);
        }
    }

    /// Half of the operations read; of the writes half expect what was shown last, or something older.
    fn choose(&mut self, number: u32) -> (Action, Option<String>) {
        if self.random.percent(50) {
            return (Action::Read, None);
        }
        let some = Some(number);
        let set = [[some, None], [None, some], [some, some]][self.random.index(3)];
        if self.shown.is_empty() || self.random.percent(50) {
            return (Action::Write { set, expecting: None }, None);
        }
        let newest = self.shown.len() - 1;
        let at = if self.random.percent(85) { newest } else { self.random.index(self.shown.len()) };
        let (expected, tag) = self.shown[at].clone();
        (Action::Write { set, expecting: Some(expected) }, Some(tag))
    }

    /// A connection to any of the servers, as soon as one of them takes it. Who is not connected asks nothing.
    fn open(&mut self, stopped: &AtomicBool) -> Option<Open> {
        loop {
            let server = self.random.index(self.servers.count());
            let address = self.servers.address(server);
            if let Some(open) = self.connections[server].take().filter(|open| open.address == address) {
                return Some(open);
            }
            match Connection::open(address) {
                Ok(connection) => return Some(Open { server, address, connection }),
                Err(_) if stopped.load(Relaxed) => return None,
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn ask(&mut self, mut open: Open, action: Action, tag: Option<&str>) {
        let path = &self.history.record.path;
        let invoked = self.now();
        let response = match action {
            Action::Read => open.connection.call("GET", path, &[TRUSTED], None),
            Action::Write { set, .. } => {
                let condition = tag.map(|tag| ("if-match", tag));
                let headers: Vec<_> = [TRUSTED].into_iter().chain(condition).collect();
                open.connection.call("PUT", path, &headers, Some(&self.history.record.body(set)))
            }
        };
        let returned = self.now();
        let server = open.server;
        let Understood { outcome, tag, said, is_wrong } = match response {
            Ok(response) => {
                self.connections[server] = (!response.closes()).then_some(open);
                self.understand(action, &response)
            }
            Err(error) => Understood { outcome: Outcome::Unknown, tag: None, said: error.to_string(), is_wrong: false },
        };
        let returned = if outcome == Outcome::Unknown { NEVER } else { returned };
        let operation = Operation { client: self.number, invoked, returned, action, outcome };
        self.history.add(Entry { operation, server, tag, said, is_wrong });
    }

    fn understand(&mut self, action: Action, response: &Response) -> Understood {
        let code = response.code();
        let said = format!("{} {code}", response.status).trim_end().to_owned();
        let is_conditional = matches!(action, Action::Write { expecting: Some(_), .. });
        let plain = |outcome| Understood { outcome, said: said.clone(), tag: None, is_wrong: false };
        match response.status {
            200 => match self.history.record.shown(response) {
                Some((value, tag)) => {
                    self.remember(value, &tag);
                    Understood { tag: Some(tag), ..plain(Outcome::Saw(value)) }
                }
                None => Understood { is_wrong: true, ..plain(Outcome::Unknown) },
            },
            412 if is_conditional => plain(Outcome::Stale),
            409 | 503 if WITHOUT_EFFECT.contains(&code.as_str()) => plain(Outcome::Nothing),
            503 if code == "outcome_unknown" => plain(Outcome::Unknown),
            _ => Understood { is_wrong: true, ..plain(Outcome::Unknown) },
        }
    }

    fn remember(&mut self, value: Value, tag: &str) {
        if self.shown.len() == MEMORY {
            self.shown.remove(0);
        }
        self.shown.push((value, tag.to_owned()));
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).expect("a run does not take centuries")
    }
}

/// A response in the checker's words.
struct Understood {
    outcome: Outcome,
    tag: Option<String>,
    said: String,
    is_wrong: bool,
}
