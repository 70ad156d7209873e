//! What an access token grants, and for how long.

use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::time::Time;

/// How long a token is good for.
pub const LIFE_SECONDS: i64 = 3600;
/// How far another server's clock may be ahead of ours.
pub(crate) const LEEWAY_SECONDS: i64 = 60;

/// What a token grants: this user, through this client, in this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The organization: the audience.
    pub organization: OrganizationId,
    /// The user: the subject.
    pub user: UserId,
    /// The client it was issued to, by its record and never by its credential.
    pub client: ClientId,
    /// The session, which may end before the token does.
    pub session: SessionId,
    /// When the person signed in; refreshing does not renew it.
    pub auth_time: Time,
}

/// A verified token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What it grants.
    pub grant: Grant,
    /// When it was made.
    pub issued_at: Time,
    /// When it ends.
    pub expires_at: Time,
    /// Its own name.
    pub jti: String,
}
