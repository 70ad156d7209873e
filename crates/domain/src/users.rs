//! Users: the people who subscribe. An e-mail address belongs to one live user of an organization.

use crate::fault::{FaultCode, Reason};
use crate::id::{EventId, OrganizationId, UserId};
use crate::text::Line;
use crate::time::Time;

/// An e-mail address: trimmed, NFC, lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Email(String);

impl Email {
    /// Reads an address. The form is checked as far as it can be without writing to it.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let line = Line::<1, 320>::parse(text.trim())?;
        let address = line.as_str().to_lowercase();
        let well_formed = address.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !address.contains(char::is_whitespace)
        });
        if well_formed {
            Ok(Self(address))
        } else {
            Err(Reason::new(FaultCode::InvalidFormat, "must be an e-mail address, such as ada@example.com"))
        }
    }

    /// The value a store kept: it went through `parse` before it got there.
    pub const fn kept(text: String) -> Self {
        Self(text)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A user of an organization.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// Its address, if it has one.
    pub email: Option<Email>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_trimmed_and_lowered() {
        assert_eq!(Email::parse("  Ada@Example.COM ").unwrap().as_str(), "ada@example.com");
        assert_eq!(Email::parse("E\u{301}@x").unwrap().as_str(), "é@x");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c", "a\0@b", "a@b c"] {
            assert!(Email::parse(text).is_err(), "{text:?}");
        }
    }
}
