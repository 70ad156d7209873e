//! Tests of credit notes. Pieces that add up are a property in `properties.rs`.

use super::*;
use crate::invoices::taxes::{TaxMode, TaxRate};
use crate::percent::Percentage;

fn cents(cents: i64) -> Amount {
    Amount::from_ten_thousandths(cents * 100).unwrap()
}

fn line(kind: LineKind, amount: i64, percent: i64) -> (LineKind, TaxedLine<i64>) {
    let rate = TaxRate { id: percent, percentage: Percentage::from_ten_thousandths(percent * 10_000).unwrap() };
    (kind, TaxedLine { amount: cents(amount), discount: Amount::ZERO, mode: TaxMode::Exclusive, rates: vec![rate] })
}

fn invoice(lines: &[(LineKind, TaxedLine<i64>)], credited: Credited) -> CreditedInvoice<i64> {
    CreditedInvoice::new(lines, Currency::USD, credited).unwrap()
}

const ENOUGH: i64 = 1_000_000;

#[test]
fn an_amount_is_spread_over_the_groups_negative_ones_included() {
    let lines = [line(LineKind::ProrationCharge, 3_000, 20), line(LineKind::ProrationCredit, -1_000, 10)];
    let note =
        invoice(&lines, Credited::default()).credit(&CreditRequest::Amount(cents(1_000)), cents(ENOUGH)).unwrap();
    assert_eq!(note.groups, [cents(1_500), cents(-500)]);
    assert_eq!((note.totals.tax, note.totals.total), (cents(250), cents(1_250)));
}

#[test]
fn an_amount_credits_usage_and_items_first() {
    let lines = [line(LineKind::Fee, 1_000, 0), line(LineKind::Usage, 300, 0), line(LineKind::Item, 200, 0)];
    let whole = invoice(&lines, Credited::default());
    let note = |invoice: &CreditedInvoice<i64>, amount| {
        invoice.credit(&CreditRequest::Amount(cents(amount)), cents(ENOUGH)).unwrap()
    };
    let first = note(&whole, 400);
    assert_eq!((first.of_time, first.credited.of_others), (Amount::ZERO, cents(400)));
    let second = note(&invoice(&lines, first.credited), 250);
    assert_eq!((second.of_time, second.credited.of_others), (cents(150), cents(500)));
}

#[test]
fn a_note_of_lines_is_limited_by_group_sum_total_and_period() {
    let lines =
        [line(LineKind::Fee, 1_000, 20), line(LineKind::Item, 500, 10), line(LineKind::ProrationCredit, -400, 10)];
    let whole = invoice(&lines, Credited::default());
    let credit = |line: usize, amount: i64, period: i64| {
        whole.credit(&CreditRequest::Lines(vec![(line, cents(amount))]), cents(period)).map(|note| note.totals.total)
    };
    assert_eq!(credit(0, 1_000, ENOUGH), Ok(cents(1_200)));
    assert_eq!(credit(0, 1_001, ENOUGH), Err(CreditError::ExceedsInvoice));
    // Of the second group 1.00 is left, as it has a credit.
    assert_eq!(credit(1, 100, ENOUGH), Ok(cents(110)));
    assert_eq!(credit(1, 101, ENOUGH), Err(CreditError::ExceedsInvoice));
    // Another invoice of the period credited some of the fee.
    assert_eq!(credit(0, 600, 500), Err(CreditError::ExceedsInvoice));
    assert_eq!(credit(1, 100, 0), Ok(cents(110)));
    assert_eq!(credit(2, 1, ENOUGH), Err(CreditError::NotPositive));
    assert_eq!(credit(0, 0, ENOUGH), Err(CreditError::NotPositive));
    assert_eq!(credit(3, 1, ENOUGH), Err(CreditError::UnknownLine));
    let empty = whole.credit(&CreditRequest::Lines(Vec::new()), cents(ENOUGH));
    assert_eq!(empty, Err(CreditError::NotPositive));
}

#[test]
fn a_note_of_lines_does_not_exceed_the_sum_or_the_total() {
    let lines = [line(LineKind::ProrationCharge, 1_000, 20), line(LineKind::ProrationCredit, -900, 0)];
    let whole = invoice(&lines, Credited::default());
    let credit = |amount| {
        whole.credit(&CreditRequest::Lines(vec![(0, cents(amount))]), cents(ENOUGH)).map(|note| note.totals.total)
    };
    assert_eq!(credit(100), Ok(cents(120)));
    assert_eq!(credit(101), Err(CreditError::ExceedsInvoice));
    // The total is 0.10, because the credit is taxed more than the charge.
    let lines = [line(LineKind::ProrationCharge, 1_000, 0), line(LineKind::ProrationCredit, -900, 10)];
    let whole = invoice(&lines, Credited::default());
    let credit = |amount| {
        whole.credit(&CreditRequest::Lines(vec![(0, cents(amount))]), cents(ENOUGH)).map(|note| note.totals.total)
    };
    assert_eq!((credit(10), credit(11)), (Ok(cents(10)), Err(CreditError::ExceedsInvoice)));
}

#[test]
fn nothing_is_left_of_an_invoice_without_a_positive_sum() {
    let lines = [line(LineKind::ProrationCharge, 900, 20), line(LineKind::ProrationCredit, -900, 0)];
    let whole = invoice(&lines, Credited::default());
    assert_eq!(whole.credit(&CreditRequest::Amount(cents(1)), cents(ENOUGH)), Err(CreditError::ExceedsInvoice));
    assert_eq!(whole.credit(&CreditRequest::Amount(cents(0)), cents(ENOUGH)), Err(CreditError::NotPositive));
}

#[test]
fn a_note_first_reduces_what_is_due() {
    let settled = |total, due, status| Settlement::of(cents(total), cents(due), status).unwrap();
    assert_eq!(settled(500, 300, InvoiceStatus::Open), Settlement { applied: cents(300), rest: cents(200) });
    assert_eq!(settled(200, 300, InvoiceStatus::Uncollectible), Settlement { applied: cents(200), rest: Amount::ZERO });
    assert_eq!(settled(200, 0, InvoiceStatus::Paid), Settlement { applied: Amount::ZERO, rest: cents(200) });
}
