//! The reference of all commands as Markdown, generated from the definition of the command line: `docs/cli.md`.

use crate::arguments::Arguments;
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

const HEAD: &str = "# Command-line reference

Generated from the program by `cargo xtask openapi`; do not edit. [commands.md](commands.md) describes effects, checks and
formats.
";

/// The page with every command that is not hidden.
pub(crate) fn markdown() -> String {
    let mut program = Arguments::command();
    program.build();
    let mut page = String::from(HEAD);
    let global = program.get_arguments().filter(|argument| argument.is_global_set());
    section(&mut page, "Options of every command", &table(global));
    write_commands(&mut page, &program, "perennial");
    page
}

fn write_commands(page: &mut String, command: &Command, name: &str) {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = format!("{name} {}", command.get_name());
        section(page, &name, &description(command));
        write_commands(page, command, &name);
    }
}

fn section(page: &mut String, title: &str, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(page, "\n## {title}\n\n{}\n", text.trim_end());
}

fn description(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let mut text = format!("{about}\n\n```text\n{usage}\n```\n");
    let own = command.get_arguments().filter(|argument| !argument.is_global_set() && argument.get_id() != "help");
    let table = table(own);
    if !table.is_empty() {
        let _ = write!(text, "\n{table}");
    }
    if let Some(examples) = command.get_after_help() {
        let _ = write!(text, "\n{}\n", with_fence(&examples.to_string()));
    }
    text
}

/// The examples as a block of code, and what follows them as a paragraph.
fn with_fence(examples: &str) -> String {
    let (commands, rest) = examples.split_once("\n\n").unwrap_or((examples, ""));
    let commands: Vec<&str> = commands.lines().skip(1).map(str::trim_start).collect();
    let block = format!("```sh\n{}\n```", commands.join("\n"));
    if rest.is_empty() { block } else { format!("{block}\n\n{rest}") }
}

fn table<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let rows: String = arguments.filter(|argument| !argument.is_hide_set()).map(row).collect();
    if rows.is_empty() { rows } else { format!("| Option | Description |\n|---|---|\n{rows}") }
}

fn row(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = help.trim_end_matches('.').replace('\n', " ");
    text.push('.');
    if argument.get_action().takes_values() {
        let values: Vec<String> =
            argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
        if !values.is_empty() {
            let _ = write!(text, " One of {}.", values.join(", "));
        }
        let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            let _ = write!(text, " Default: `{}`.", defaults.join(", "));
        }
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(text, " Environment: `{}`.", variable.to_string_lossy());
    }
    format!("| `{}` | {} |\n", cell(&argument.to_string()), cell(&text))
}

/// A bar ends a cell unless it is escaped, in code too.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
