//! Documents for the tests and the example: totals are computed with the rules of `domain`, as the service does.
#![expect(clippy::unwrap_used, reason = "the values are constants that are valid")]

use perennial_documents::{Decimal, Document, DocumentKind, DocumentLine, DocumentTax, Locale, Party, Period};
use perennial_domain::currency::Currency;
use perennial_domain::invoices::pricing::PriceModel;
use perennial_domain::invoices::taxes::{TaxMode, TaxRate, TaxedLine};
use perennial_domain::invoices::totals::Totals;
use perennial_domain::invoices::{Amount, Exact};
use perennial_domain::percent::Percentage;
use perennial_domain::time::Time;

pub(crate) fn time(text: &str) -> Time {
    Time::parse(text).unwrap()
}

pub(crate) fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

/// This many smallest units of the currency.
fn units(units: i64, currency: Currency) -> Amount {
    Amount::from_ten_thousandths(units * 10_i64.pow(4 - currency.decimals())).unwrap()
}

pub(crate) fn party(name: &str, address: &[&str], country: &str, tax_id: &str) -> Party {
    Party {
        name: name.to_owned(),
        address: address.iter().map(|line| (*line).to_owned()).collect(),
        country: Some(country.to_owned()),
        tax_id: Some(tax_id.to_owned()),
        email: None,
        note: None,
    }
}

/// An invoice with this many lines.
pub(crate) fn invoice(locale: Locale, code: &str, lines: usize, mode: TaxMode) -> Document {
    let currency = currency(code);
    let period = Period { start: time("2026-03-01T00:00:00Z"), end: time("2026-04-01T00:00:00Z") };
    let lines: Vec<DocumentLine> = (0..lines).map(|index| line(index, currency, period)).collect();
    let mut document = Document {
        kind: DocumentKind::Invoice,
        number: "INV-2026-000042".to_owned(),
        invoice_number: None,
        issued_at: time("2026-03-01T23:30:00Z"),
        due_at: Some(time("2026-03-15T23:30:00Z")),
        period: Some(period),
        currency,
        locale,
        time_zone: "Europe/Berlin".to_owned(),
        is_test: false,
        seller: party("Perennial Gardens GmbH", &["Schönhauser Allee 12", "10435 Berlin"], "DE", "DE123456789"),
        buyer: party("Żółta Łódź sp. z o.o.", &["ul. Piotrkowska 1", "90-001 Łódź"], "PL", "PL7251801126"),
        lines,
        subtotal: Amount::ZERO,
        discount: Amount::ZERO,
        taxes: Vec::new(),
        total: Amount::ZERO,
        credit_applied: units(1_000, currency),
        memo: Some("Thank you for your business.".to_owned()),
    };
    document.seller.email = Some("billing@perennial.example".to_owned());
    document.seller.note = Some("Perennial Gardens GmbH, Amtsgericht Berlin HRB 12345".to_owned());
    total(&mut document, mode);
    document
}

fn line(index: usize, currency: Currency, period: Period) -> DocumentLine {
    let number = i64::try_from(index).unwrap();
    let descriptions = ["Team plan, monthly", "API requests", "Storage, per gigabyte and month", "Priority support"];
    let (quantity, price, decimals) = match index % 4 {
        0 => (5_i128, 2_900 + i128::from(number), 2),
        1 => (12_345_678 + i128::from(number), 2, 4),
        2 => (250, 25, 3),
        _ => (1, 123_456, 2),
    };
    let unit_price = Exact::decimal(price, decimals).unwrap();
    let amount = PriceModel::PerUnit(unit_price).price(Exact::decimal(quantity, 0).unwrap(), currency).unwrap();
    DocumentLine {
        description: descriptions[index % 4].to_owned(),
        quantity: Some(Decimal { digits: quantity, decimals: 0 }),
        unit_price: Some(Decimal { digits: price, decimals: u8::try_from(decimals).unwrap() }),
        amount,
        discount: if index.is_multiple_of(4) { units(725, currency) } else { Amount::ZERO },
        period: Some(period),
    }
}

/// Computes the totals with a rate of 19 % and one of 1.5 %.
pub(crate) fn total(document: &mut Document, mode: TaxMode) {
    let rate = |id: usize, value| TaxRate { id, percentage: Percentage::from_ten_thousandths(value).unwrap() };
    let rates = vec![rate(0, 190_000), rate(1, 15_000)];
    let lines: Vec<TaxedLine<usize>> = document
        .lines
        .iter()
        .map(|line| TaxedLine { amount: line.amount, discount: line.discount, mode, rates: rates.clone() })
        .collect();
    let totals = Totals::of(&lines, document.currency).unwrap();
    let names = ["VAT", "City levy"];
    document.taxes = totals
        .taxes
        .iter()
        .map(|tax| DocumentTax {
            name: names[tax.rate.id].to_owned(),
            percentage: tax.rate.percentage,
            is_included: tax.mode == TaxMode::Inclusive,
            base: tax.base,
            amount: tax.amount,
        })
        .collect();
    (document.subtotal, document.discount, document.total) = (totals.subtotal, totals.discount, totals.total);
}

/// A credit note of a test organization in Japanese.
pub(crate) fn credit_note() -> Document {
    let mut document = invoice(Locale::Ja, "JPY", 2, TaxMode::Inclusive);
    document.kind = DocumentKind::CreditNote;
    document.number = "TEST-CRN-000007".into();
    document.invoice_number = Some("TEST-INV-000041".to_owned());
    document.is_test = true;
    document.due_at = None;
    document.period = None;
    document.credit_applied = Amount::ZERO;
    document.time_zone = "Asia/Tokyo".into();
    document.memo = Some("ご不便をおかけしました。".to_owned());
    document.buyer =
        party("株式会社 東京カスタマーサポート", &["東京都千代田区丸の内一丁目", "〒100-0005"], "JP", "T1234567890123");
    document
}

/// A long invoice with a long name in several scripts.
pub(crate) fn long_invoice() -> Document {
    let mut document = invoice(Locale::De, "KWD", 34, TaxMode::Exclusive);
    document.is_test = true;
    document.number = "TEST-INV-2026-000042".into();
    document.buyer = party(
        "Общество с ограниченной ответственностью «Научно-производственное объединение Северное сияние» — Ελληνική Εταιρεία Ηλεκτρονικών Συνδρομών Α.Ε. — 株式会社国際電子出版サービス — شركة الكويت",
        &["Невский проспект, д. 28, Санкт-Петербург", "Λεωφόρος Βασιλίσσης Σοφίας 2, Αθήνα", "الكويت"],
        "KW",
        "KW-300-0044",
    );
    document.lines[3].description =
        "Eine außergewöhnlich lange Beschreibung eines Tarifs mit Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft und 🚀".into();
    document
}
