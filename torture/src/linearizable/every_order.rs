//! The checker against one that tries every order, which is too slow for anything but a handful of operations.

use proptest::collection::vec;
use proptest::prelude::*;

use super::history::{Action, NEVER, Operation, Outcome, Value};
use super::{Verdict, check};

/// Whether any order of the operations explains every response.
fn is_explained(value: Value, left: &[Operation]) -> bool {
    let certain = |operation: &Operation| operation.outcome != Outcome::Unknown;
    if !left.iter().any(certain) {
        return true;
    }
    (0..left.len()).any(|index| {
        let next = left[index];
        let overtakes = left.iter().any(|other| other.returned < next.invoked);
        let mut others = left.to_vec();
        others.remove(index);
        !overtakes && results(&next, value).into_iter().any(|value| is_explained(value, &others))
    })
}

/// What the record may be after an operation that is answered as it was; nothing if it cannot be.
fn results(operation: &Operation, value: Value) -> Option<Value> {
    let (written, matches) = match operation.action {
        Action::Read => (value, true),
        Action::Write { set, expecting } => (
            [set[0].unwrap_or(value[0]), set[1].unwrap_or(value[1])],
            expecting.is_none_or(|expected| expected == value),
        ),
    };
    match operation.outcome {
        Outcome::Saw(seen) => (matches && seen == written).then_some(seen),
        Outcome::Stale => (!matches).then_some(value),
        Outcome::Nothing => Some(value),
        Outcome::Unknown => Some(if matches { written } else { value }),
    }
}

const INITIAL: Value = [0, 0];

/// An operation with any response at all; the numbers it writes come from its place in the history.
fn operation(numbers: u32) -> impl Strategy<Value = Operation> {
    let value = move || (0..=numbers, 0..=numbers).prop_map(|(left, right)| [left, right]);
    let action = prop_oneof![
        Just(Action::Read),
        (1..4_u8, prop::option::of(value())).prop_map(|(mask, expecting)| {
            let set = [(mask & 1 != 0).then_some(0), (mask & 2 != 0).then_some(0)];
            Action::Write { set, expecting }
        })
    ];
    let outcome = prop_oneof![
        6 => value().prop_map(Outcome::Saw),
        2 => Just(Outcome::Stale),
        1 => Just(Outcome::Nothing),
        3 => Just(Outcome::Unknown)
    ];
    (0..12_u64, 0..6_u64, action, outcome).prop_map(|(invoked, took, action, outcome)| Operation {
        client: 0,
        invoked,
        returned: if outcome == Outcome::Unknown { NEVER } else { invoked + took },
        action,
        outcome,
    })
}

/// What was shown before a moment.
fn shown(history: &[Operation], before: u64) -> Vec<Value> {
    let answered = history.iter().filter(|operation| operation.returned < before);
    let values = answered.filter_map(|operation| match operation.outcome {
        Outcome::Saw(value) => Some(value),
        _ => None,
    });
    std::iter::once(INITIAL).chain(values).collect()
}

fn expectations_were_shown(history: &[Operation]) -> bool {
    history.iter().all(|operation| match operation.action {
        Action::Write { expecting: Some(expected), .. } => shown(history, operation.invoked).contains(&expected),
        _ => true,
    })
}

/// Numbers every write by its place, and makes responses that no server would give into ones that it would.
fn made_sensible(mut history: Vec<Operation>) -> Vec<Operation> {
    for (operation, number) in history.iter_mut().zip(1..) {
        let Action::Write { set, expecting } = operation.action else {
            if operation.outcome == Outcome::Stale {
                operation.outcome = Outcome::Nothing;
            }
            continue;
        };
        let set = set.map(|field| field.map(|_| number));
        operation.action = Action::Write { set, expecting };
        operation.outcome = match operation.outcome {
            Outcome::Saw(value) => Outcome::Saw([set[0].unwrap_or(value[0]), set[1].unwrap_or(value[1])]),
            Outcome::Stale if expecting.is_none() => Outcome::Nothing,
            outcome => outcome,
        };
    }
    for index in 0..history.len() {
        let shown = shown(&history, history[index].invoked);
        history[index].action = chosen(history[index].action, &shown);
    }
    history
}

/// The same with an expectation of something that was shown.
fn chosen(action: Action, shown: &[Value]) -> Action {
    match action {
        Action::Write { set, expecting: Some(any) } => {
            let newest_first = shown.len() - 1 - any[0] as usize % shown.len();
            Action::Write { set, expecting: Some(shown[newest_first]) }
        }
        action => action,
    }
}

/// The operations in some order, each answered as it would be then: most of what random responses never reach.
fn played(history: Vec<Operation>, moments: &[u64]) -> Vec<Operation> {
    let mut history = made_sensible(history);
    for (operation, wait) in history.iter_mut().zip(moments) {
        operation.returned = operation.returned.max(operation.invoked + wait);
    }
    let mut order: Vec<usize> = (0..history.len()).collect();
    order.sort_by_key(|index| history[*index].invoked + moments[*index]);
    let mut value = INITIAL;
    for index in order {
        let mut asked = history[index];
        asked.action = chosen(asked.action, &shown(&history, asked.invoked));
        let after = Operation { outcome: Outcome::Unknown, ..asked };
        let matches = match asked.action {
            Action::Write { expecting: Some(expected), .. } => expected == value,
            _ => true,
        };
        let happens = !(asked.outcome == Outcome::Nothing || asked.outcome == Outcome::Unknown && moments[index] > 3);
        let next = if happens { results(&after, value).unwrap() } else { value };
        asked.outcome = match asked.outcome {
            outcome @ (Outcome::Unknown | Outcome::Nothing) => outcome,
            _ if matches => Outcome::Saw(next),
            _ => Outcome::Stale,
        };
        value = next;
        history[index] = asked;
    }
    history
}

fn expected(history: &[Operation]) -> Verdict {
    if is_explained(INITIAL, history) { Verdict::Linearizable } else { Verdict::Violation }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_answers_are_judged_as_by_trying_every_order(history in vec(operation(6), 1..7)) {
        let history = made_sensible(history);
        prop_assert_eq!(check(INITIAL, &history), expected(&history));
    }

    #[test]
    fn what_happened_can_have_happened(history in vec(operation(6), 1..8), moments in vec(0..6_u64, 8)) {
        let history = played(history, &moments);
        prop_assert_eq!(check(INITIAL, &history), Verdict::Linearizable);
    }

    /// Near misses: one response of a true history is replaced.
    #[test]
    fn one_wrong_answer_is_judged_as_by_trying_every_order(
        history in vec(operation(6), 2..7), moments in vec(0..6_u64, 8),
        at in 0..7_usize, with in (0..7_u32, 0..7_u32),
    ) {
        let mut history = played(history, &moments);
        let at = at % history.len();
        if let Outcome::Saw(_) = history[at].outcome {
            history[at].outcome = Outcome::Saw([with.0, with.1]);
        } else if let (Outcome::Unknown, Action::Write { expecting: Some(_), .. }) = (history[at].outcome, history[at].action) {
            history[at].outcome = Outcome::Stale;
            history[at].returned = history[at].invoked + u64::from(with.0);
        }
        prop_assume!(expectations_were_shown(&history));
        prop_assert_eq!(check(INITIAL, &history), expected(&history));
    }
}
