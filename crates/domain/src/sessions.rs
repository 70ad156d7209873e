//! Sessions: what one sign-in began. A session ends when it is revoked, idle for too long or too old.

use crate::id::{ClientId, OrganizationId, SessionId, UserId};
use crate::time::Time;

/// The most sessions a user can have; one more ends the oldest.
pub const MOST_SESSIONS: usize = 100;

/// A session as it is kept, without the refresh token, which is made anew each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// Whose it is.
    pub user_id: UserId,
    /// The client it was begun with.
    pub client_id: ClientId,
    /// The generation of the newest refresh token.
    pub generation: u32,
    /// When the person signed in; refreshing does not renew it.
    pub signed_in_at: Time,
    /// When the newest refresh token was made.
    pub rotated_at: Time,
    /// When the token before the newest was honoured late.
    pub graces: Vec<Time>,
    /// When it ends if nobody refreshes it.
    pub expires_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
    /// Where the person signed in from.
    pub ip_address: Option<String>,
    /// What the person signed in with.
    pub user_agent: Option<String>,
    /// When it was ended, if it was.
    pub revoked_at: Option<Time>,
}

impl Session {
    /// Whether it still counts.
    pub fn is_live(&self, now: Time) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_until_it_is_revoked_or_runs_out() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
        let session = Session {
            id: SessionId::from_bytes([1; 16]),
            organization_id: OrganizationId::from_bytes([2; 16]),
            user_id: UserId::from_bytes([3; 16]),
            client_id: ClientId::from_bytes([4; 16]),
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
