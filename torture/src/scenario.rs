//! A scenario: what it is given and what it returns.

use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, fs};

use crate::failure::{Result, could_not};

/// What the service keeps its records in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How much of it: what CI has time for, what an evening has, and what the goal speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Quick,
    Usual,
    Full,
}

impl Size {
    pub(crate) fn name(self) -> &'static str {
        self.choose("quick", "usual", "full")
    }

    /// What no scenario takes on one engine; then something hangs.
    pub(crate) fn limit(self) -> Duration {
        Duration::from_mins(self.choose(10, 45, 240))
    }

    pub(crate) fn choose<T>(self, quick: T, usual: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Usual => usual,
            Self::Full => full,
        }
    }
}

/// What a scenario is given.
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) size: Size,
    pub(crate) engine: Engine,
    /// The `perennial` that is put to the test.
    pub(crate) binary: PathBuf,
    /// Where `initdb`, `postgres` and `psql` are.
    pub(crate) postgres_programs: PathBuf,
    /// A separate, empty directory. It is preserved if the scenario fails, and removed if it passes.
    pub(crate) evidence: PathBuf,
}

impl Run {
    /// The same with a separate directory, for a scenario of several parts.
    pub(crate) fn part(&self, name: &str) -> Result<Self> {
        let evidence = self.evidence.join(name);
        fs::create_dir(&evidence).map_err(could_not(format!("create {}", evidence.display())))?;
        Ok(Self { binary: self.binary.clone(), postgres_programs: self.postgres_programs.clone(), evidence, ..*self })
    }
}

/// One line of a scenario's result: what was counted, what the goal is, whether it holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    pub(crate) what: String,
    pub(crate) value: String,
    pub(crate) goal: String,
    pub(crate) holds: bool,
}

impl Measured {
    pub(crate) fn new(what: impl Into<String>, value: impl fmt::Display, goal: impl Into<String>, holds: bool) -> Self {
        Self { what: what.into(), value: value.to_string(), goal: goal.into(), holds }
    }

    /// A timing. The quick run is of a debug build on a busy machine: it sees that things work, and judges no time.
    pub(crate) fn timing(size: Size, what: &str, value: impl fmt::Display, goal: &str, holds: bool) -> Self {
        match size {
            Size::Quick => Self::new(what, value, format!("{goal}, not judged when quick"), true),
            Size::Usual | Size::Full => Self::new(what, value, goal, holds),
        }
    }

    /// A count of what must not happen.
    pub(crate) fn none(what: impl Into<String>, count: usize) -> Self {
        Self::new(what, count, "0", count == 0)
    }

    /// The number of attempts; the goal is the required number.
    pub(crate) fn at_least(what: impl Into<String>, count: usize, goal: usize) -> Self {
        Self::new(what, count, format!(">= {goal}"), count >= goal)
    }
}

/// A row of the table in `scenarios.rs`.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) engines: &'static [Engine],
    pub(crate) run: fn(&Run) -> Result<Vec<Measured>>,
}

impl Scenario {
    /// Whether it goes by this name: its own, or that of the scenario it is a part of.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}
