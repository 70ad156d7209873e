//! The errors of the store that callers must distinguish.
//! No message contains a bound value, a password or a connection URL.

/// A failure of the store. A batch fails as a whole, so errors can be cloned to every waiting change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A step of a change affected another number of rows than expected; the change was rolled back.
    #[error("the change was rejected: {0:?}")]
    Violated(Violation),
    /// Too many changes wait, or the first of them has waited too long; nothing was attempted.
    #[error("the store has more changes waiting than it can write in time")]
    Overloaded,
    /// The database cannot be reached or cannot write now; nothing was committed.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// There was no response to COMMIT: the change may or may not be committed.
    #[error("the connection was lost while committing; the outcome is unknown")]
    OutcomeUnknown,
    /// Another server has locked the data directory.
    #[error("{0}")]
    Locked(String),
    /// The database was migrated by a later version of the program, and no longer works with this one.
    #[error(
        "the database has schema version {found}, which needs a program of schema version {oldest} or newer; \
         this program has {known}: run the newer program"
    )]
    SchemaNewer {
        /// The version of the schema.
        found: i64,
        /// The oldest program that works with it.
        oldest: i64,
        /// The version of this program.
        known: i64,
    },
    /// The migrations of the database and of the program do not match.
    #[error("{0}")]
    Migration(String),
    /// The connection settings cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// A defect: a wrong statement, a wrong column, a broken constraint.
    #[error("internal error of the store: {0}")]
    Internal(String),
}

/// What a change was rejected for: the caller names it for each step, and the first step that fails returns its own.
/// A step that a unique index rejects has failed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    Key,
    Record,
    Name,
    Credential,
    Email,
    Slug,
    ExternalId,
    Plan,
    User,
    Subscription,
    Session,
    InUse,
    Event,
    /// Another operator has the identity.
    Identity,
    /// The one-time link was used or has expired.
    Link,
    /// The operator has the maximum number of unused links.
    LinkLimit,
    /// The operator of a sign-in or a link is deleted or disabled.
    Operator,
    /// The session of the operator who requests the change has ended.
    CallerSession,
    /// The organization has the maximum number of webhook endpoints.
    EndpointLimit,
    /// The role of the operator who requests the change has changed.
    CallerRole,
    /// Another coupon has the code.
    Code,
    /// The coupon is inactive, past its last instant or used up.
    Coupon,
    /// The balance would be negative or too large.
    Balance,
    /// Another document drew the number.
    Number,
    /// The period has an invoice already.
    Cycle,
    /// A usage event with the same ID is stored already.
    UsageEvent,
    /// Another feature has the key.
    FeatureKey,
    /// The organization has the maximum number of features.
    FeatureLimit,
    /// The meter has changed, or is not active.
    Meter,
    /// An active feature uses the meter.
    MeterInUse,
    /// A running total was created or removed, or the usage does not fit the decision about it.
    UsageTotal,
    /// The subscription has as many members as it may.
    SeatLimit,
    /// The user is a member of the subscription already, or no longer.
    Member,
    /// Another server holds the unit of background work.
    Lease,
    /// The test clock of the organization has changed.
    Clock,
}
