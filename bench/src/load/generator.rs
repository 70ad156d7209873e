//! The generator: so many connections, each sending its next request when the last was answered (closed loop), or by
//! the clock (open loop). Every answer is checked; one wrong answer fails the run.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::answer::{self, Answer, find};
use super::shot::Shot;
use crate::failure::{Failure, Result, could_not};
use crate::measure::histogram::Histogram;
use perennial_harness::SeededRandom;
use std::sync::Arc;

/// Never the same number twice in a run: idempotency keys and renewals count on it.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// Counting the records of a list costs more than sending the request, so only one answer in so many is counted.
const COUNT_EVERY: u64 = 64;

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) enum Fire {
    /// Any of these, drawn anew each time.
    Any(Arc<Vec<Shot>>),
    /// Each of these once, in order; the round ends with the last.
    Each(Arc<Vec<Shot>>, Arc<AtomicUsize>),
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

/// What a round saw.
#[derive(Clone, Default)]
pub(crate) struct Volley {
    pub(crate) latencies: Histogram,
    /// Everything that was answered, before the measured time too: what a store must hold afterwards.
    pub(crate) answered: u64,
    pub(crate) elapsed: Duration,
}

/// Runs a round. `at_start` is called when the warm-up is over, `at_end` right after the last measured answer.
pub(crate) async fn fire<T, U>(
    address: SocketAddr,
    fire: &Fire,
    pace: Pace,
    at_start: impl FnOnce() -> T,
    at_end: impl FnOnce(T) -> U,
) -> Result<(Volley, U)> {
    let mut connections = Vec::new();
    for index in 0..pace.connections {
        connections.push(Connection::open(address, fire.clone(), index).await?);
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
    let answered = warm.latencies.total() + measured.latencies.total();
    Ok((Volley { latencies: measured.latencies, answered, elapsed }, ended))
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
    fire: Fire,
    random: SeededRandom,
    out: Vec<u8>,
    buffer: Vec<u8>,
    /// Where the needle was found last: it is usually there again.
    hint: usize,
    sent: u64,
    token: Option<String>,
}

impl Fire {
    /// Each of these requests once.
    pub(crate) fn each(shots: Vec<Shot>) -> Self {
        Self::Each(Arc::new(shots), Arc::new(AtomicUsize::new(0)))
    }
}

impl Connection {
    async fn open(address: SocketAddr, fire: Fire, index: usize) -> Result<Self> {
        let stream = TcpStream::connect(address).await.map_err(could_not(format!("connect to {address}")))?;
        stream.set_nodelay(true).map_err(could_not("send without delay"))?;
        let token = match &fire {
            Fire::Any(_) | Fire::Each(..) => None,
            Fire::Refresh { tokens, .. } => tokens.lock().ok().and_then(|mut tokens| tokens.pop()),
        };
        let random = SeededRandom::new(index as u64 + NUMBER.load(Ordering::Relaxed));
        let (out, buffer) = (Vec::with_capacity(1024), Vec::with_capacity(64 << 10));
        Ok(Self { stream, fire, random, out, buffer, hint: 0, sent: 0, token })
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
        match &self.fire {
            Fire::Any(shots) => {
                let shots = Arc::clone(shots);
                let index = self.random.below(shots.len() as u64);
                let shot = &shots[usize::try_from(index).unwrap_or_default()];
                shot.write(NUMBER.fetch_add(1, Ordering::Relaxed), &mut self.out);
                let answer = self.send().await?;
                self.check(shot, answer).map(|()| true)
            }
            Fire::Each(shots, next) => {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let shots = Arc::clone(shots);
                let Some(shot) = shots.get(index) else { return Ok(false) };
                shot.write(NUMBER.fetch_add(1, Ordering::Relaxed), &mut self.out);
                let answer = self.send().await?;
                self.check(shot, answer).map(|()| true)
            }
            Fire::Refresh { headers, .. } => {
                let token =
                    self.token.take().ok_or_else(|| Failure::new("there are fewer sessions than connections"))?;
                let body = format!("{{\"refresh_token\":\"{token}\"}}");
                let shot = Shot::new("POST", "/authentication/refresh-token", headers, &body);
                let shot = shot.needle("\"refresh_token\":\"");
                shot.write(0, &mut self.out);
                let answer = self.send().await?;
                self.check(&shot, answer)?;
                let start = self.hint + shot.needle.len();
                let rest = &self.buffer[answer.body_start + start..answer.end];
                let end = find(rest, b"\"").ok_or_else(|| Failure::new("a refresh token does not end"))?;
                self.token = Some(String::from_utf8_lossy(&rest[..end]).into_owned());
                Ok(true)
            }
        }
    }

    async fn send(&mut self) -> Result<Answer> {
        self.stream.write_all(&self.out).await.map_err(could_not("send a request"))?;
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.map_err(could_not("read an answer"))?;
            if read == 0 {
                return Err(Failure::new("the connection was closed before its answer"));
            }
            if let Some(answer) = answer::parse(&self.buffer).map_err(could_not("read an answer"))? {
                return Ok(answer);
            }
        }
    }

    fn check(&mut self, shot: &Shot, answer: Answer) -> Result {
        let body = &self.buffer[answer.body_start..answer.end];
        self.sent += 1;
        if answer.status != shot.status {
            return Err(self.wrong(&format!("status {} instead of {}", answer.status, shot.status), body));
        }
        let at_hint = body.get(self.hint..).is_some_and(|rest| rest.starts_with(&shot.needle));
        if !at_hint {
            match find(body, &shot.needle) {
                Some(at) => self.hint = at,
                None if shot.needle.is_empty() => {}
                None => return Err(self.wrong("another record", body)),
            }
        }
        match &shot.records {
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
        if let (Fire::Refresh { tokens, .. }, Some(token)) = (&self.fire, self.token)
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
