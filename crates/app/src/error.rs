//! What a use case can answer besides its result.

use perennial_domain::fault::{Faults, Refusal, Transition};
use perennial_store as store;

/// Why a use case did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The input is wrong, in all these places.
    #[error("the input has faults")]
    Invalid(Faults),
    /// There is no such record, or it is not the caller's to see.
    #[error("there is no such record")]
    NotFound,
    /// The record is no longer at the revision the caller named.
    #[error("the record has changed meanwhile")]
    Stale,
    /// The state of the records forbids it.
    #[error("the state of the records forbids it: {0:?}")]
    Conflict(Conflict),
    /// The cursor was not made for this list.
    #[error("the cursor was not made for this list")]
    InvalidCursor,
    /// The idempotency key belongs to another request.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// The idempotency key's first request is still being answered.
    #[error("the idempotency key's first request is still being answered")]
    KeyInFlight,
    /// More changes wait than the store accepts; nothing was done.
    #[error("the store has more work than it accepts")]
    Overloaded,
    /// The store cannot be reached or written to; nothing was done.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The store was lost while committing: done or not, nobody knows.
    #[error("the outcome of the change is unknown")]
    OutcomeUnknown,
    /// A defect of ours. The detail is for the log, never for the caller.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Another live plan has the slug.
    SlugTaken,
    /// Live subscriptions refer to the plan.
    PlanInUse {
        /// How many.
        subscriptions: i64,
    },
    /// The plan is retired.
    PlanInactive,
    /// Another live record has the external id.
    ExternalIdTaken {
        /// That record's id.
        other: String,
    },
    /// The status does not lead there.
    Transition(Transition),
    /// Other writers were faster every time.
    Contended,
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Invalid(faults) => Self::Invalid(faults),
            Refusal::Transition(transition) => Conflict::Transition(transition).into(),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Overloaded => Self::Overloaded,
            store::Error::Unavailable(detail) => Self::Unavailable(detail),
            store::Error::OutcomeUnknown => Self::OutcomeUnknown,
            other => Self::Internal(other.to_string()),
        }
    }
}
