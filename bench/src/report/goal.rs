//! A goal: a bound, what a run measured, and the verdict.

use super::table::{Table, number};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) bound: Bound,
    pub(crate) unit: &'static str,
    pub(crate) value: Option<f64>,
    /// Why it was not measured, if that is known.
    pub(crate) reason: Option<String>,
}

impl Goal {
    pub(crate) fn at_most(what: impl Into<String>, bound: f64, unit: &'static str, value: Option<f64>) -> Self {
        Self { what: what.into(), bound: Bound::AtMost(bound), unit, value, reason: None }
    }

    pub(crate) fn at_least(what: impl Into<String>, bound: f64, unit: &'static str, value: Option<f64>) -> Self {
        Self { what: what.into(), bound: Bound::AtLeast(bound), unit, value, reason: None }
    }

    fn wanted(&self) -> String {
        match self.bound {
            Bound::AtMost(bound) => format!("≤ {} {}", number(bound), self.unit),
            Bound::AtLeast(bound) => format!("≥ {} {}", number(bound), self.unit),
        }
    }

    pub(crate) fn verdict(&self) -> String {
        let Some(value) = self.value else {
            return self
                .reason
                .as_ref()
                .map_or_else(|| "not measured".to_owned(), |reason| format!("not measured: {reason}"));
        };
        let short = match self.bound {
            Bound::AtMost(bound) => value / bound - 1.0,
            Bound::AtLeast(bound) => 1.0 - value / bound,
        };
        if short <= 0.0 { "met".to_owned() } else { format!("**short by {:.0} %**", (short * 100.0).max(1.0)) }
    }
}

/// One row for each goal.
pub(crate) fn goal_table<'goals>(goals: impl Iterator<Item = &'goals Goal>) -> Table {
    let mut table = Table::new(&["Goal", "wanted", "read", "verdict"]);
    for goal in goals {
        let read = goal.value.map_or_else(|| "–".to_owned(), |value| format!("{} {}", number(value), goal.unit));
        table.row(vec![goal.what.clone(), goal.wanted(), read, goal.verdict()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_by_how_much() {
        let verdict = |goal: Goal| goal.verdict();
        assert_eq!(verdict(Goal::at_most("x", 2.0, "×", Some(2.0))), "met");
        assert_eq!(verdict(Goal::at_most("x", 2.0, "×", Some(2.5))), "**short by 25 %**");
        assert_eq!(verdict(Goal::at_least("x", 4.0, "×", Some(3.0))), "**short by 25 %**");
        assert_eq!(verdict(Goal::at_least("x", 4.0, "×", Some(3.999))), "**short by 1 %**");
        assert_eq!(verdict(Goal::at_least("x", 4.0, "×", None)), "not measured");
    }

    #[test]
    fn a_goal_without_a_value_gives_the_reason() {
        let goal = Goal { reason: Some("no PostgreSQL".to_owned()), ..Goal::at_most("x", 1.0, "ms", None) };
        assert_eq!(goal.verdict(), "not measured: no PostgreSQL");
        assert!(goal_table([goal].iter()).markdown().contains("| ≤ 1.00 ms |    – |"));
    }
}
