//! What `--help` says, of every command there is.

use crate::support::{Output, Place, snapshot};
use std::process::Command;

/// The program without a setting, so that no help shows a value of this machine.
fn help(place: &Place, words: &[&str]) -> String {
    let mut command: Command = place.program();
    for variable in ["PERENNIAL_DATA_DIR", "PERENNIAL_DATABASE_URL", "PERENNIAL_MASTER_KEY"] {
        command.env_remove(variable);
    }
    Output::of(command.args(words).arg("--help")).succeeded()
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

#[test]
fn every_command_says_what_it_is_for() {
    let place = Place::sqlite();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(words) = waiting.pop() {
        let text = help(&place, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!text.contains('\x1b'), "colour is for terminals: {text:?}");
        waiting.extend(listed(&text).into_iter().map(|word| [words.clone(), vec![word]].concat()));
        let name = ["perennial".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join("-");
        let text: String = text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
        snapshot(&format!("help/{name}"), &text);
        seen += 1;
    }
    assert!(seen > 30, "{seen} commands");
}

#[test]
fn the_short_help_has_the_examples_too() {
    let place = Place::sqlite();
    for words in [&["-h"][..], &["serve", "-h"], &["config", "-h"], &["client", "-h"]] {
        let text = place.run(words).succeeded();
        assert!(text.contains("Examples:\n  perennial "), "{text}");
    }
}
