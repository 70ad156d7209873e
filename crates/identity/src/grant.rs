//! The grant of an access token, and the lifetimes of tokens.

use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::time::Time;

/// The lifetime of a token in seconds.
pub const LIFE_SECONDS: i64 = 3600;
/// The longest lifetime of any token that a signing key signs, in seconds: that of an entitlement token.
pub const LONGEST_LIFE_SECONDS: i64 = 30 * 24 * 3600;
/// How far another server's clock may be ahead of ours.
pub(crate) const LEEWAY_SECONDS: i64 = 60;

/// A grant: this user, through this client, in this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The organization: the audience.
    pub organization: OrganizationId,
    /// The user: the subject.
    pub user: UserId,
    /// The client that it was issued to, by its record ID and never by its credential.
    pub client: ClientId,
    /// The session, which may end before the token expires.
    pub session: SessionId,
    /// When the user signed in. A refresh does not change it.
    pub auth_time: Time,
}

/// A verified token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its grant.
    pub grant: Grant,
    /// When it was issued.
    pub issued_at: Time,
    /// When it expires.
    pub expires_at: Time,
    /// Its ID.
    pub jti: String,
}
