//! The window of a cycle invoice, split where the plan changed. `crate::usage` aggregates the events of a part.
//! Windows and parts are half-open: every instant of a window is in exactly one part.

use crate::time::Time;

/// A half-open span of time. No end: the last window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are plain")]
pub struct Window {
    pub from: Time,
    pub to: Option<Time>,
}

impl Window {
    /// Whether an instant is in it.
    pub fn contains(&self, at: Time) -> bool {
        self.from <= at && self.to.is_none_or(|to| at < to)
    }
}

/// A part of a window with the plan that prices it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are plain")]
pub struct WindowPart<Plan> {
    pub window: Window,
    pub plan: Plan,
}

/// Splits a window where the plan changed. `changes` are ascending instants with the plan from then on; of several at one instant the
/// last counts. `plan` is the plan before the first of them.
pub fn split<Plan: Copy + PartialEq>(window: Window, plan: Plan, changes: &[(Time, Plan)]) -> Vec<WindowPart<Plan>> {
    let mut parts: Vec<WindowPart<Plan>> = vec![WindowPart { window, plan }];
    for (at, plan) in changes {
        let Some(last) = parts.last_mut() else { break };
        if *at <= last.window.from {
            last.plan = *plan;
        } else if last.window.contains(*at) && last.plan != *plan {
            let rest = Window { from: *at, to: last.window.to };
            last.window.to = Some(*at);
            parts.push(WindowPart { window: rest, plan: *plan });
        }
    }
    parts.retain(|part| part.window.to.is_none_or(|to| part.window.from < to));
    merge(parts)
}

/// Adjacent parts of one plan are one part: a change forth and back at one instant splits nothing.
fn merge<Plan: Copy + PartialEq>(parts: Vec<WindowPart<Plan>>) -> Vec<WindowPart<Plan>> {
    let mut merged: Vec<WindowPart<Plan>> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut() {
            Some(last) if last.plan == part.plan => last.window.to = part.window.to,
            _ => merged.push(part),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Time {
        Time::from_micros(second * 1_000_000).unwrap()
    }

    fn window(from: i64, to: Option<i64>) -> Window {
        Window { from: at(from), to: to.map(at) }
    }

    #[test]
    fn a_plan_change_splits_the_window() {
        let parts = split(window(10, Some(30)), 'a', &[(at(5), 'b'), (at(20), 'c'), (at(20), 'd'), (at(30), 'e')]);
        let expected = [
            WindowPart { window: window(10, Some(20)), plan: 'b' },
            WindowPart { window: window(20, Some(30)), plan: 'd' },
        ];
        assert_eq!(parts, expected);
        assert_eq!(split(window(10, None), 'a', &[(at(20), 'b')])[1].window, window(20, None));
        assert_eq!(split(window(10, Some(10)), 'a', &[]), []);
        assert_eq!(split(window(0, Some(9)), 'a', &[(at(3), 'b'), (at(3), 'a')]).len(), 1);
    }

    proptest! {
        #[test]
        fn every_instant_of_a_window_is_in_one_part(
            from in 0_i64..50, length in proptest::option::of(0_i64..50),
            mut changes in proptest::collection::vec((0_i64..100, 0_u8..3), 0..10), instant in 0_i64..120,
        ) {
            changes.sort_by_key(|change| change.0);
            let whole = window(from, length.map(|length| from + length));
            let changes: Vec<(Time, u8)> = changes.into_iter().map(|(second, plan)| (at(second), plan)).collect();
            let parts = split(whole, 9, &changes);
            let containing: Vec<_> = parts.iter().filter(|part| part.window.contains(at(instant))).collect();
            prop_assert_eq!(containing.len(), usize::from(whole.contains(at(instant))));
            if let [part] = containing[..] {
                let plan = changes.iter().rev().find(|(change, _)| *change <= at(instant)).map_or(9, |(_, plan)| *plan);
                prop_assert_eq!(part.plan, plan);
            }
        }
    }
}
