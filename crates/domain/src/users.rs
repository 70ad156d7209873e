//! Users: the people who subscribe. An email address and an identity each belong to one live user of an organization.
//! Personal data must be erasable: a user does not serialize, so that no event can contain one by accident.

use crate::id::{EventId, OrganizationId, UserId};
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};

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

/// The beginning of an email address, normalized like an address. It has at least three characters, so that a search
/// does not list everyone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailPrefix(String);

impl EmailPrefix {
    /// Parses a prefix.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Line::<3, 320>::parse(&text.trim().to_lowercase()).map(|line| Self(line.as_str().to_owned()))
    }

    /// The prefix, which is also the least text that begins with it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The least text after all that begin with the prefix; none if there is no such text. Texts are compared by their
    /// bytes, whose order is that of the code points.
    pub fn end(&self) -> Option<String> {
        let mut rest = self.0.as_str();
        while let Some(last) = rest.chars().next_back() {
            rest = &rest[..rest.len() - last.len_utf8()];
            // A range of characters leaves out the surrogates.
            if let Some(next) = (last..=char::MAX).nth(1) {
                return Some(format!("{rest}{next}"));
            }
        }
        None
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

impl Profile {
    /// The fields that were provided; the others as `stored`.
    #[must_use]
    pub fn or(self, stored: &Self) -> Self {
        Self {
            username: self.username.or_else(|| stored.username.clone()),
            first_name: self.first_name.or_else(|| stored.first_name.clone()),
            last_name: self.last_name.or_else(|| stored.last_name.clone()),
            terms: self.terms.or(stored.terms),
            notifications: self.notifications.or(stored.notifications),
            auth_type: self.auth_type.or_else(|| stored.auth_type.clone()),
        }
    }
}

/// The fields of a create or an update. `None`: not sent. `Some(None)`: sent as null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct UserDraft {
    pub email: Option<Option<Email>>,
    pub username: Option<Option<PersonalName>>,
    pub first_name: Option<Option<PersonalName>>,
    pub last_name: Option<Option<PersonalName>>,
    pub terms: Option<Option<bool>>,
    pub notifications: Option<Option<bool>>,
    pub auth_type: Option<Option<AuthType>>,
    pub is_blocked: Option<bool>,
}

impl UserDraft {
    /// The profile after an update of `before`.
    fn profile(self, before: &Profile) -> Profile {
        Profile {
            username: self.username.unwrap_or_else(|| before.username.clone()),
            first_name: self.first_name.unwrap_or_else(|| before.first_name.clone()),
            last_name: self.last_name.unwrap_or_else(|| before.last_name.clone()),
            terms: self.terms.unwrap_or(before.terms),
            notifications: self.notifications.unwrap_or(before.notifications),
            auth_type: self.auth_type.unwrap_or_else(|| before.auth_type.clone()),
        }
    }
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

    /// A user whom the operator creates, who has not signed up. The input is rejected with all its errors.
    pub fn create(
        mut draft: UserDraft,
        mut errors: ValidationErrors,
        organization_id: OrganizationId,
        id: UserId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let Some(email) = draft.email.take().flatten() else {
            // What is no object at all lacks nothing.
            if !errors.touch("/email") && !errors.touch("") {
                errors.note("/email", ValidationCode::Required, "is required");
            }
            return Err(errors);
        };
        let user = Self::new(organization_id, id, revision, email, now);
        errors.into_result(Self { profile: draft.profile(&user.profile), ..user })
    }

    /// The user after an update at `now`, apart from its stamp. Equal to the user before if nothing changes.
    pub fn merge(
        &self,
        mut patch: UserDraft,
        mut errors: ValidationErrors,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let email = patch.email.take().unwrap_or_else(|| self.email.clone());
        // An imported user may have no address, and its whole record may be sent back.
        if email.is_none() && self.email.is_some() {
            errors.note("/email", ValidationCode::NotNullable, "must not be null");
        }
        let blocked_at = match patch.is_blocked {
            Some(true) => self.blocked_at.or(Some(now)),
            Some(false) => None,
            None => self.blocked_at,
        };
        errors.into_result(Self { email, blocked_at, profile: patch.profile(&self.profile), ..self.clone() })
    }

    /// Whether the identity provider manages the address. Then only a sign-in changes it.
    pub const fn is_email_managed(&self) -> bool {
        self.identity.is_some()
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

    fn ada() -> User {
        let ids = (OrganizationId::from_bytes([1; 16]), UserId::from_bytes([2; 16]), EventId::from_bytes([3; 16]));
        User::new(ids.0, ids.1, ids.2, Email::parse("ada@example.com").unwrap(), Time::from_micros(0).unwrap())
    }

    fn codes(result: Result<User, ValidationErrors>) -> Vec<(String, ValidationCode)> {
        let errors = result.unwrap_err();
        errors.iter().map(|error| (error.pointer.to_string(), error.reason.code)).collect()
    }

    #[test]
    fn an_update_changes_what_was_sent_and_nothing_else() {
        let at = |micros| Time::from_micros(micros).unwrap();
        let none = ValidationErrors::none;
        let before = User { blocked_at: Some(at(1)), ..ada() };
        assert_eq!(before.merge(UserDraft::default(), none(), at(5)).unwrap(), before);
        let again = UserDraft { is_blocked: Some(true), email: Some(before.email.clone()), ..UserDraft::default() };
        assert_eq!(before.merge(again, none(), at(5)).unwrap(), before);
        let name = Some(PersonalName::parse("Ada").unwrap());
        let patch = UserDraft { first_name: Some(name.clone()), is_blocked: Some(false), ..UserDraft::default() };
        let after = before.merge(patch, none(), at(5)).unwrap();
        let profile = Profile { first_name: name, ..Profile::default() };
        assert_eq!(after, User { profile, blocked_at: None, ..before });
        let cleared = UserDraft { first_name: Some(None), is_blocked: Some(true), ..UserDraft::default() };
        assert_eq!(after.merge(cleared, none(), at(9)).unwrap(), User { blocked_at: Some(at(9)), ..ada() });
    }

    #[test]
    fn an_address_is_required_and_cannot_be_removed() {
        let (user, none) = (ada(), ValidationErrors::none);
        let new = |draft, errors| User::create(draft, errors, user.organization_id, user.id, user.revision, Time::MAX);
        assert_eq!(codes(new(UserDraft::default(), none())), [("/email".into(), ValidationCode::Required)]);
        let null = UserDraft { email: Some(None), ..UserDraft::default() };
        assert_eq!(
            codes(user.merge(null.clone(), none(), Time::MAX)),
            [("/email".into(), ValidationCode::NotNullable)]
        );
        let without = User { email: None, ..user };
        assert_eq!(without.merge(null, none(), Time::MAX).unwrap(), without);
    }

    #[test]
    fn a_prefix_ends_before_the_first_text_that_does_not_begin_with_it() {
        let end = |text: &str| EmailPrefix::parse(text).unwrap().end();
        assert_eq!(end(" ADA ").as_deref(), Some("adb"));
        assert_eq!(end("ad\u{10ffff}").as_deref(), Some("ae"));
        assert_eq!(end("ad\u{d7ff}").as_deref(), Some("ad\u{e000}"));
        assert_eq!(end("\u{10ffff}\u{10ffff}\u{10ffff}"), None);
        for text in ["", "ad", " ad ", "ad\0"] {
            assert!(EmailPrefix::parse(text).is_err(), "{text:?}");
        }
        assert!(EmailPrefix::parse(&"a".repeat(321)).is_err());
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c", "a\0@b", "a@b c"] {
            assert!(Email::parse(text).is_err(), "{text:?}");
        }
    }
}
