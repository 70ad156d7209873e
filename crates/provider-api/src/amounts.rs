//! Amounts in the smallest unit that a service uses for a currency, and billing cycles by the service's names.

use super::findings::Why;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::money::Money;
use perennial_domain::number::Number;

/// The currency of a code in any case.
pub(super) fn currency(code: &str) -> Result<Currency, Why> {
    Currency::parse(code).map_err(|reason| Why::field("currency", &reason))
}

/// The number of decimals that Stripe uses for a currency. It differs from ISO 4217: the ariary has none, and the
/// króna and the Ugandan shilling have hundredths that are always zero.
pub(super) fn stripe_decimals(currency: Currency) -> u32 {
    match currency.as_str() {
        "MGA" => 0,
        "ISK" | "UGX" => 2,
        _ => currency.decimals(),
    }
}

/// The exact amount of this many units with this number of decimals.
pub(super) fn amount(units: &str, decimals: u32, currency: Currency) -> Result<Money, Why> {
    let units =
        Number::parse(units).ok_or_else(|| Why::new("malformed", format!("the amount {units:?} is no number")))?;
    let ten_thousandths = units.scaled(4_u32.saturating_sub(decimals)).ok();
    let money = ten_thousandths.and_then(Money::from_ten_thousandths).ok_or_else(|| {
        Why::new("amount_out_of_range", "the amount is negative, too large, or finer than any currency")
    })?;
    money.check(currency).map_err(|reason| Why::field("the amount", &reason))?;
    Ok(money)
}

/// The billing cycle of this many intervals. None if there is no such cycle.
pub(super) fn cycle(interval: &str, count: u64) -> Option<BillingCycle> {
    Some(match (interval, count) {
        ("day", 1) => BillingCycle::Daily,
        ("day", 7) | ("week", 1) => BillingCycle::Weekly,
        ("day", 14) | ("week", 2) => BillingCycle::Biweekly,
        ("month", 1) => BillingCycle::Monthly,
        ("month", 3) => BillingCycle::Quarterly,
        ("month", 6) => BillingCycle::Semiannual,
        ("month", 12) | ("year", 1) => BillingCycle::Yearly,
        ("month", 24) | ("year", 2) => BillingCycle::Biennial,
        _ => return None,
    })
}

/// Why there is no such cycle.
pub(super) fn no_cycle(interval: &str, count: u64) -> Why {
    Why::new("no_such_cycle", format!("is billed every {count} {interval}s, for which there is no billing cycle"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripe(units: &str, code: &str) -> Result<String, &'static str> {
        let currency = currency(code).map_err(|why| why.code)?;
        amount(units, stripe_decimals(currency), currency).map(|money| money.to_string()).map_err(|why| why.code)
    }

    #[test]
    fn each_currency_has_its_own_smallest_unit() {
        for (units, code, expected) in [
            ("2000", "usd", "20"),
            ("1999", "eur", "19.99"),
            ("1", "GBP", "0.01"),
            ("0", "usd", "0"),
            ("500", "jpy", "500"),
            ("29900", "KRW", "29900"),
            ("1500", "mga", "1500"),
            ("500", "isk", "5"),
            ("500", "ugx", "5"),
            ("1500", "huf", "15"),
            ("1230", "kwd", "1.23"),
            ("5124", "tnd", "5.124"),
            ("99999999", "clp", "99999999"),
        ] {
            assert_eq!(stripe(units, code).as_deref(), Ok(expected), "{units} {code}");
        }
    }

    #[test]
    fn an_invalid_amount_is_reported() {
        assert_eq!(stripe("0.5", "usd"), Err("too_many_decimals"));
        assert_eq!(stripe("501", "isk"), Err("too_many_decimals"));
        assert_eq!(stripe("-100", "usd"), Err("amount_out_of_range"));
        assert_eq!(stripe("99999999999999999999", "usd"), Err("amount_out_of_range"));
        assert_eq!(stripe("ten", "usd"), Err("malformed"));
        assert_eq!(stripe("100", "xau"), Err("unknown_value"));
    }

    #[test]
    fn intervals_are_cycles_only_where_they_are_the_same() {
        assert_eq!(cycle("month", 12), Some(BillingCycle::Yearly));
        assert_eq!(cycle("week", 2), cycle("day", 14));
        for (interval, count) in [("month", 2), ("day", 30), ("week", 4), ("year", 3), ("fortnight", 1), ("month", 0)] {
            assert_eq!(cycle(interval, count), None, "{count} {interval}");
        }
        assert!(no_cycle("month", 5).detail.contains("every 5 months"));
    }
}
