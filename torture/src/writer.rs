//! One of the writers: it creates subscriptions and payments and changes them until the server goes away; when the
//! server is back it repeats unanswered writes with the same key, and reads back all acknowledged ones.

pub(crate) mod journal;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response, SeededRandom};
use serde_json::json;

use crate::failure::{Result, could_not};
use crate::home::TRUSTED;
use journal::{Journal, Kind, Operation, Record};

pub(crate) const PLAN: &str = "killed";
/// How long a writer comes back with a write that was put off, and how often.
const SETTLED: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

pub(crate) struct Writer {
    number: u64,
    random: SeededRandom,
    user: String,
    journal: Journal,
    /// Places of the records that were written since the last kill.
    touched: BTreeSet<usize>,
}

impl Writer {
    pub(crate) fn new(number: u64, random: SeededRandom, user: &str, directory: &Path) -> Result<Self> {
        let journal = Journal::new(&directory.join(format!("journal-{number}.txt")))?;
        Ok(Self { number, random, user: user.to_owned(), journal, touched: BTreeSet::new() })
    }

    /// Writes until the server goes away.
    pub(crate) fn work(&mut self, address: SocketAddr) -> Result {
        let Ok(mut connection) = Connection::open(address) else { return Ok(()) };
        loop {
            if self.journal.open.is_none() {
                let operation = self.choose();
                self.journal.note(&format!("sent {operation:?}"))?;
                self.journal.open = Some(operation);
            }
            // Whatever ended the connection, the write may have happened.
            let Ok(response) = self.send(&mut connection) else { return self.journal.flush() };
            self.take(&response)?;
        }
    }

    /// Sends again what was not answered, and looks for everything that was acknowledged since the last kill.
    pub(crate) fn settle(&mut self, address: SocketAddr) -> Result {
        let complaint = || could_not("talk to the server after a kill");
        let mut connection = Connection::open(address).map_err(complaint())?;
        self.journal.retried += usize::from(self.journal.open.is_some());
        let deadline = Instant::now() + SETTLED;
        while self.journal.open.is_some() && Instant::now() < deadline {
            let response = self.send(&mut connection).map_err(complaint())?;
            self.journal.note("again")?;
            self.take(&response)?;
        }
        for at in std::mem::take(&mut self.touched) {
            let record = &self.journal.records[at];
            let target = format!("{}/{}", record.kind.path(), record.id);
            let response = connection.call("GET", &target, &[TRUSTED], None).map_err(complaint())?;
            if !shows(&response, record) {
                let line = format!("LOST {record:?}: {} {}", response.status, response.json());
                self.journal.lost += 1;
                self.journal.note(&line)?;
            }
        }
        self.journal.flush()
    }

    /// The writes that were acknowledged.
    pub(crate) fn written(&self) -> usize {
        self.journal.records.iter().map(|record| 1 + record.mark as usize).sum()
    }

    pub(crate) fn into_journal(self) -> Journal {
        self.journal
    }

    /// The response to the write in flight.
    fn take(&mut self, response: &Response) -> Result {
        self.journal.note(&format!("{} {}", response.status, response.header("location").unwrap_or_default()))?;
        if matches!(response.status, 200 | 201) {
            self.touched.extend(self.journal.acknowledge(&response.data()));
            return Ok(());
        }
        if response.status == 503 {
            // 503: nothing was changed, or the outcome is unknown. Either way the same write is sent again.
            self.journal.delayed += 1;
            std::thread::sleep(PAUSE);
            return Ok(());
        }
        self.journal.refused += 1;
        self.journal.open = None;
        self.journal.note(&format!("REFUSED {}", response.json()))
    }

    /// Half of the writes create a subscription, a quarter a payment, a quarter change one of ours.
    fn choose(&mut self) -> Operation {
        let records = &self.journal.records;
        let roll = self.random.between(0, 3);
        if records.is_empty() || roll < 2 {
            return Operation::Create(self.record(Kind::Subscription, String::new()));
        }
        let at = self.random.index(records.len());
        let record = &records[at];
        if roll == 2 {
            // A payment of the chosen subscription, or one more of the chosen payment's.
            let parent = if record.kind == Kind::Subscription { &record.id } else { &record.parent };
            return Operation::Create(self.record(Kind::Payment, parent.clone()));
        }
        Operation::Change(at, record.mark + 1)
    }

    fn record(&self, kind: Kind, parent: String) -> Record {
        let external = format!("w{}-{}", self.number, self.journal.records.len() + self.journal.refused);
        Record { kind, external, id: String::new(), mark: 0, parent }
    }

    fn send(&self, connection: &mut Connection) -> std::io::Result<Response> {
        match self.journal.open.as_ref() {
            Some(Operation::Create(record)) => {
                let (field, value) = record.kind.mark(record.mark);
                let mut body = match record.kind {
                    Kind::Subscription => json!({ "user_id": self.user, "subscription_plan_id": PLAN }),
                    Kind::Payment => json!({ "subscription_id": record.parent, "currency": "USD" }),
                };
                body[record.kind.external()] = json!(record.external);
                body[field] = value;
                let headers = [TRUSTED, ("idempotency-key", record.external.as_str())];
                connection.call("POST", record.kind.path(), &headers, Some(&body.to_string()))
            }
            Some(Operation::Change(at, mark)) => {
                let record = &self.journal.records[*at];
                let (field, value) = record.kind.mark(*mark);
                let target = format!("{}/{}", record.kind.path(), record.id);
                connection.call("PUT", &target, &[TRUSTED], Some(&json!({ field: value }).to_string()))
            }
            None => Err(std::io::ErrorKind::InvalidInput.into()),
        }
    }
}

fn shows(response: &Response, record: &Record) -> bool {
    let data = response.data();
    let (field, value) = record.kind.mark(record.mark);
    response.status == 200 && data[record.kind.external()] == record.external.as_str() && data[field] == value
}
