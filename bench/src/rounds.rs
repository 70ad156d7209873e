//! Rounds: the targets of a workload one after another, in turns, so that changes of the machine affect all alike.

use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::load::call;
use crate::load::generator::{self, Pace, Sample, Source};
use crate::load::request::Request;
use crate::measure::processes::{family_time, own_time};
use crate::measure::statistics::float;
use crate::results::{Results, Round};
use crate::targets::perennial::trusted_headers;
use crate::targets::target::{Protocol, Target};
use crate::workloads::Workload;

const POLL: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// A target and its requests.
pub(crate) struct Entry<'run> {
    pub(crate) target: &'run Target,
    pub(crate) source: Source,
}

/// One round of a workload, under a separate name; its measurements are added to the results.
pub(crate) async fn measure(
    results: &mut Results,
    (name, workload): (&str, Workload),
    entries: &[Entry<'_>],
    round: u64,
    pace: Pace,
) -> Result {
    // Each round begins with another target, so that none is always first after the pause.
    let first = usize::try_from(round).unwrap_or_default();
    for offset in 0..entries.len() {
        let entry = &entries[(offset + first) % entries.len()];
        match one(results, workload, entry, pace).await {
            Ok(measured) => results.add(name, entry.target.name, measured),
            // A peer that breaks down is a finding, not the end of the run.
            Err(failure) if entry.target.is_peer() => {
                results.absent(&format!("{} in {name}", entry.target.name), failure.to_string());
            }
            Err(failure) => return Err(Failure::new(format!("{name}, {}: {failure}", entry.target.name))),
        }
    }
    Ok(())
}

async fn one(results: &mut Results, workload: Workload, entry: &Entry<'_>, pace: Pace) -> Result<Round> {
    let target = entry.target;
    let before = rows(workload, target)?;
    let Measurement { round, sample, generator_cpu } = measure_to_the_end(target, &entry.source, pace).await?;
    if let (Some(before), Some(after)) = (before, rows(workload, target)?)
        && after != before + sample.responses
    {
        return Err(Failure::new(format!(
            "{} responses were correct, but the store has {} more rows",
            sample.responses,
            after - before
        )));
    }
    if before.is_some() {
        results.prove(format!("{}, {}", workload.name(), target.name), sample.responses);
    }
    results.generator_cpu.push(generator_cpu);
    Ok(round)
}

/// One target under load for a while.
pub(crate) struct Measurement {
    pub(crate) round: Round,
    pub(crate) sample: Sample,
    /// The generator's own microseconds per request.
    pub(crate) generator_cpu: f64,
}

/// Sends requests to a target and measures it.
pub(crate) async fn measure_target(target: &Target, source: &Source, pace: Pace) -> Result<Measurement> {
    let roots = target.roots();
    let own = std::process::id();
    let (sample, (theirs, ours)) = generator::run(
        target.address,
        source,
        pace,
        || (family_time(&roots), own_time(own)),
        |(theirs, ours)| (family_time(&roots).saturating_sub(theirs), own_time(own).saturating_sub(ours)),
    )
    .await?;
    let requests = float(sample.latencies.total()).max(1.0);
    let percentile = |percent| sample.latencies.percentile(percent).map(float);
    let round = Round {
        per_second: float(sample.latencies.total()) / sample.elapsed.as_secs_f64(),
        p50_micros: percentile(50),
        p99_micros: percentile(99),
        cpu_micros: Some(theirs.as_secs_f64() * 1e6 / requests),
    };
    Ok(Measurement { round, sample, generator_cpu: ours.as_secs_f64() * 1e6 / requests })
}

/// The same, with the work that Perennial does after its responses: it counts, and the next target is measured without it.
pub(crate) async fn measure_to_the_end(target: &Target, source: &Source, pace: Pace) -> Result<Measurement> {
    let mut measurement = measure_target(target, source, pace).await?;
    if let (Protocol::Perennial, Some(cpu)) = (&target.protocol, &mut measurement.round.cpu_micros) {
        let roots = target.roots();
        let before = family_time(&roots);
        finish_figures(target)?;
        let after = family_time(&roots).saturating_sub(before);
        *cpu += after.as_secs_f64() * 1e6 / float(measurement.sample.latencies.total()).max(1.0);
    }
    Ok(measurement)
}

/// Waits until revenue figures include every event. A build without figures has nothing to finish.
fn finish_figures(target: &Target) -> Result {
    let request = Request::new("GET", "/analytics/trials", &trusted_headers(), "");
    let deadline = Instant::now() + LONGEST_WAIT;
    loop {
        let response = call::send(target.address, &request)?;
        if response.status == 404 || response.json()?["meta"]["state"] == "current" {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Failure::new("the revenue figures do not catch up"));
        }
        std::thread::sleep(POLL);
    }
}

fn rows(workload: Workload, target: &Target) -> Result<Option<u64>> {
    match (workload.proof(&target.protocol), &target.store) {
        (Some(sql), Some(store)) => store.number(sql).map(Some),
        _ => Ok(None),
    }
}
