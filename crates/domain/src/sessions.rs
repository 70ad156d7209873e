//! Sessions: each is the result of one sign-in. A session ends when it is revoked, idle for too long or too old.

use crate::id::{ClientId, OrganizationId, SessionId, UserId};
use crate::time::Time;

/// The most sessions of a user; one more revokes the oldest.
pub const MOST_SESSIONS: usize = 100;

/// A session as it is stored, without the refresh token, which is computed when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// Its user.
    pub user_id: UserId,
    /// The client that created it. None: the customer portal.
    pub client_id: Option<ClientId>,
    /// The generation of the newest refresh token.
    pub generation: u32,
    /// When the user signed in; a refresh does not change it.
    pub signed_in_at: Time,
    /// When the newest refresh token was issued.
    pub rotated_at: Time,
    /// When the previous refresh token was accepted late.
    pub graces: Vec<Time>,
    /// When it expires if it is not refreshed.
    pub expires_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
    /// The IP address of the sign-in.
    pub ip_address: Option<String>,
    /// The user agent of the sign-in.
    pub user_agent: Option<String>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Time>,
}

impl Session {
    /// Whether it is neither revoked nor expired.
    pub fn is_live(&self, now: Time) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_live_until_it_is_revoked_or_expires() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
        let session = Session {
            id: SessionId::from_bytes([1; 16]),
            organization_id: OrganizationId::from_bytes([2; 16]),
            user_id: UserId::from_bytes([3; 16]),
            client_id: Some(ClientId::from_bytes([4; 16])),
            generation: 0,
            signed_in_at: at(10),
            rotated_at: at(10),
            graces: vec![],
            expires_at: at(20),
            last_used_at: at(10),
            ip_address: None,
            user_agent: None,
            revoked_at: None,
        };
        assert!(session.is_live(at(19)));
        assert!(!session.is_live(at(20)));
        assert!(!session.is_live(at(21)));
        assert!(!Session { revoked_at: Some(at(15)), ..session }.is_live(at(16)));
    }
}
