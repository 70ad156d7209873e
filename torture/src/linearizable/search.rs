//! The search itself: from place to place, a place being what has happened and what the record is then.

use std::collections::HashSet;

use super::Verdict;
use super::history::Value;
use super::problem::{Event, FREE, Problem, Step, UNSEEN};

/// Places visited before the search is given up; a history of 1,000 operations takes a few thousand.
const PLACES: usize = 2_000_000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    happened: Box<[u64]>,
    /// Every step before this one has happened.
    first: usize,
    value: Value,
    /// The number of unseen writes in use, by the fields they set.
    taken: [u16; 4],
}

pub(super) fn run(problem: &Problem, initial: Value) -> Verdict {
    let words = problem.steps.len().div_ceil(64);
    let start = Place { happened: vec![0; words].into(), first: 0, value: initial, taken: [0; 4] };
    let mut visited = HashSet::new();
    let mut ahead = vec![start];
    while let Some(mut place) = ahead.pop() {
        let open = place.settle(problem);
        if place.first == problem.steps.len() {
            return Verdict::Linearizable;
        }
        if visited.len() >= PLACES {
            return Verdict::Undecided;
        }
        if visited.insert(place.clone()) {
            place.continue_into(problem, &open, &mut ahead);
        }
    }
    Verdict::Violation
}

impl Place {
    fn has(&self, step: usize) -> bool {
        self.happened[step / 64] & (1 << (step % 64)) != 0
    }

    fn mark(&mut self, step: usize) {
        self.happened[step / 64] |= 1 << (step % 64);
    }

    /// Lets everything happen that is right here and changes nothing: waiting with it gains nothing. Responses with the
    /// steps that may come next.
    fn settle(&mut self, problem: &Problem) -> Vec<usize> {
        loop {
            let mut open = self.open(problem);
            let before = open.len();
            open.retain(|step| {
                let settled = changes_nothing(&problem.steps[*step].event, self.value);
                if settled {
                    self.mark(*step);
                }
                !settled
            });
            if open.len() == before {
                // The last to return is tried first from the stack's point of view, so the first to return comes last.
                open.sort_by_key(|step| std::cmp::Reverse(problem.steps[*step].returned));
                return open;
            }
        }
    }

    /// The steps that were called before any other that is still to come was answered.
    fn open(&mut self, problem: &Problem) -> Vec<usize> {
        while self.first < problem.steps.len() && self.has(self.first) {
            self.first += 1;
        }
        let mut until = u64::MAX;
        let mut open = Vec::new();
        for (index, step) in problem.steps.iter().enumerate().skip(self.first) {
            if step.invoked > until {
                break;
            }
            if !self.has(index) {
                until = until.min(step.returned);
                open.push(index);
            }
        }
        open.retain(|index| problem.steps[*index].invoked <= until);
        open
    }

    fn continue_into(&self, problem: &Problem, open: &[usize], ahead: &mut Vec<Self>) {
        let here = |step: &usize| matches!(problem.steps[*step].event, Event::NoMatch(value) if value == self.value);
        if open.iter().any(here) {
            self.take_unseen(problem, open, ahead);
        }
        for step in open {
            let Some(value) = after(&problem.steps[*step], self.value) else {
                continue;
            };
            if self.is_still_needed(problem, *step, value) {
                continue;
            }
            let mut next = self.clone();
            next.mark(*step);
            next.value = value;
            ahead.push(next);
        }
    }

    /// An unseen write explains only one thing: that a record was not as expected.
    fn take_unseen(&self, problem: &Problem, open: &[usize], ahead: &mut Vec<Self>) {
        let until = open.iter().map(|step| problem.steps[*step].returned).min().unwrap_or(u64::MAX);
        let mut called = [0_u16; 4];
        for write in problem.unseen.iter().take_while(|write| write.invoked <= until) {
            // Unconditional ones are alike but for their number, so it is enough to count them. A condition on a value
            // that comes once needs no count at all.
            let kind = match write.expecting {
                None => usize::from(write.set[0].is_some()) + 2 * usize::from(write.set[1].is_some()),
                Some(expected) if expected == self.value => 0,
                Some(_) => continue,
            };
            called[kind] += 1;
            if write.expecting.is_none() && called[kind] != self.taken[kind] + 1 {
                continue;
            }
            let value = overwritten(self.value, write.set.map(|field| field.map(|_| UNSEEN)));
            if self.is_still_needed(problem, usize::MAX, value) {
                continue;
            }
            let mut next = self.clone();
            next.value = value;
            next.taken[kind] += u16::from(write.expecting.is_none());
            ahead.push(next);
        }
    }

    /// Whether going on to `value` takes a number away that another step is still to see. Numbers never come back.
    fn is_still_needed(&self, problem: &Problem, by: usize, value: Value) -> bool {
        (0..value.len()).filter(|field| value[*field] != self.value[*field]).any(|field| {
            let seen_by = problem.seen_by.get(&(field, self.value[field]));
            seen_by.is_some_and(|steps| steps.iter().any(|step| *step != by && !self.has(*step)))
        })
    }
}

fn changes_nothing(event: &Event, value: Value) -> bool {
    match event {
        Event::Look(seen) => *seen == value,
        // A free field may have been anything else.
        Event::NoMatch(expected) => *expected != value,
        Event::Write { .. } => false,
    }
}

/// The record after a step, if the step can happen now.
fn after(step: &Step, value: Value) -> Option<Value> {
    match step.event {
        Event::Look(seen) => bound(value, seen),
        Event::NoMatch(_) => None,
        Event::Write { set, expecting, result } => {
            let value = expecting.map_or(Some(value), |expected| bound(value, expected))?;
            let written = overwritten(value, set);
            result.map_or(Some(written), |result| bound(written, result))
        }
    }
}

/// What is seen, if it can be `value`.
fn bound(value: Value, seen: Value) -> Option<Value> {
    let fits = value.iter().zip(seen).all(|(field, seen)| *field == FREE || *field == seen);
    fits.then_some(seen)
}

fn overwritten(value: Value, set: [Option<u32>; 2]) -> Value {
    [set[0].unwrap_or(value[0]), set[1].unwrap_or(value[1])]
}
