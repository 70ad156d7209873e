//! The invariants of the contract that are arithmetic, as properties of any input. Names are those of the invariants.

use proptest::collection::vec;
use proptest::prelude::*;

use super::credit_notes::{CreditError, CreditRequest, Credited, CreditedInvoice};
use super::discounts::{Discount, DiscountLine, discounts};
use super::fees::{Change, Charge, PayingLine, Price, Span};
use super::payments::Applied;
use super::pricing::{PriceModel, PriceTier};
use super::status::InvoiceStatus;
use super::taxes::{TaxMode, TaxRate, TaxedLine};
use super::totals::{Settled, Totals, credit_applied};
use super::{Amount, Exact, LineKind, Result};
use crate::currency::Currency;
use crate::money::Money;
use crate::percent::Percentage;
use crate::time::Time;

const CURRENCIES: [&str; 4] = ["JPY", "USD", "KWD", "CLF"];

fn currency() -> impl Strategy<Value = Currency> {
    (0..CURRENCIES.len()).prop_map(|index| Currency::parse(CURRENCIES[index]).unwrap())
}

/// This many smallest units of the currency.
fn units(units: i64, currency: Currency) -> Amount {
    Amount::from_ten_thousandths(units * 10_i64.pow(4 - currency.decimals())).unwrap()
}

fn in_units(amount: Amount, currency: Currency) -> i64 {
    amount.ten_thousandths() / 10_i64.pow(4 - currency.decimals())
}

/// Rates are known by their number, so that lines with the same number are of one group.
fn rates(set: usize) -> Vec<TaxRate<usize>> {
    const SETS: [&[i64]; 5] = [&[], &[190_000], &[50_000, 99_750], &[70_000, 10_000, 5_500], &[0]];
    let percentage = |value: i64| Percentage::from_ten_thousandths(value).unwrap();
    SETS[set]
        .iter()
        .enumerate()
        .map(|(index, value)| TaxRate { id: set * 10 + index, percentage: percentage(*value) })
        .collect()
}

/// Plain numbers from which a line is made: kind, units, tenths that are discounted, set of rates, inclusive.
type Seed = (usize, i64, i64, usize, bool);

fn seed() -> impl Strategy<Value = Seed> {
    (0_usize..5, 0_i64..200_000, 0_i64..=10, 0_usize..5, any::<bool>())
}

fn line((kind, amount, tenths, set, inclusive): Seed, currency: Currency) -> (LineKind, TaxedLine<usize>) {
    let kind = LineKind::ALL[kind];
    let is_credit = kind == LineKind::ProrationCredit;
    let discount = if is_credit || kind == LineKind::Item { 0 } else { amount * tenths / 10 };
    let line = TaxedLine {
        amount: units(if is_credit { -amount } else { amount }, currency),
        discount: units(discount, currency),
        mode: if inclusive { TaxMode::Inclusive } else { TaxMode::Exclusive },
        rates: rates(set),
    };
    (kind, line)
}

fn lines(seeds: &[Seed], currency: Currency) -> Vec<(LineKind, TaxedLine<usize>)> {
    seeds.iter().map(|seed| line(*seed, currency)).collect()
}

fn taxed(lines: &[(LineKind, TaxedLine<usize>)]) -> Vec<TaxedLine<usize>> {
    lines.iter().map(|(_, line)| line.clone()).collect()
}

fn price(units_: i64, quantity: i64, currency: Currency) -> Price {
    let price = Money::try_from(units(units_, currency)).unwrap();
    Price { price, quantity, currency }
}

fn at(micros: i64) -> Time {
    Time::parse("2026-01-31T10:00:00Z").unwrap().plus_micros(micros)
}

/// Changes of price at instants of one period: all lines, and the exact price of the time.
fn changes(cycle: i64, first: Price, prices: &[(i64, Price)]) -> Result<(Vec<Amount>, Exact)> {
    let span = Span::from_micros;
    let fee = first.of_part(span(cycle), span(cycle))?;
    let mut paying = PayingLine { net: fee, from: at(0), paused: Span::ZERO };
    let (mut all, mut exact) = (vec![fee], Exact::ZERO);
    let (mut current, mut since) = (first, 0);
    for (instant, price) in prices {
        exact = exact.plus(current.exact(span(instant - since), span(cycle))?)?;
        let charge = Charge::Rest(span(cycle));
        let step = Change { at: at(*instant), renews_at: Some(at(cycle)), paying, price: *price, charge };
        let proration = step.proration()?;
        all.extend([proration.credit, proration.charge]);
        paying = step.paying_after(proration.charge, Amount::ZERO)?;
        (current, since) = (*price, *instant);
    }
    exact = exact.plus(current.exact(span(cycle - since), span(cycle))?)?;
    Ok((all, exact))
}

proptest! {
    #[test]
    fn i16_lines_add_up_to_the_totals(seeds in vec(seed(), 0..20), currency in currency()) {
        let lines = taxed(&lines(&seeds, currency));
        let totals = Totals::of(&lines, currency).unwrap();
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| amounts.map(Amount::ten_thousandths).sum::<i64>();
        prop_assert_eq!(sum(&mut lines.iter().map(|line| line.amount)), totals.subtotal.ten_thousandths());
        prop_assert_eq!(sum(&mut lines.iter().map(|line| line.discount)), totals.discount.ten_thousandths());
        prop_assert_eq!(sum(&mut totals.taxes.iter().map(|tax| tax.amount)), totals.tax.ten_thousandths());
        // With inclusive tax the customer pays the base; with exclusive tax the base and the tax.
        let base = totals.subtotal.ten_thousandths() - totals.discount.ten_thousandths();
        let exclusive = totals.taxes.iter().filter(|tax| tax.mode == TaxMode::Exclusive).map(|tax| tax.amount);
        prop_assert_eq!(base + sum(&mut exclusive.into_iter()), totals.total.ten_thousandths());
        let step = 10_i64.pow(4 - currency.decimals());
        let is_rounded = |amount: Amount| amount.ten_thousandths() % step == 0;
        prop_assert!(totals.taxes.iter().all(|tax| is_rounded(tax.amount) && is_rounded(tax.base)));
    }

    #[test]
    fn i17_what_is_due_is_never_negative_and_decides_the_status(
        total in 0_i64..10_000, balance in 0_i64..10_000, payments in vec(1_i64..4_000, 0..6),
        voided in vec(any::<bool>(), 6),
    ) {
        let currency = Currency::USD;
        let total = units(total, currency);
        let mut settled = Settled { credit_applied: credit_applied(units(balance, currency), total), ..Settled::default() };
        let mut status = InvoiceStatus::Open.with_due(settled.amount_due(total).unwrap());
        let mut applied = Vec::new();
        for payment in payments {
            let due = settled.amount_due(total).unwrap();
            let payment = Applied::to_invoice(units(payment, currency), due, status).unwrap();
            settled.amount_paid = settled.amount_paid.plus(payment.paid).unwrap();
            status = status.with_due(settled.amount_due(total).unwrap());
            applied.push(payment);
            prop_assert!(!settled.amount_due(total).unwrap().is_negative());
            prop_assert_eq!(status == InvoiceStatus::Paid, settled.amount_due(total).unwrap().is_zero());
        }
        for (payment, _) in applied.into_iter().zip(voided).filter(|(_, is_void)| *is_void) {
            settled.amount_paid = settled.amount_paid.minus(payment.reverse(Amount::ZERO).paid).unwrap();
            status = status.with_due(settled.amount_due(total).unwrap());
            let due = settled.amount_due(total).unwrap();
            prop_assert!(!settled.amount_paid.is_negative() && due <= total);
            prop_assert_eq!(status == InvoiceStatus::Paid, due.is_zero());
        }
    }

    /// Any pieces by `amount` add up to the invoice: total, and tax per rate.
    #[test]
    fn i18_pieces_of_an_invoice_add_up_to_its_total(
        seeds in vec(seed(), 1..8), pieces in vec(1_i64..=1_000, 1..8), currency in currency(),
    ) {
        let positive = |(kind, amount, tenths, set, mode): Seed| (kind % 2, amount, tenths.min(9), set, mode);
        let positive: Vec<Seed> = seeds.into_iter().map(positive).collect();
        let lines = lines(&positive, currency);
        let totals = Totals::of(&taxed(&lines), currency).unwrap();
        let mut left = in_units(totals.subtotal.minus(totals.discount).unwrap(), currency);
        prop_assume!(left > 0);
        let period = totals.subtotal;
        let (mut credited, mut tax, mut rates) = (Credited::default(), Amount::ZERO, vec![Amount::ZERO; 50]);
        let mut remaining: Vec<i64> = pieces.iter().map(|piece| (left * piece / 4_000).max(1)).collect();
        remaining.push(i64::MAX);
        for piece in remaining {
            let piece = piece.min(left);
            if piece == 0 {
                break;
            }
            let invoice = CreditedInvoice::new(&lines, currency, credited).unwrap();
            let note = invoice.credit(&CreditRequest::Amount(units(piece, currency)), period).unwrap();
            prop_assert!(!note.totals.total.is_negative() && note.credited.total <= totals.total);
            left -= piece;
            tax = tax.plus(note.totals.tax).unwrap();
            for piece in &note.totals.taxes {
                rates[piece.rate.id] = rates[piece.rate.id].plus(piece.amount).unwrap();
            }
            credited = note.credited;
        }
        prop_assert_eq!(credited.total, totals.total);
        prop_assert_eq!(tax, totals.tax);
        for (id, credited) in rates.into_iter().enumerate() {
            let of_rate = totals.taxes.iter().filter(|tax| tax.rate.id == id).map(|tax| tax.amount);
            prop_assert_eq!(credited, Amount::sum(of_rate).unwrap());
        }
        let invoice = CreditedInvoice::new(&lines, currency, credited).unwrap();
        prop_assert_eq!(invoice.credit(&CreditRequest::Amount(units(1, currency)), period), Err(CreditError::ExceedsInvoice));
    }

    /// With credits of other rates, and notes of lines in between: never more than the invoice, and never negative.
    #[test]
    fn i18_notes_never_exceed_their_invoice(
        seeds in vec(seed(), 1..8), requests in vec((any::<bool>(), 0_usize..8, 1_i64..100_000), 1..12),
        currency in currency(),
    ) {
        let lines = lines(&seeds, currency);
        let totals = Totals::of(&taxed(&lines), currency).unwrap();
        prop_assume!(!totals.total.is_negative());
        let base = totals.subtotal.minus(totals.discount).unwrap();
        let mut credited = Credited::default();
        let mut sum = Amount::ZERO;
        for (by_line, index, amount) in requests {
            let amount = units(amount, currency);
            let request = if by_line { CreditRequest::Lines(vec![(index, amount)]) } else { CreditRequest::Amount(amount) };
            let invoice = CreditedInvoice::new(&lines, currency, credited.clone()).unwrap();
            if let Ok(note) = invoice.credit(&request, units(i64::from(u32::MAX), currency)) {
                prop_assert!(!note.totals.total.is_negative());
                prop_assert_eq!(Amount::sum(note.groups.iter().copied()).unwrap(), amount);
                sum = sum.plus(note.totals.total).unwrap();
                credited = note.credited;
            }
        }
        prop_assert!(sum <= totals.total && sum == credited.total);
        prop_assert!(Amount::sum(credited.groups.iter().copied()).unwrap() <= base.or_zero());
    }

    #[test]
    fn i22_fees_and_prorations_are_the_price_of_the_time(
        first in (0_i64..100_000, 1_i64..50), mut rest in vec((0_i64..=1_000_000, 0_i64..100_000, 1_i64..50), 0..10),
        days in 1_i64..=731, currency in currency(),
    ) {
        let cycle = days * 86_400_000_000;
        rest.sort_by_key(|change| change.0);
        let prices: Vec<(i64, Price)> =
            rest.iter().map(|(part, units, quantity)| (cycle / 1_000_000 * part, price(*units, *quantity, currency))).collect();
        let (lines, exact) = changes(cycle, price(first.0, first.1, currency), &prices).unwrap();
        let difference = Exact::from(Amount::sum(lines.iter().copied()).unwrap()).minus(exact).unwrap();
        let bound = Exact::from(units(i64::try_from(lines.len()).unwrap(), currency));
        prop_assert!(difference.compare(bound).unwrap().is_le() && difference.negated().compare(bound).unwrap().is_le());
    }

    #[test]
    fn i23_a_discount_is_at_most_its_line(
        seeds in vec((0_usize..5, -50_000_i64..100_000, any::<bool>()), 0..10), percent in 0_i64..=1_000_000,
        amount in 0_i64..300_000, currency in currency(),
    ) {
        let lines: Vec<DiscountLine> = seeds.iter()
            .map(|(kind, amount, is_eligible)| {
                DiscountLine { kind: LineKind::ALL[*kind], amount: units(*amount, currency), is_eligible: *is_eligible }
            })
            .collect();
        let percent = Discount::Percent(Percentage::from_ten_thousandths(percent).unwrap());
        for discount in [percent, Discount::Amount(units(amount, currency))] {
            let taken = discounts(discount, &lines, currency).unwrap();
            prop_assert_eq!(taken.len(), lines.len());
            prop_assert!(taken.iter().zip(&lines).all(|(taken, line)| !taken.is_negative() && *taken <= line.amount.or_zero()));
            if let Discount::Amount(most) = discount {
                prop_assert!(Amount::sum(taken).unwrap() <= most);
            }
        }
    }

    #[test]
    fn i23_shares_of_an_inclusive_tax_add_up_and_permuting_lines_changes_no_total(
        seeds in vec(seed(), 1..10), turn in 0_usize..10, currency in currency(),
    ) {
        let mut lines = taxed(&lines(&seeds, currency));
        let totals = Totals::of(&lines, currency).unwrap();
        for group in super::taxes::groups(&lines).unwrap() {
            let taxes = group.taxes(currency).unwrap();
            if group.mode == TaxMode::Inclusive && !taxes.is_empty() {
                let shares = Amount::sum(taxes.iter().map(|tax| tax.amount)).unwrap();
                prop_assert_eq!(taxes[0].base.plus(shares).unwrap(), group.base);
            }
        }
        let turn = turn % lines.len();
        lines.rotate_left(turn);
        let turned = Totals::of(&lines, currency).unwrap();
        prop_assert_eq!((turned.total, turned.tax, turned.tax_included), (totals.total, totals.tax, totals.tax_included));
        // A credit note of a change has the lines with their signs turned, and so the same amounts.
        for line in &mut lines {
            (line.amount, line.discount) = (line.amount.negated(), line.discount.negated());
        }
        prop_assert_eq!(Totals::of(&lines, currency).unwrap(), turned.negated());
    }

    #[test]
    fn i24_forth_and_back_at_one_instant_nets_at_most_one_unit(
        one in 0_i64..1_000_000, other in 0_i64..1_000_000, quantity in 1_i64..100, part in 0_i64..1_000_000,
        days in 1_i64..=731, currency in currency(),
    ) {
        let cycle = days * 86_400_000_000;
        let instant = cycle / 1_000_000 * part;
        let (one, other) = (price(one, quantity, currency), price(other, quantity, currency));
        let (lines, _) = changes(cycle, one, &[(instant, other), (instant, one)]).unwrap();
        let net = in_units(Amount::sum(lines[1..].iter().copied()).unwrap(), currency);
        prop_assert!(net.abs() <= 1, "{net}");
    }

    /// Whatever is applied and voided: `amount_paid` + surplus is the sum of the payments that count.
    #[test]
    fn i25_payments_are_paid_or_surplus(
        total in 0_i64..10_000, payments in vec((1_i64..5_000, any::<bool>()), 0..8), is_void in any::<bool>(),
    ) {
        let currency = Currency::USD;
        let total = units(total, currency);
        let status = if is_void { InvoiceStatus::Void } else { InvoiceStatus::Open };
        let (mut paid, mut balance, mut counting) = (Amount::ZERO, Amount::ZERO, Amount::ZERO);
        for (amount, becomes_void) in payments {
            let amount = units(amount, currency);
            let applied = Applied::to_invoice(amount, total.minus(paid).unwrap(), status).unwrap();
            paid = paid.plus(applied.paid).unwrap();
            balance = balance.plus(applied.surplus).unwrap();
            if becomes_void {
                let reversed = applied.reverse(balance);
                paid = paid.minus(reversed.paid).unwrap();
                balance = balance.minus(reversed.balance).unwrap();
            } else {
                counting = counting.plus(amount).unwrap();
            }
            prop_assert_eq!(paid.plus(balance).unwrap(), counting);
            prop_assert!(paid <= total && (!is_void || paid.is_zero()));
        }
    }

    #[test]
    fn i29_graduated_prices_never_fall_and_every_model_is_rounded_once(
        steps in vec((1_i64..1_000_000_000, 0_i128..10_000_000_000_000, 0_i128..1_000_000), 1..6),
        less in 0_i128..400_000_000_000_000, more in 0_i128..1_000_000_000_000, currency in currency(),
    ) {
        let mut bound = 0;
        let last = steps.len() - 1;
        let tiers: Vec<PriceTier> = steps.iter().enumerate().map(|(index, (width, unit, flat))| {
            bound += width;
            PriceTier {
                up_to: (index != last).then(|| Exact::decimal(i128::from(bound), 3).unwrap()),
                unit_price: Exact::decimal(*unit, 10).unwrap(),
                flat_price: Exact::decimal(*flat, 4).unwrap(),
            }
        }).collect();
        let (low, high) = (Exact::decimal(less, 6).unwrap(), Exact::decimal(less + more, 6).unwrap());
        let graduated = PriceModel::Graduated(tiers.clone());
        prop_assert!(graduated.price(low, currency).unwrap() <= graduated.price(high, currency).unwrap());
        // The formula in integers of 10^-16, independent of fractions.
        let width = |q: i128, low: i128, high: Option<i128>| (high.map_or(q, |high| q.min(high)) - low).max(0);
        let (mut sum, mut from) = (0_i128, 0_i128);
        for (tier, (step, unit, flat)) in tiers.iter().zip(&steps) {
            let to = from + i128::from(*step) * 1_000;
            let part = width(less, from, tier.up_to.map(|_| to));
            sum += part * unit + if part > 0 { flat * 10_i128.pow(12) } else { 0 };
            from = to;
        }
        prop_assert_eq!(graduated.price(low, currency).unwrap(), rounded(sum, currency));
        let per_unit = PriceModel::PerUnit(tiers[0].unit_price).price(low, currency).unwrap();
        prop_assert_eq!(per_unit, rounded(less * steps[0].1, currency));
        let package = PriceModel::Package { size: Exact::whole(steps[0].0), price: tiers[0].flat_price };
        let size = i128::from(steps[0].0) * 1_000_000;
        let packages = less / size + i128::from(less % size != 0);
        prop_assert_eq!(package.price(low, currency).unwrap(), rounded(packages * steps[0].2 * 10_i128.pow(12), currency));
    }

    #[test]
    fn no_input_panics(
        a in any::<i128>(), b in any::<i128>(), c in any::<i128>(), d in any::<i128>(), amount in any::<i64>(),
        currency in currency(),
    ) {
        if let (Ok(left), Ok(right)) = (Exact::new(a, b), Exact::new(c, d)) {
            let _ = (left.plus(right), left.minus(right), left.times(right), left.over(right), left.compare(right));
            let _ = (left.round(currency), right.ceiling());
            let tier = PriceTier { up_to: Some(left), unit_price: right, flat_price: left };
            let tiers = vec![tier, PriceTier { up_to: None, ..tier }];
            let tiered = [PriceModel::Graduated(tiers.clone()), PriceModel::Volume(tiers)];
            let others = [PriceModel::PerUnit(left), PriceModel::Package { size: left, price: right }];
            for model in tiered.into_iter().chain(others) {
                let _ = model.price(right, currency);
            }
        }
        if let Ok(amount) = Amount::from_ten_thousandths(amount) {
            let _ = (amount.plus(amount), amount.minus(amount.negated()), Amount::sum([amount, amount, amount]), amount.to_string());
        }
    }
}

/// Rounds a multiple of 10^-16 half away from zero; it is not negative.
fn rounded(value: i128, currency: Currency) -> Amount {
    let step = 10_i128.pow(16 - currency.decimals());
    units(i64::try_from((2 * value + step) / (2 * step)).unwrap(), currency)
}
