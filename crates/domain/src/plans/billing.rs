//! How subscriptions to a plan are billed. A plan without these settings has all defaults.

use crate::id::TaxRateId;
use crate::number::Whole;
use crate::plans::charges::{Charge, ChargeDraft, MAX_CHARGES};
use crate::validation::{InvalidValue, ValidationCode};
use serde::{Deserialize, Serialize};

/// Days of a trial.
pub type TrialDays = Whole<0, 730>;
/// Hours until an incomplete subscription expires.
pub type IncompleteHours = Whole<1, 720>;
/// Days until an invoice of manual collection is due.
pub type PaymentTermsDays = Whole<0, 365>;
/// The day of a retry, after the invoice was issued.
pub type RetryDay = Whole<1, 60>;
/// Days between the last attempt and the deadline.
pub type GraceDays = Whole<0, 90>;

/// The most tax rates of a plan or an organization.
pub const MAX_PLAN_TAX_RATES: usize = 4;
/// The most retries.
pub const MAX_RETRIES: usize = 8;

/// A closed set of words that the API and the store share.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$each])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in the API and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// Parses a word.
            pub fn parse(text: &str) -> Result<Self, InvalidValue> {
                Self::ALL.iter().copied().find(|known| known.as_str() == text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|known| known.as_str()).collect();
                    InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {}", known.join(", ")))
                })
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What follows a trial of automatic collection without a payment method.
    TrialEndBehavior {
        /// The subscription is paused until a payment method is added.
        #[default]
        Pause = "pause",
        /// The subscription expires.
        Cancel = "cancel",
        /// The first period begins.
        Bill = "bill",
    }
}

words! {
    /// Whether the price includes tax.
    TaxBehavior {
        /// Tax is added to the price.
        #[default]
        Exclusive = "exclusive",
        /// The price includes tax.
        Inclusive = "inclusive",
    }
}

words! {
    /// What happens to a subscription whose invoice is not paid by the deadline.
    AfterDunning {
        /// It becomes unpaid and can recover.
        #[default]
        Unpaid = "unpaid",
        /// It expires.
        Expire = "expire",
    }
}

/// When payment of an invoice is retried, and what follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Dunning {
    pub retry_days: Vec<RetryDay>,
    pub grace_days: GraceDays,
    pub then: AfterDunning,
}

impl Default for Dunning {
    fn default() -> Self {
        let retry_days = [1, 3, 5, 7].map(RetryDay::from_stored).to_vec();
        Self { retry_days, grace_days: GraceDays::from_stored(7), then: AfterDunning::default() }
    }
}

impl Dunning {
    /// Checks the days of retries: at most eight, ascending.
    pub fn check_retries(days: &[RetryDay]) -> Result<(), InvalidValue> {
        if days.len() > MAX_RETRIES {
            let detail = format!("must have at most {MAX_RETRIES} items");
            return Err(InvalidValue::new(ValidationCode::TooLong, detail));
        }
        if days.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        Err(InvalidValue::new(ValidationCode::Inconsistent, "must be in ascending order, each day once"))
    }
}

/// How subscriptions to a plan are billed. It serializes as the API returns it, and is stored in the same form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PlanBilling {
    pub trial_days: TrialDays,
    pub trial_end_behavior: TrialEndBehavior,
    pub incomplete_hours: IncompleteHours,
    pub payment_terms_days: Option<PaymentTermsDays>,
    pub dunning: Option<Dunning>,
    pub tax_behavior: TaxBehavior,
    pub tax_rate_ids: Vec<TaxRateId>,
    pub charges: Vec<Charge>,
}

impl Default for PlanBilling {
    fn default() -> Self {
        Self {
            trial_days: TrialDays::default(),
            trial_end_behavior: TrialEndBehavior::default(),
            incomplete_hours: IncompleteHours::from_stored(23),
            payment_terms_days: None,
            dunning: None,
            tax_behavior: TaxBehavior::default(),
            tax_rate_ids: Vec::new(),
            charges: Vec::new(),
        }
    }
}

impl PlanBilling {
    /// The settings in a stored text. None if this program did not write it.
    pub fn from_stored(text: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(Self::is_valid)
    }

    /// The text that is stored.
    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).expect("settings are plain data")
    }

    /// Whether the bounds hold; a text in an import need not have been written by this program.
    fn is_valid(&self) -> bool {
        self.trial_days.is_valid()
            && self.incomplete_hours.is_valid()
            && self.payment_terms_days.is_none_or(PaymentTermsDays::is_valid)
            && self.dunning.as_ref().is_none_or(Dunning::is_valid)
            && self.tax_rate_ids.len() <= MAX_PLAN_TAX_RATES
            && self.charges.len() <= MAX_CHARGES
            && self.charges.iter().all(Charge::is_valid)
    }
}

impl Dunning {
    pub(crate) fn is_valid(&self) -> bool {
        let are_valid = self.retry_days.iter().all(|day| day.is_valid()) && self.grace_days.is_valid();
        are_valid && Self::check_retries(&self.retry_days).is_ok()
    }
}

/// The fields of a create or an update. An omitted or invalid one is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PlanBillingDraft {
    pub trial_days: Option<TrialDays>,
    pub trial_end_behavior: Option<TrialEndBehavior>,
    pub incomplete_hours: Option<IncompleteHours>,
    pub payment_terms_days: Option<Option<PaymentTermsDays>>,
    pub dunning: Option<Option<Dunning>>,
    pub tax_behavior: Option<TaxBehavior>,
    pub tax_rate_ids: Option<Vec<TaxRateId>>,
    /// As they were sent; `charges` are resolved from them.
    pub charge_drafts: Option<Vec<ChargeDraft>>,
    pub charges: Option<Vec<Charge>>,
}

impl PlanBillingDraft {
    /// These settings with the fields that were sent.
    #[must_use]
    pub fn apply(self, before: PlanBilling) -> PlanBilling {
        PlanBilling {
            trial_days: self.trial_days.unwrap_or(before.trial_days),
            trial_end_behavior: self.trial_end_behavior.unwrap_or(before.trial_end_behavior),
            incomplete_hours: self.incomplete_hours.unwrap_or(before.incomplete_hours),
            payment_terms_days: self.payment_terms_days.unwrap_or(before.payment_terms_days),
            dunning: self.dunning.unwrap_or(before.dunning),
            tax_behavior: self.tax_behavior.unwrap_or(before.tax_behavior),
            tax_rate_ids: self.tax_rate_ids.unwrap_or(before.tax_rate_ids),
            charges: self.charges.unwrap_or(before.charges),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_documented_defaults_and_read_back() {
        let billing = PlanBilling::default();
        let text = billing.to_stored();
        assert_eq!(
            text,
            r#"{"trial_days":0,"trial_end_behavior":"pause","incomplete_hours":23,"payment_terms_days":null,"dunning":null,"tax_behavior":"exclusive","tax_rate_ids":[],"charges":[]}"#
        );
        assert_eq!(PlanBilling::from_stored(&text), Some(billing.clone()));
        assert_eq!(PlanBilling::from_stored("{}"), Some(billing), "an omitted field has its default");
        for text in
            ["", "null", r#"{"trial_days":731}"#, r#"{"tax_rate_ids":["x"]}"#, r#"{"dunning":{"retry_days":[3,1]}}"#]
        {
            assert_eq!(PlanBilling::from_stored(text), None, "{text}");
        }
    }

    #[test]
    fn an_update_replaces_only_the_fields_that_were_sent() {
        let before = PlanBilling {
            trial_days: TrialDays::from_stored(14),
            dunning: Some(Dunning::default()),
            ..PlanBilling::default()
        };
        let draft =
            PlanBillingDraft { dunning: Some(None), tax_behavior: Some(TaxBehavior::Inclusive), ..Default::default() };
        let after = draft.apply(before);
        assert_eq!((after.trial_days.get(), after.dunning, after.tax_behavior), (14, None, TaxBehavior::Inclusive));
    }

    #[test]
    fn retries_are_ascending_and_few() {
        let days = |days: &[i64]| days.iter().copied().map(RetryDay::from_stored).collect::<Vec<_>>();
        assert!(Dunning::check_retries(&days(&[])).is_ok() && Dunning::check_retries(&days(&[1, 3, 60])).is_ok());
        assert!(Dunning::check_retries(&days(&[3, 3])).is_err() && Dunning::check_retries(&days(&[3, 1])).is_err());
        assert!(Dunning::check_retries(&days(&[1, 2, 3, 4, 5, 6, 7, 8, 9])).is_err());
    }
}
