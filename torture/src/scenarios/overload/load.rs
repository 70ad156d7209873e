//! A load: so many connections, and requests that are due at a rate, or as soon as a connection is free.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};

use super::client::{Client, Outcome};
use crate::failure::{Failure, Result, could_not};
use crate::home::CLIENT_ID;
use crate::latencies::Latencies;

/// What is sent, ready to be written.
pub(super) struct Requests {
    address: SocketAddr,
    read: Vec<u8>,
    create: Vec<u8>,
}

impl Requests {
    pub(super) fn new(address: SocketAddr, plan: &str, user: &str) -> Self {
        let head = format!("HTTP/1.1\r\nhost: {address}\r\nclient-id: {CLIENT_ID}\r\n");
        let body = json!({ "user_id": user, "subscription_plan_id": plan }).to_string();
        let read = format!("GET /subscription-plans/{plan} {head}\r\n");
        let length = body.len();
        let create = format!(
            "POST /subscriptions {head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        Self { address, read: read.into_bytes(), create: create.into_bytes() }
    }
}

pub(super) struct Load {
    connections: usize,
    /// None: a request is due when a connection is free.
    rate: Option<f64>,
    time: Duration,
}

impl Load {
    pub(super) fn closed(connections: usize, time: Duration) -> Self {
        Self { connections, rate: None, time }
    }

    pub(super) fn open(connections: usize, rate: f64, time: Duration) -> Self {
        Self { connections, rate: Some(rate), time }
    }

    /// When the request of this number is due.
    fn due(&self, number: u32, start: Instant) -> Instant {
        self.rate.map_or_else(Instant::now, |rate| start + Duration::from_secs_f64(f64::from(number) / rate))
    }
}

/// The outcomes of the requests of a load.
#[derive(Default)]
pub(super) struct Outcomes {
    pub(super) accepted: Latencies,
    pub(super) creates: usize,
    pub(super) refused: Latencies,
    pub(super) failed: usize,
    /// How late the generator itself was, with a connection that was free in time.
    pub(super) own_delays: Latencies,
    /// How long the server took to accept or refuse, counted from when its request was sent.
    pub(super) responses: Latencies,
    /// When each request was due that was refused or answered late, after the start.
    troubles: Vec<(Duration, Option<Duration>)>,
    took: Duration,
}

impl Outcomes {
    pub(super) fn accepted_a_second(&self) -> f64 {
        self.a_second(self.accepted.count())
    }

    pub(super) fn creates_a_second(&self) -> f64 {
        self.a_second(self.creates)
    }

    pub(super) fn answers_a_second(&self) -> f64 {
        self.a_second(self.responses.count())
    }

    fn a_second(&self, count: usize) -> f64 {
        float(count) / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// How long after the start the last request was due that was refused or took longer than this.
    pub(super) fn last_trouble(&self, longest: Duration) -> Duration {
        let troubles = self.troubles.iter().filter(|(_, latency)| latency.is_none_or(|latency| latency > longest));
        troubles.map(|(due, _)| *due).max().unwrap_or_default()
    }

    fn note(&mut self, outcome: Outcome, is_create: bool, due: Duration, latency: Duration) {
        match outcome {
            Outcome::Accepted => {
                self.creates += usize::from(is_create);
                self.accepted.note(latency);
                if latency > Duration::from_millis(100) {
                    self.troubles.push((due, Some(latency)));
                }
            }
            Outcome::Refused => {
                self.refused.note(latency);
                self.troubles.push((due, None));
            }
            Outcome::Other => self.failed += 1,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no load has that many requests")]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

/// Runs a load on this thread alone.
pub(super) fn run(requests: &Requests, load: &Load) -> Result<Outcomes> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(could_not("start a runtime"))?;
    runtime.block_on(async {
        let outcomes = RefCell::new(Outcomes::default());
        let next = Cell::new(0);
        let mut clients = Vec::with_capacity(load.connections);
        for _ in 0..load.connections {
            clients.push(Client::connect(requests.address).await.map_err(could_not("connect"))?);
        }
        let start = Instant::now();
        let work = clients.into_iter().map(|mut client| {
            let (outcomes, next) = (&outcomes, &next);
            async move {
                loop {
                    let number = next.replace(next.get() + 1);
                    let due = load.due(number, start);
                    if due > start + load.time {
                        return;
                    }
                    let is_free = Instant::now() < due;
                    sleep_until(due).await;
                    if is_free {
                        outcomes.borrow_mut().own_delays.note(due.elapsed());
                    }
                    let (is_create, sent) = (number % 2 == 1, Instant::now());
                    let outcome = client.ask(if is_create { &requests.create } else { &requests.read }).await;
                    let mut outcomes = outcomes.borrow_mut();
                    if outcome != Outcome::Other {
                        outcomes.responses.note(sent.elapsed());
                    }
                    outcomes.note(outcome, is_create, due - start, due.elapsed());
                }
            }
        });
        let late = |_| Failure::new("a load did not end in three times its time");
        timeout(3 * load.time + Duration::from_mins(1), join_all(work)).await.map_err(late)?;
        let mut outcomes = outcomes.into_inner();
        outcomes.took = start.elapsed();
        Ok(outcomes)
    })
}
