//! The generated documents: `openapi.json`, `docs/errors.md` and `docs/cli.md`, written from the code or compared with it.
//! They are committed, so that a reviewer sees what a change does to the interface.

use std::fs;
use std::process::Command;

use crate::process::{self, Failure, Profile, Result, could_not};
use crate::python;

/// The hidden subcommand of `perennial` that prints each document, and its path.
const DOCUMENTS: [(&str, &str); 3] =
    [("openapi", "openapi.json"), ("errors", "docs/errors.md"), ("reference", "docs/cli.md")];

const LINES_OF_DIFFERENCE: usize = 12;

pub(crate) fn write() -> Result {
    for (subcommand, path) in DOCUMENTS {
        let text = generate(subcommand)?;
        fs::write(process::root().join(path), text).map_err(could_not(format!("write {path}")))?;
        println!("wrote {path}");
    }
    Ok(())
}

pub(crate) fn check() -> Result {
    let mut stale = Vec::new();
    for (subcommand, path) in DOCUMENTS {
        let generated = generate(subcommand)?;
        let kept = fs::read_to_string(process::root().join(path)).unwrap_or_default();
        match difference(&kept, &generated) {
            None => println!("{path} is up to date"),
            Some(difference) => {
                println!("{path} differs from the code:\n{difference}");
                stale.push(path);
            }
        }
    }
    if !stale.is_empty() {
        return Err(Failure::new(format!(
            "{} out of date: run `cargo xtask openapi` and commit what it writes.",
            match stale.as_slice() {
                [one] => format!("{one} is"),
                several => format!("{} are", several.join(" and ")),
            }
        )));
    }
    process::run(
        Command::new(python::program("openapi-spec-validator")?)
            .args(["--validation-errors", "all", "openapi.json"])
            .current_dir(process::root()),
    )
}

fn generate(subcommand: &str) -> Result<String> {
    process::build(&["perennial"], Profile::Dev)?;
    process::output(Command::new(Profile::Dev.directory()?.join("perennial")).arg(subcommand))
}

/// The stretch between the first and the last differing line, cut short, or nothing when the texts are equal.
pub(crate) fn difference(kept: &str, generated: &str) -> Option<String> {
    if kept == generated {
        return None;
    }
    let old: Vec<&str> = kept.split('\n').collect();
    let new: Vec<&str> = generated.split('\n').collect();
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(left, right)| left == right).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let mut lines = vec![format!("@@ line {} @@", head + 1)];
    for (sign, text) in [('-', &old), ('+', &new)] {
        let changed = &text[head..text.len() - tail];
        let shown = changed.iter().take(LINES_OF_DIFFERENCE);
        lines.extend(shown.map(|line| format!("{sign}{line}")));
        if changed.len() > LINES_OF_DIFFERENCE {
            let more = changed.len() - LINES_OF_DIFFERENCE;
            lines.push(format!("{sign}… and {more} lines more"));
        }
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn only_the_changed_stretch_is_shown() {
        let shown = difference("a\nb\nc\nd\n", "a\nx\ny\nd\n").unwrap();
        assert_eq!(shown, "@@ line 2 @@\n-b\n-c\n+x\n+y");
    }

    #[test]
    fn added_repeated_and_missing_lines_are_seen() {
        assert_eq!(difference("a\n", "a\na\n").unwrap(), "@@ line 2 @@\n+a");
        assert_eq!(difference("a\n", "a").unwrap(), "@@ line 2 @@\n-");
        assert_eq!(difference("", "a\n").unwrap(), "@@ line 1 @@\n+a");
    }

    #[test]
    fn a_long_difference_is_cut() {
        let shown = difference("", &"x\n".repeat(40)).unwrap();
        assert!(shown.ends_with("+… and 28 lines more"), "{shown}");
    }
}
