//! The options of a run. `cargo xtask bench` sets them, after it has built and started what is needed.

use std::path::PathBuf;
use std::time::Duration;

use perennial_harness::words::{number, path};

use crate::failure::{Failure, Result};
use crate::load::generator::Pace;
use crate::parts::PARTS;
use crate::rows::cluster::Cluster;
use crate::rows::dataset::MOST_ROWS;
use crate::workloads::Workload;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) peers: bool,
    /// Names of workloads and other parts; empty is all of them.
    pub(crate) only: Vec<String>,
    /// The only engine of the figures of the contracts.
    pub(crate) engine: Option<String>,
    pub(crate) rows: u64,
    pub(crate) rounds: u64,
    pub(crate) connections: usize,
    pub(crate) duration: Duration,
    pub(crate) rate: Option<u64>,
    /// The most rows of the growth.
    pub(crate) growth: u64,
    pub(crate) perennial: PathBuf,
    /// The program of an earlier build, to be measured next to it.
    pub(crate) against: Option<PathBuf>,
    /// The directory of stores and logs during a run.
    pub(crate) place: PathBuf,
    /// The directory `bench` of the workspace.
    pub(crate) source: PathBuf,
    /// Where peers are installed.
    pub(crate) peers_home: PathBuf,
    pub(crate) programs: PathBuf,
    clusters: Vec<(String, String, u32)>,
}

impl Options {
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self> {
        Self::parse_with(words, &Defaults { rows: 1_000_000, rounds: 5, seconds: 5, quick_millis: 150, parts: parts() })
    }

    /// The same flags for the figures of the contracts, with sizes that need some minutes.
    pub(crate) fn for_contracts(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let parts = PARTS.to_vec();
        Self::parse_with(words, &Defaults { rows: 100_000, rounds: 3, seconds: 3, quick_millis: 50, parts })
    }

    fn parse_with(words: impl IntoIterator<Item = String>, defaults: &Defaults) -> Result<Self> {
        let mut words = words.into_iter();
        let mut options = Self::usual();
        let (mut rows, mut rounds, mut seconds) = (None, None, None);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::new(format!("`{word}` needs a value after it")));
            match word.as_str() {
                "--quick" => options.quick = true,
                "--peers" => options.peers = true,
                "--only" => options.only.push(value()?),
                "--engine" => options.engine = Some(value()?),
                "--rows" => rows = Some(number(&value()?)?),
                "--rounds" => rounds = Some(number(&value()?)?),
                "--seconds" => seconds = Some(number(&value()?)?),
                "--rate" => options.rate = Some(number(&value()?)?),
                "--connections" => options.connections = number(&value()?)?,
                "--growth" => options.growth = number(&value()?)?,
                "--perennial" => options.perennial = path(&value()?)?,
                "--against" => options.against = Some(path(&value()?)?),
                "--place" => options.place = path(&value()?)?,
                "--source" => options.source = path(&value()?)?,
                "--peers-home" => options.peers_home = path(&value()?)?,
                "--programs" => options.programs = path(&value()?)?,
                "--cluster" => {
                    let (name, url, pid) = (value()?, words.next(), words.next());
                    let incomplete = || Failure::new("`--cluster` needs a name, a URL and a process id");
                    options.clusters.push((name, url.ok_or_else(incomplete)?, number(&pid.ok_or_else(incomplete)?)?));
                }
                _ => return Err(Failure::new(format!("`{word}` is not understood"))),
            }
        }
        options.rows = rows.unwrap_or(if options.quick { 1_000 } else { defaults.rows });
        options.rounds = rounds.unwrap_or(if options.quick { 1 } else { defaults.rounds });
        options.duration = match seconds {
            Some(seconds) => Duration::from_secs(seconds),
            None if options.quick => Duration::from_millis(defaults.quick_millis),
            None => Duration::from_secs(defaults.seconds),
        };
        if let Some(part) = options.only.iter().find(|part| !defaults.parts.contains(&part.as_str())) {
            let parts = defaults.parts.join(", ");
            return Err(Failure::new(format!("`{part}` is no part of a run; the parts are {parts}")));
        }
        if options.engine.as_deref().is_some_and(|engine| !["sqlite", "postgres"].contains(&engine)) {
            return Err(Failure::new("`--engine` is `sqlite` or `postgres`"));
        }
        if options.rows < 100 || options.rows > MOST_ROWS || options.rounds == 0 || options.connections == 0 {
            return Err(Failure::new(format!(
                "100 to {MOST_ROWS} rows, and at least one round and connection, please"
            )));
        }
        Ok(options)
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == name)
    }

    /// Whether the figures of the contracts are measured on this engine.
    pub(crate) fn wants_engine(&self, name: &str) -> bool {
        self.engine.as_deref().is_none_or(|wanted| wanted == name)
    }

    pub(crate) fn cluster(&self, name: &str) -> Option<Cluster> {
        let (_, url, pid) = self.clusters.iter().find(|(known, ..)| known == name)?;
        Some(Cluster { url: url.clone(), pid: *pid, programs: self.programs.clone() })
    }

    pub(crate) fn has_postgres(&self) -> bool {
        self.cluster("perennial").is_some()
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace { connections: self.connections, warm_up: self.duration / 5, duration: self.duration, rate: self.rate }
    }

    /// The plots and the text of a whole run belong to the workspace; what a part or a smoke run saw does not.
    pub(crate) fn output(&self) -> PathBuf {
        if self.quick || !self.only.is_empty() || self.engine.is_some() {
            self.place.join("results")
        } else {
            self.source.clone()
        }
    }

    fn usual() -> Self {
        Self {
            quick: false,
            peers: false,
            only: Vec::new(),
            engine: None,
            rows: 0,
            rounds: 0,
            connections: 64,
            duration: Duration::ZERO,
            rate: None,
            growth: 10_000_000,
            perennial: PathBuf::new(),
            against: None,
            place: PathBuf::new(),
            source: PathBuf::new(),
            peers_home: PathBuf::new(),
            programs: PathBuf::new(),
            clusters: Vec::new(),
        }
    }
}

/// What is used where a flag is not given, and what `--only` may name.
struct Defaults {
    rows: u64,
    rounds: u64,
    seconds: u64,
    quick_millis: u64,
    parts: Vec<&'static str>,
}

/// What `--only` may name in a run.
fn parts() -> Vec<&'static str> {
    let others = ["disk", "start", "slow-sync", "growth"];
    Workload::ALL.into_iter().map(Workload::name).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_quick_run_is_small_and_a_real_one_is_not() {
        let quick = parse("--quick --place /p --source /s").unwrap();
        assert_eq!((quick.rows, quick.rounds), (1_000, 1));
        assert_eq!(quick.output(), PathBuf::from("/p/results"));
        let real = parse("--place /p --source /s").unwrap();
        assert_eq!((real.rows, real.rounds), (1_000_000, 5));
        assert_eq!(real.output(), PathBuf::from("/s"));
    }

    #[test]
    fn parts_and_clusters_are_found_by_name() {
        let options = parse("--only create --cluster perennial postgres://x 42 --rows 500").unwrap();
        assert!(options.wants("create") && !options.wants("plan"));
        assert_eq!(options.cluster("perennial").unwrap().pid, 42);
        assert!(options.cluster("other").is_none());
        assert_eq!(options.rows, 500);
    }

    #[test]
    fn the_figures_of_the_contracts_have_other_sizes_and_parts() {
        let parse = |line: &str| Options::for_contracts(line.split_whitespace().map(str::to_owned));
        let options = parse("--only usage").unwrap();
        assert_eq!((options.rows, options.rounds), (100_000, 3));
        assert!(options.wants("usage") && !options.wants("renewals"));
        assert!(parse("--only create").is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(parse("--rows many").is_err());
        assert!(parse("--rows 1").is_err());
        assert!(parse("--chekc").is_err());
        assert!(parse("--only plans").is_err());
        assert!(parse("--cluster a b").is_err());
    }
}
