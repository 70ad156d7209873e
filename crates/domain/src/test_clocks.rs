//! Test clocks: the time of a test organization, which moves only when a caller moves it.
//!
//! An advance goes from one due instant to the next, so that every change happens at its own instant. One step to an instant
//! and many steps to the same instant have the same effect.

use crate::id::{EventId, OrganizationId, TestClockId};
use crate::time::Time;
use crate::validation::{ValidationCode, ValidationErrors};
use crate::words::words;

/// The actions of one advance after which it stops.
pub const MAX_TRANSITIONS: i64 = 100_000;

/// Ten years.
const MONTHS_AT_ONCE: i64 = 120;

/// The clock of a test organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestClock {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The time that it shows.
    pub now: Time,
    /// Where it moves to; none unless it is advancing.
    pub target: Option<Time>,
    /// What happens to it.
    pub state: ClockState,
    /// Actions in the current or last advance.
    pub transitions: i64,
    /// Whether the last advance stopped before its target.
    pub limit_reached: bool,
    /// Drawn at every change of the clock. A write that was decided at another revision is decided again.
    pub revision: EventId,
}

words! {
    /// What happens to a clock, as it is stored.
    ClockState {
        /// Nothing.
        Idle = "idle",
        /// It moves to its target.
        Advancing = "advancing",
        /// The records of its organization are being removed, and then the clock.
        Deleting = "deleting",
    }
}

words! {
    /// What a caller sees of a clock's state, which also depends on what is due.
    ClockStatus {
        /// Nothing is due at or before its time.
        Ready = "ready",
        /// It does not move, and work is due at or before its time.
        Working = "working",
        /// It moves to its target.
        Advancing = "advancing",
        /// The organization is on hold.
        Held = "held",
        /// The records of the organization are being removed.
        Deleting = "deleting",
    }
}

words! {
    /// How a clock moves.
    #[derive(Default)]
    ClockMode {
        /// From one due instant to the next, and the work of each is done there.
        #[default]
        Advance = "advance",
        /// At once, as after an outage.
        Jump = "jump",
    }
}

/// The fields of an update; an omitted field is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockPatch {
    /// The time that the clock will show.
    pub now: Option<Time>,
    /// How it gets there.
    pub mode: Option<ClockMode>,
}

/// A clock as the API returns it and as its events store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct TestClockView {
    pub now: Time,
    pub target: Option<Time>,
    pub status: ClockStatus,
    pub transitions: i64,
    pub limit_reached: bool,
}

/// What follows in an advance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The clock shows this, and there is work to do.
    Work(TestClock),
    /// The advance has ended.
    Ended(TestClock),
}

impl TestClock {
    /// A clock that shows `now`.
    pub const fn new(organization_id: OrganizationId, now: Time, revision: EventId) -> Self {
        let (target, state) = (None, ClockState::Idle);
        Self { organization_id, now, target, state, transitions: 0, limit_reached: false, revision }
    }

    /// Its ID in events.
    pub const fn id(&self) -> TestClockId {
        TestClockId::from_bytes(self.organization_id.bytes())
    }

    /// Whether callers may change records of the organization.
    pub fn accepts_writes(&self) -> bool {
        self.state == ClockState::Idle
    }

    /// What a caller sees, if the organization is on hold and if work is due.
    pub const fn view(&self, is_held: bool, is_due: bool) -> TestClockView {
        let status = match (self.state, is_held, is_due) {
            (ClockState::Advancing, ..) => ClockStatus::Advancing,
            (ClockState::Deleting, ..) => ClockStatus::Deleting,
            (ClockState::Idle, true, _) => ClockStatus::Held,
            (ClockState::Idle, false, true) => ClockStatus::Working,
            (ClockState::Idle, false, false) => ClockStatus::Ready,
        };
        let Self { now, target, transitions, limit_reached, .. } = *self;
        TestClockView { now, target, status, transitions, limit_reached }
    }

    /// The clock after an update, apart from its revision. It moves forward only, and at most ten years at once.
    pub fn set(&self, patch: ClockPatch, mut errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let to = patch.now.unwrap_or(self.now);
        let latest = self.now.plus_months(MONTHS_AT_ONCE).unwrap_or(Time::MAX);
        if !errors.touch("/now") && to < self.now {
            errors.note("/now", ValidationCode::OutOfRange, format!("must not be before {}", self.now));
        } else if !errors.touch("/now") && to > latest {
            errors.note("/now", ValidationCode::OutOfRange, format!("must be at most ten years later, at {latest}"));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(match patch.mode.unwrap_or_default() {
            ClockMode::Jump => Self { now: to, ..self.clone() },
            ClockMode::Advance => Self {
                target: Some(to),
                state: ClockState::Advancing,
                transitions: 0,
                limit_reached: false,
                ..self.clone()
            },
        })
    }

    /// How many actions the advance may still make.
    pub fn actions_left(&self) -> i64 {
        (MAX_TRANSITIONS - self.transitions).max(0)
    }

    /// What follows after `done` actions, apart from the revision. `next_due` is the next due instant of the organization.
    #[must_use]
    pub fn step(&self, next_due: Option<Time>, done: i64) -> Step {
        let transitions = self.transitions + done;
        let target = self.target.unwrap_or(self.now);
        let ended = Self { target: None, state: ClockState::Idle, transitions, ..self.clone() };
        match next_due.filter(|due| *due <= target) {
            Some(_) if transitions >= MAX_TRANSITIONS => Step::Ended(Self { limit_reached: true, ..ended }),
            Some(due) => Step::Work(Self { now: self.now.max(due), transitions, ..self.clone() }),
            None => Step::Ended(Self { now: target.max(self.now), ..ended }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn clock(now: i64) -> TestClock {
        TestClock::new(OrganizationId::from_bytes([1; 16]), at(now), EventId::from_bytes([2; 16]))
    }

    fn to(now: i64, mode: ClockMode) -> ClockPatch {
        ClockPatch { now: Some(at(now)), mode: Some(mode) }
    }

    fn set(clock: &TestClock, patch: ClockPatch) -> Result<TestClock, ValidationErrors> {
        clock.set(patch, ValidationErrors::none())
    }

    #[test]
    fn a_clock_moves_forward_and_at_most_ten_years() {
        let clock = TestClock { now: Time::parse("2024-02-29T10:00:00Z").unwrap(), ..clock(0) };
        let jump = |text: &str| {
            let patch = ClockPatch { now: Some(Time::parse(text).unwrap()), mode: Some(ClockMode::Jump) };
            set(&clock, patch)
        };
        assert!(jump("2024-02-29T09:59:59.999999Z").is_err());
        assert!(jump("2024-02-29T10:00:00Z").is_ok());
        assert!(jump("2034-02-28T10:00:00Z").is_ok());
        assert!(jump("2034-02-28T10:00:00.000001Z").is_err());
    }

    #[test]
    fn an_advance_begins_with_no_transitions_and_a_jump_leaves_them() {
        let before = TestClock { transitions: 7, limit_reached: true, ..clock(10) };
        let jumped = set(&before, to(20, ClockMode::Jump)).unwrap();
        assert_eq!((jumped.now, jumped.transitions, jumped.accepts_writes()), (at(20), 7, true));
        let advancing = set(&before, to(20, ClockMode::Advance)).unwrap();
        assert_eq!((advancing.now, advancing.target, advancing.transitions), (at(10), Some(at(20)), 0));
        assert!(!advancing.limit_reached && !advancing.accepts_writes());
        // Without fields it advances to where it is.
        assert_eq!(set(&before, ClockPatch::default()).unwrap().target, Some(at(10)));
    }

    #[test]
    fn an_advance_stops_at_the_limit_if_something_is_left() {
        let advancing = set(&clock(10), to(20, ClockMode::Advance)).unwrap();
        let Step::Ended(stopped) = advancing.step(Some(at(15)), MAX_TRANSITIONS) else { panic!("it must stop") };
        assert_eq!((stopped.now, stopped.target, stopped.limit_reached), (at(10), None, true));
        let Step::Ended(done) = advancing.step(Some(at(21)), MAX_TRANSITIONS) else { panic!("it must end") };
        assert_eq!((done.now, done.limit_reached, done.transitions), (at(20), false, MAX_TRANSITIONS));
    }

    #[test]
    fn the_status_follows_from_the_state_the_hold_and_what_is_due() {
        let status = |state, is_held, is_due| TestClock { state, ..clock(1) }.view(is_held, is_due).status;
        assert_eq!(status(ClockState::Idle, false, false), ClockStatus::Ready);
        assert_eq!(status(ClockState::Idle, false, true), ClockStatus::Working);
        assert_eq!(status(ClockState::Idle, true, false), ClockStatus::Held);
        assert_eq!(status(ClockState::Advancing, true, true), ClockStatus::Advancing);
        assert_eq!(status(ClockState::Deleting, true, true), ClockStatus::Deleting);
    }

    /// Advances over due instants as the engine does, and returns the instants at which work was done.
    fn advance(clock: &TestClock, to_seconds: i64, due: &mut BTreeSet<i64>) -> (TestClock, Vec<i64>) {
        let (mut clock, mut done) = (set(clock, to(to_seconds, ClockMode::Advance)).unwrap(), Vec::new());
        loop {
            match clock.step(due.first().map(|due| at(*due)), 0) {
                Step::Ended(ended) => return (ended, done),
                Step::Work(next) => {
                    done.push(due.pop_first().unwrap());
                    clock = next;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn one_step_equals_many(
            due in prop::collection::btree_set(0..1000_i64, 0..20),
            stops in prop::collection::btree_set(100..900_i64, 0..5),
        ) {
            let (mut once, mut often) = (due.clone(), due);
            let (end, at_once) = advance(&clock(100), 900, &mut once);
            let (mut clock, mut in_parts) = (clock(100), Vec::new());
            for stop in stops.into_iter().chain([900]) {
                let (next, done) = advance(&clock, stop, &mut often);
                prop_assert_eq!(next.now, at(stop));
                in_parts.extend(done);
                clock = next;
            }
            prop_assert_eq!((at_once, once), (in_parts, often));
            prop_assert_eq!((end.now, end.target, end.state), (clock.now, clock.target, clock.state));
        }

        #[test]
        fn a_step_never_goes_back_nor_beyond_the_target(now in 0..1000_i64, ahead in 0..1000_i64, due in 0..3000_i64) {
            let advancing = set(&clock(now), to(now + ahead, ClockMode::Advance)).unwrap();
            let (Step::Work(next) | Step::Ended(next)) = advancing.step(Some(at(due)), 1);
            prop_assert!(at(now) <= next.now && next.now <= at(now + ahead));
        }
    }
}
