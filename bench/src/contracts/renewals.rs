//! Many renewals due at one midnight of a test clock: alone, next to requests, next to another organization, and by three
//! servers.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, Sandbox, millis};
use crate::failure::{Failure, Result};
use crate::load::generator::{Pace, Source};
use crate::load::request::Request;
use crate::measure::histogram::Histogram;
use crate::measure::processes::{family_time, peak_bytes};
use crate::measure::statistics::{float, ratio};
use crate::workloads::{self, Workload};

/// The longest time that requests are sent next to renewals. What is due then is renewed without them.
const LOADED: Duration = Duration::from_mins(5);
/// Subscriptions of a user.
const PER_USER: u64 = 10;
const MEBIBYTE: f64 = 1_048_576.0;
const START: &str = "2026-01-15T00:00:00Z";
const RENEWED: &str = "SELECT COUNT(*) FROM events WHERE kind = 'subscription.renewed'";
/// What is left to renew. The index of due subscriptions answers it.
const DUE: &str = "SELECT COUNT(*) FROM subscriptions AS s JOIN test_clocks AS c ON c.id = s.organization_id \
     WHERE s.organization_id = (SELECT id FROM organizations WHERE name = 'midnight') AND s.due_at <= c.now \
     AND s.deleted_at IS NULL";
/// How often the store is asked for it.
const LOOK: Duration = Duration::from_millis(200);
const EVENT_BYTES: &str = "SELECT COALESCE(SUM(COALESCE(LENGTH(CAST(before AS TEXT)), 0) + \
     COALESCE(LENGTH(CAST(after AS TEXT)), 0)), 0) FROM events";

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let (renewals, others) = fixture.size((60, 10), (fixture.options.rows, 100));
    let organization = fill(fixture, "midnight", renewals).await?;
    let other = fill(fixture, "other", others).await?;
    let (engine, address) = (fixture.engine(), fixture.target.address);
    forget_peak(fixture);
    let api = Api::prepare(fixture).await?;
    figures.note(engine, "API at half of saturation, quiet: p99", api.quiet, "ms");

    let (serving, bytes) = (peak_bytes(fixture.target.process.id()), fixture.home.store().number(EVENT_BYTES)?);
    forget_peak(fixture);
    let Midnight { renewed, numbered } = renew(fixture, &organization, address, "2026-02-15", renewals)?;
    let written = |fixture: &Fixture<'_>| -> Result<f64> {
        let written = fixture.home.store().number(EVENT_BYTES)?.saturating_sub(bytes);
        Ok(float(written) / float(renewals) / 1e3)
    };
    figures.add(engine, "renewals-events", written(fixture)?);
    organization.advance(address, "2026-02-15T02:00:00.000000Z")?;
    figures.add(engine, "renewals-rate", float(renewals) / renewed.as_secs_f64());
    figures.add(engine, "numbered-rate", float(renewals) / numbered.as_secs_f64());
    figures.note(engine, "events of a renewal with its issued and paid invoice", written(fixture)?, "KB");
    let grown = peak_bytes(fixture.target.process.id()).unwrap_or(0).saturating_sub(serving.unwrap_or(0));
    figures.add(engine, "renewals-memory", float(grown) / MEBIBYTE);

    loaded(fixture, figures, &api, (&organization, renewals), &other).await?;
    organization.advance(address, "2026-03-15T02:00:00.000000Z")?;
    if fixture.is_postgres() {
        let servers = [fixture.home.start()?, fixture.home.start()?];
        let three = renew(fixture, &organization, address, "2026-04-15", renewals)?.numbered;
        let factor = ratio(numbered.as_secs_f64(), three.as_secs_f64());
        figures.add(engine, "renewals-three", factor.ok_or_else(|| Failure::new("no time was measured"))?);
        for server in servers {
            server.process.end()?;
        }
    }
    Ok(())
}

/// Begins the peak of the server's memory anew. Where that is not possible, the peak is that of the whole run.
fn forget_peak(fixture: &Fixture<'_>) {
    let _ = fs::write(format!("/proc/{}/clear_refs", fixture.target.process.id()), "5");
}

/// A test organization with so many subscriptions that began at the same instant, with their first invoices paid.
async fn fill(fixture: &Fixture<'_>, name: &str, subscriptions: u64) -> Result<Sandbox> {
    let sandbox = Sandbox::create(fixture, name, START)?;
    let call = |path: &str, body: &Value| fixture.call_as(&sandbox.headers, "POST", path, body);
    call("/subscription-plans", &json!({ "name": "Pro", "slug": "pro", "price": 10, "billing_cycle": "monthly" }))?;
    let body = json!({ "email": "user############@example.com" }).to_string();
    let user = Request::new("POST", "/users", &sandbox.headers, &body).status(201);
    let users = usize::try_from(subscriptions.div_ceil(PER_USER)).unwrap_or(1);
    fixture.send_all(vec![user; users], fixture.options.connections).await?;
    let users = fixture.ids(&sandbox.headers, "/users?sort=-created_at")?;
    println!("{}: {subscriptions} subscriptions of {} users in {name}", fixture.engine(), users.len());
    let creates = users.iter().cycle().take(usize::try_from(subscriptions).unwrap_or_default()).map(|user| {
        let billing = json!({ "payment_method": "test_ok" });
        let body = json!({ "user_id": user, "subscription_plan_id": "pro", "billing": billing }).to_string();
        Request::new("POST", "/subscriptions", &sandbox.headers, &body).status(201)
    });
    fixture.send_all(creates.collect(), fixture.options.connections).await?;
    sandbox.advance(fixture.target.address, "2026-01-15T02:00:00.000000Z")?;
    Ok(sandbox)
}

/// How long a midnight took.
struct Midnight {
    /// Until every subscription was renewed.
    renewed: Duration,
    /// Until every invoice was issued and paid, too.
    numbered: Duration,
}

/// Advances to a midnight and counts the renewals that it brought.
fn renew(fixture: &Fixture<'_>, sandbox: &Sandbox, address: SocketAddr, day: &str, expected: u64) -> Result<Midnight> {
    let before = fixture.home.store().number(RENEWED)?;
    let midnight = Advance::begin(sandbox, address, day);
    let renewed = midnight.renewed(fixture)?;
    let numbered = midnight.end()?;
    let found = fixture.home.store().number(RENEWED)? - before;
    let (first, all) = (renewed.as_secs_f64(), numbered.as_secs_f64());
    println!("{}: {found} renewals in {first:.1} s, with their invoices in {all:.1} s", fixture.engine());
    if found == expected {
        Ok(Midnight { renewed: renewed.min(numbered), numbered })
    } else {
        Err(Failure::new(format!("{found} renewals, not {expected}")))
    }
}

/// A clock that moves to a midnight, on a thread.
struct Advance {
    thread: JoinHandle<Result<Duration>>,
    sandbox: Sandbox,
    address: SocketAddr,
    target: String,
    began: Instant,
}

impl Advance {
    fn begin(sandbox: &Sandbox, address: SocketAddr, day: &str) -> Self {
        let target = format!("{day}T00:00:00.000000Z");
        let (mover, to, began) = (sandbox.clone(), target.clone(), Instant::now());
        let thread = std::thread::spawn(move || mover.advance(address, &to));
        Self { thread, sandbox: sandbox.clone(), address, target, began }
    }

    /// Waits until every subscription is renewed. Returns how long it took.
    fn renewed(&self, fixture: &Fixture<'_>) -> Result<Duration> {
        while !self.is_renewed(fixture)? {
            if self.thread.is_finished() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        Ok(self.began.elapsed())
    }

    /// Whether the clock shows midnight, and nothing is left to renew.
    fn is_renewed(&self, fixture: &Fixture<'_>) -> Result<bool> {
        Ok(self.sandbox.now(self.address)? == self.target && fixture.home.store().number(DUE)? == 0)
    }

    fn end(self) -> Result<Duration> {
        self.thread.join().map_err(|_| Failure::new("a thread failed"))?
    }
}

/// The mixed load on another organization at half of what the server can take.
struct Api {
    requests: Arc<Vec<Request>>,
    pace: Pace,
    /// The 99th percentile without renewals, in milliseconds.
    quiet: f64,
}

impl Api {
    async fn prepare(fixture: &Fixture<'_>) -> Result<Self> {
        let source = workloads::source(Workload::Mixed, &fixture.target, fixture.dataset, Some(&fixture.home))?;
        let Some(Source::Any(requests)) = source else { return Err(Failure::new("Perennial has no mixed load")) };
        let saturated = fixture.load(&requests, fixture.options.connections).await?.per_second;
        let rate = half(saturated);
        // In a quick run many connections would not get to their first request.
        let connections = fixture.size(FEW_CONNECTIONS, fixture.options.connections);
        let pace = Pace { connections, rate: Some(rate), ..fixture.options.pace() };
        let mut latencies = Histogram::default();
        for _ in 0..fixture.options.rounds {
            latencies.merge(&fixture.paced(&requests, pace).await?.sample.latencies);
        }
        let quiet = millis(latencies.percentile(99).map(float))?;
        Ok(Self { requests, pace, quiet })
    }
}

/// Half of a rate as a whole number, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive and far below 2^52")]
fn half(rate: f64) -> u64 {
    (rate / 2.0).max(1.0) as u64
}

/// Renewals next to requests, and the 100 of another organization at the same midnight.
async fn loaded(
    fixture: &Fixture<'_>,
    figures: &mut Figures,
    api: &Api,
    (organization, renewals): (&Sandbox, u64),
    other: &Sandbox,
) -> Result {
    let address = fixture.target.address;
    let main = Advance::begin(organization, address, "2026-03-15");
    let second = Advance::begin(other, address, "2026-03-15");
    let (mut latencies, mut renewed) = (Histogram::default(), None);
    let pace = Pace { warm_up: Duration::ZERO, ..api.pace };
    while (!main.thread.is_finished() && main.began.elapsed() < LOADED) || latencies.total() == 0 {
        latencies.merge(&fixture.paced(&api.requests, pace).await?.sample.latencies);
        if renewed.is_none() && main.is_renewed(fixture)? {
            renewed = Some((renewals, main.began.elapsed()));
        }
    }
    let (count, took) = match renewed {
        Some(renewed) => renewed,
        None => (renewals.saturating_sub(fixture.home.store().number(DUE)?), main.began.elapsed()),
    };
    let (_, others) = (main.end()?, second.end()?);
    let engine = fixture.engine();
    figures.add(engine, "renewals-loaded", float(count) / took.as_secs_f64());
    figures.add(engine, "renewals-other", others.as_secs_f64());
    let p99 = millis(latencies.percentile(99).map(float))?;
    let factor = ratio(p99, api.quiet);
    figures.add(engine, "renewals-p99", factor.ok_or_else(|| Failure::new("no latency was measured"))?);
    Ok(())
}

/// What a server costs that has nothing to do, in a store with many organizations. They have ledgers, as after their first minutes.
pub(super) fn idle(fixture: &mut Fixture<'_>, figures: &mut Figures) -> Result {
    let organizations = fixture.size(50, 10_000);
    let (numbers, id, name) = if fixture.is_postgres() {
        (format!("generate_series(1, {organizations})"), "gen_random_uuid()", "'idle-' || gen_random_uuid()")
    } else {
        let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ";
        (
            format!("({numbers}{organizations}) SELECT n FROM numbers)"),
            "randomblob(16)",
            "'idle-' || hex(randomblob(8))",
        )
    };
    let sql = format!(
        "CREATE TEMP TABLE copies AS SELECT organizations.* FROM organizations, {numbers} AS many \
         WHERE organizations.name = 'default'; UPDATE copies SET id = {id}, name = {name}; \
         INSERT INTO organizations SELECT * FROM copies; \
         INSERT INTO analytics_ledgers (organization_id, generation, state, sequence, event_id, as_of) \
         SELECT id, 1, 'active', 0, id, created_at FROM copies;"
    );
    fixture.stop()?;
    fixture.home.store().execute(&sql)?;
    fixture.restart(Vec::new())?;
    let wait = fixture.options.duration.max(Duration::from_millis(200)) * 2;
    // What a start brings is not idle.
    std::thread::sleep(wait / 2);
    let roots = fixture.target.roots();
    let before = family_time(&roots);
    std::thread::sleep(wait);
    let used = family_time(&roots).saturating_sub(before);
    figures.add(fixture.engine(), "idle-pass", used.as_secs_f64() / wait.as_secs_f64() * 100.0);
    Ok(())
}
