//! The report of `perennial doctor`: one line for each check.

use perennial_app::error::Error;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// Correct.
    Ok,
    /// It works, but the operator should know.
    Warning,
    /// It does not work, or is not safe.
    Problem,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The result of one check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    level: Level,
    found: String,
    advice: Option<String>,
}

/// All results, in order.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Finding>);

impl Report {
    pub(super) fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.0.push(Finding { check, level: Level::Ok, found: found.into(), advice: None });
    }

    pub(super) fn warning(&mut self, check: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Level::Warning, found, advice);
    }

    pub(super) fn problem(&mut self, check: &'static str, found: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Level::Problem, found, advice);
    }

    pub(super) fn add(
        &mut self,
        check: &'static str,
        level: Level,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.0.push(Finding { check, level, found: found.into(), advice: Some(advice.into()) });
    }

    /// A check that the store could not serve.
    pub(super) fn unreadable(&mut self, check: &'static str, error: &Error) {
        self.problem(check, error.to_string(), "see that the store can be read");
    }

    pub(super) fn problems(&self) -> usize {
        self.count(Level::Problem)
    }

    /// A line for each finding, followed by the remedy.
    pub(super) fn text(&self) -> String {
        let width = self.0.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
        let mut lines: Vec<String> = Vec::new();
        for Finding { check, level, found, advice } in &self.0 {
            lines.push(format!("{:7}  {check:width$}  {found}", level.word()));
            lines.extend(advice.iter().map(|advice| format!("{:7}  {:width$}  -> {advice}", "", "")));
        }
        lines.push(match (self.problems(), self.count(Level::Warning)) {
            (0, 0) => "\nAll is well.".to_owned(),
            (problems, warnings) => format!("\n{}, {}.", counted(problems, "problem"), counted(warnings, "warning")),
        });
        lines.join("\n")
    }

    fn count(&self, level: Level) -> usize {
        self.0.iter().filter(|finding| finding.level == level).count()
    }
}

fn counted(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 3)?;
        report.serialize_field("checks", &self.0)?;
        report.serialize_field("problems", &self.problems())?;
        report.serialize_field("warnings", &self.count(Level::Warning))?;
        report.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_stands_below_what_was_found() {
        let mut report = Report::default();
        report.ok("clock", "right");
        assert!(report.text().ends_with("All is well."));
        report.problem("disk_space", "none left", "make some");
        report.warning("clock", "late", "wind it");
        let expected = "ok       clock       right\n\
                        problem  disk_space  none left\n                     -> make some\n\
                        warning  clock       late\n                     -> wind it\n\n\
                        1 problem, 1 warning.";
        assert_eq!(report.text(), expected);
        assert_eq!(report.problems(), 1);
    }
}
