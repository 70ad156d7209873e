//! The source of each value: the default, a line of the file, a variable or a flag.

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(crate) enum Source {
    Default,
    File { file: PathBuf, line: usize },
    Environment { variable: String },
    Flag { flag: String },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { file, line } => write!(f, "{}:{line}", file.display()),
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

/// The sources of all values that are not the defaults, by their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(BTreeMap<String, Source>);

impl Sources {
    /// The values of flags and variables. An argument has the name of its key: `data_dir` is `--data-dir` and
    /// `PERENNIAL_DATA_DIR`.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let mut deepest = matches;
        while let Some((_, below)) = deepest.subcommand() {
            deepest = below;
        }
        let mut sources = Self::default();
        for id in deepest.ids().map(clap::Id::as_str) {
            match deepest.value_source(id) {
                Some(ValueSource::CommandLine) => sources.set(id, Source::Flag { flag: flag(id) }),
                Some(ValueSource::EnvVariable) => sources.set(id, Source::Environment { variable: variable(id) }),
                _ => {}
            }
        }
        sources
    }

    pub(crate) fn get(&self, key: &str) -> Source {
        self.0.get(key).cloned().unwrap_or(Source::Default)
    }

    /// The first line of the file with a key that begins so.
    pub(crate) fn first_below(&self, prefix: &str) -> Option<Source> {
        let lines = self.0.iter().filter(|(key, _)| key.starts_with(prefix)).filter_map(|(_, source)| match source {
            Source::File { line, .. } => Some((line, source)),
            _ => None,
        });
        lines.min_by_key(|(line, _)| **line).map(|(_, source)| source.clone())
    }

    pub(crate) fn set(&mut self, key: &str, source: Source) {
        self.0.insert(key.to_owned(), source);
    }

    /// The lines of a file, for keys that neither a flag nor a variable sets.
    pub(crate) fn add_file(&mut self, file: &Path, lines: BTreeMap<String, usize>) {
        for (key, line) in lines {
            self.0.entry(key).or_insert_with(|| Source::File { file: file.to_owned(), line });
        }
    }
}

pub(crate) fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

pub(crate) fn variable(id: &str) -> String {
    format!("PERENNIAL_{}", id.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::CommandFactory;

    #[test]
    fn every_argument_of_the_configuration_is_named_as_its_key_is() {
        let command = Arguments::command();
        let serve = command.find_subcommand("serve").unwrap();
        let has_variable = |id: &&clap::Arg| id.get_env().is_some();
        let arguments: Vec<&clap::Arg> =
            command.get_arguments().chain(serve.get_arguments()).filter(has_variable).collect();
        assert_eq!(arguments.len(), 7);
        for argument in arguments {
            let id = argument.get_id().as_str();
            assert_eq!(format!("--{}", argument.get_long().unwrap()), flag(id));
            assert_eq!(argument.get_env().unwrap().to_str().unwrap(), variable(id));
        }
    }

    #[test]
    fn a_flag_and_a_variable_are_told_apart_from_nothing_at_all() {
        let matches =
            Arguments::command().get_matches_from(["perennial", "--data-dir", "d", "serve", "--listen", "[::1]:1"]);
        let sources = Sources::of(&matches);
        assert_eq!(sources.get("data_dir").to_string(), "--data-dir");
        assert_eq!(sources.get("listen").to_string(), "--listen");
        assert_eq!(sources.get("limits.body_bytes"), Source::Default);
    }
}
