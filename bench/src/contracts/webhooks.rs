//! Webhooks: from the commit to the first byte at the receiver, deliveries per second, and what a create costs with them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::figures::Figures;
use super::fixture::{FEW_CONNECTIONS, Fixture, millis, text};
use super::receiver::{Arrival, Receiver};
use crate::failure::{Failure, Result};
use crate::load::generator::{Pace, Source};
use crate::load::request::Request;
use crate::measure::histogram::Histogram;
use crate::measure::statistics::float;
use crate::workloads::{self, Workload};

/// Creates per second while the latency of deliveries is measured.
const RATE: u64 = 100;
const ENDPOINTS: usize = 20;
const SLOW: Duration = Duration::from_millis(10);

pub(super) async fn measure(fixture: &Fixture<'_>, figures: &mut Figures) -> Result {
    let engine = fixture.engine();
    let creates = creates(fixture)?;
    let quiet = rounds(fixture, &creates).await?;
    let receiver = Receiver::start(Duration::ZERO)?;
    let endpoint = endpoint(fixture, &receiver.url(0))?;
    let (p50, p99) = latency(fixture, &receiver, &creates).await?;
    figures.add(engine, "hook-p99", p99);
    figures.note(engine, "webhook: commit to first byte p50", p50, "ms");
    if fixture.is_postgres() {
        let others = [fixture.home.start()?, fixture.home.start()?];
        let (_, p99) = latency(fixture, &receiver, &creates).await?;
        figures.add(engine, "hook-p99-three", p99);
        for other in others {
            other.process.end()?;
        }
    }
    let with_endpoint = rounds(fixture, &creates).await?;
    figures.note(engine, "create with one endpoint: CPU of one without", with_endpoint / quiet, "×");
    fixture.call("DELETE", &format!("/webhook-endpoints/{endpoint}"), &Value::Null)?;
    deliveries(fixture, figures, &creates).await
}

/// The median CPU of a create, in microseconds.
async fn rounds(fixture: &Fixture<'_>, creates: &Arc<Vec<Request>>) -> Result<f64> {
    let mut rounds = Vec::new();
    for _ in 0..fixture.options.rounds {
        rounds.push(fixture.load(creates, fixture.options.connections).await?);
    }
    super::fixture::medians(&rounds).cpu_micros.ok_or_else(|| Failure::new("no CPU time was measured"))
}

fn creates(fixture: &Fixture<'_>) -> Result<Arc<Vec<Request>>> {
    match workloads::source(Workload::Create, &fixture.target, fixture.dataset, Some(&fixture.home))? {
        Some(Source::Any(requests)) => Ok(requests),
        _ => Err(Failure::new("Perennial has no creates")),
    }
}

fn endpoint(fixture: &Fixture<'_>, url: &str) -> Result<String> {
    let body = json!({ "url": url, "types": ["subscription.created"] });
    text(&fixture.call("POST", "/webhook-endpoints", &body)?["id"])
}

/// The median and the 99th percentile in milliseconds, at a rate that leaves the machine idle most of the time.
async fn latency(fixture: &Fixture<'_>, receiver: &Receiver, creates: &Arc<Vec<Request>>) -> Result<(f64, f64)> {
    receiver.take();
    let pace = Pace { connections: FEW_CONNECTIONS, rate: Some(RATE), ..fixture.options.pace() };
    let sent = fixture.paced(creates, pace).await?.sample.responses;
    wait(receiver, sent)?;
    let mut latencies = Histogram::default();
    for arrival in receiver.take() {
        latencies.record(arrival.latency);
    }
    let percentile = |percent| millis(latencies.percentile(percent).map(float));
    Ok((percentile(50)?, percentile(99)?))
}

async fn deliveries(fixture: &Fixture<'_>, figures: &mut Figures, creates: &Arc<Vec<Request>>) -> Result {
    let receiver = Receiver::start(SLOW)?;
    let mut endpoints = Vec::new();
    for number in 0..ENDPOINTS {
        endpoints.push(endpoint(fixture, &receiver.url(number))?);
    }
    let events = fixture.size(5, 1_000);
    fixture.send_all(creates.iter().cycle().take(events).cloned().collect(), FEW_CONNECTIONS).await?;
    wait(&receiver, (events * ENDPOINTS) as u64)?;
    let arrivals = receiver.take();
    let per_second = per_second(&arrivals).ok_or_else(|| Failure::new("all webhooks arrived at once"))?;
    figures.add(fixture.engine(), "deliveries", per_second);
    for endpoint in endpoints {
        fixture.call("DELETE", &format!("/webhook-endpoints/{endpoint}"), &Value::Null)?;
    }
    Ok(())
}

fn wait(receiver: &Receiver, expected: u64) -> Result {
    super::fixture::until("the delivery of webhooks", || Ok((receiver.count() as u64 >= expected).then_some(())))
}

fn per_second(arrivals: &[Arrival]) -> Option<f64> {
    let first = arrivals.iter().map(|arrival| arrival.at).min()?;
    let last = arrivals.iter().map(|arrival| arrival.at).max()?;
    let elapsed = last.duration_since(first).as_secs_f64();
    (elapsed > 0.0).then(|| float(arrivals.len() as u64 - 1) / elapsed)
}
