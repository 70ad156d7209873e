//! Money, numbers and dates as customers read them: $1,234.56 with the currency's decimals, 12,500.5, and days in UTC.

use super::texts::MONTHS;
use perennial_domain::currency::Currency;
use perennial_domain::money::Money;
use perennial_domain::time::Time;
use perennial_domain::usage::Quantity;

/// The currencies that have a sign in English texts. Others are written with their code.
const SIGNS: [(&str, &str); 16] = [
    ("USD", "$"),
    ("EUR", "€"),
    ("GBP", "£"),
    ("JPY", "¥"),
    ("AUD", "A$"),
    ("BRL", "R$"),
    ("CAD", "CA$"),
    ("CNY", "CN¥"),
    ("HKD", "HK$"),
    ("ILS", "₪"),
    ("INR", "₹"),
    ("KRW", "₩"),
    ("MXN", "MX$"),
    ("NZD", "NZ$"),
    ("TWD", "NT$"),
    ("VND", "₫"),
];

/// $1,234.56
pub(super) fn money(amount: Money, currency: Currency) -> String {
    times(amount, 1, currency)
}

/// The price of several units, exactly.
pub(super) fn times(amount: Money, quantity: i64, currency: Currency) -> String {
    let total = i128::from(amount.ten_thousandths()) * i128::from(quantity);
    let decimals = currency.decimals().min(4);
    let unit = 10_i128.pow(4 - decimals);
    // Prices have no more decimals than their currency.
    let minor = total / unit;
    let scale = 10_i128.pow(decimals);
    let whole = grouped(&(minor / scale).to_string());
    let number = if decimals == 0 {
        whole
    } else {
        let width = usize::try_from(decimals).unwrap_or_default();
        format!("{whole}.{:0width$}", minor % scale)
    };
    match SIGNS.iter().find(|(code, _)| *code == currency.as_str()) {
        Some((_, sign)) => format!("{sign}{number}"),
        None => format!("{}\u{a0}{number}", currency.as_str()),
    }
}

/// 12,500
pub(super) fn whole(number: i64) -> String {
    grouped(&number.to_string())
}

/// 12,500.5
pub(super) fn quantity(quantity: Quantity) -> String {
    grouped(&plain(quantity))
}

/// A quantity as the API writes it: 12500.5
pub(super) fn plain(quantity: Quantity) -> String {
    serde_json::to_string(&quantity).unwrap_or_default()
}

/// A decimal number with commas between the thousands.
fn grouped(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (digits, decimals) = number.find('.').map_or((number, ""), |point| number.split_at(point));
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}{decimals}")
}

/// December 14, 2026
pub(super) fn day(at: Time) -> String {
    let text = at.to_string();
    let mut parts = text.get(..10).unwrap_or_default().split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let month = month.and_then(|month| month.parse::<usize>().ok()).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    match (year, month, day.and_then(|day| day.parse::<u8>().ok())) {
        (Some(year), Some(month), Some(day)) => format!("{month} {day}, {year}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(ten_thousandths: i64) -> Money {
        Money::from_ten_thousandths(ten_thousandths).unwrap()
    }

    #[test]
    fn money_has_the_decimals_of_its_currency() {
        let currency = |code: &str| Currency::parse(code).unwrap();
        assert_eq!(money(amount(290_000), currency("USD")), "$29.00");
        assert_eq!(money(amount(12_345_670_500), currency("EUR")), "€1,234,567.05");
        assert_eq!(money(amount(15_000_000), currency("JPY")), "¥1,500");
        assert_eq!(money(amount(12_345), currency("BHD")), "BHD\u{a0}1.234");
        assert_eq!(times(amount(45_000), 3, currency("USD")), "$13.50");
        assert_eq!(money(amount(0), currency("CHF")), "CHF\u{a0}0.00");
    }

    #[test]
    fn numbers_have_commas_between_the_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (-1_234, "-1,234"),
            (-123, "-123"),
            (9_007_199_254_740_991, "9,007,199,254,740,991"),
        ] {
            assert_eq!(whole(number), expected);
        }
        let of = |millionths| quantity(Quantity::from_millionths(millionths));
        assert_eq!(of(12_500_500_000), "12,500.5");
        assert_eq!(of(1_234_567), "1.234567");
        assert_eq!(of(-2_000_000_000), "-2,000");
        assert_eq!(plain(Quantity::from_millionths(12_500_500_000)), "12500.5");
    }

    #[test]
    fn a_day_is_written_out() {
        assert_eq!(day(Time::parse("2026-12-14T23:59:59Z").unwrap()), "December 14, 2026");
        assert_eq!(day(Time::parse("2026-01-05T01:00:00+02:00").unwrap()), "January 4, 2026");
    }
}
