//! Defects that a server could have, planted in long histories of one that has none.

use std::time::{Duration, Instant};

use super::history::{Action, NEVER, Operation, Outcome, Value};
use super::{Verdict, check, shortest};
use perennial_harness::SeededRandom;

fn read(invoked: u64, returned: u64, seen: Value) -> Operation {
    Operation { client: 0, invoked, returned, action: Action::Read, outcome: Outcome::Saw(seen) }
}

fn write(invoked: u64, returned: u64, set: [Option<u32>; 2], outcome: Outcome) -> Operation {
    Operation { client: 1, invoked, returned, action: Action::Write { set, expecting: None }, outcome }
}

fn swap(invoked: u64, returned: u64, expecting: Value, set: [Option<u32>; 2], outcome: Outcome) -> Operation {
    Operation { client: 2, invoked, returned, action: Action::Write { set, expecting: Some(expecting) }, outcome }
}

/// Clients of a perfect record: every operation takes effect at one moment between its call and its response, and every
/// tenth write loses its response, half of those their effect too.
fn long(seed: u64, clients: u16, operations: usize) -> Vec<Operation> {
    let mut random = SeededRandom::new(seed);
    let mut history = Vec::new();
    let mut free_at: Vec<u64> = vec![0; clients.into()];
    let mut value: Value = [0, 0];
    let mut last_seen = vec![value; clients.into()];
    let mut now = 0;
    for number in 1..=u32::try_from(operations).unwrap() {
        // Effects come in the order of `now`; calls lie up to one round of all clients before, responses after.
        now += 10;
        let free: Vec<usize> = (0..free_at.len()).filter(|client| free_at[*client] < now).collect();
        let Some(client) = free.get(random.index(free.len().max(1))).copied() else {
            continue;
        };
        let invoked = random.between(free_at[client], now - 1).max(now.saturating_sub(10 * u64::from(clients)));
        let returned = now + random.between(1, 10 * u64::from(clients));
        free_at[client] = returned + 1;
        let set = [[Some(number), None], [None, Some(number)], [Some(number), Some(number)]][random.index(3)];
        let expecting = random.percent(40).then_some(last_seen[client]);
        let written = [set[0].unwrap_or(value[0]), set[1].unwrap_or(value[1])];
        let matches = expecting.is_none_or(|expected| expected == value);
        let lost = random.percent(10);
        let (action, outcome) = if random.percent(50) {
            (Action::Read, Outcome::Saw(value))
        } else if lost {
            if matches && random.percent(50) {
                value = written;
            }
            (Action::Write { set, expecting }, Outcome::Unknown)
        } else if matches {
            value = written;
            (Action::Write { set, expecting }, Outcome::Saw(value))
        } else {
            (Action::Write { set, expecting }, Outcome::Stale)
        };
        if let Outcome::Saw(value) = outcome {
            last_seen[client] = value;
        }
        let returned = if outcome == Outcome::Unknown { NEVER } else { returned };
        history.push(Operation { client: client.try_into().unwrap(), invoked, returned, action, outcome });
    }
    history
}

#[test]
fn long_histories_of_a_perfect_record_pass_quickly() {
    let start = Instant::now();
    for seed in 0..20 {
        let history = long(seed, 16, 1_100);
        assert!(history.len() >= 1_000, "{}", history.len());
        assert_eq!(check([0, 0], &history), Verdict::Linearizable, "seed {seed}");
    }
    // A minute would mean that the search has become exponential; the usual is well under a second.
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

#[test]
fn a_stale_read_is_found_and_shown_in_a_short_window() {
    let mut found = 0;
    for seed in 0..6 {
        let mut history = long(seed, 12, 1_100);
        // A read shows what stood long before its call.
        let at = history.len() - 40;
        let earlier = history[..500].iter().rev().find_map(|operation| match operation.outcome {
            Outcome::Saw(value) => Some(value),
            _ => None,
        });
        let Some(read) = history[at..].iter_mut().find(|operation| operation.action == Action::Read) else {
            continue;
        };
        read.outcome = Outcome::Saw(earlier.unwrap());
        let planted = *read;
        assert_eq!(check([0, 0], &history), Verdict::Violation, "seed {seed}");
        let window = shortest([0, 0], &history);
        assert!(window.contains(&planted), "seed {seed}: {window:?}");
        assert!(window.iter().filter(|operation| operation.returned != NEVER).count() <= 16, "seed {seed}: {window:?}");
        found += 1;
    }
    assert!(found >= 4);
}

fn judge(history: &[Operation]) -> Verdict {
    check([0, 0], history)
}

#[test]
fn a_lost_update_is_a_violation() {
    let left = swap(0, 10, [0, 0], [Some(1), None], Outcome::Saw([1, 0]));
    let right = swap(0, 10, [0, 0], [None, Some(2)], Outcome::Saw([0, 2]));
    assert_eq!(judge(&[left]), Verdict::Linearizable);
    assert_eq!(judge(&[left, right]), Verdict::Violation);
    // Without the condition the second keeps the first one's field, and must say so.
    let merged = write(0, 10, [None, Some(2)], Outcome::Saw([1, 2]));
    assert_eq!(judge(&[left, merged]), Verdict::Linearizable);
    let undone = write(5, 20, [None, Some(2)], Outcome::Saw([0, 2]));
    let later = read(21, 22, [0, 2]);
    assert_eq!(judge(&[left, undone, later]), Verdict::Violation);
}

#[test]
fn an_acknowledged_write_that_a_crash_took_is_a_violation() {
    let acknowledged = write(0, 10, [Some(1), None], Outcome::Saw([1, 0]));
    assert_eq!(judge(&[acknowledged, read(11, 12, [0, 0])]), Verdict::Violation);
    let unanswered = write(0, NEVER, [Some(1), None], Outcome::Unknown);
    assert_eq!(judge(&[unanswered, read(11, 12, [0, 0])]), Verdict::Linearizable);
    assert_eq!(judge(&[unanswered, read(11, 12, [1, 0])]), Verdict::Linearizable);
}

#[test]
fn an_unanswered_write_may_come_late_but_not_twice() {
    let unanswered = write(0, NEVER, [Some(1), None], Outcome::Unknown);
    let late = [unanswered, read(11, 12, [0, 0]), read(13, 14, [1, 0])];
    assert_eq!(judge(&late), Verdict::Linearizable);
    let and_gone = [late[0], late[1], late[2], read(15, 16, [0, 0])];
    assert_eq!(judge(&and_gone), Verdict::Violation);
    let overwritten = write(15, 16, [Some(2), None], Outcome::Saw([2, 0]));
    let and_back = [late[0], late[2], overwritten, read(17, 18, [1, 0])];
    assert_eq!(judge(&and_back), Verdict::Violation);
}

#[test]
fn a_refused_write_must_have_changed_nothing() {
    let refused = write(0, 10, [Some(1), None], Outcome::Nothing);
    assert_eq!(judge(&[refused, read(11, 12, [0, 0])]), Verdict::Linearizable);
    assert_eq!(judge(&[refused, read(11, 12, [1, 0])]), Verdict::Violation);
}

#[test]
fn a_stale_answer_needs_a_reason() {
    let stale = swap(10, 11, [0, 0], [Some(1), None], Outcome::Stale);
    assert_eq!(judge(&[stale]), Verdict::Violation);
    // An unseen write without a response is an explanation, but only if it was called before, and only once.
    let unanswered = write(5, NEVER, [Some(2), None], Outcome::Unknown);
    assert_eq!(judge(&[unanswered, stale]), Verdict::Linearizable);
    assert_eq!(judge(&[stale, Operation { invoked: 12, ..unanswered }]), Verdict::Violation);
    assert_eq!(judge(&[unanswered, stale, read(12, 13, [0, 0])]), Verdict::Violation);
}

#[test]
fn histories_with_a_number_written_twice_are_not_judged() {
    let once = write(0, 1, [Some(1), None], Outcome::Saw([1, 0]));
    assert_eq!(judge(&[once, once]), Verdict::Undecided);
}
