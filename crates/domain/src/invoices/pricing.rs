//! Prices of metered usage. A price is exact; the line that bills it is rounded once.

use super::{Amount, Exact, Result};
use crate::currency::Currency;

/// How a charge prices a quantity. Prices and sizes are not negative; tiers ascend, and the last has no upper bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriceModel {
    /// A price per unit.
    PerUnit(Exact),
    /// Each tier prices its part of the quantity.
    Graduated(Vec<PriceTier>),
    /// The tier that contains the quantity prices all of it.
    Volume(Vec<PriceTier>),
    /// A price per package that is begun.
    #[expect(missing_docs, reason = "the names are the contract's")]
    Package { size: Exact, price: Exact },
}

/// A tier of prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct PriceTier {
    /// The largest quantity of the tier. None: no bound.
    pub up_to: Option<Exact>,
    pub unit_price: Exact,
    pub flat_price: Exact,
}

impl PriceModel {
    /// The price of a quantity, rounded once. No quantity, or a negative one, costs nothing.
    pub fn price(&self, quantity: Exact, currency: Currency) -> Result<Amount> {
        self.exact(quantity)?.round(currency)
    }

    /// The exact price of a quantity.
    pub fn exact(&self, quantity: Exact) -> Result<Exact> {
        if quantity.signum() <= 0 {
            return Ok(Exact::ZERO);
        }
        match self {
            Self::PerUnit(unit_price) => quantity.times(*unit_price),
            Self::Graduated(tiers) => graduated(tiers, quantity),
            Self::Volume(tiers) => volume(tiers, quantity),
            Self::Package { size, price } => quantity.over(*size)?.ceiling().times(*price),
        }
    }
}

fn graduated(tiers: &[PriceTier], quantity: Exact) -> Result<Exact> {
    let (mut sum, mut low) = (Exact::ZERO, Exact::ZERO);
    for tier in tiers {
        let high = match tier.up_to {
            Some(up_to) if up_to.compare(quantity)?.is_lt() => up_to,
            _ => quantity,
        };
        let part = high.minus(low)?;
        if part.signum() <= 0 {
            break;
        }
        sum = sum.plus(part.times(tier.unit_price)?)?.plus(tier.flat_price)?;
        low = high;
    }
    Ok(sum)
}

fn volume(tiers: &[PriceTier], quantity: Exact) -> Result<Exact> {
    for tier in tiers {
        let contains = match tier.up_to {
            Some(up_to) => quantity.compare(up_to)?.is_le(),
            None => true,
        };
        if contains {
            return quantity.times(tier.unit_price)?.plus(tier.flat_price);
        }
    }
    // The last tier has no bound, so that every quantity is in one.
    Err(super::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(up_to: Option<i64>, unit: i128, flat: i64) -> PriceTier {
        let unit_price = Exact::decimal(unit, 2).unwrap();
        PriceTier { up_to: up_to.map(Exact::whole), unit_price, flat_price: Exact::whole(flat) }
    }

    fn prices(model: &PriceModel, quantities: &[i64]) -> Vec<String> {
        let price = |quantity: &i64| model.price(Exact::whole(*quantity), Currency::USD).unwrap().to_string();
        quantities.iter().map(price).collect()
    }

    #[test]
    fn a_flat_price_counts_if_its_part_is_not_zero() {
        let tiers = vec![tier(Some(10), 0, 5), tier(None, 100, 20)];
        assert_eq!(prices(&PriceModel::Graduated(tiers.clone()), &[0, 1, 10, 11, -4]), ["0", "5", "5", "26", "0"]);
        assert_eq!(prices(&PriceModel::Volume(tiers), &[0, 1, 10, 11, -4]), ["0", "5", "5", "31", "0"]);
    }

    #[test]
    fn rates_have_ten_decimals_and_quantities_six() {
        let model = PriceModel::PerUnit(Exact::decimal(1, 10).unwrap());
        let quantity = Exact::decimal(50_000_000_000_000, 6).unwrap();
        assert_eq!(model.price(quantity, Currency::USD).unwrap().to_string(), "0.01");
        assert_eq!(
            model.price(Exact::decimal(49_999_999_999_999, 6).unwrap(), Currency::USD).unwrap().to_string(),
            "0"
        );
    }

    #[test]
    fn a_price_that_is_too_large_is_an_error() {
        let million = Exact::whole(1_000_000_000_000);
        assert_eq!(PriceModel::PerUnit(million).price(million, Currency::USD), Err(super::super::OutOfRange));
        let empty = PriceModel::Package { size: Exact::ZERO, price: million };
        assert_eq!(empty.price(million, Currency::USD), Err(super::super::OutOfRange));
        assert!(PriceModel::Volume(Vec::new()).price(million, Currency::USD).is_err());
    }
}
