//! A history made ready for the search: what must have happened, what may have, and who saw which number.

use std::collections::HashMap;

use super::history::{Action, NEVER, Operation, Outcome, Value};

/// The number of an unseen write: no operation expects it.
pub(super) const UNSEEN: u32 = u32::MAX;
/// A field whose value is defined by the first operation that sees it: the beginning of a window.
pub(super) const FREE: u32 = u32::MAX - 1;

/// What must have happened at one moment between its call and its response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) invoked: u64,
    pub(super) returned: u64,
    pub(super) event: Event,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Look(Value),
    NoMatch(Value),
    Write { set: [Option<u32>; 2], expecting: Option<Value>, result: Option<Value> },
}

/// A write without a response whose numbers were never seen. If it happened, another write overwrote it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unseen {
    pub(super) invoked: u64,
    pub(super) set: [Option<u32>; 2],
    pub(super) expecting: Option<Value>,
}

pub(super) struct Problem {
    /// By their call.
    pub(super) steps: Vec<Step>,
    /// By their call.
    pub(super) unseen: Vec<Unseen>,
    /// The steps that saw a number: while one of them is to come, the number must stand.
    pub(super) seen_by: HashMap<(usize, u32), Vec<usize>>,
}

impl Problem {
    /// Nothing for histories in which two writes bring the same number: those are not ours to judge.
    pub(super) fn of(history: &[Operation]) -> Option<Self> {
        let first_seen = first_seen(history);
        let (mut steps, mut unseen) = (Vec::new(), Vec::new());
        for operation in history {
            match place(operation, &first_seen) {
                Placed::Certain(step) => steps.push(step),
                Placed::Possible(write) => unseen.push(write),
                Placed::Nowhere => {}
            }
        }
        steps.sort_by_key(|step: &Step| step.invoked);
        unseen.sort_by_key(|write: &Unseen| write.invoked);
        numbers_are_unique(history).then(|| Self { seen_by: seen_by(&steps), steps, unseen })
    }
}

enum Placed {
    Certain(Step),
    Possible(Unseen),
    Nowhere,
}

fn place(operation: &Operation, first_seen: &HashMap<(usize, u32), u64>) -> Placed {
    let Operation { invoked, returned, .. } = *operation;
    let certain = |event| Placed::Certain(Step { invoked, returned, event });
    match (operation.action, operation.outcome) {
        (Action::Read, Outcome::Saw(value)) => certain(Event::Look(value)),
        (Action::Write { expecting: Some(expected), .. }, Outcome::Stale) => certain(Event::NoMatch(expected)),
        (Action::Write { set, expecting }, Outcome::Saw(value)) => {
            certain(Event::Write { set, expecting, result: Some(value) })
        }
        (Action::Write { set, expecting }, Outcome::Unknown) => {
            match returned.min(first_showing(set, first_seen)) {
                NEVER => Placed::Possible(Unseen { invoked, set, expecting }),
                // It happened, and before the first response that showed it.
                returned => {
                    let event = Event::Write { set, expecting, result: None };
                    Placed::Certain(Step { invoked, returned, event })
                }
            }
        }
        (Action::Read, _) | (Action::Write { .. }, Outcome::Stale | Outcome::Nothing) => Placed::Nowhere,
    }
}

/// When a response first showed something of a write.
pub(super) fn first_showing(set: [Option<u32>; 2], first_seen: &HashMap<(usize, u32), u64>) -> u64 {
    fields(set).filter_map(|number| first_seen.get(&number)).min().copied().unwrap_or(NEVER)
}

/// When the first response came that showed a number.
pub(super) fn first_seen(history: &[Operation]) -> HashMap<(usize, u32), u64> {
    let mut first = HashMap::new();
    for operation in history {
        if let Outcome::Saw(value) = operation.outcome {
            for number in fields(value.map(Some)) {
                let time = first.entry(number).or_insert(NEVER);
                *time = operation.returned.min(*time);
            }
        }
    }
    first
}

fn seen_by(steps: &[Step]) -> HashMap<(usize, u32), Vec<usize>> {
    let mut seen_by: HashMap<_, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let (expected, own, result) = match step.event {
            Event::Look(value) => (None, [None; 2], Some(value)),
            Event::NoMatch(_) => continue,
            Event::Write { set, expecting, result } => (expecting, set, result),
        };
        let kept =
            result.into_iter().flat_map(|value| fields(value.map(Some))).filter(|(field, _)| own[*field].is_none());
        let relied_on = expected.into_iter().flat_map(|value| fields(value.map(Some)));
        for number in kept.chain(relied_on) {
            seen_by.entry(number).or_default().push(index);
        }
    }
    seen_by
}

fn numbers_are_unique(history: &[Operation]) -> bool {
    let mut brought = std::collections::HashSet::new();
    history.iter().all(|operation| match operation.action {
        Action::Read => true,
        Action::Write { set, .. } => fields(set).all(|number| number.1 < FREE && brought.insert(number)),
    })
}

fn fields(values: [Option<u32>; 2]) -> impl Iterator<Item = (usize, u32)> {
    values.into_iter().enumerate().filter_map(|(field, number)| Some((field, number?)))
}
