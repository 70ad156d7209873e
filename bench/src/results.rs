//! What a run found out, in the order it was found: the one thing that reports are made from.

use std::collections::BTreeMap;

use crate::measure::statistics::{median, ratio, spread};

/// One contestant in one round of one work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    pub(crate) p50_micros: Option<f64>,
    pub(crate) p99_micros: Option<f64>,
    /// Of the whole contestant; the generator's own work is not in it.
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

/// Results by work and contestant, each in the order it first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    works: Vec<String>,
    contestants: Vec<String>,
    rounds: BTreeMap<(String, String), Vec<Round>>,
    /// Single figures: start-up, memory, rates, each with its unit.
    pub(crate) figures: Vec<(String, f64, &'static str)>,
    /// Rows after writes that were counted in the stores.
    proofs: BTreeMap<String, u64>,
    pub(crate) absent: Vec<(String, String)>,
    pub(crate) versions: Vec<(String, String)>,
    /// The generator's own cost, to see that it was not what was measured.
    pub(crate) generator_cpu: Vec<f64>,
}

impl Results {
    pub(crate) fn add(&mut self, work: &str, contestant: &str, round: Round) {
        remember(&mut self.works, work);
        remember(&mut self.contestants, contestant);
        self.rounds.entry((work.to_owned(), contestant.to_owned())).or_default().push(round);
    }

    pub(crate) fn figure(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.figures.push((name.into(), value, unit));
    }

    /// Somebody who does not take part, and why; said once.
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

    pub(crate) fn find_figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, ..)| known == name).map(|(_, value, _)| *value)
    }

    pub(crate) fn works(&self) -> &[String] {
        &self.works
    }

    /// The contestants of a work, with their medians.
    pub(crate) fn of(&self, work: &str) -> Vec<(&str, Summary)> {
        let names = self.contestants.iter();
        names.filter_map(|name| Some((name.as_str(), self.summary(work, name)?))).collect()
    }

    pub(crate) fn summary(&self, work: &str, contestant: &str) -> Option<Summary> {
        let rounds = self.rounds.get(&(work.to_owned(), contestant.to_owned()))?;
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

    /// Processor time of one contestant's request over another's, of the same or of another work.
    pub(crate) fn cpu_ratio(&self, (work, contestant): (&str, &str), (other, base): (&str, &str)) -> Option<f64> {
        ratio(self.summary(work, contestant)?.cpu_micros?, self.summary(other, base)?.cpu_micros?)
    }

    /// Requests per second of one contestant over another's.
    pub(crate) fn rate_ratio(&self, (work, contestant): (&str, &str), (other, base): (&str, &str)) -> Option<f64> {
        ratio(self.summary(work, contestant)?.per_second, self.summary(other, base)?.per_second)
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
        assert_eq!(results.cpu_ratio(("read", "ours"), ("read", "nobody")), None);
        assert_eq!(results.of("read").len(), 2);
    }
}
