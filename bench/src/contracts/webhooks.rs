//! Webhooks: from the commit to the first byte at the receiver, deliveries per second, and what a create costs with them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::figures::Figures;
use super::receiver::{Arrival, Receiver};
use super::stage::{DESK, Stage, millis, text};
use crate::failure::{Failure, Result};
use crate::load::generator::{Fire, Pace};
use crate::load::shot::Shot;
use crate::measure::histogram::Histogram;
use crate::measure::statistics::float;
use crate::workloads::{self, Workload};

/// Creates per second while the latency of deliveries is measured.
const RATE: u64 = 100;
const ENDPOINTS: usize = 20;
const SLOW: Duration = Duration::from_millis(10);

pub(super) async fn measure(stage: &Stage<'_>, figures: &mut Figures) -> Result {
    let engine = stage.engine();
    let creates = creates(stage)?;
    let quiet = rounds(stage, &creates).await?;
    let receiver = Receiver::start(Duration::ZERO)?;
    let endpoint = endpoint(stage, &receiver.url(0))?;
    let (p50, p99) = latency(stage, &receiver, &creates).await?;
    figures.add(engine, "hook-p99", p99);
    figures.note(engine, "webhook: commit to first byte p50", p50, "ms");
    if stage.is_postgres() {
        let others = [stage.home.start()?, stage.home.start()?];
        let (_, p99) = latency(stage, &receiver, &creates).await?;
        figures.add(engine, "hook-p99-three", p99);
        for other in others {
            other.process.end()?;
        }
    }
    let with_endpoint = rounds(stage, &creates).await?;
    figures.note(engine, "create with one endpoint: CPU of one without", with_endpoint / quiet, "×");
    stage.call("DELETE", &format!("/webhook-endpoints/{endpoint}"), &Value::Null)?;
    deliveries(stage, figures, &creates).await
}

/// The median CPU of a create, in microseconds.
async fn rounds(stage: &Stage<'_>, creates: &Arc<Vec<Shot>>) -> Result<f64> {
    let mut rounds = Vec::new();
    for _ in 0..stage.options.rounds {
        rounds.push(stage.load(creates, stage.options.connections).await?);
    }
    super::stage::medians(&rounds).cpu_micros.ok_or_else(|| Failure::new("no CPU time was measured"))
}

fn creates(stage: &Stage<'_>) -> Result<Arc<Vec<Shot>>> {
    match workloads::fire(Workload::Create, &stage.target, stage.dataset, Some(&stage.home))? {
        Some(Fire::Any(shots)) => Ok(shots),
        _ => Err(Failure::new("Perennial has no creates")),
    }
}

fn endpoint(stage: &Stage<'_>, url: &str) -> Result<String> {
    let body = json!({ "url": url, "types": ["subscription.created"] });
    text(&stage.call("POST", "/webhook-endpoints", &body)?["id"])
}

/// The median and the 99th percentile in milliseconds, at a rate that leaves the machine idle most of the time.
async fn latency(stage: &Stage<'_>, receiver: &Receiver, creates: &Arc<Vec<Shot>>) -> Result<(f64, f64)> {
    receiver.take();
    let pace = Pace { connections: DESK, rate: Some(RATE), ..stage.options.pace() };
    let sent = stage.paced(creates, pace).await?.volley.answered;
    wait(receiver, sent)?;
    let mut latencies = Histogram::default();
    for arrival in receiver.take() {
        latencies.record(arrival.latency);
    }
    let percentile = |percent| millis(latencies.percentile(percent).map(float));
    Ok((percentile(50)?, percentile(99)?))
}

async fn deliveries(stage: &Stage<'_>, figures: &mut Figures, creates: &Arc<Vec<Shot>>) -> Result {
    let receiver = Receiver::start(SLOW)?;
    let mut endpoints = Vec::new();
    for number in 0..ENDPOINTS {
        endpoints.push(endpoint(stage, &receiver.url(number))?);
    }
    let events = stage.size(5, 1_000);
    stage.send_all(creates.iter().cycle().take(events).cloned().collect(), DESK).await?;
    wait(&receiver, (events * ENDPOINTS) as u64)?;
    let arrivals = receiver.take();
    let per_second = per_second(&arrivals).ok_or_else(|| Failure::new("all webhooks arrived at once"))?;
    figures.add(stage.engine(), "deliveries", per_second);
    for endpoint in endpoints {
        stage.call("DELETE", &format!("/webhook-endpoints/{endpoint}"), &Value::Null)?;
    }
    Ok(())
}

fn wait(receiver: &Receiver, expected: u64) -> Result {
    super::stage::until("the delivery of webhooks", || Ok((receiver.count() as u64 >= expected).then_some(())))
}

fn per_second(arrivals: &[Arrival]) -> Option<f64> {
    let first = arrivals.iter().map(|arrival| arrival.at).min()?;
    let last = arrivals.iter().map(|arrival| arrival.at).max()?;
    let elapsed = last.duration_since(first).as_secs_f64();
    (elapsed > 0.0).then(|| float(arrivals.len() as u64 - 1) / elapsed)
}
