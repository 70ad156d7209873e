//! The errors of the use cases.

use perennial_domain::clients::Scope;
use perennial_domain::entitlements::Exceeded;
use perennial_domain::id::ConnectionId;
use perennial_domain::invoices::OutOfRange;
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::time::Time;
use perennial_domain::validation::{Rejection, Transition, ValidationErrors};
use perennial_identity::signing::KeyError;
use perennial_identity::verify;
use perennial_store::{self as store, Violation};
use std::net::IpAddr;

/// Why a use case failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The input is invalid. All errors are listed.
    #[error("invalid input")]
    Invalid(ValidationErrors),
    /// The record does not exist, or the caller may not see it.
    #[error("there is no such record")]
    NotFound,
    /// The record does not have the revision that the caller expects.
    #[error("the record has changed")]
    Stale,
    /// The state of the records does not allow it.
    #[error("the state of the records does not allow it: {0:?}")]
    Conflict(Conflict),
    /// The cursor was not made for this list.
    #[error("the cursor was not made for this list")]
    InvalidCursor,
    /// The feed does not hold the position of a cursor any more.
    #[error("the feed does not hold the position of the cursor")]
    CursorGone {
        /// When the oldest event entered the feed.
        oldest: Option<Time>,
        /// Whether the store was restored to an earlier state; otherwise old events were pruned.
        restored: bool,
    },
    /// What is billed cannot be computed. The engine parks the subscription.
    #[error("what is billed cannot be computed: {}", .0.as_str())]
    Unbillable(ParkReason),
    /// Another server holds the unit of background work. No request fails with it.
    #[error("another server does this work")]
    LeaseLost,
    /// The idempotency key belongs to another request.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// The first request with the idempotency key is still running.
    #[error("the first request with the idempotency key is still running")]
    KeyInFlight,
    /// The client was disabled or expired after the request arrived.
    #[error("the client is disabled or expired")]
    InvalidClient,
    /// The client lost this scope after the request arrived.
    #[error("the client does not have the scope {}", .0.as_str())]
    MissingScope(Scope),
    /// The response would take the credential of a trusted client to a browser.
    #[error("the credential of a trusted client must not reach a browser")]
    ClientNotForBrowsers,
    /// There is no live session of an operator, or it ended after the request arrived.
    #[error("an operator's session is required")]
    OperatorSessionRequired,
    /// The one-time link is unknown, used or expired.
    #[error("invalid one-time link")]
    InvalidLink,
    /// The client may no longer call from this address.
    #[error("the client may not call from {0}")]
    AddressNotAllowed(IpAddr),
    /// The identity provider's token is invalid. The reason is logged.
    #[error("invalid identity token: {0}")]
    InvalidIdentityToken(&'static str),
    /// The identity provider's token is for another e-mail address.
    #[error("the identity token is for another e-mail address")]
    EmailMismatch,
    /// The identity provider has not verified the e-mail address.
    #[error("the identity provider has not verified the e-mail address")]
    EmailNotVerified,
    /// No identity provider can check the token. The reason is logged.
    #[error("no identity provider can check the token: {0}")]
    ProviderUnavailable(&'static str),
    /// No user has this identity.
    #[error("no user has this identity")]
    UserNotFound,
    /// The operator has blocked the user.
    #[error("the user is blocked")]
    UserBlocked,
    /// The access token was not issued here, is for another client, or its session has ended.
    #[error("invalid access token")]
    InvalidToken,
    /// The refresh token was not issued here, is for another client, or its session has ended.
    #[error("invalid refresh token")]
    InvalidRefreshToken,
    /// The session is too old, or was idle for too long.
    #[error("the session has expired")]
    RefreshTokenExpired,
    /// The refresh token was used twice, so the session has ended.
    #[error("the refresh token was already used")]
    RefreshTokenReused,
    /// The account is not the caller's.
    #[error("the account is not the caller's")]
    NotAccountOwner,
    /// The last sign-in is too long ago for this operation.
    #[error("a recent sign-in is required")]
    FreshSignInRequired,
    /// The operator's last sign-in is too long ago for this operation.
    #[error("a recent sign-in of the operator is required")]
    FreshOperatorRequired,
    /// The queue of changes is full. Nothing was changed.
    #[error("the store is overloaded")]
    Overloaded,
    /// The store cannot be reached or written to. Nothing was changed.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The connection was lost during the commit, so the outcome is unknown.
    #[error("the outcome of the change is unknown")]
    OutcomeUnknown,
    /// A bug. The detail is logged and never returned.
    #[error("internal error: {0}")]
    Internal(String),
}

/// A conflict with the state of the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Another live plan has the slug.
    SlugTaken,
    /// Live subscriptions refer to the plan.
    PlanInUse {
        /// Their number.
        subscriptions: i64,
    },
    /// The plan is not active.
    PlanInactive,
    /// Another live record has the external ID.
    ExternalIdTaken {
        /// The ID of that record.
        other: String,
    },
    /// The status transition is not allowed.
    Transition(Transition),
    /// An earlier draft of the subscription must be issued before this one.
    EarlierDraft,
    /// An amount of the draft is out of range, so that it cannot be issued.
    Unissuable,
    /// The service sets the status of a billed subscription.
    ManagedStatus(Transition),
    /// Another plan or quantity cannot act in this status.
    ChangeNotAllowed(&'static str),
    /// The plan was changed too often in a period.
    TooManyChanges,
    /// Late actions of the subscription could not be made yet.
    LifecycleBehind,
    /// The user has already signed up.
    UserAlreadyExists,
    /// Another user of the organization has the e-mail address.
    EmailTaken,
    /// The identity provider manages the e-mail address of the user.
    EmailManaged,
    /// Another client of the installation has the `client-id`.
    ClientIdTaken,
    /// The client was disabled, which is final over the API.
    ClientDisabled,
    /// Another operator of the organization has the name.
    NameTaken,
    /// An operator cannot do this to itself.
    OwnOperator,
    /// The operator has the maximum number of unused links.
    LinkLimit,
    /// The operator is disabled.
    OperatorDisabled,
    /// A payment provider manages the record, through this connection.
    ProviderManaged(ConnectionId),
    /// This connection does not collect payments.
    CollectingDisabled(ConnectionId),
    /// Live subscriptions follow the connection.
    ConnectionInUse {
        /// Their number.
        subscriptions: i64,
    },
    /// The organization has the maximum number of webhook endpoints.
    EndpointLimit,
    /// The webhook endpoint is disabled.
    EndpointDisabled,
    /// The webhook endpoint has the maximum number of valid secrets.
    SecretLimit,
    /// The organization is live: it has real time.
    NotATestOrganization,
    /// The organization has a test clock.
    ClockExists,
    /// The test clock is moving or being deleted.
    ClockAdvancing,
    /// Another meter has the slug.
    MeterSlugTaken,
    /// Charges of a plan or an active feature use the meter.
    MeterInUse,
    /// Another feature has the key.
    FeatureKeyTaken,
    /// The organization has the maximum number of features.
    FeatureLimit,
    /// The user is a member of the subscription, or its owner.
    AlreadyMember,
    /// The subscription has no seat left.
    SeatLimit {
        /// The number of seats.
        limit: i64,
        /// The owner and the members.
        used: i64,
    },
    /// The token would be larger than 8 KiB.
    TokenTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The call would exceed these quotas.
    QuotaExceeded(Vec<Exceeded>),
    /// Another coupon has the code, in upper or lower case.
    CodeTaken,
    /// The balance of the user is less than what would be taken from it.
    InsufficientBalance,
    /// The invoice is partly paid or credited, or a credit line names it.
    HasPayments,
    /// The payment counts for its invoice.
    PaymentApplied,
    /// The invoice was issued, or cannot be deleted.
    InvoiceFinal,
    /// The invoice is a draft.
    InvoiceNotFinal,
    /// More than is left of the invoice would be credited.
    CreditExceedsInvoice,
    /// The coupon is inactive, past its last instant or used up.
    CouponUnavailable,
    /// The subscription has a draft or an open invoice.
    HasOpenInvoices,
    /// Other writers were faster at every attempt.
    Contended,
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl From<ValidationErrors> for Error {
    fn from(errors: ValidationErrors) -> Self {
        Self::Invalid(errors)
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Invalid(errors) => Self::Invalid(errors),
            Rejection::Transition(transition) => Conflict::Transition(transition).into(),
            Rejection::ManagedStatus(transition) => Conflict::ManagedStatus(transition).into(),
            Rejection::ChangeNotAllowed(status) => Conflict::ChangeNotAllowed(status).into(),
            Rejection::TooManyChanges => Conflict::TooManyChanges.into(),
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

impl From<OutOfRange> for Error {
    fn from(_: OutOfRange) -> Self {
        Self::Unbillable(ParkReason::OutOfRange)
    }
}

impl From<KeyError> for Error {
    fn from(fault: KeyError) -> Self {
        Self::Internal(fault.to_string())
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Overloaded => Self::Overloaded,
            store::Error::Unavailable(detail) => Self::Unavailable(detail),
            store::Error::OutcomeUnknown => Self::OutcomeUnknown,
            store::Error::Violated(Violation::CallerSession) => Self::OperatorSessionRequired,
            store::Error::Violated(Violation::Lease) => Self::LeaseLost,
            // The next attempt is decided with the new role, or at the time that the clock shows then.
            store::Error::Violated(Violation::CallerRole | Violation::Clock) => Conflict::Contended.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}
