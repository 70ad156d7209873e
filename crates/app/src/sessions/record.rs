//! A session as the API and the command line return it. It contains no token: none is stored.

use perennial_domain::id::{ClientId, SessionId, UserId};
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use serde::Serialize;

/// A session as it is returned.
#[derive(Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct SessionRecord<'a> {
    pub id: SessionId,
    pub user_id: UserId,
    pub client_id: Option<ClientId>,
    pub client_name: Option<&'a str>,
    pub issued_at: Time,
    pub expiration_time: Time,
    pub last_used_at: Time,
    pub ip_address: Option<&'a str>,
    pub user_agent: Option<&'a str>,
    pub revoked: bool,
    pub created_at: Time,
    pub updated_at: Time,
}

impl<'a> SessionRecord<'a> {
    /// The record of a session and the name of its client.
    pub fn of(session: &'a Session, client_name: Option<&'a str>) -> Self {
        Self {
            id: session.id,
            user_id: session.user_id,
            client_id: session.client_id,
            client_name,
            issued_at: session.signed_in_at,
            expiration_time: session.expires_at,
            last_used_at: session.last_used_at,
            ip_address: session.ip_address.as_deref(),
            user_agent: session.user_agent.as_deref(),
            revoked: session.revoked_at.is_some(),
            created_at: session.signed_in_at,
            updated_at: session.rotated_at.max(session.last_used_at),
        }
    }
}
