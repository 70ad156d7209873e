//! Apportionment by largest remainder: whole shares that add up to the whole.

use super::{Amount, OutOfRange, Result};
use crate::currency::Currency;

/// Splits `whole` in proportion to the weights, in the smallest unit of the currency. The shares add up to `whole`. What is left after
/// rounding down goes to the largest remainders; of equal ones, the earlier is first. Weights may be negative; their sum must be
/// positive.
pub(super) fn apportion(whole: Amount, weights: &[i128], currency: Currency) -> Result<Vec<Amount>> {
    let step = 10_i128.pow(4 - currency.decimals());
    let units = i128::from(whole.ten_thousandths()) / step;
    let sum = weights.iter().try_fold(0_i128, |sum, weight| sum.checked_add(*weight)).ok_or(OutOfRange)?;
    if sum <= 0 {
        return Err(OutOfRange);
    }
    let mut shares = Vec::with_capacity(weights.len());
    let mut remainders = Vec::with_capacity(weights.len());
    for weight in weights {
        let part = units.checked_mul(*weight).ok_or(OutOfRange)?;
        shares.push(part.div_euclid(sum));
        remainders.push(part.rem_euclid(sum));
    }
    let left = usize::try_from(units - shares.iter().sum::<i128>()).map_err(|_| OutOfRange)?;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(remainders[*index]));
    for index in order.into_iter().take(left) {
        shares[index] += 1;
    }
    shares.into_iter().map(|share| Amount::from_wide(share * step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(whole: i64, weights: &[i128]) -> Vec<i64> {
        let whole = Amount::from_ten_thousandths(whole * 100).unwrap();
        let shares = apportion(whole, weights, Currency::USD).unwrap();
        shares.into_iter().map(|share| share.ten_thousandths() / 100).collect()
    }

    #[test]
    fn the_largest_remainder_gets_what_is_left_and_ties_go_to_the_earlier() {
        assert_eq!(split(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(split(100, &[7, 12]), [37, 63]);
        assert_eq!(split(5, &[2, -1]), [10, -5]);
        assert_eq!(split(1, &[3, 3, -5]), [3, 3, -5]);
        assert_eq!(split(0, &[3, 4]), [0, 0]);
        assert_eq!(apportion(Amount::ZERO, &[1, -1], Currency::USD), Err(OutOfRange));
        assert_eq!(apportion(Amount::ZERO, &[], Currency::USD), Err(OutOfRange));
    }

    proptest! {
        #[test]
        fn shares_add_up_and_stay_within_the_weights(
            weights in proptest::collection::vec(-1_000_i128..1_000, 1..8), part in 0_i128..=1_000,
        ) {
            let sum: i128 = weights.iter().sum();
            prop_assume!(sum > 0);
            let whole = i64::try_from(sum * part / 1_000).unwrap();
            let shares = split(whole, &weights);
            prop_assert_eq!(shares.iter().sum::<i64>(), whole);
            for (share, weight) in shares.into_iter().zip(weights) {
                let share = i128::from(share);
                let (low, high) = (weight.min(0), weight.max(0));
                prop_assert!(low <= share && share <= high);
            }
        }
    }
}
