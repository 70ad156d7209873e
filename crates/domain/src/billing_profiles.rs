//! Billing profiles: what documents print about a buyer, and which tax rates apply.
//! Every user has one, empty at first. It is personal data: an event has the names of the changed fields only.

use crate::country::Country;
use crate::id::{EventId, OrganizationId, TaxRateId, UserId};
use crate::plans::set;
use crate::text::Line;
use crate::time::Time;
use crate::users::{Email, User};
use crate::validation::ValidationErrors;
use crate::words::words;

words! {
    /// The language of documents.
    Locale {
        /// English.
        En = "en",
        /// German.
        De = "de",
        /// French.
        Fr = "fr",
        /// Spanish.
        Es = "es",
        /// Japanese.
        Ja = "ja",
    }
}

/// The name of a buyer.
pub type BuyerName = Line<1, 255>;
/// A line of an address.
pub type AddressLine = Line<1, 255>;
/// A tax ID.
pub type TaxId = Line<1, 64>;
/// A note that documents print, such as "Reverse charge".
pub type BuyerNote = Line<1, 500>;

/// The most lines of an address.
pub const MAX_ADDRESS_LINES: usize = 6;
/// The most tax rates of a line.
pub const MAX_TAX_RATES: usize = 10;

/// A billing profile. Like a user it does not serialize, so that no event can contain one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct BillingProfile {
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    pub fields: ProfileFields,
    pub created_at: Time,
    pub updated_at: Time,
    /// Its last event; the bytes of the user's id before the first.
    pub revision: EventId,
}

/// What callers set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ProfileFields {
    pub name: Option<BuyerName>,
    pub email: Option<Email>,
    pub address: Vec<AddressLine>,
    pub country: Option<Country>,
    pub tax_id: Option<TaxId>,
    pub tax_exempt: bool,
    pub tax_rate_ids: Vec<TaxRateId>,
    pub locale: Option<Locale>,
    pub note: Option<BuyerNote>,
}

/// The fields of an update. An omitted or invalid field is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ProfilePatch {
    pub name: Option<Option<BuyerName>>,
    pub email: Option<Option<Email>>,
    pub address: Option<Vec<AddressLine>>,
    pub country: Option<Option<Country>>,
    pub tax_id: Option<Option<TaxId>>,
    pub tax_exempt: Option<bool>,
    pub tax_rate_ids: Option<Vec<TaxRateId>>,
    pub locale: Option<Option<Locale>>,
    pub note: Option<Option<BuyerNote>>,
}

impl BillingProfile {
    /// The empty profile that a user has at first.
    pub fn empty(user: &User) -> Self {
        Self {
            organization_id: user.organization_id,
            user_id: user.id,
            fields: ProfileFields::default(),
            created_at: user.created_at,
            updated_at: user.created_at,
            revision: EventId::from_bytes(user.id.bytes()),
        }
    }

    /// Whether the profile has never been changed, so that it is not stored.
    pub fn is_new(&self) -> bool {
        self.revision.bytes() == self.user_id.bytes()
    }

    /// The profile after an update, or all its errors.
    pub fn merge(&self, patch: ProfilePatch, errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        let fields = &mut merged.fields;
        set(&mut fields.name, patch.name);
        set(&mut fields.email, patch.email);
        set(&mut fields.address, patch.address);
        set(&mut fields.country, patch.country);
        set(&mut fields.tax_id, patch.tax_id);
        set(&mut fields.tax_exempt, patch.tax_exempt);
        set(&mut fields.tax_rate_ids, patch.tax_rate_ids);
        set(&mut fields.locale, patch.locale);
        set(&mut fields.note, patch.note);
        errors.into_result(merged)
    }

    /// The names of the fields that differ from those of the profile before, for an event.
    pub fn changed_fields(&self, before: &Self) -> Vec<&'static str> {
        let (new, old) = (&self.fields, &before.fields);
        let fields = [
            ("name", new.name != old.name),
            ("email", new.email != old.email),
            ("address", new.address != old.address),
            ("country", new.country != old.country),
            ("tax_id", new.tax_id != old.tax_id),
            ("tax_exempt", new.tax_exempt != old.tax_exempt),
            ("tax_rate_ids", new.tax_rate_ids != old.tax_rate_ids),
            ("locale", new.locale != old.locale),
            ("note", new.note != old.note),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// Those of the tax rates that the profile does not name yet, with their place. Only these must be active.
    pub fn new_tax_rates(&self, ids: &[TaxRateId]) -> Vec<(usize, TaxRateId)> {
        let is_new = |(_, id): &(usize, TaxRateId)| !self.fields.tax_rate_ids.contains(id);
        ids.iter().copied().enumerate().filter(is_new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::{event, instant};

    fn empty() -> BillingProfile {
        let now = instant("2026-01-01T00:00:00Z");
        let user_id = UserId::new(now, 9);
        BillingProfile {
            organization_id: OrganizationId::new(now, 1),
            user_id,
            fields: ProfileFields::default(),
            created_at: now,
            updated_at: now,
            revision: EventId::from_bytes(user_id.bytes()),
        }
    }

    fn full() -> ProfilePatch {
        let rate = TaxRateId::new(instant("2026-01-01T00:00:00Z"), 5);
        ProfilePatch {
            name: Some(Some(BuyerName::parse("Ada Lovelace").unwrap())),
            email: Some(Some(Email::parse("ada@example.com").unwrap())),
            address: Some(vec![AddressLine::parse("12 St James's Square").unwrap()]),
            country: Some(Some(Country::parse("GB").unwrap())),
            tax_id: Some(Some(TaxId::parse("GB123456789").unwrap())),
            tax_exempt: Some(true),
            tax_rate_ids: Some(vec![rate]),
            locale: Some(Some(Locale::De)),
            note: Some(Some(BuyerNote::parse("Reverse charge").unwrap())),
        }
    }

    #[test]
    fn a_profile_is_new_until_its_first_event() {
        assert!(empty().is_new());
        assert!(!BillingProfile { revision: event(3), ..empty() }.is_new());
    }

    #[test]
    fn an_update_sets_and_clears_what_was_sent() {
        let before = empty();
        assert_eq!(before.merge(ProfilePatch::default(), ValidationErrors::none()), Ok(before.clone()));
        let after = before.merge(full(), ValidationErrors::none()).unwrap();
        let names = after.changed_fields(&before);
        let all = ["name", "email", "address", "country", "tax_id", "tax_exempt", "tax_rate_ids", "locale", "note"];
        assert_eq!(names, all);
        let cleared = ProfilePatch { name: Some(None), ..ProfilePatch::default() };
        let cleared = after.merge(cleared, ValidationErrors::none()).unwrap();
        assert_eq!((cleared.fields.name.clone(), cleared.changed_fields(&after)), (None, vec!["name"]));
    }

    #[test]
    fn only_a_newly_named_tax_rate_must_be_active() {
        let before = empty().merge(full(), ValidationErrors::none()).unwrap();
        let known = before.fields.tax_rate_ids.clone();
        assert_eq!(before.new_tax_rates(&known), []);
        let other = TaxRateId::new(instant("2026-01-01T00:00:00Z"), 500);
        assert_eq!(before.new_tax_rates(&[known[0], other]), [(1, other)]);
    }
}
