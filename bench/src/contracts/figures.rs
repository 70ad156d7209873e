//! The values of a run, and what became of the figures that have none: a part that fails leaves its reason, and the others
//! are measured nevertheless.

use std::collections::BTreeMap;

use super::goals::GOALS;
use crate::failure::Failure;
use crate::measure::statistics::median;
use crate::report::goal::Goal;
use crate::report::table::{Table, number};
use crate::targets::target::{POSTGRES, SQLITE};

/// The values by the key of a goal and the engine.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    values: BTreeMap<(&'static str, &'static str), Vec<f64>>,
    /// Why a part has no values on an engine.
    reasons: BTreeMap<(&'static str, &'static str), String>,
    /// What no contract sets a goal for, with the engine and the unit.
    notes: Vec<(String, &'static str, f64, &'static str)>,
}

impl Figures {
    /// Adds a measurement of a goal; the figure is the median of all.
    pub(crate) fn add(&mut self, engine: &'static str, key: &'static str, value: f64) {
        debug_assert!(GOALS.iter().any(|goal| goal.key == key), "there is no goal with the key {key}");
        println!("{engine}: {key} {value:.2}");
        self.values.entry((key, engine)).or_default().push(value);
    }

    /// Adds a value without a goal.
    pub(crate) fn note(&mut self, engine: &'static str, what: impl Into<String>, value: f64, unit: &'static str) {
        self.notes.push((what.into(), engine, value, unit));
    }

    /// The part could not be measured to its end.
    pub(crate) fn fail(&mut self, engine: &'static str, part: &'static str, failure: &Failure) {
        let text = failure.to_string();
        println!("{part}, {engine}: not measured: {text}");
        let reason: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
        self.reasons.insert((part, engine), reason.replace('|', "/"));
    }

    /// Whether every goal of the parts that were asked for has a value.
    pub(crate) fn failures(&self) -> usize {
        self.reasons.len()
    }

    /// Every goal on every engine that it is set for.
    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        for spec in GOALS {
            for (engine, name, bound) in [(SQLITE, "SQLite", spec.sqlite), (POSTGRES, "PostgreSQL", spec.postgres)] {
                let Some(bound) = bound else { continue };
                let value = self.values.get(&(spec.key, engine)).and_then(|values| median(values));
                let what = format!("{}, {name}", spec.what);
                let reason = self.reasons.get(&(spec.part, engine)).cloned();
                goals.push(Goal { what, bound, unit: spec.unit, value, reason });
            }
        }
        goals
    }

    /// The values without a goal, one row for each with a column for each engine.
    pub(crate) fn notes(&self) -> Table {
        let mut table = Table::new(&["", "SQLite", "PostgreSQL", ""]);
        let mut known: Vec<&str> = Vec::new();
        for (what, _, _, unit) in &self.notes {
            if known.contains(&what.as_str()) {
                continue;
            }
            known.push(what);
            let value = |engine: &str| {
                let values: Vec<f64> =
                    self.notes.iter().filter(|note| note.0 == *what && note.1 == engine).map(|note| note.2).collect();
                median(&values).map_or_else(|| "–".to_owned(), number)
            };
            table.row(vec![what.clone(), value(SQLITE), value(POSTGRES), (*unit).to_owned()]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_the_median_and_a_failed_part_has_its_reason() {
        let mut figures = Figures::default();
        for value in [10.0, 30.0, 20.0] {
            figures.add(SQLITE, "usage-p99", value);
        }
        figures.fail(POSTGRES, "usage", &Failure::new("no\nserver | here"));
        let goals = figures.goals();
        let find = |what: &str| goals.iter().find(|goal| goal.what == what).unwrap();
        assert_eq!(find("usage in calls of 500: p99, SQLite").value, Some(20.0));
        let failed = find("usage in calls of 500: p99, PostgreSQL");
        assert_eq!((failed.value, failed.reason.as_deref()), (None, Some("no server / here")));
        assert_eq!(find("invoices issued in one series, SQLite").reason, None);
        assert_eq!(figures.failures(), 1);
    }

    #[test]
    fn a_note_has_a_row_with_both_engines() {
        let mut figures = Figures::default();
        figures.note(SQLITE, "feed reads", 2.0, "/s");
        figures.note(POSTGRES, "feed reads", 3.0, "/s");
        assert!(figures.notes().markdown().ends_with("| feed reads |   2.00 |       3.00 | /s |"));
    }
}
