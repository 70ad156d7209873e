//! The help text of every command.

use crate::support::{Output, Place, snapshot, stored_names};
use std::process::Command;

/// A command, or a group of them, and its help.
pub(crate) struct Explained {
    pub(crate) words: Vec<String>,
    help: String,
}

impl Explained {
    /// Whether it does something itself.
    pub(crate) fn is_leaf(&self) -> bool {
        self.listed().is_empty()
    }

    /// The snapshot of its help.
    pub(crate) fn file_name(&self) -> String {
        ["perennial"].into_iter().chain(self.words.iter().map(String::as_str)).collect::<Vec<_>>().join("-")
    }

    /// The commands that its help lists.
    fn listed(&self) -> Vec<String> {
        let lines =
            self.help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    }
}

/// Every command, from the program's own help.
pub(crate) fn commands() -> Vec<Explained> {
    let place = Place::sqlite();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    let mut commands = Vec::new();
    while let Some(words) = waiting.pop() {
        let help = help(&place, &words);
        let command = Explained { words, help };
        waiting.extend(command.listed().into_iter().map(|word| [command.words.clone(), vec![word]].concat()));
        commands.push(command);
    }
    commands
}

/// The program without a setting, so that no help shows a value of this machine.
fn help(place: &Place, words: &[String]) -> String {
    let mut command: Command = place.program();
    for variable in ["PERENNIAL_DATA_DIR", "PERENNIAL_DATABASE_URL", "PERENNIAL_MASTER_KEY"] {
        command.env_remove(variable);
    }
    Output::of(command.args(words).arg("--help")).succeeded()
}

#[test]
fn every_command_says_what_it_is_for() {
    let commands = commands();
    for command in &commands {
        let text = &command.help;
        assert!(!text.contains('\x1b'), "color is for terminals: {text:?}");
        let text: String = text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
        snapshot(&format!("help/{}", command.file_name()), &text);
    }
    assert!(commands.len() > 30, "{} commands", commands.len());
    assert_eq!(stored_names("help"), commands.iter().map(Explained::file_name).collect(), "each help has its command");
}

#[test]
fn the_short_help_has_the_examples_too() {
    let place = Place::sqlite();
    for words in [&["-h"][..], &["serve", "-h"], &["config", "-h"], &["client", "-h"]] {
        let text = place.run(words).succeeded();
        assert!(text.contains("Examples:\n  perennial "), "{text}");
    }
}
