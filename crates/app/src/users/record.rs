//! A user as the API and the command line return it. A `User` does not serialize, so that no event can contain one.

use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, User};
use serde::Serialize;

/// A user as it is returned.
#[derive(Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct UserRecord<'a> {
    pub id: UserId,
    pub auth_id: Option<&'a str>,
    pub auth_provider: Option<&'a str>,
    pub auth_type: Option<&'a str>,
    pub organization_id: OrganizationId,
    pub email: Option<&'a str>,
    pub username: Option<&'a str>,
    pub first_name: Option<&'a str>,
    pub last_name: Option<&'a str>,
    pub terms: Option<bool>,
    pub notifications: Option<bool>,
    pub role: &'static str,
    pub is_blocked: bool,
    pub created_at: Time,
    pub updated_at: Time,
}

impl<'a> UserRecord<'a> {
    /// The role of every user.
    pub const ROLE: &'static str = "user";

    /// The record of a user.
    pub fn of(user: &'a User) -> Self {
        let (identity, profile) = (&user.identity, &user.profile);
        Self {
            id: user.id,
            auth_id: identity.as_ref().map(|identity| identity.subject.as_str()),
            auth_provider: identity.as_ref().map(|identity| identity.issuer.as_str()),
            auth_type: profile.auth_type.as_ref().map(Line::as_str),
            organization_id: user.organization_id,
            email: user.email.as_ref().map(Email::as_str),
            username: profile.username.as_ref().map(Line::as_str),
            first_name: profile.first_name.as_ref().map(Line::as_str),
            last_name: profile.last_name.as_ref().map(Line::as_str),
            terms: profile.terms,
            notifications: profile.notifications,
            role: Self::ROLE,
            is_blocked: user.is_blocked(),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}
