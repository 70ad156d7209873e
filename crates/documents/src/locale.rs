//! Languages of documents: labels, numbers and dates. The text of a template version never changes.

mod labels;

pub(crate) use labels::Labels;

use crate::decimal::Decimal;
use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use perennial_domain::currency::Currency;
use perennial_domain::invoices::Amount;
use perennial_domain::percent::Percentage;
use perennial_domain::time::Time;

/// A language of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the languages")]
pub enum Locale {
    #[default]
    En,
    De,
    Fr,
    Es,
    Ja,
}

impl Locale {
    /// Every language.
    pub const ALL: [Self; 5] = [Self::En, Self::De, Self::Fr, Self::Es, Self::Ja];

    /// The code in the API, in the store and of the HTML `lang` attribute.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
            Self::Es => "es",
            Self::Ja => "ja",
        }
    }

    /// The language of a stored code.
    pub fn from_stored(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.as_str() == code)
    }

    pub(crate) const fn labels(self) -> &'static Labels {
        match self {
            Self::En => &labels::EN,
            Self::De => &labels::DE,
            Self::Fr => &labels::FR,
            Self::Es => &labels::ES,
            Self::Ja => &labels::JA,
        }
    }

    /// A number with at least `least` decimals and without further trailing zeros.
    pub(crate) fn number(self, number: Decimal, least: usize) -> String {
        let digits = number.digits.unsigned_abs().to_string();
        let decimals = usize::from(number.decimals);
        let digits = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let fraction = format!("{:0<least$}", fraction.trim_end_matches('0'));
        let sign = if number.digits < 0 { "-" } else { "" };
        let (group, point) = self.separators();
        let whole = grouped(whole, group, if self == Self::Es { 5 } else { 4 });
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}{point}{fraction}") }
    }

    /// An amount with all decimals of its currency.
    pub(crate) fn amount(self, amount: Amount, currency: Currency) -> String {
        self.number(amount.into(), usize::try_from(currency.decimals()).unwrap_or_default())
    }

    /// An amount with the code of its currency.
    pub(crate) fn money(self, amount: Amount, currency: Currency) -> String {
        let number = self.amount(amount, currency);
        match self {
            Self::En | Self::Ja => format!("{currency}\u{a0}{number}"),
            Self::De | Self::Fr | Self::Es => format!("{number}\u{a0}{currency}"),
        }
    }

    pub(crate) fn percentage(self, percentage: Percentage) -> String {
        let number = self.number(percentage.into(), 0);
        match self {
            Self::En | Self::Ja => format!("{number}%"),
            Self::De | Self::Fr | Self::Es => format!("{number}\u{a0}%"),
        }
    }

    /// The day of an instant in a time zone.
    pub(crate) fn date(self, time: Time, zone: &TimeZone) -> String {
        let instant = Timestamp::from_microsecond(time.as_micros()).unwrap_or(Timestamp::MAX);
        let date = zone.to_datetime(instant).date();
        let (year, month, day) = (date.year(), date.month(), date.day());
        match self {
            Self::En => {
                let name = MONTHS[usize::from(month.unsigned_abs()).saturating_sub(1).min(11)];
                format!("{name}\u{a0}{day}, {year}")
            }
            Self::De => format!("{day:02}.{month:02}.{year}"),
            Self::Fr | Self::Es => format!("{day:02}/{month:02}/{year}"),
            Self::Ja => format!("{year}年{month}月{day}日"),
        }
    }

    /// Between groups of three digits, and before the decimals.
    const fn separators(self) -> (&'static str, &'static str) {
        match self {
            Self::En | Self::Ja => (",", "."),
            Self::De | Self::Es => (".", ","),
            Self::Fr => ("\u{202f}", ","),
        }
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The zone with an IANA name, from the database that is compiled in; UTC if the name is unknown.
pub(crate) fn zone(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC)
}

/// Digits in groups of three. Spanish does not separate a group of one digit.
fn grouped(digits: &str, separator: &str, from: usize) -> String {
    if digits.len() < from {
        return digits.to_owned();
    }
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(ten_thousandths: i64) -> Amount {
        Amount::from_ten_thousandths(ten_thousandths).unwrap()
    }

    #[test]
    fn amounts_are_written_as_the_language_does() {
        let eur = Currency::parse("EUR").unwrap();
        let written =
            Locale::ALL.map(|locale| locale.money(amount(-12_345_678_900), eur).replace(['\u{a0}', '\u{202f}'], " "));
        assert_eq!(
            written,
            ["EUR -1,234,567.89", "-1.234.567,89 EUR", "-1 234 567,89 EUR", "-1.234.567,89 EUR", "EUR -1,234,567.89"]
        );
        assert_eq!(Locale::Es.amount(amount(12_345_000), eur), "1234,50");
        assert_eq!(Locale::En.amount(amount(12_345_000), eur), "1,234.50");
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let shown = |code: &str, value| Locale::En.amount(amount(value), Currency::parse(code).unwrap());
        assert_eq!(shown("JPY", 7_260_000), "726");
        assert_eq!(shown("USD", 50_000), "5.00");
        assert_eq!(shown("KWD", 27_880), "2.788");
        assert_eq!(shown("USD", 0), "0.00");
        assert_eq!(shown("USD", -500), "-0.05");
    }

    #[test]
    fn quantities_and_prices_are_exact() {
        let shown = |digits, decimals, least| Locale::De.number(Decimal { digits, decimals }, least);
        assert_eq!(shown(1, 10, 2), "0,0000000001");
        assert_eq!(shown(2_500_000_000, 6, 0), "2.500");
        assert_eq!(shown(1_500_000, 6, 0), "1,5");
        assert_eq!(shown(i128::MIN, 0, 0).len(), 1 + 39 + 12);
    }

    #[test]
    fn a_date_is_the_day_in_the_zone() {
        let time = Time::parse("2026-02-28T23:30:00Z").unwrap();
        let written = Locale::ALL.map(|locale| locale.date(time, &zone("Europe/Berlin")).replace('\u{a0}', " "));
        assert_eq!(written, ["Mar 1, 2026", "01.03.2026", "01/03/2026", "01/03/2026", "2026年3月1日"]);
        assert_eq!(Locale::De.date(time, &zone("America/New_York")), "28.02.2026");
        assert_eq!(Locale::De.date(time, &zone("Nowhere/At_All")), "28.02.2026");
        assert_eq!(Locale::De.date(Time::MAX, &zone("Asia/Tokyo")), Locale::De.date(Time::MAX, &zone("Asia/Tokyo")));
    }

    #[test]
    fn every_language_has_its_code() {
        for locale in Locale::ALL {
            assert_eq!(Locale::from_stored(locale.as_str()), Some(locale));
        }
        assert_eq!(Locale::from_stored("tlh"), None);
    }
}
