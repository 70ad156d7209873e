//! Tax rates: percentages that invoice lines refer to.
//! A rate never changes, so that what refers to it keeps its meaning; it can only be retired.

use crate::country::Country;
use crate::id::{EventId, OrganizationId, TaxRateId};
use crate::percent::Percentage;
use crate::plans::set;
use crate::text::Line;
use crate::time::Time;
use crate::validation::ValidationErrors;

/// The name of a tax rate, as documents print it.
pub type TaxRateName = Line<1, 100>;
/// The percentage of a tax rate.
pub type TaxPercentage = Percentage;

/// A tax rate. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct TaxRate {
    pub id: TaxRateId,
    pub name: TaxRateName,
    pub percentage: TaxPercentage,
    pub country: Option<Country>,
    pub is_active: bool,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create, or of an update, which changes `is_active` only. An omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct TaxRateDraft {
    pub name: Option<TaxRateName>,
    pub percentage: Option<TaxPercentage>,
    pub country: Option<Country>,
    pub is_active: Option<bool>,
}

impl TaxRate {
    /// The tax rate that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: TaxRateDraft,
        errors: ValidationErrors,
        organization_id: OrganizationId,
        id: TaxRateId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let (Some(name), Some(percentage), true) = (draft.name, draft.percentage, errors.is_empty()) else {
            return Err(errors);
        };
        Ok(Self {
            id,
            name,
            percentage,
            country: draft.country,
            is_active: draft.is_active.unwrap_or(true),
            created_at: now,
            updated_at: now,
            organization_id,
            revision,
        })
    }

    /// The tax rate after an update, or all its errors.
    pub fn merge(&self, patch: &TaxRateDraft, errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        set(&mut merged.is_active, patch.is_active);
        errors.into_result(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;
    use crate::plans::tests::{event, instant};
    use crate::validation::ValidationCode;

    fn draft() -> TaxRateDraft {
        TaxRateDraft {
            name: Some(TaxRateName::parse("VAT").unwrap()),
            percentage: Some(TaxPercentage::parse(Number::parse("19").unwrap()).unwrap()),
            ..TaxRateDraft::default()
        }
    }

    fn create(draft: TaxRateDraft, errors: ValidationErrors) -> Result<TaxRate, ValidationErrors> {
        let now = instant("2026-01-15T00:00:00Z");
        TaxRate::create(draft, errors, OrganizationId::new(now, 1), TaxRateId::new(now, 2), event(1), now)
    }

    #[test]
    fn a_rate_is_active_by_default_and_has_no_country() {
        let rate = create(draft(), ValidationErrors::none()).unwrap();
        assert_eq!((rate.is_active, rate.country), (true, None));
        assert_eq!(rate.created_at, rate.updated_at);
    }

    #[test]
    fn a_draft_with_errors_or_gaps_is_no_rate() {
        let mut errors = ValidationErrors::none();
        errors.note("/country", ValidationCode::UnknownValue, "");
        assert_eq!(create(draft(), errors.clone()), Err(errors));
        assert!(create(TaxRateDraft { percentage: None, ..draft() }, ValidationErrors::none()).is_err());
    }

    #[test]
    fn an_update_changes_is_active_alone() {
        let before = create(draft(), ValidationErrors::none()).unwrap();
        let other = TaxRateDraft { name: Some(TaxRateName::parse("Sales tax").unwrap()), ..TaxRateDraft::default() };
        assert_eq!(before.merge(&other, ValidationErrors::none()), Ok(before.clone()));
        let patch = TaxRateDraft { is_active: Some(false), ..other };
        let after = before.merge(&patch, ValidationErrors::none()).unwrap();
        assert_eq!(after, TaxRate { is_active: false, ..before });
    }
}
