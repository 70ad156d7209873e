//! A store on one engine with a running server, and the ways to call it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::{Failure, Result, could_not};
use crate::load::call;
use crate::load::generator::{Pace, Source};
use crate::load::request::Request;
use crate::measure::statistics::median;
use crate::options::Options;
use crate::results::Round;
use crate::rounds::{Measurement, measure_target};
use crate::rows::dataset::Dataset;
use crate::targets::perennial::{Home, trusted_headers};
use crate::targets::target::{Headers, Target};

/// The connections of a figure whose contract names no number.
pub(super) const FEW_CONNECTIONS: usize = 4;
/// The longest that one step of a part may take.
pub(super) const LIMIT: Duration = Duration::from_hours(1);
const POLL: Duration = Duration::from_millis(20);
const SCOPES: &str = "plans:read,plans:write,subscriptions:read,subscriptions:write,payments:read,users:read,users:write,\
usage:write,invoices:read,invoices:write,events:read,organization:read,organization:write";

pub(super) struct Fixture<'run> {
    pub(super) options: &'run Options,
    pub(super) home: Home,
    pub(super) target: Target,
    pub(super) dataset: Dataset,
}

impl<'run> Fixture<'run> {
    /// A server on a store with these rows.
    pub(super) fn loaded(options: &'run Options, home: Home, dataset: Dataset) -> Result<Self> {
        println!("\nloading {} rows into {}", dataset.rows, home.name());
        home.fill(dataset)?;
        let first = dataset.users();
        home.store().add_users(dataset, first..dataset.rows.max(first))?;
        Self::start(options, home, dataset)
    }

    pub(super) fn start(options: &'run Options, home: Home, dataset: Dataset) -> Result<Self> {
        let target = home.start()?;
        Ok(Self { options, home, target, dataset })
    }

    /// Stops the server and removes its store. A database of PostgreSQL is removed with its server.
    pub(super) fn remove(mut self) -> Result {
        self.stop()?;
        std::fs::remove_dir_all(&self.home.directory).map_err(could_not("remove a store"))
    }

    /// Stops the server; only [`Self::restart`] may follow.
    pub(super) fn stop(&mut self) -> Result {
        self.target.process.stop()
    }

    /// Stops the server, if it runs, and starts it with these variables.
    pub(super) fn restart(&mut self, environment: Vec<(&'static str, String)>) -> Result {
        self.stop()?;
        self.home.environment = environment;
        self.target = self.home.start()?;
        Ok(())
    }

    pub(super) fn engine(&self) -> &'static str {
        self.home.name()
    }

    pub(super) fn is_postgres(&self) -> bool {
        self.home.cluster.is_some()
    }

    /// Waits until every event has a position in the feed. On PostgreSQL they get one after the commit.
    pub(super) fn placed(&self) -> Result {
        if !self.is_postgres() {
            return Ok(());
        }
        until("the feed", || Ok((self.home.store().number("SELECT COUNT(*) FROM feed_queue")? == 0).then_some(())))
    }

    /// The size of a quick run, or of a usual one.
    pub(super) fn size<T>(&self, quick: T, usual: T) -> T {
        if self.options.quick { quick } else { usual }
    }

    /// Calls as the trusted client of the organization `default`; returns the data.
    pub(super) fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        self.call_as(&trusted_headers(), method, path, body)
    }

    pub(super) fn call_as(&self, headers: &Headers, method: &str, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let raw = call::send(self.target.address, &Request::new(method, path, headers, &body))?;
        if raw.status != 200 && raw.status != 201 {
            let body: String = String::from_utf8_lossy(raw.body()).chars().take(300).collect();
            return Err(Failure::new(format!("{method} {path} was answered with {}: {body}", raw.status)));
        }
        Ok(raw.json()?["data"].take())
    }

    /// The IDs of all records of a list, page by page.
    pub(super) fn ids(&self, headers: &Headers, path: &str) -> Result<Vec<String>> {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let request = Request::new("GET", &format!("{path}&limit=200{cursor}"), headers, "");
            let page = call::expect(self.target.address, &request)?.json()?;
            let records = page["data"].as_array().into_iter().flatten();
            ids.extend(records.filter_map(|record| Some(record["id"].as_str()?.to_owned())));
            match page["page"]["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(ids),
            }
        }
    }

    pub(super) fn pace(&self, connections: usize) -> Pace {
        Pace { connections, ..self.options.pace() }
    }

    /// One round of requests, each drawn from these.
    pub(super) async fn load(&self, requests: &Arc<Vec<Request>>, connections: usize) -> Result<Round> {
        Ok(self.paced(requests, self.pace(connections)).await?.round)
    }

    pub(super) async fn paced(&self, requests: &Arc<Vec<Request>>, pace: Pace) -> Result<Measurement> {
        measure_target(&self.target, &Source::Any(Arc::clone(requests)), pace).await
    }

    /// The medians of all rounds.
    pub(super) async fn rounds(&self, requests: Vec<Request>, connections: usize) -> Result<Round> {
        let requests = Arc::new(requests);
        let mut rounds = Vec::new();
        for _ in 0..self.options.rounds {
            rounds.push(self.load(&requests, connections).await?);
        }
        Ok(medians(&rounds))
    }

    /// The medians of two kinds of requests that are measured in turns.
    pub(super) async fn in_turns(&self, one: Vec<Request>, other: Vec<Request>) -> Result<(Round, Round)> {
        let (one, other) = (Arc::new(one), Arc::new(other));
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            ones.push(self.load(&one, self.options.connections).await?);
            others.push(self.load(&other, self.options.connections).await?);
        }
        Ok((medians(&ones), medians(&others)))
    }

    /// Sends each request once.
    pub(super) async fn send_all(&self, requests: Vec<Request>, connections: usize) -> Result<Round> {
        let expected = requests.len() as u64;
        let pace = Pace { connections, warm_up: Duration::ZERO, duration: LIMIT, rate: None };
        let measurement = measure_target(&self.target, &Source::each(requests), pace).await?;
        if measurement.sample.responses == expected {
            return Ok(measurement.round);
        }
        Err(Failure::new(format!("{} of {expected} requests were answered in time", measurement.sample.responses)))
    }
}

/// Repeats `look` until it returns something, or until the limit.
pub(super) fn until<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return Err(Failure::new(format!("{what} took too long")));
        }
        std::thread::sleep(POLL);
    }
}

pub(super) fn medians(rounds: &[Round]) -> Round {
    let middle = |pick: &dyn Fn(&Round) -> Option<f64>| median(&rounds.iter().filter_map(pick).collect::<Vec<_>>());
    Round {
        per_second: middle(&|round| Some(round.per_second)).unwrap_or_default(),
        p50_micros: middle(&|round| round.p50_micros),
        p99_micros: middle(&|round| round.p99_micros),
        cpu_micros: middle(&|round| round.cpu_micros),
    }
}

pub(super) fn millis(micros: Option<f64>) -> Result<f64> {
    micros.map(|micros| micros / 1e3).ok_or_else(|| Failure::new("no request was answered in the measured time"))
}

pub(super) fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("{value} is not text")))
}

/// A test organization with a clock.
#[derive(Clone)]
pub(super) struct Sandbox {
    pub(super) headers: Headers,
    pub(super) user: String,
}

impl Sandbox {
    pub(super) fn create(fixture: &Fixture<'_>, name: &str, now: &str) -> Result<Self> {
        fixture.home.json(&["org", "create", "--name", name, "--test"])?;
        let client = ["client", "create", "--org", name, "--name", "bench", "--kind", "trusted", "--scope", SCOPES];
        let client_id = text(&fixture.home.json(&client)?["client_id"])?;
        let email = format!("{name}@example.com");
        let user = text(&fixture.home.json(&["user", "create", "--org", name, "--email", &email])?["id"])?;
        let sandbox = Self { headers: vec![("client-id".to_owned(), client_id)], user };
        fixture.call_as(&sandbox.headers, "POST", "/test-clock", &json!({ "now": now }))?;
        Ok(sandbox)
    }

    /// What the clock shows.
    pub(super) fn now(&self, address: std::net::SocketAddr) -> Result<String> {
        let get = Request::new("GET", "/test-clock", &self.headers, "");
        let clock = call::expect(address, &get)?.json()?["data"].take();
        Ok(clock["now"].as_str().unwrap_or_default().to_owned())
    }

    /// Advances the clock and waits until it is there and nothing is due.
    pub(super) fn advance(&self, address: std::net::SocketAddr, target: &str) -> Result<Duration> {
        let start = Instant::now();
        let get = Request::new("GET", "/test-clock", &self.headers, "");
        let put = Request::new("PUT", "/test-clock", &self.headers, &json!({ "now": target }).to_string());
        call::expect(address, &put)?;
        until("the test clock", || {
            let clock = call::expect(address, &get)?.json()?["data"].take();
            match (clock["status"].as_str(), clock["now"].as_str()) {
                (Some("ready"), Some(now)) if now == target => Ok(Some(())),
                // After 100,000 actions the clock stops and waits for the next call.
                (Some("ready" | "working"), Some(now)) if now != target => call::expect(address, &put).map(|_| None),
                (Some("held"), _) => Err(Failure::new("the organization is on hold")),
                _ => Ok(None),
            }
        })?;
        Ok(start.elapsed())
    }
}
