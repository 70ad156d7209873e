//! The banned phrases, the exceptions to them, and how both are found in prose.

use crate::process::{Failure, Result};

/// A phrase that is not to be used, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    words: Vec<String>,
    pub(super) suggestion: String,
}

/// A phrase that one file may use, for a reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exception {
    pub(super) path: String,
    pub(super) phrase: String,
}

/// Where a banned phrase was found. Lines and columns count from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding<'a> {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) rule: &'a Rule,
}

struct Word {
    text: String,
    line: usize,
    column: usize,
    /// Whether nothing but space and the marks of a comment are between this word and the one before.
    continues: bool,
}

impl Rule {
    pub(super) fn phrase(&self) -> String {
        self.words.join(" ")
    }

    fn begins(&self, words: &[Word]) -> bool {
        let follows = |(number, (rule, word)): (usize, (&String, &Word))| {
            let equal = match rule.strip_suffix('*') {
                Some(stem) => word.text.starts_with(stem),
                None => word.text == *rule,
            };
            equal && (number == 0 || word.continues)
        };
        words.len() >= self.words.len() && self.words.iter().zip(words).enumerate().all(follows)
    }
}

/// Reads `phrase -> suggestion`, one per line; `#` begins a comment.
pub(super) fn rules(text: &str) -> Result<Vec<Rule>> {
    let read = |line: &str| {
        let (phrase, suggestion) = line.split_once(" -> ").ok_or_else(|| malformed("banned.txt", line))?;
        let words: Vec<String> = phrase.split_whitespace().map(str::to_lowercase).collect();
        Ok(Rule { words, suggestion: suggestion.trim().to_owned() })
    };
    entries(text).map(read).collect()
}

/// Reads `path | phrase | reason`, one per line. An exception without a reason is malformed.
pub(super) fn exceptions(text: &str) -> Result<Vec<Exception>> {
    let read = |line: &str| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        match parts[..] {
            [path, phrase, reason] if !reason.is_empty() => {
                Ok(Exception { path: path.to_owned(), phrase: phrase.to_lowercase() })
            }
            _ => Err(malformed("allowed.txt", line)),
        }
    };
    entries(text).map(read).collect()
}

/// The banned phrases in this prose, in order.
pub(super) fn find<'a>(prose: &str, rules: &'a [Rule]) -> Vec<Finding<'a>> {
    let words = words(prose);
    let mut findings = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let broken = rules.iter().filter(|rule| rule.begins(&words[at..]));
        findings.extend(broken.map(|rule| Finding { line: word.line, column: word.column, rule }));
    }
    findings
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn malformed(file: &str, line: &str) -> Failure {
    Failure::new(format!("xtask/src/lint_words/{file}: `{line}` is not a rule; see the head of the file."))
}

/// Words have letters, digits, underscores and hyphens, so that a name in snake case is not a word of prose.
fn words(prose: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut continues = false;
    for (number, line) in prose.lines().enumerate() {
        let mut open = false;
        for (column, letter) in line.chars().enumerate() {
            if letter.is_alphanumeric() || matches!(letter, '_' | '-') {
                if !open {
                    words.push(Word { text: String::new(), line: number + 1, column: column + 1, continues });
                    continues = true;
                }
                open = true;
                if let Some(word) = words.last_mut() {
                    word.text.extend(letter.to_lowercase());
                }
                continue;
            }
            open = false;
            continues &= letter.is_whitespace() || matches!(letter, '/' | '!' | '*' | '#' | '>');
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prose: &str) -> Vec<(usize, usize, String)> {
        let rules = rules("# a comment\n\nfoo -> bar\none more thing -> another\ncolor* -> paint\n").unwrap();
        find(prose, &rules).into_iter().map(|found| (found.line, found.column, found.rule.phrase())).collect()
    }

    #[test]
    fn whole_words_are_found_in_any_case() {
        assert_eq!(found("a Foo, food\nsnake_foo foo-bar foo"), [(1, 3, "foo".to_owned()), (2, 19, "foo".to_owned())]);
        assert_eq!(found("Coloring it"), [(1, 1, "color*".to_owned())]);
    }

    #[test]
    fn a_phrase_may_continue_in_the_next_line_of_a_comment_and_not_in_the_next_sentence() {
        assert_eq!(found("//! one more\n//! thing"), [(1, 5, "one more thing".to_owned())]);
        assert_eq!(found("one more. Thing"), []);
        assert_eq!(found("one more"), []);
    }

    #[test]
    fn an_exception_needs_a_reason() {
        let read = exceptions("docs/a.md | Foo | a quotation\n").unwrap();
        assert_eq!(read, [Exception { path: "docs/a.md".to_owned(), phrase: "foo".to_owned() }]);
        assert!(exceptions("docs/a.md | foo |\n").is_err());
        assert!(rules("foo bar\n").is_err());
    }
}
