//! The options of a run. `cargo xtask torture` sets them, after it has built what is needed.

use std::path::PathBuf;

use perennial_harness::words::{number, path};

use crate::failure::{Failure, Result};
use crate::scenario::{Engine, Scenario, Size};
use crate::scenarios;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Names of scenarios; empty is all of them.
    names: Vec<String>,
    engine: Option<Engine>,
    pub(crate) seed: u64,
    pub(crate) size: Size,
    /// How many scenarios run at the same time. More than one makes timings meaningless.
    pub(crate) jobs: usize,
    pub(crate) perennial: PathBuf,
    pub(crate) postgres_programs: PathBuf,
    /// Where the evidence of each scenario goes.
    pub(crate) place: PathBuf,
}

impl Options {
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut words = words.into_iter();
        let mut options = Self {
            names: Vec::new(),
            engine: None,
            seed: 1,
            size: Size::Usual,
            jobs: 1,
            perennial: PathBuf::new(),
            postgres_programs: PathBuf::new(),
            place: PathBuf::new(),
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::new(format!("`{word}` needs a value after it")));
            match word.as_str() {
                "--quick" => options.size = Size::Quick,
                "--full" => options.size = Size::Full,
                "--seed" => options.seed = number(&value()?)?,
                "--jobs" => options.jobs = number::<usize>(&value()?)?.max(1),
                "--engine" => options.engine = Some(engine(&value()?)?),
                "--perennial" => options.perennial = path(&value()?)?,
                "--postgres-programs" => options.postgres_programs = path(&value()?)?,
                "--place" => options.place = path(&value()?)?,
                name if scenarios::named(name).next().is_some() => options.names.push(word),
                _ => return Err(unknown(&word)),
            }
        }
        Ok(options)
    }

    /// Each scenario on each of its engines, in the order of the table.
    pub(crate) fn runs(&self) -> Vec<(&'static Scenario, Engine)> {
        let engines = |scenario| self.engines(scenario).into_iter().map(move |engine| (scenario, engine));
        self.scenarios().flat_map(engines).collect()
    }

    fn scenarios(&self) -> impl Iterator<Item = &'static Scenario> {
        let wanted = |scenario: &Scenario| self.names.is_empty() || self.names.iter().any(|name| scenario.is(name));
        scenarios::SCENARIOS.iter().filter(move |scenario| wanted(scenario))
    }

    /// The engines this scenario is to run on.
    fn engines(&self, scenario: &Scenario) -> Vec<Engine> {
        scenario.engines.iter().copied().filter(|engine| self.engine.is_none_or(|wanted| wanted == *engine)).collect()
    }
}

fn unknown(word: &str) -> Failure {
    let known: Vec<&str> = scenarios::SCENARIOS.iter().map(|scenario| scenario.name).collect();
    Failure::new(format!("`{word}` is not understood; the scenarios are {}", known.join(", ")))
}

fn engine(name: &str) -> Result<Engine> {
    let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
    found.ok_or_else(|| Failure::new(format!("`{name}` is no engine; `sqlite` and `postgres` are")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn without_a_choice_every_scenario_runs_on_every_engine_it_knows() {
        let options = parse("--place /p").unwrap();
        assert_eq!((options.seed, options.size), (1, Size::Usual));
        assert_eq!(options.scenarios().count(), scenarios::SCENARIOS.len());
        for scenario in options.scenarios() {
            assert_eq!(options.engines(scenario), scenario.engines);
        }
    }

    #[test]
    fn scenarios_and_engines_are_chosen_by_name() {
        let options = parse("r1 --engine postgres --seed 7 --full --jobs 2").unwrap();
        assert_eq!((options.seed, options.size, options.jobs), (7, Size::Full, 2));
        let chosen: Vec<_> = options.runs().into_iter().map(|(scenario, engine)| (scenario.name, engine)).collect();
        assert_eq!(chosen, [("r1", Engine::Postgres)]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(parse("r99").is_err());
        assert!(parse("--engine mysql").is_err());
        assert!(parse("--seed many").is_err());
        assert!(parse("--seed").is_err());
    }
}
