//! What a run found out, in the order it was found: the one thing that reports are made from.

use std::collections::BTreeMap;

use crate::measure::statistics::{median, ratio, spread};

/// One target in one round of one workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    pub(crate) p50_micros: Option<f64>,
    pub(crate) p99_micros: Option<f64>,
    /// Of the whole target; the generator's own workload is not in it.
    pub(crate) cpu_micros: Option<f64>,
}

/// The medians of all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) per_second: f64,
    pub(crate) p50_micros: Option<f64>,
    pub(crate) p99_micros: Option<f64>,
    pub(crate) cpu_micros: Option<f64>,
    /// How far the rounds' requests per second lie apart.
    pub(crate) spread: f64,
}

/// Results by workload and target, each in the order it first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    workloads: Vec<String>,
    targets: Vec<String>,
    rounds: BTreeMap<(String, String), Vec<Round>>,
    /// Single measurements: start-up, memory, rates, each with its unit.
    pub(crate) measurements: Vec<(String, f64, &'static str)>,
    /// Rows after writes that were counted in the stores.
    proofs: BTreeMap<String, u64>,
    pub(crate) absent: Vec<(String, String)>,
    pub(crate) versions: Vec<(String, String)>,
    /// The generator's own cost, to see that it was not what was measured.
    pub(crate) generator_cpu: Vec<f64>,
}

impl Results {
    pub(crate) fn add(&mut self, workload: &str, target: &str, round: Round) {
        remember(&mut self.workloads, workload);
        remember(&mut self.targets, target);
        self.rounds.entry((workload.to_owned(), target.to_owned())).or_default().push(round);
    }

    pub(crate) fn measurement(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.measurements.push((name.into(), value, unit));
    }

    /// A target that is not measured, and why; reported once.
    pub(crate) fn absent(&mut self, name: &str, reason: impl Into<String>) {
        if !self.absent.iter().any(|(known, _)| known == name) {
            self.absent.push((name.to_owned(), reason.into()));
        }
    }

    /// So many answered writes were found in the store.
    pub(crate) fn prove(&mut self, what: String, rows: u64) {
        *self.proofs.entry(what).or_default() += rows;
    }

    pub(crate) fn proofs(&self) -> impl Iterator<Item = (&str, u64)> {
        self.proofs.iter().map(|(what, rows)| (what.as_str(), *rows))
    }

    pub(crate) fn find_measurement(&self, name: &str) -> Option<f64> {
        self.measurements.iter().find(|(known, ..)| known == name).map(|(_, value, _)| *value)
    }

    pub(crate) fn workloads(&self) -> &[String] {
        &self.workloads
    }

    /// The targets of a workload, with their medians.
    pub(crate) fn of(&self, workload: &str) -> Vec<(&str, Summary)> {
        let names = self.targets.iter();
        names.filter_map(|name| Some((name.as_str(), self.summary(workload, name)?))).collect()
    }

    pub(crate) fn summary(&self, workload: &str, target: &str) -> Option<Summary> {
        let rounds = self.rounds.get(&(workload.to_owned(), target.to_owned()))?;
        let middle = |pick: &dyn Fn(&Round) -> Option<f64>| median(&rounds.iter().filter_map(pick).collect::<Vec<_>>());
        let rates: Vec<f64> = rounds.iter().map(|round| round.per_second).collect();
        Some(Summary {
            per_second: median(&rates)?,
            p50_micros: middle(&|round| round.p50_micros),
            p99_micros: middle(&|round| round.p99_micros),
            cpu_micros: middle(&|round| round.cpu_micros),
            spread: spread(&rates).unwrap_or(0.0),
        })
    }

    /// Processor time of one target's request over another's, of the same or of another workload.
    pub(crate) fn cpu_ratio(&self, (workload, target): (&str, &str), (other, base): (&str, &str)) -> Option<f64> {
        ratio(self.summary(workload, target)?.cpu_micros?, self.summary(other, base)?.cpu_micros?)
    }

    /// Requests per second of one target over another's.
    pub(crate) fn rate_ratio(&self, (workload, target): (&str, &str), (other, base): (&str, &str)) -> Option<f64> {
        ratio(self.summary(workload, target)?.per_second, self.summary(other, base)?.per_second)
    }
}

fn remember(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(per_second: f64, cpu: f64) -> Round {
        Round { per_second, p50_micros: None, p99_micros: Some(2.0), cpu_micros: Some(cpu) }
    }

    #[test]
    fn rounds_become_medians_and_medians_ratios() {
        let mut results = Results::default();
        for (rate, cpu) in [(100.0, 30.0), (300.0, 10.0), (200.0, 20.0)] {
            results.add("read", "ours", round(rate, cpu));
            results.add("read", "bare", round(rate * 2.0, cpu / 2.0));
        }
        let summary = results.summary("read", "ours").unwrap();
        assert_eq!((summary.per_second, summary.cpu_micros), (200.0, Some(20.0)));
        assert_eq!((summary.p50_micros, summary.spread), (None, 1.0));
        assert_eq!(results.cpu_ratio(("read", "ours"), ("read", "bare")), Some(2.0));
        assert_eq!(results.rate_ratio(("read", "ours"), ("read", "bare")), Some(0.5));
        assert_eq!(results.cpu_ratio(("read", "ours"), ("read", "none")), None);
        assert_eq!(results.of("read").len(), 2);
    }
}
