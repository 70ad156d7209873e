//! Metered prices of a plan. A charge prices the quantity that a meter counted in a window.

use crate::id::MeterId;
use crate::invoices::pricing::{PriceModel, PriceTier};
use crate::invoices::{Decimal, Exact, OutOfRange};
use crate::meters::{Meter, MeterKey};
use crate::number::Number;
use crate::text::Line;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use crate::words::words;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// The name of a charge, as documents print it.
pub type ChargeName = Line<1, 255>;

/// The most charges of a plan.
pub const MAX_CHARGES: usize = 20;
/// The most tiers of a charge.
pub const MAX_TIERS: usize = 100;

const RATE_DECIMALS: u8 = 10;
const QUANTITY_DECIMALS: u8 = 6;
const MAX_VALUE: i128 = 999_999_999_999;

words! {
    /// How a charge prices a quantity.
    #[derive(Deserialize)]
    ChargeModel {
        /// A price per unit.
        PerUnit = "per_unit",
        /// Each tier prices its part of the quantity.
        Graduated = "graduated",
        /// The tier that contains the quantity prices all of it.
        Volume = "volume",
        /// A price per package that is begun.
        Package = "package",
    }
}

/// A price per unit, with at most 10 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(pub Decimal);

/// A quantity above 0, with at most 6 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bound(pub Decimal);

impl Rate {
    /// Parses a rate.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let digits = scaled(number, RATE_DECIMALS)?;
        if digits < 0 {
            return Err(InvalidValue::new(ValidationCode::OutOfRange, "must be between 0 and 999999999999"));
        }
        Ok(Self(Decimal::new(digits, RATE_DECIMALS)))
    }
}

impl Bound {
    /// Parses a quantity.
    pub fn parse(number: Number) -> Result<Self, InvalidValue> {
        let digits = scaled(number, QUANTITY_DECIMALS)?;
        if digits <= 0 {
            return Err(InvalidValue::new(ValidationCode::OutOfRange, "must be greater than 0, at most 999999999999"));
        }
        Ok(Self(Decimal::new(digits, QUANTITY_DECIMALS)))
    }
}

fn scaled(number: Number, decimals: u8) -> Result<i128, InvalidValue> {
    let digits = number.scaled_wide(decimals.into()).map_err(|error| match error {
        crate::number::NumberError::Decimals => {
            InvalidValue::new(ValidationCode::TooManyDecimals, format!("must have at most {decimals} decimals"))
        }
        crate::number::NumberError::Range => {
            InvalidValue::new(ValidationCode::OutOfRange, "must be at most 999999999999")
        }
    })?;
    if digits.unsigned_abs() > MAX_VALUE.unsigned_abs() * 10_u128.pow(decimals.into()) {
        return Err(InvalidValue::new(ValidationCode::OutOfRange, "must be at most 999999999999"));
    }
    Ok(digits)
}

/// A tier of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Tier {
    pub up_to: Option<Bound>,
    pub unit_price: Rate,
    pub flat_price: Rate,
}

/// A package of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Package {
    pub size: Bound,
    pub price: Rate,
}

/// A metered price. It serializes as the API returns it: with the prices of its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Charge {
    pub meter_id: MeterId,
    pub name: String,
    pub model: ChargeModel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_price: Option<Rate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<Tier>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
}

/// The prices that a caller sent, before their model is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Prices {
    pub unit_price: Option<Rate>,
    pub tiers: Option<Vec<Tier>>,
    pub package: Option<Package>,
}

impl Prices {
    /// Checks that exactly the prices of the model were sent. Errors have pointers within the charge.
    pub fn check(&self, model: ChargeModel, errors: &mut ValidationErrors) {
        let wanted = match model {
            ChargeModel::PerUnit => "/unit_price",
            ChargeModel::Graduated | ChargeModel::Volume => "/tiers",
            ChargeModel::Package => "/package",
        };
        let sent = [
            ("/unit_price", self.unit_price.is_some()),
            ("/tiers", self.tiers.is_some()),
            ("/package", self.package.is_some()),
        ];
        for (pointer, is_sent) in sent {
            if pointer == wanted && !is_sent && !errors.touch_within(pointer) {
                errors.note(
                    pointer,
                    ValidationCode::Required,
                    format!("is required with the model {}", model.as_str()),
                );
            }
            if pointer != wanted && is_sent {
                let detail = format!("cannot be combined with the model {}", model.as_str());
                errors.note(pointer, ValidationCode::Inconsistent, detail);
            }
        }
        if let Some(tiers) = &self.tiers
            && let Err(reason) = check_tiers(tiers)
        {
            errors.add("/tiers", reason);
        }
    }
}

/// Tiers ascend, and only the last has no bound.
fn check_tiers(tiers: &[Tier]) -> Result<(), InvalidValue> {
    if tiers.is_empty() {
        return Err(InvalidValue::new(ValidationCode::TooShort, "must have at least one tier"));
    }
    if tiers.len() > MAX_TIERS {
        return Err(InvalidValue::new(ValidationCode::TooLong, format!("must have at most {MAX_TIERS} tiers")));
    }
    let (last, others) = tiers.split_last().expect("there is a tier");
    let ascend = others.iter().map(|tier| tier.up_to).is_sorted_by(|a, b| a < b);
    if last.up_to.is_some() || others.iter().any(|tier| tier.up_to.is_none()) || !ascend {
        let detail = "must ascend by up_to, and only the last has up_to null";
        return Err(InvalidValue::new(ValidationCode::Inconsistent, detail));
    }
    Ok(())
}

/// The fields of a charge as a caller sends them, with the errors found while parsing them.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ChargeDraft {
    pub meter: Option<MeterKey>,
    pub name: Option<ChargeName>,
    pub model: Option<ChargeModel>,
    pub prices: Prices,
    pub errors: ValidationErrors,
}

/// The charges that a caller sent, or all their errors. `meters` are those of the organization that the drafts name.
pub fn resolve(
    drafts: &[ChargeDraft],
    meters: &HashMap<MeterKey, Meter, impl BuildHasher>,
    before: &[Charge],
    errors: &mut ValidationErrors,
) -> Vec<Charge> {
    let mut charges = Vec::with_capacity(drafts.len());
    if drafts.len() > MAX_CHARGES {
        errors.note("/billing/charges", ValidationCode::TooLong, format!("must have at most {MAX_CHARGES} items"));
    }
    for (index, draft) in drafts.iter().enumerate() {
        let mut found = draft.errors.clone();
        if let Some(model) = draft.model {
            draft.prices.check(model, &mut found);
        }
        let meter = draft.meter.as_ref().and_then(|key| meters.get(key)).filter(|meter| {
            // An inactive meter cannot be newly named.
            meter.is_active || before.iter().any(|charge| charge.meter_id == meter.id)
        });
        if draft.meter.is_some() && meter.is_none() {
            found.note("/meter_id", ValidationCode::NotFound, "names no active meter of this organization");
        }
        for error in &found {
            errors.add(format!("/billing/charges/{index}{}", error.pointer), error.reason.clone());
        }
        if let (Some(meter), Some(name), Some(model)) = (meter, &draft.name, draft.model) {
            charges.push(Charge {
                meter_id: meter.id,
                name: name.as_str().to_owned(),
                model,
                unit_price: draft.prices.unit_price,
                tiers: draft.prices.tiers.clone(),
                package: draft.prices.package,
            });
        }
    }
    charges
}

impl Charge {
    /// How the charge prices a quantity.
    pub fn price_model(&self) -> Result<PriceModel, OutOfRange> {
        let tiers = || -> Result<Vec<PriceTier>, OutOfRange> {
            let tier = |tier: &Tier| {
                Ok(PriceTier {
                    up_to: tier.up_to.map(|bound| bound.0.exact()).transpose()?,
                    unit_price: tier.unit_price.0.exact()?,
                    flat_price: tier.flat_price.0.exact()?,
                })
            };
            self.tiers.iter().flatten().map(tier).collect()
        };
        Ok(match self.model {
            ChargeModel::PerUnit => {
                PriceModel::PerUnit(self.unit_price.map_or(Ok(Exact::ZERO), |rate| rate.0.exact())?)
            }
            ChargeModel::Graduated => PriceModel::Graduated(tiers()?),
            ChargeModel::Volume => PriceModel::Volume(tiers()?),
            ChargeModel::Package => {
                let package = self.package.ok_or(OutOfRange)?;
                PriceModel::Package { size: package.size.0.exact()?, price: package.price.0.exact()? }
            }
        })
    }

    /// Whether a stored charge can be priced; one from an import may not be.
    pub(crate) fn is_valid(&self) -> bool {
        let prices = Prices { unit_price: self.unit_price, tiers: self.tiers.clone(), package: self.package };
        let mut errors = ValidationErrors::none();
        prices.check(self.model, &mut errors);
        errors.is_empty() && ChargeName::parse(&self.name).is_ok()
    }
}

/// Charges in a stored text.
pub fn from_stored(text: &str) -> Option<Vec<Charge>> {
    serde_json::from_str(text).ok()
}

/// The text that is stored. None: no charges.
pub fn to_stored(charges: &[Charge]) -> Option<String> {
    (!charges.is_empty()).then(|| serde_json::to_string(charges).expect("charges are plain data"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        Rate::parse(Number::parse(text).unwrap()).unwrap()
    }

    fn tier(up_to: Option<&str>, price: &str) -> Tier {
        let up_to = up_to.map(|text| Bound::parse(Number::parse(text).unwrap()).unwrap());
        Tier { up_to, unit_price: rate(price), flat_price: rate("0") }
    }

    #[test]
    fn tiers_ascend_and_end_without_a_bound() {
        assert!(check_tiers(&[tier(Some("100"), "0.1"), tier(None, "0.05")]).is_ok());
        for tiers in [
            vec![],
            vec![tier(Some("100"), "0.1")],
            vec![tier(Some("100"), "0.1"), tier(Some("100"), "0.1"), tier(None, "1")],
            vec![tier(None, "0.1"), tier(None, "1")],
        ] {
            assert!(check_tiers(&tiers).is_err(), "{tiers:?}");
        }
    }

    #[test]
    fn a_price_with_an_invalid_member_is_not_reported_as_missing_too() {
        let mut errors = ValidationErrors::none();
        errors.note("/package/size", ValidationCode::OutOfRange, "must be greater than 0");
        Prices::default().check(ChargeModel::Package, &mut errors);
        assert_eq!(errors.iter().count(), 1);
        let mut errors = ValidationErrors::none();
        errors.note("/packages", ValidationCode::UnknownField, "is not a field of this record");
        Prices::default().check(ChargeModel::Package, &mut errors);
        assert!(errors.touch("/package"));
    }

    #[test]
    fn charges_read_back_with_the_prices_of_their_model() {
        let meter_id = MeterId::from_bytes([1; 16]);
        let charge = Charge {
            meter_id,
            name: "Calls".into(),
            model: ChargeModel::PerUnit,
            unit_price: Some(rate("0.02")),
            tiers: None,
            package: None,
        };
        let text = to_stored(std::slice::from_ref(&charge)).unwrap();
        assert!(text.ends_with(r#""name":"Calls","model":"per_unit","unit_price":0.02}]"#), "{text}");
        let read = from_stored(&text).unwrap();
        assert_eq!(read[0].unit_price.unwrap().0.to_string(), "0.02");
        assert!(charge.is_valid() && !Charge { unit_price: None, ..charge }.is_valid());
    }

    #[test]
    fn rates_have_ten_decimals() {
        assert!(Rate::parse(Number::parse("0.0000000001").unwrap()).is_ok());
        assert!(Rate::parse(Number::parse("0.00000000001").unwrap()).is_err());
        assert!(Rate::parse(Number::parse("-1").unwrap()).is_err());
        assert!(Bound::parse(Number::parse("0").unwrap()).is_err());
    }
}
