//! Users: the people who subscribe. An email address and an identity each belong to one live user of an organization.
//! Personal data must be erasable: a user does not serialize, so that no event can contain one by accident.

use crate::id::{EventId, OrganizationId, UserId};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};

/// An email address: trimmed, NFC, lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Email(String);

impl Email {
    /// Parses an address. The format is checked as far as possible without sending mail.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        // Lowercased before normalization: a lower-case letter may have a composed form when the upper-case one has
        // none.
        let line = Line::<1, 320>::parse(&text.trim().to_lowercase())?;
        let address = line.as_str();
        let well_formed = address.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !address.contains(char::is_whitespace)
        });
        if well_formed {
            Ok(Self(address.to_owned()))
        } else {
            Err(InvalidValue::new(ValidationCode::InvalidFormat, "must be an e-mail address, such as ada@example.com"))
        }
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The identity of a person at a provider. Unlike an address, it does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// The person's id there.
    pub subject: String,
}

impl Identity {
    /// The most bytes that an issuer and a subject may have together. Both are in one index, and PostgreSQL rejects an
    /// index row of more than 2,704 bytes.
    pub const MAX_BYTES: usize = 2_560;

    /// Whether every engine can store this identity.
    pub const fn fits(issuer: &str, subject: &str) -> bool {
        issuer.len() + subject.len() <= Self::MAX_BYTES
    }
}

/// A name of a person; it may be empty.
pub type PersonalName = Line<0, 255>;

/// How a person signed up, as the application reports it.
pub type AuthType = Line<0, 64>;

/// What a person provided at sign-up; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Profile {
    pub username: Option<PersonalName>,
    pub first_name: Option<PersonalName>,
    pub last_name: Option<PersonalName>,
    pub terms: Option<bool>,
    pub notifications: Option<bool>,
    pub auth_type: Option<AuthType>,
}

/// A user of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// Its address, if it has one.
    pub email: Option<Email>,
    /// The identity at an identity provider; none until a person signs up with the address.
    pub identity: Option<Identity>,
    /// What the person provided.
    pub profile: Profile,
    /// Incremented whenever a session begins or all of them are revoked.
    pub session_epoch: i64,
    /// When the operator blocked it; a blocked user has no session and cannot sign in.
    pub blocked_at: Option<Time>,
    /// When it was created.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// Its last event.
    pub revision: EventId,
}

impl User {
    /// A user who has not signed up.
    pub fn new(organization_id: OrganizationId, id: UserId, revision: EventId, email: Email, now: Time) -> Self {
        Self {
            id,
            organization_id,
            email: Some(email),
            identity: None,
            profile: Profile::default(),
            session_epoch: 0,
            blocked_at: None,
            created_at: now,
            updated_at: now,
            revision,
        }
    }

    /// Whether the operator has blocked it.
    pub const fn is_blocked(&self) -> bool {
        self.blocked_at.is_some()
    }

    /// The names of the fields that differ: what an event may contain about a person.
    pub fn changed_fields(&self, before: Option<&Self>) -> Vec<&'static str> {
        let empty = Profile::default();
        let old = before.map_or(&empty, |user| &user.profile);
        let new = &self.profile;
        let changes = [
            ("email", self.email != before.and_then(|user| user.email.clone())),
            ("identity", self.identity != before.and_then(|user| user.identity.clone())),
            ("username", new.username != old.username),
            ("first_name", new.first_name != old.first_name),
            ("last_name", new.last_name != old.last_name),
            ("terms", new.terms != old.terms),
            ("notifications", new.notifications != old.notifications),
            ("auth_type", new.auth_type != old.auth_type),
            ("is_blocked", self.is_blocked() != before.is_some_and(Self::is_blocked)),
        ];
        changes.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_trimmed_and_lowered() {
        assert_eq!(Email::parse("  Ada@Example.COM ").unwrap().as_str(), "ada@example.com");
        assert_eq!(Email::parse("E\u{301}@x").unwrap().as_str(), "é@x");
        for text in ["J\u{30c}@x", "\u{130}@x", "\u{1e9e}@x", "\u{212a}@x", "\u{3a9}\u{345}@x"] {
            let once = Email::parse(text).unwrap();
            assert_eq!(Email::parse(once.as_str()).unwrap(), once, "{text}");
        }
    }

    #[test]
    fn the_fields_that_changed_are_named_and_no_other() {
        let at = Time::from_micros(0).unwrap();
        let ids = (OrganizationId::from_bytes([1; 16]), UserId::from_bytes([2; 16]), EventId::from_bytes([3; 16]));
        let before = User::new(ids.0, ids.1, ids.2, Email::parse("ada@example.com").unwrap(), at);
        assert_eq!(before.changed_fields(None), ["email"]);
        assert_eq!(before.changed_fields(Some(&before)), [""; 0]);
        let name = |text: &str| Some(PersonalName::parse(text).unwrap());
        let identity = Some(Identity { issuer: "i".into(), subject: "s".into() });
        let profile = Profile { auth_type: AuthType::parse("oidc").ok(), ..Profile::default() };
        for (field, after) in [
            ("email", User { email: None, ..before.clone() }),
            ("identity", User { identity, ..before.clone() }),
            ("auth_type", User { profile, ..before.clone() }),
            ("is_blocked", User { blocked_at: Some(at), ..before.clone() }),
        ] {
            assert_eq!(after.changed_fields(Some(&before)), [field]);
        }
        for (field, profile) in [
            ("username", Profile { username: name("ada"), ..Profile::default() }),
            ("first_name", Profile { first_name: name(""), ..Profile::default() }),
            ("last_name", Profile { last_name: name("Lovelace"), ..Profile::default() }),
            ("terms", Profile { terms: Some(false), ..Profile::default() }),
            ("notifications", Profile { notifications: Some(true), ..Profile::default() }),
        ] {
            assert_eq!(User { profile, ..before.clone() }.changed_fields(Some(&before)), [field]);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c", "a\0@b", "a@b c"] {
            assert!(Email::parse(text).is_err(), "{text:?}");
        }
    }
}
