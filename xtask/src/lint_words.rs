//! `cargo xtask lint-words`: checks documents, comments and string literals for words that the style guide bans.
//! Identifiers are not checked. The words are in `lint_words/banned.txt`, exceptions with their reasons in
//! `lint_words/allowed.txt`.

mod prose;
mod rules;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{self, Failure, Result, could_not};
use rules::{Exception, Rule};

const BANNED: &str = include_str!("lint_words/banned.txt");
const ALLOWED: &str = include_str!("lint_words/allowed.txt");

/// Besides all Markdown files, these paths are checked.
const CHECKED: [&str; 6] = ["bench/", "crates/", "deploy/", "fuzz/", "torture/", "xtask/"];

/// Reports every banned phrase as `file:line:column`.
pub(crate) fn run() -> Result {
    let rules = rules::rules(BANNED)?;
    let exceptions = rules::exceptions(ALLOWED)?;
    let (mut files, mut findings, mut used) = (0, Vec::new(), vec![false; exceptions.len()]);
    for path in paths()? {
        let Some(prose) = prose_of(&path)? else { continue };
        files += 1;
        findings.extend(check(&path, &prose, &rules, &exceptions, &mut used));
    }
    let unused = exceptions.iter().zip(&used).filter(|(_, used)| !**used).map(|(exception, _)| {
        format!("allowed.txt: {} does not contain \"{}\": remove the line", exception.path, exception.phrase)
    });
    findings.extend(unused);
    if findings.is_empty() {
        println!("{files} files, no banned words");
        return Ok(());
    }
    println!("{}", findings.join("\n"));
    Err(Failure::new(format!("{} findings in {files} files. Rewrite them in plain English.", findings.len())))
}

fn check(path: &str, prose: &str, rules: &[Rule], exceptions: &[Exception], used: &mut [bool]) -> Vec<String> {
    let mut findings = Vec::new();
    for finding in rules::find(prose, rules) {
        let phrase = finding.rule.phrase();
        let exception = exceptions.iter().position(|exception| exception.path == path && exception.phrase == phrase);
        match exception {
            Some(number) => used[number] = true,
            None => findings.push(format!(
                "{path}:{}:{}: \"{phrase}\": write {}",
                finding.line, finding.column, finding.rule.suggestion
            )),
        }
    }
    findings
}

/// The checked files that git knows or would add, in order.
fn paths() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(process::root());
    let mut paths: Vec<String> =
        process::output(&mut git)?.lines().map(str::to_owned).filter(|path| is_checked(path)).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn is_checked(path: &str) -> bool {
    let is_markdown = Path::new(path).extension().is_some_and(|extension| extension == "md");
    is_markdown || CHECKED.iter().any(|prefix| path.starts_with(prefix))
}

/// What of a file is prose, or nothing if it is neither text nor source, or was deleted.
fn prose_of(path: &str) -> Result<Option<String>> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let prose: fn(&str) -> String = match extension {
        "rs" => prose::of_rust,
        "md" | "toml" | "yaml" | "yml" | "sh" | "py" | "cfg" | "conf" | "ini" | "service" => prose::of_text,
        _ => return Ok(None),
    };
    let file = process::root().join(path);
    if !file.exists() {
        return Ok(None);
    }
    fs::read_to_string(&file).map(|text| Some(prose(&text))).map_err(could_not(format!("read {path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_well_formed() {
        assert!(rules::rules(BANNED).unwrap().len() > 30);
        rules::exceptions(ALLOWED).unwrap();
    }

    #[test]
    fn documents_are_checked_wherever_they_are_and_sources_where_they_are_listed() {
        assert!(is_checked("docs/cli.md") && is_checked("crates/domain/src/lib.rs") && is_checked("xtask/src/main.rs"));
        assert!(!is_checked("openapi.json") && !is_checked("Cargo.toml"));
    }

    #[test]
    fn an_exception_allows_a_phrase_in_its_file_only() {
        let rules = rules::rules("foo -> bar").unwrap();
        let exceptions = rules::exceptions("a.md | foo | a quotation").unwrap();
        let mut used = [false];
        assert_eq!(check("a.md", "foo", &rules, &exceptions, &mut used), Vec::<String>::new());
        assert_eq!(check("b.md", "a foo", &rules, &exceptions, &mut used), ["b.md:1:3: \"foo\": write bar"]);
        assert_eq!(used, [true]);
    }
}
