//! Tests of the guide: every file and every command that it shows is accepted.

use crate::arguments::Arguments;
use crate::config::Config;
use clap::Parser;

const GUIDE: &str = include_str!("../../../../docs/identity-providers.md");
const COMMANDS: &str = include_str!("../../../../docs/commands.md");

/// The code blocks in this language, with any indentation.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let opening = format!("```{language}");
    lines
        .split(|line| *line == opening)
        .skip(1)
        .map(|rest| rest.iter().take_while(|line| **line != "```").copied().collect::<Vec<_>>().join("\n"))
        .collect()
}

/// The same with the secret itself instead of its file, which does not exist here.
fn with_secret(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once("_file = ") {
        Some((name, _)) => format!("{name} = \"{}\"", "s".repeat(32)),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_in_the_guide_is_accepted() {
    let guide = blocks(GUIDE, "toml");
    assert_eq!(guide.len(), 9);
    for text in &guide {
        let config: Config = toml::from_str(&with_secret(text)).unwrap_or_else(|error| panic!("{error}: {text}"));
        let configured = super::configured(&config.providers).unwrap_or_else(|failure| panic!("{}: {text}", failure.0));
        assert_eq!(configured.len(), 1, "{text}");
    }
}

#[test]
fn every_command_in_the_guide_is_accepted() {
    let text = blocks(GUIDE, "sh").join("\n").replace("\\\n", " ");
    let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("perennial ")).collect();
    assert_eq!(commands.len(), 12, "{commands:?}");
    for command in commands {
        let words = command.split(" #").next().unwrap_or_default().split_whitespace();
        assert!(Arguments::try_parse_from(words).is_ok(), "{command}");
    }
}

#[test]
fn every_command_in_the_page_of_commands_is_accepted() {
    let text = blocks(COMMANDS, "sh").join("\n");
    assert_eq!(text.lines().count(), 9, "{text}");
    for command in text.lines() {
        let words = command.split(" > ").next().unwrap_or_default().split_whitespace();
        assert!(Arguments::try_parse_from(words).is_ok(), "{command}");
    }
}
