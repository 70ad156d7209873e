//! The little of argument parsing that xtask needs: flags, values, and what follows `--`.
//! Whatever no command asked for is refused, so that a typing mistake is never silently ignored.

use std::str::FromStr;

use crate::process::{Failure, Result};

pub(crate) struct Arguments {
    own: Vec<String>,
    trailing: Option<Vec<String>>,
}

impl Arguments {
    pub(crate) fn new(all: impl IntoIterator<Item = String>) -> Self {
        let mut own: Vec<String> = all.into_iter().collect();
        let trailing = own.iter().position(|word| word == "--").map(|at| {
            let trailing = own.split_off(at + 1);
            own.pop();
            trailing
        });
        Self { own, trailing }
    }

    /// The first word, which names the command.
    pub(crate) fn command(&mut self) -> Option<String> {
        (!self.own.is_empty()).then(|| self.own.remove(0))
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.own.len();
        self.own.retain(|word| word != name);
        self.own.len() < before
    }

    /// The value of `--name value` or `--name=value`, the first one left.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let prefix = format!("{name}=");
        let Some(at) = self.own.iter().position(|word| word == name || word.starts_with(&prefix)) else {
            return Ok(None);
        };
        let word = self.own.remove(at);
        if let Some(value) = word.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.own.len() {
            return Err(Failure::new(format!("`{name}` needs a value after it.")));
        }
        Ok(Some(self.own.remove(at)))
    }

    pub(crate) fn number<N: FromStr>(&mut self, name: &str) -> Result<Option<N>> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        value
            .parse()
            .map(Some)
            .map_err(|_| Failure::new(format!("`{name}` needs a whole number; `{value}` is not one.")))
    }

    /// The words that are left and are no flags.
    pub(crate) fn words(&mut self) -> Vec<String> {
        self.own.extract_if(.., |word| !word.starts_with('-')).collect()
    }

    /// What follows `--`, for commands that hand it on.
    pub(crate) fn trailing(&mut self) -> Vec<String> {
        self.trailing.take().unwrap_or_default()
    }

    /// Refuses what is left.
    pub(crate) fn finish(self) -> Result {
        let left = self.own.first().cloned();
        match left.or_else(|| self.trailing.map(|_| "--".to_owned())) {
            None => Ok(()),
            Some(word) => {
                Err(Failure::new(format!("`{word}` is not understood here; `cargo xtask help` lists what is.")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_values_and_trailing_words_are_told_apart() {
        let mut given = arguments("test --sqlite --seed 7 --only=fmt -- --nocapture --sqlite");
        assert_eq!(given.command().as_deref(), Some("test"));
        assert!(given.flag("--sqlite"));
        assert!(!given.flag("--check"));
        assert_eq!(given.number("--seed").unwrap(), Some(7_u64));
        assert_eq!(given.value("--only").unwrap().as_deref(), Some("fmt"));
        assert_eq!(given.trailing(), ["--nocapture", "--sqlite"]);
        given.finish().unwrap();
    }

    #[test]
    fn words_are_what_is_left_of_flags_and_values() {
        let mut given = arguments("slug --seed 7 decimal --chekc");
        assert_eq!(given.number("--seed").unwrap(), Some(7_u32));
        assert_eq!(given.words(), ["slug", "decimal"]);
        assert!(given.finish().is_err());
    }

    #[test]
    fn what_nobody_asked_for_is_refused() {
        assert!(arguments("--chekc").finish().is_err());
        assert!(arguments("-- more").finish().is_err());
    }

    #[test]
    fn a_value_must_follow_and_a_number_must_be_one() {
        assert!(arguments("--only").value("--only").is_err());
        assert!(arguments("--seed x").number::<u64>("--seed").is_err());
    }
}
