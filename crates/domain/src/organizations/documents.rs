//! What the documents of an organization show and how they are numbered.

use crate::invoices::record::Seller;
use crate::validation::{InvalidValue, ValidationCode};
use serde::{Deserialize, Serialize};

/// The text in front of document numbers: 1 to 12 of `A-Z0-9-`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NumberPrefix(String);

impl NumberPrefix {
    /// The format, for documentation.
    pub const PATTERN: &'static str = "^[A-Z0-9-]{1,12}$";

    /// Parses a prefix.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        if text.is_empty() {
            return Err(InvalidValue::new(ValidationCode::TooShort, "must have at least 1 character"));
        }
        if text.chars().count() > 12 {
            return Err(InvalidValue::new(ValidationCode::TooLong, "must have at most 12 characters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-') {
            return Err(InvalidValue::new(ValidationCode::InvalidFormat, "must have only A-Z, 0-9 and -"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The usual prefix of invoices.
    pub fn invoices() -> Self {
        Self("INV".to_owned())
    }

    /// The usual prefix of credit notes.
    pub fn credit_notes() -> Self {
        Self("CRN".to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_valid(&self) -> bool {
        Self::parse(&self.0).is_ok()
    }
}

/// The changes to the seller. `None` leaves a field as it is, `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct SellerPatch {
    pub name: Option<Option<String>>,
    pub address: Option<Vec<String>>,
    pub country: Option<Option<String>>,
    pub tax_id: Option<Option<String>>,
    pub email: Option<Option<String>>,
    pub note: Option<Option<String>>,
}

impl SellerPatch {
    /// The seller with the fields that were sent.
    #[must_use]
    pub fn apply(self, before: Seller) -> Seller {
        Seller {
            name: self.name.unwrap_or(before.name),
            address: self.address.unwrap_or(before.address),
            country: self.country.unwrap_or(before.country),
            tax_id: self.tax_id.unwrap_or(before.tax_id),
            email: self.email.unwrap_or(before.email),
            note: self.note.unwrap_or(before.note),
        }
    }
}
