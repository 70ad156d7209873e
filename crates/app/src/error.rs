//! What a use case can answer besides its result.

use perennial_domain::clients::Scope;
use perennial_domain::validation::{Rejection, Transition, ValidationErrors};
use perennial_identity::signing::KeyFault;
use perennial_identity::verify;
use perennial_store as store;
use std::net::IpAddr;

/// Why a use case did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The input is wrong, in all these places.
    #[error("the input has faults")]
    Invalid(ValidationErrors),
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
    /// The client has been disabled or has expired since the request came.
    #[error("the client is not accepted")]
    InvalidClient,
    /// The client has lost this scope since the request came.
    #[error("the client does not hold the scope {}", .0.as_str())]
    MissingScope(Scope),
    /// The client may no longer call from this address.
    #[error("the client may not call from {0}")]
    AddressNotAllowed(IpAddr),
    /// The identity provider's token proves nothing; why is for the log.
    #[error("the identity token is not accepted: {0}")]
    InvalidIdentityToken(&'static str),
    /// The identity provider's token is for another address.
    #[error("the identity token is for another e-mail address")]
    EmailMismatch,
    /// The identity provider does not vouch for the address.
    #[error("the identity provider does not vouch for the e-mail address")]
    EmailNotVerified,
    /// Nobody can be asked about the identity token; why is for the log.
    #[error("no identity provider can be asked: {0}")]
    ProviderUnavailable(&'static str),
    /// Whoever it is has not signed up.
    #[error("nobody with this identity has signed up")]
    UserNotFound,
    /// The operator has blocked the user.
    #[error("the user is blocked")]
    UserBlocked,
    /// The access token is not ours, not for this client, or its session has ended.
    #[error("the access token is not accepted")]
    InvalidToken,
    /// The refresh token is not ours, not for this client, or its session has ended.
    #[error("the refresh token is not accepted")]
    InvalidRefreshToken,
    /// The session is too old, or was idle for too long.
    #[error("the session has expired")]
    RefreshTokenExpired,
    /// The refresh token was used by two: the session has ended.
    #[error("the refresh token was used before")]
    RefreshTokenReused,
    /// The account is not the caller's.
    #[error("the account is not the caller's")]
    NotAccountOwner,
    /// The person signed in too long ago for this.
    #[error("the person must sign in again first")]
    FreshSignInRequired,
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
    /// The person has signed up before.
    UserAlreadyExists,
    /// Another identity of the organization has the address.
    EmailTaken,
    /// Other writers were faster every time.
    Contended,
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl From<ValidationErrors> for Error {
    fn from(faults: ValidationErrors) -> Self {
        Self::Invalid(faults)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Invalid(errors) => Self::Invalid(errors),
            Rejection::Transition(transition) => Conflict::Transition(transition).into(),
        }
    }
}

impl From<verify::Rejection> for Error {
    fn from(rejection: verify::Rejection) -> Self {
        match rejection {
            verify::Rejection::Invalid(reason) => Self::InvalidIdentityToken(reason.0),
            verify::Rejection::EmailMismatch => Self::EmailMismatch,
            verify::Rejection::EmailNotVerified => Self::EmailNotVerified,
            verify::Rejection::Unavailable(reason) => Self::ProviderUnavailable(reason.0),
        }
    }
}

impl From<KeyFault> for Error {
    fn from(fault: KeyFault) -> Self {
        Self::Internal(fault.to_string())
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
