//! How the subscriptions of an organization are billed. An organization that never changed them has all defaults.

use crate::id::TaxRateId;
use crate::invoices::record::Seller;
use crate::lifecycle::calendar::ZoneName;
use crate::number::Whole;
use crate::organizations::documents::{NumberPrefix, SellerPatch};
use crate::plans::billing::{Dunning, MAX_PLAN_TAX_RATES, PaymentTermsDays};
use serde::{Deserialize, Serialize, Serializer};

/// Minutes over which renewals of the same instant are spread.
pub type SpreadMinutes = Whole<0, 720>;
/// Hours between the end of a period and the invoice of its usage.
pub type DraftHours = Whole<0, 72>;
/// Days between the notice of a renewal and the renewal. 0: no notice.
pub type RenewalNoticeDays = Whole<0, 60>;

/// The settings. They serialize as the API returns them, and are stored in the same form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct OrganizationBilling {
    pub time_zone: ZoneName,
    pub payment_terms_days: PaymentTermsDays,
    pub dunning: Dunning,
    pub draft_hours: DraftHours,
    pub tax_rate_ids: Vec<TaxRateId>,
    pub seller: Seller,
    pub invoice_prefix: NumberPrefix,
    pub credit_note_prefix: NumberPrefix,
    pub yearly_numbers: bool,
    pub spread_minutes: SpreadMinutes,
    pub renewal_notice_days: RenewalNoticeDays,
}

impl Default for OrganizationBilling {
    fn default() -> Self {
        Self {
            time_zone: ZoneName::default(),
            payment_terms_days: PaymentTermsDays::from_stored(14),
            dunning: Dunning::default(),
            draft_hours: DraftHours::from_stored(1),
            tax_rate_ids: Vec::new(),
            seller: Seller::default(),
            invoice_prefix: NumberPrefix::invoices(),
            credit_note_prefix: NumberPrefix::credit_notes(),
            yearly_numbers: false,
            spread_minutes: SpreadMinutes::default(),
            renewal_notice_days: RenewalNoticeDays::default(),
        }
    }
}

impl OrganizationBilling {
    /// The settings in a stored text. None if this program did not write it.
    pub fn from_stored(text: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(Self::is_valid)
    }

    /// The text that is stored.
    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).expect("settings are plain data")
    }

    fn is_valid(&self) -> bool {
        self.payment_terms_days.is_valid()
            && self.dunning.is_valid()
            && self.draft_hours.is_valid()
            && self.tax_rate_ids.len() <= MAX_PLAN_TAX_RATES
            && self.invoice_prefix.is_valid()
            && self.credit_note_prefix.is_valid()
            && self.spread_minutes.is_valid()
            && self.renewal_notice_days.is_valid()
    }
}

/// An organization always has settings: those that were never changed are the defaults.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(super) fn serialize<S: Serializer>(
    billing: &Option<Box<OrganizationBilling>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match billing {
        Some(billing) => billing.serialize(serializer),
        None => OrganizationBilling::default().serialize(serializer),
    }
}

/// The changes to the settings. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct OrganizationBillingPatch {
    pub time_zone: Option<ZoneName>,
    pub payment_terms_days: Option<PaymentTermsDays>,
    pub dunning: Option<Dunning>,
    pub draft_hours: Option<DraftHours>,
    pub tax_rate_ids: Option<Vec<TaxRateId>>,
    pub seller: Option<SellerPatch>,
    pub invoice_prefix: Option<NumberPrefix>,
    pub credit_note_prefix: Option<NumberPrefix>,
    pub yearly_numbers: Option<bool>,
    pub spread_minutes: Option<SpreadMinutes>,
    pub renewal_notice_days: Option<RenewalNoticeDays>,
}

impl OrganizationBillingPatch {
    /// These settings with the fields that were sent.
    #[must_use]
    pub fn apply(self, before: OrganizationBilling) -> OrganizationBilling {
        OrganizationBilling {
            time_zone: self.time_zone.unwrap_or(before.time_zone),
            payment_terms_days: self.payment_terms_days.unwrap_or(before.payment_terms_days),
            dunning: self.dunning.unwrap_or(before.dunning),
            draft_hours: self.draft_hours.unwrap_or(before.draft_hours),
            tax_rate_ids: self.tax_rate_ids.unwrap_or(before.tax_rate_ids),
            seller: self.seller.unwrap_or_default().apply(before.seller),
            invoice_prefix: self.invoice_prefix.unwrap_or(before.invoice_prefix),
            credit_note_prefix: self.credit_note_prefix.unwrap_or(before.credit_note_prefix),
            yearly_numbers: self.yearly_numbers.unwrap_or(before.yearly_numbers),
            spread_minutes: self.spread_minutes.unwrap_or(before.spread_minutes),
            renewal_notice_days: self.renewal_notice_days.unwrap_or(before.renewal_notice_days),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_documented_defaults_and_read_back() {
        let billing = OrganizationBilling::default();
        assert_eq!(
            billing.to_stored(),
            r#"{"time_zone":"UTC","payment_terms_days":14,"dunning":{"retry_days":[1,3,5,7],"grace_days":7,"then":"unpaid"},"draft_hours":1,"tax_rate_ids":[],"seller":{"name":null,"address":[],"country":null,"tax_id":null,"email":null,"note":null},"invoice_prefix":"INV","credit_note_prefix":"CRN","yearly_numbers":false,"spread_minutes":0,"renewal_notice_days":0}"#
        );
        assert_eq!(OrganizationBilling::from_stored(&billing.to_stored()), Some(billing.clone()));
        assert_eq!(OrganizationBilling::from_stored("{}"), Some(billing));
        for text in
            ["", "null", r#"{"time_zone":"Mars"}"#, r#"{"spread_minutes":721}"#, r#"{"renewal_notice_days":61}"#]
        {
            assert_eq!(OrganizationBilling::from_stored(text), None, "{text}");
        }
    }
}
