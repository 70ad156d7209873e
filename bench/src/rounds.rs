//! Rounds: the contestants of a work one after another, in turns, so that a machine's moods fall on all alike.

use crate::contestants::contestant::Contestant;
use crate::failure::{Failure, Result};
use crate::load::generator::{self, Fire, Pace};
use crate::measure::processes::{family_time, own_time};
use crate::measure::statistics::float;
use crate::results::{Results, Round};
use crate::works::Work;

/// A contestant with what it will be asked.
pub(crate) struct Entry<'run> {
    pub(crate) contestant: &'run Contestant,
    pub(crate) fire: Fire,
}

/// One round of a work, under a name of its own; what it finds is added to the results.
pub(crate) async fn measure(
    results: &mut Results,
    (name, work): (&str, Work),
    entries: &[Entry<'_>],
    round: u64,
    pace: Pace,
) -> Result {
    // Each round begins with another one: nobody always comes first, after the pause.
    let first = usize::try_from(round).unwrap_or_default();
    for turn in 0..entries.len() {
        let entry = &entries[(turn + first) % entries.len()];
        match one(results, work, entry, pace).await {
            Ok(measured) => results.add(name, entry.contestant.name, measured),
            // A peer that breaks down is a finding, not the end of the run.
            Err(failure) if entry.contestant.is_peer() => {
                results.absent(&format!("{} in {name}", entry.contestant.name), failure.to_string());
            }
            Err(failure) => return Err(Failure::new(format!("{name}, {}: {failure}", entry.contestant.name))),
        }
    }
    Ok(())
}

async fn one(results: &mut Results, work: Work, entry: &Entry<'_>, pace: Pace) -> Result<Round> {
    let contestant = entry.contestant;
    let roots = contestant.roots();
    let own = std::process::id();
    let before = rows(work, contestant)?;
    let (volley, (theirs, ours)) = generator::fire(
        contestant.address,
        &entry.fire,
        pace,
        || (family_time(&roots), own_time(own)),
        |(theirs, ours)| (family_time(&roots).saturating_sub(theirs), own_time(own).saturating_sub(ours)),
    )
    .await?;
    if let (Some(before), Some(after)) = (before, rows(work, contestant)?)
        && after != before + volley.answered
    {
        return Err(Failure::new(format!(
            "{} answers were good, but the store holds {} more rows",
            volley.answered,
            after - before
        )));
    }
    if before.is_some() {
        results.prove(format!("{}, {}", work.name(), contestant.name), volley.answered);
    }
    let requests = float(volley.latencies.total()).max(1.0);
    results.generator_cpu.push(ours.as_secs_f64() * 1e6 / requests);
    let percentile = |percent| volley.latencies.percentile(percent).map(float);
    Ok(Round {
        per_second: float(volley.latencies.total()) / volley.elapsed.as_secs_f64(),
        p50_micros: percentile(50),
        p99_micros: percentile(99),
        cpu_micros: Some(theirs.as_secs_f64() * 1e6 / requests),
    })
}

fn rows(work: Work, contestant: &Contestant) -> Result<Option<u64>> {
    match (work.proof(&contestant.speech), &contestant.store) {
        (Some(sql), Some(store)) => store.number(sql).map(Some),
        _ => Ok(None),
    }
}
