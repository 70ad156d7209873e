//! What an attempt to apply an object came to.

use perennial_domain::connections::inbox::{Delay, InboxState, Outcome};
use perennial_domain::time::Time;

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The hints of the object are settled.
    Settled(InboxState, Option<&'static str>),
    /// They wait.
    Delayed(Delay),
}

impl Ended {
    /// What becomes of a hint.
    pub(super) fn outcome(self, received_at: Time, attempts: i64, now: Time) -> Outcome {
        match self {
            Self::Settled(state, code) => Outcome::settled(state, code),
            Self::Delayed(delay) => Outcome::delayed(delay, received_at, attempts, now),
        }
    }
}

/// A record that an object refers to.
pub(super) enum Reference<T> {
    /// The record.
    Found(T),
    /// The object cannot be a record: the code.
    NotARecord(&'static str),
    /// It is not known yet.
    Delayed(Delay),
}
