//! The generator: so many connections, each sending its next request after the last response (closed loop), or by
//! the clock (open loop). Every response is checked; one wrong response fails the run.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::request::Request;
use super::response::{self, Response, find};
use crate::failure::{Failure, Result, could_not};
use crate::measure::histogram::Histogram;
use perennial_harness::SeededRandom;
use std::sync::Arc;

/// Never the same number twice in a run: idempotency keys and renewals count on it.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// Counting the records of a list costs more than sending the request, so only one response in so many is counted.
const COUNT_EVERY: u64 = 64;

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Any of these, drawn anew each time.
    Any(Arc<Vec<Request>>),
    /// Each of these once, in order; the round ends with the last.
    Each(Arc<Vec<Request>>, Arc<AtomicUsize>),
    /// Refreshes: each connection has its own session and sends the token of the last response.
    Refresh { headers: Vec<(String, String)>, tokens: Arc<std::sync::Mutex<Vec<String>>> },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    /// Requests per second over all connections; `None` is the closed loop.
    pub(crate) rate: Option<u64>,
}

/// The responses of a round.
#[derive(Clone, Default)]
pub(crate) struct Sample {
    pub(crate) latencies: Histogram,
    /// All responses, also those of the warm-up: a store must contain as many rows afterwards.
    pub(crate) responses: u64,
    pub(crate) elapsed: Duration,
}

/// Runs a round. `at_start` is called when the warm-up is over, `at_end` right after the last measured response.
pub(crate) async fn run<T, U>(
    address: SocketAddr,
    source: &Source,
    pace: Pace,
    at_start: impl FnOnce() -> T,
    at_end: impl FnOnce(T) -> U,
) -> Result<(Sample, U)> {
    let mut connections = Vec::new();
    for index in 0..pace.connections {
        connections.push(Connection::open(address, source.clone(), index).await?);
    }
    let warm = run_all(connections, pace, pace.warm_up).await?;
    let started = at_start();
    let start = Instant::now();
    let measured = run_all(warm.connections, pace, pace.duration).await?;
    let elapsed = start.elapsed();
    let ended = at_end(started);
    for connection in measured.connections {
        connection.put_back();
    }
    let responses = warm.latencies.total() + measured.latencies.total();
    Ok((Sample { latencies: measured.latencies, responses, elapsed }, ended))
}

struct Part {
    connections: Vec<Connection>,
    latencies: Histogram,
}

async fn run_all(connections: Vec<Connection>, pace: Pace, duration: Duration) -> Result<Part> {
    let until = Instant::now() + duration;
    let mut tasks = JoinSet::new();
    for connection in connections {
        tasks.spawn(connection.run(until, pace));
    }
    let mut part = Part { connections: Vec::new(), latencies: Histogram::default() };
    while let Some(ended) = tasks.join_next().await {
        let (connection, latencies) = ended.map_err(|error| Failure::new(format!("a connection ended: {error}")))??;
        part.latencies.merge(&latencies);
        part.connections.push(connection);
    }
    Ok(part)
}

struct Connection {
    stream: TcpStream,
    source: Source,
    random: SeededRandom,
    out: Vec<u8>,
    buffer: Vec<u8>,
    /// Where the needle was found last: it is usually there again.
    hint: usize,
    sent: u64,
    token: Option<String>,
}

impl Source {
    /// Each of these requests once.
    pub(crate) fn each(requests: Vec<Request>) -> Self {
        Self::Each(Arc::new(requests), Arc::new(AtomicUsize::new(0)))
    }
}

impl Connection {
    async fn open(address: SocketAddr, source: Source, index: usize) -> Result<Self> {
        let stream = TcpStream::connect(address).await.map_err(could_not(format!("connect to {address}")))?;
        stream.set_nodelay(true).map_err(could_not("send without delay"))?;
        let token = match &source {
            Source::Any(_) | Source::Each(..) => None,
            Source::Refresh { tokens, .. } => tokens.lock().ok().and_then(|mut tokens| tokens.pop()),
        };
        let random = SeededRandom::new(index as u64 + NUMBER.load(Ordering::Relaxed));
        let (out, buffer) = (Vec::with_capacity(1024), Vec::with_capacity(64 << 10));
        Ok(Self { stream, source, random, out, buffer, hint: 0, sent: 0, token })
    }

    async fn run(mut self, until: Instant, pace: Pace) -> Result<(Self, Histogram)> {
        let mut latencies = Histogram::default();
        let interval = pace
            .rate
            .map(|rate| Duration::from_secs(pace.connections as u64) / u32::try_from(rate.max(1)).unwrap_or(1));
        let mut due = Instant::now();
        loop {
            if let Some(interval) = interval {
                due += interval;
                tokio::time::sleep_until(due.into()).await;
            } else {
                due = Instant::now();
            }
            if due >= until {
                return Ok((self, latencies));
            }
            if !self.exchange().await? {
                return Ok((self, latencies));
            }
            // In the open loop the wait begins when the request was due, not when its turn came.
            latencies.record(due.elapsed());
        }
    }

    /// Sends the next request and checks the response; false if there is no next one.
    async fn exchange(&mut self) -> Result<bool> {
        match &self.source {
            Source::Any(requests) => {
                let requests = Arc::clone(requests);
                let index = self.random.below(requests.len() as u64);
                let request = &requests[usize::try_from(index).unwrap_or_default()];
                request.write(NUMBER.fetch_add(1, Ordering::Relaxed), &mut self.out);
                let response = self.send().await?;
                self.check(request, response).map(|()| true)
            }
            Source::Each(requests, next) => {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let requests = Arc::clone(requests);
                let Some(request) = requests.get(index) else { return Ok(false) };
                request.write(NUMBER.fetch_add(1, Ordering::Relaxed), &mut self.out);
                let response = self.send().await?;
                self.check(request, response).map(|()| true)
            }
            Source::Refresh { headers, .. } => {
                let token =
                    self.token.take().ok_or_else(|| Failure::new("there are fewer sessions than connections"))?;
                let body = format!("{{\"refresh_token\":\"{token}\"}}");
                let request = Request::new("POST", "/authentication/refresh-token", headers, &body);
                let request = request.needle("\"refresh_token\":\"");
                request.write(0, &mut self.out);
                let response = self.send().await?;
                self.check(&request, response)?;
                let start = self.hint + request.needle.len();
                let rest = &self.buffer[response.body_start + start..response.end];
                let end = find(rest, b"\"").ok_or_else(|| Failure::new("a refresh token does not end"))?;
                self.token = Some(String::from_utf8_lossy(&rest[..end]).into_owned());
                Ok(true)
            }
        }
    }

    async fn send(&mut self) -> Result<Response> {
        self.stream.write_all(&self.out).await.map_err(could_not("send a request"))?;
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.map_err(could_not("read a response"))?;
            if read == 0 {
                return Err(Failure::new("the connection was closed before its response"));
            }
            if let Some(response) = response::parse(&self.buffer).map_err(could_not("read a response"))? {
                return Ok(response);
            }
        }
    }

    fn check(&mut self, request: &Request, response: Response) -> Result {
        let body = &self.buffer[response.body_start..response.end];
        self.sent += 1;
        if response.status != request.status {
            return Err(self.wrong(&format!("status {} instead of {}", response.status, request.status), body));
        }
        let at_hint = body.get(self.hint..).is_some_and(|rest| rest.starts_with(&request.needle));
        if !at_hint {
            match find(body, &request.needle) {
                Some(at) => self.hint = at,
                None if request.needle.is_empty() => {}
                None => return Err(self.wrong("another record", body)),
            }
        }
        match &request.records {
            Some((beginning, wanted)) if self.sent % COUNT_EVERY == 1 => {
                let found = count(body, beginning);
                if found == *wanted { Ok(()) } else { Err(self.wrong(&format!("{found} records, not {wanted}"), body)) }
            }
            _ => Ok(()),
        }
    }

    fn wrong(&self, what: &str, body: &[u8]) -> Failure {
        let request = String::from_utf8_lossy(&self.out);
        let line = request.lines().next().unwrap_or_default();
        let body: String = String::from_utf8_lossy(body).chars().take(300).collect();
        Failure::new(format!("`{line}` was answered with {what}: {body}"))
    }

    fn put_back(self) {
        if let (Source::Refresh { tokens, .. }, Some(token)) = (&self.source, self.token)
            && let Ok(mut tokens) = tokens.lock()
        {
            tokens.push(token);
        }
    }
}

fn count(body: &[u8], beginning: &[u8]) -> usize {
    let (mut count, mut from) = (0, 0);
    while let Some(at) = find(&body[from..], beginning) {
        count += 1;
        from += at + beginning.len();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_by_their_beginning() {
        assert_eq!(count(br#"[{"id":"a"},{"id":"b"}]"#, br#"{"id":"#), 2);
        assert_eq!(count(b"[]", br#"{"id":"#), 0);
    }
}
