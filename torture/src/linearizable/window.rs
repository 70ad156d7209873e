//! Why a history cannot have happened, in as few operations as show it.

use super::history::{Action, NEVER, Operation, Outcome, Value};
use super::problem::{FREE, first_seen, first_showing};
use super::{Verdict, check};

/// The shortest stretch of a history that contradicts itself, whatever the record was before, without the operations in
/// it that do not matter. The whole history if only its beginning shows the contradiction.
pub(crate) fn shortest(initial: Value, history: &[Operation]) -> Vec<Operation> {
    let history = &ended(history);
    let mut ends: Vec<u64> = history.iter().map(|operation| operation.returned).filter(|end| *end != NEVER).collect();
    ends.sort_unstable();
    let fails = |operations: &[Operation], from: Value| check(from, operations) == Verdict::Violation;

    // A history that has contradicted itself does not stop doing so, and what contradicts itself still does with more before it.
    let end = ends.partition_point(|end| !fails(&until(history, *end), initial));
    let Some(end) = ends.get(end) else {
        return history.clone();
    };
    let begun = until(history, *end);
    let start = ends.partition_point(|start| fails(&since(&begun, *start), [FREE; 2]));
    let (mut window, from) = match start.checked_sub(1) {
        Some(start) => (since(&begun, ends[start]), [FREE; 2]),
        None => (begun, initial),
    };
    window.sort_by_key(|operation| operation.invoked);
    // An operation without effect can be left out of an explanation; a write cannot, another client may have seen it.
    for index in (0..window.len()).rev() {
        let mut without = window.clone();
        let left_out = without.remove(index);
        if is_idle(&left_out) && fails(&without, from) {
            window = without;
        }
    }
    window
}

/// The history with an end for every write that was seen, so that a window leaves out those seen before it.
fn ended(history: &[Operation]) -> Vec<Operation> {
    let first_seen = first_seen(history);
    let end = |operation: &Operation| match (operation.action, operation.outcome) {
        (Action::Write { set, .. }, Outcome::Unknown) => first_showing(set, &first_seen),
        _ => operation.returned,
    };
    history.iter().map(|operation| Operation { returned: end(operation), ..*operation }).collect()
}

/// The history as it stood at a moment.
fn until(history: &[Operation], end: u64) -> Vec<Operation> {
    let begun = history.iter().filter(|operation| operation.invoked <= end);
    begun
        .map(|operation| match operation.returned {
            returned if returned > end => Operation { returned: NEVER, outcome: Outcome::Unknown, ..*operation },
            _ => *operation,
        })
        .collect()
}

fn since(history: &[Operation], start: u64) -> Vec<Operation> {
    history.iter().filter(|operation| operation.returned >= start).copied().collect()
}

fn is_idle(operation: &Operation) -> bool {
    operation.action == Action::Read || matches!(operation.outcome, Outcome::Stale | Outcome::Nothing)
}
