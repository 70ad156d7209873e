//! The examples of the contract, as far as they are arithmetic. Names are those of the examples.

use super::credit_notes::{CreditError, CreditRequest, Credited, CreditedInvoice, Settlement};
use super::discounts::{Discount, DiscountLine, discounts};
use super::dunning::{Attempted, CollectBy, DunningRules, InvoiceStep, Schedule};
use super::fees::{Change, Charge, PayingLine, Price, Span};
use super::payments::Applied;
use super::pricing::{PriceModel, PriceTier};
use super::status::InvoiceStatus;
use super::taxes::{TaxMode, TaxRate, TaxedLine};
use super::totals::{Settled, Totals, credit_applied};
use super::{Amount, Exact, LineKind};
use crate::currency::Currency;
use crate::id::{MeterId, SubscriptionId};
use crate::meters::Aggregation;
use crate::money::Money;
use crate::number::Number;
use crate::percent::Percentage;
use crate::time::Time;
use crate::usage::{Aggregate, UsageEvent, UsageEventId, UsageValue};

fn time(text: &str) -> Time {
    let text = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    Time::parse(&text).unwrap()
}

fn money(text: &str) -> Money {
    Money::parse(Number::parse(text).unwrap()).unwrap()
}

fn amount(text: &str) -> Amount {
    match text.strip_prefix('-') {
        Some(text) => Amount::from(money(text)).negated(),
        None => money(text).into(),
    }
}

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn price(text: &str, code: &str) -> Price {
    Price { price: money(text), quantity: 1, currency: currency(code) }
}

fn percent(percent: i64) -> Percentage {
    Percentage::from_ten_thousandths(percent * 10_000).unwrap()
}

fn line(text: &str, discount: &str, mode: TaxMode, rate: i64) -> TaxedLine<i64> {
    let rates = vec![TaxRate { id: rate, percentage: percent(rate) }];
    TaxedLine { amount: amount(text), discount: amount(discount), mode, rates }
}

/// The change of a plan within a period that was paid in full: credit, charge, total.
fn change(from: &str, to: &str, code: &str, period: [&str; 2], at: &str) -> [String; 3] {
    let [start, end] = period.map(time);
    let cycle = Span::between(start, end);
    let net = price(from, code).of_part(cycle, cycle).unwrap();
    let paying = PayingLine { net, from: start, paused: Span::ZERO };
    let change =
        Change { at: time(at), renews_at: Some(end), paying, price: price(to, code), charge: Charge::Rest(cycle) };
    let lines = change.proration().unwrap();
    let total = lines.credit.plus(lines.charge).unwrap();
    [lines.credit, lines.charge, total].map(|amount| amount.to_string())
}

#[test]
fn p4_half_of_a_period() {
    assert_eq!(change("10", "20", "USD", ["2026-04-01", "2026-05-01"], "2026-04-16"), ["-5", "10", "5"]);
}

#[test]
fn p5_to_the_second() {
    let period = ["2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z"];
    assert_eq!(change("19.99", "49.99", "USD", period, "2026-02-10T16:30:00Z"), ["-12.66", "31.65", "18.99"]);
}

#[test]
fn p9_tax_of_a_group_not_of_lines() {
    let lines = ["29.00", "14.97", "12.34"].map(|text| line(text, "0", TaxMode::Exclusive, 19));
    let totals = Totals::of(&lines, Currency::USD).unwrap();
    assert_eq!(
        [totals.subtotal, totals.tax, totals.total].map(|amount| amount.to_string()),
        ["56.31", "10.7", "67.01"]
    );
    let per_line = lines.iter().map(|line| Totals::of(std::slice::from_ref(line), Currency::USD).unwrap().tax);
    assert_eq!(Amount::sum(per_line).unwrap().to_string(), "10.69");
}

#[test]
fn p10_inclusive_tax() {
    let lines = ["379.00", "379.00"].map(|text| line(text, "0", TaxMode::Inclusive, 21));
    let totals = Totals::of(&lines, currency("EUR")).unwrap();
    assert_eq!(
        [totals.total, totals.tax, totals.taxes[0].base].map(|amount| amount.to_string()),
        ["758", "131.55", "626.45"]
    );
    assert_eq!(totals.tax_included, totals.tax);
}

#[test]
fn p11_a_percentage_of_the_fee() {
    let lines = [DiscountLine { kind: LineKind::Fee, amount: amount("29"), is_eligible: true }];
    assert_eq!(discounts(Discount::Percent(percent(25)), &lines, Currency::USD).unwrap(), [amount("7.25")]);
}

#[test]
fn p12_an_amount_larger_than_the_fee() {
    let lines = [DiscountLine { kind: LineKind::Fee, amount: amount("29"), is_eligible: true }];
    let taken = discounts(Discount::Amount(amount("50")), &lines, Currency::USD).unwrap();
    assert_eq!(taken, [amount("29")]);
    let totals = Totals::of(&[line("29", "29", TaxMode::Exclusive, 20)], Currency::USD).unwrap();
    assert_eq!((totals.total, InvoiceStatus::Open.with_due(totals.total)), (Amount::ZERO, InvoiceStatus::Paid));
}

#[test]
fn p13_a_currency_without_decimals() {
    assert_eq!(change("1000", "2980", "JPY", ["2026-06-01", "2026-07-01"], "2026-06-20"), ["-367", "1093", "726"]);
}

#[test]
fn p14_a_short_period_with_three_decimals() {
    let [start, end, next] = ["2026-08-01", "2026-08-08", "2026-09-01"].map(time);
    let fee = price("12.345", "KWD").of_part(Span::between(start, end), Span::between(start, next)).unwrap();
    let totals = Totals::of(&[line(&fee.to_string(), "0", TaxMode::Exclusive, 5)], currency("KWD")).unwrap();
    assert_eq!([fee, totals.tax, totals.total].map(|amount| amount.to_string()), ["2.788", "0.139", "2.927"]);
}

fn tiers() -> Vec<PriceTier> {
    let tier = |up_to: Option<i64>, cents: i128| PriceTier {
        up_to: up_to.map(Exact::whole),
        unit_price: Exact::decimal(cents, 2).unwrap(),
        flat_price: Exact::ZERO,
    };
    vec![tier(Some(100), 10), tier(Some(1_000), 8), tier(None, 5)]
}

fn prices(model: &PriceModel, quantities: [i64; 5]) -> [String; 5] {
    quantities.map(|quantity| model.price(Exact::whole(quantity), Currency::USD).unwrap().to_string())
}

#[test]
fn p15_graduated() {
    let model = PriceModel::Graduated(tiers());
    assert_eq!(prices(&model, [0, 100, 101, 1_000, 2_500]), ["0", "10", "10.08", "82", "157"]);
}

#[test]
fn p16_volume() {
    let model = PriceModel::Volume(tiers());
    assert_eq!(prices(&model, [0, 100, 101, 1_000, 2_500]), ["0", "10", "8.08", "80", "125"]);
}

#[test]
fn p17_packages() {
    let model = PriceModel::Package { size: Exact::whole(1_000), price: Exact::whole(5) };
    assert_eq!(prices(&model, [0, 1, 1_000, 1_001, 12_345]), ["0", "5", "5", "10", "65"]);
}

#[test]
fn p18_manual_collection() {
    let rules = DunningRules { retry_days: Vec::new(), grace_days: 7, ..DunningRules::default() };
    let mut schedule = Schedule::issue(CollectBy::Manual, rules, 14, false, true, time("2026-03-01")).unwrap();
    let total = amount("120");
    let first = Applied::to_invoice(amount("20"), total, InvoiceStatus::Open).unwrap();
    let due = Settled { amount_paid: first.paid, ..Settled::default() }.amount_due(total).unwrap();
    assert_eq!((due, InvoiceStatus::Open.with_due(due)), (amount("100"), InvoiceStatus::Open));
    assert_eq!(schedule.next(InvoiceStatus::Open), Ok(Some((InvoiceStep::Overdue, time("2026-03-15")))));
    assert!(schedule.pass_due());
    assert_eq!(schedule.next(InvoiceStatus::Open), Ok(Some((InvoiceStep::Deadline, time("2026-03-22")))));
    let second = Applied::to_invoice(amount("100"), due, InvoiceStatus::Open).unwrap();
    assert_eq!((second.paid, second.surplus), (amount("100"), Amount::ZERO));
    assert!(schedule.settle());
    assert_eq!(schedule.next(InvoiceStatus::Paid), Ok(None));
}

#[test]
fn p26_a_discount_before_inclusive_tax() {
    let lines = [DiscountLine { kind: LineKind::Fee, amount: amount("107"), is_eligible: true }];
    let taken = discounts(Discount::Percent(percent(10)), &lines, Currency::USD).unwrap();
    assert_eq!(taken, [amount("10.70")]);
    let totals = Totals::of(&[line("107", "10.70", TaxMode::Inclusive, 7)], Currency::USD).unwrap();
    assert_eq!((totals.taxes[0].base, totals.tax, totals.total), (amount("90"), amount("6.30"), amount("96.30")));
}

#[test]
fn p27_notes_until_nothing_is_left() {
    let lines = [(LineKind::Fee, line("50", "0", TaxMode::Exclusive, 20))];
    let (mut credited, mut due, mut totals) = (Credited::default(), amount("60"), Vec::new());
    for piece in ["20", "30"] {
        let invoice = CreditedInvoice::new(&lines, Currency::USD, credited).unwrap();
        let left_of_period = amount("50").minus(amount("0")).unwrap();
        let note = invoice.credit(&CreditRequest::Amount(amount(piece)), left_of_period).unwrap();
        let settled = Settlement::of(note.totals.total, due, InvoiceStatus::Open).unwrap();
        due = due.minus(settled.applied).unwrap();
        totals.push((note.totals.total.to_string(), due.to_string()));
        credited = note.credited;
    }
    assert_eq!(totals, [("24".into(), "36".into()), ("36".into(), "0".to_owned())]);
    assert_eq!(InvoiceStatus::Open.with_due(due), InvoiceStatus::Paid);
    let invoice = CreditedInvoice::new(&lines, Currency::USD, credited).unwrap();
    let further = invoice.credit(&CreditRequest::Amount(amount("0.01")), amount("50"));
    assert_eq!(further, Err(CreditError::ExceedsInvoice));
}

#[test]
fn p28_the_balance_pays_first() {
    let applied = credit_applied(amount("15"), amount("10"));
    assert_eq!((applied, amount("15").minus(applied)), (amount("10"), Ok(amount("5"))));
    let due = Settled { credit_applied: applied, ..Settled::default() }.amount_due(amount("10")).unwrap();
    assert_eq!(InvoiceStatus::Open.with_due(due), InvoiceStatus::Paid);
}

#[test]
fn p29_a_voided_payment_reopens_the_invoice() {
    let issued_at = time("2026-05-01");
    let mut schedule =
        Schedule::issue(CollectBy::Automatic, DunningRules::default(), 14, false, true, issued_at).unwrap();
    let applied = Applied::to_invoice(amount("40"), amount("40"), InvoiceStatus::Open).unwrap();
    let reversed = applied.reverse(Amount::ZERO);
    assert_eq!((reversed.paid, reversed.balance), (amount("40"), Amount::ZERO));
    assert_eq!(InvoiceStatus::Paid.with_due(reversed.paid), InvoiceStatus::Open);
    schedule.reopen(time("2026-05-03")).unwrap();
    assert!(schedule.overdue);
    assert_eq!(schedule.next(InvoiceStatus::Open), Ok(Some((InvoiceStep::Attempt, time("2026-05-04")))));
    assert_eq!(schedule.attempt(time("2026-05-04"), false), Ok(Attempted::Made { becomes_overdue: false }));
}

#[test]
fn p30_usage_per_unit() {
    let mut sum = Aggregate::new(Aggregation::Sum);
    for (id, value) in [("a", 100_000_000), ("b", 50_000_000)] {
        let at = time("2026-05-10");
        sum.add(&UsageEvent {
            subscription_id: SubscriptionId::new(at, 4),
            id: UsageEventId::parse(id).unwrap(),
            meter_id: MeterId::new(at, 4),
            at,
            value: UsageValue::from_millionths(value).unwrap(),
            key: None,
        });
    }
    let model = PriceModel::PerUnit(Exact::decimal(2, 2).unwrap());
    let used = sum.quantity().billed().exact().unwrap();
    assert_eq!(model.price(used, Currency::USD), Ok(amount("3")));
}

#[test]
fn p31_a_payment_of_a_void_invoice_goes_to_the_balance() {
    let applied = Applied::to_invoice(amount("5"), amount("5"), InvoiceStatus::Void).unwrap();
    assert_eq!((applied.paid, applied.surplus), (Amount::ZERO, amount("5")));
}
