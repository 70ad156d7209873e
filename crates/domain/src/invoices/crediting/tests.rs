//! Tests of the note of an invoice. The arithmetic is tested in `credit_notes/tests.rs`.

use super::*;
use crate::id::{OrganizationId, SubscriptionId, TaxRateId, UserId};
use crate::invoices::record::{InvoiceKind, InvoiceTax};
use crate::invoices::{Decimal, Percentage};
use crate::plans::billing::TaxBehavior;
use crate::plans::tests::instant;
use proptest::prelude::*;

fn now() -> Time {
    instant("2026-03-01T00:00:00Z")
}

fn cents(cents: i64) -> Amount {
    Amount::from_ten_thousandths(cents * 100).unwrap()
}

fn money(cents: i64) -> Money {
    Money::from_ten_thousandths(cents * 100).unwrap()
}

fn line(kind: LineKind, amount: i64, rate: Option<u64>) -> InvoiceLine {
    InvoiceLine {
        kind,
        description: format!("{} {amount}", kind.as_str()),
        subscription_plan_id: None,
        plan_version: None,
        meter_id: None,
        quantity: Some(Decimal::from(1)),
        unit_price: Some(cents(amount).into()),
        amount: cents(amount),
        discount: Amount::ZERO,
        tax_behavior: TaxBehavior::Exclusive,
        tax_rate_ids: rate.map(|rate| TaxRateId::new(now(), rate * 4)).into_iter().collect(),
        period_start: None,
        period_end: None,
        source_invoice_id: None,
    }
}

/// An open invoice. A rate has as many percent as its number.
pub(crate) fn invoice(lines: Vec<InvoiceLine>) -> Invoice {
    let rates: Rates = (0..30_i64)
        .map(|rate| {
            let percentage = Percentage::from_ten_thousandths(rate * 10_000).unwrap();
            (TaxRateId::new(now(), rate.unsigned_abs() * 4), (format!("Tax {rate}"), percentage))
        })
        .collect();
    let currency = Currency::USD;
    Invoice {
        id: InvoiceId::new(now(), 4),
        number: Some("INV-000001".to_owned()),
        kind: InvoiceKind::Cycle,
        status: InvoiceStatus::Open,
        user_id: UserId::new(now(), 4),
        subscription_id: SubscriptionId::new(now(), 4),
        currency,
        collection: None,
        cycle_at: None,
        period_start: None,
        period_end: None,
        sums: Sums::of(&lines, currency, &rates).unwrap(),
        lines,
        credit_applied: Amount::ZERO,
        amount_paid: Amount::ZERO,
        amount_credited: Amount::ZERO,
        coupon_id: None,
        memo: None,
        finalizes_at: None,
        issued_at: Some(now()),
        due_at: None,
        paid_at: None,
        created_at: now(),
        updated_at: now(),
        seller: None,
        buyer: None,
        organization_id: OrganizationId::new(now(), 4),
        revision: EventId::new(now(), 4),
        credited: super::super::credit_notes::Credited::default(),
        schedule: None,
        parts: Vec::new(),
        terms: None,
        own_rates: Vec::new(),
        chosen_rates: Vec::new(),
        source_invoice_id: None,
        in_period: Some(now()),
        begins_period: false,
        is_stopped: false,
        rendering: Rendering::default(),
    }
}

fn credit(invoice: &Invoice, draft: NoteDraft, left: i64) -> std::result::Result<Crediting, NoteRejection> {
    let draft = NoteDraft { invoice_id: Some(invoice.id), ..draft };
    let new = NewNote {
        id: CreditNoteId::new(now(), 4),
        number: "CRN-000001".to_owned(),
        revision: EventId::new(now(), 8),
        now: now(),
    };
    draft.credit(ValidationErrors::none(), Some(invoice), cents(left), new)
}

fn amount(cents: i64) -> NoteDraft {
    NoteDraft { amount: Some(money(cents)), ..NoteDraft::default() }
}

#[test]
fn a_note_copies_a_line_that_is_alone_in_its_group_and_joins_others() {
    let invoice = invoice(vec![
        line(LineKind::Fee, 1_000, Some(20)),
        line(LineKind::Usage, 500, Some(10)),
        line(LineKind::Item, 500, Some(10)),
    ]);
    let crediting = credit(&invoice, amount(1_000), 10_000).unwrap();
    let lines: Vec<_> =
        crediting.note.lines.iter().map(|line| (line.kind, line.description.as_str(), line.amount)).collect();
    assert_eq!(lines, [(LineKind::Fee, "fee 1000", cents(500)), (LineKind::Item, "usage 500, item 500", cents(500)),]);
    assert_eq!((crediting.of_time, crediting.note.sums.total), (Amount::ZERO, cents(1_150)));
}

#[test]
fn fees_are_limited_by_what_is_left_of_their_period() {
    let first = invoice(vec![line(LineKind::Fee, 1_000, None)]);
    let change = Invoice {
        id: InvoiceId::new(now(), 8),
        ..invoice(vec![line(LineKind::ProrationCredit, -500, None), line(LineKind::ProrationCharge, 900, None)])
    };
    let left = |invoices: &[Invoice]| left_of_period(invoices, &[], Some(now())).unwrap();
    assert_eq!(left(&[first.clone(), change.clone()]), cents(1_400));
    let void = Invoice { status: InvoiceStatus::Void, ..change.clone() };
    assert_eq!(left(&[first.clone(), void]), cents(1_000));
    let later = Invoice { in_period: Some(now().plus_seconds(1)), ..change };
    assert_eq!(left(&[first.clone(), later]), cents(1_000));
    let credited = credit(&first, amount(600), 1_000).unwrap();
    assert_eq!(left(&[credited.invoice]), cents(400));
    assert_eq!(credit(&first, amount(600), 500).unwrap_err(), NoteRejection::ExceedsInvoice);
    // The note of a change has its lines with signs turned.
    let note = CreditNote {
        invoice_id: None,
        lines: vec![line(LineKind::ProrationCredit, 500, None), line(LineKind::ProrationCharge, -100, None)],
        ..credited.note
    };
    assert_eq!(left_of_period(&[first], &[note], Some(now())), Ok(cents(600)));
}

#[test]
fn nothing_is_settled_twice() {
    let open = invoice(vec![line(LineKind::Item, 5_000, Some(20))]);
    let refund = NoteDraft { settlement: Some(NoteSettlement::Refund), ..amount(2_000) };
    let paid = Invoice { status: InvoiceStatus::Paid, amount_paid: cents(6_000), ..open.clone() };
    let refunded = credit(&paid, refund, 0).unwrap();
    assert_eq!((refunded.note.applied_amount, refunded.note.balance_amount), (Amount::ZERO, Amount::ZERO));
    let balance = credit(&paid, amount(2_000), 0).unwrap();
    assert_eq!((balance.note.applied_amount, balance.note.balance_amount), (Amount::ZERO, cents(2_400)));
    let partly = Invoice { amount_paid: cents(5_000), ..open };
    let split = credit(&partly, amount(2_000), 0).unwrap();
    assert_eq!((split.note.applied_amount, split.note.balance_amount), (cents(1_000), cents(1_400)));
    assert_eq!(split.invoice.status, InvoiceStatus::Paid);
}

#[test]
fn a_frozen_percentage_reads_back() {
    let tax = |invoice: &Invoice| -> InvoiceTax { invoice.sums.taxes[0].clone() };
    let invoice = invoice(vec![line(LineKind::Item, 100, Some(19))]);
    assert_eq!(tax(&invoice).percentage.percentage(), Percentage::from_ten_thousandths(190_000));
    assert_eq!(Decimal::new(1, 5).percentage(), None);
    assert_eq!(Decimal::new(101, 0).percentage(), None);
}

proptest! {
    /// I18: pieces of any size add up to the invoice, the lines of each note to its subtotal, and nothing more can be credited.
    #[test]
    fn i18_pieces_add_up_to_the_invoice(
        lines in proptest::collection::vec((1_i64..20_000, proptest::option::of(0_u64..30)), 1..6),
        pieces in proptest::collection::vec(1_i64..9_000, 0..6),
    ) {
        let whole: i64 = lines.iter().map(|(amount, _)| amount).sum();
        let mut invoice = invoice(lines.into_iter().map(|(amount, rate)| line(LineKind::Item, amount, rate)).collect());
        let total = invoice.sums.total;
        let mut left = whole;
        for piece in pieces.into_iter().map(Some).chain([None]) {
            let piece = piece.map_or(left, |piece| piece.min(left));
            if piece == 0 {
                continue;
            }
            let crediting = credit(&invoice, amount(piece), 0).unwrap();
            let shown = Amount::sum(crediting.note.lines.iter().map(|line| line.amount)).unwrap();
            prop_assert_eq!(shown, crediting.note.sums.subtotal);
            prop_assert!(crediting.invoice.amount_due() >= Amount::ZERO);
            invoice = crediting.invoice;
            left -= piece;
        }
        prop_assert_eq!((invoice.credited.total, invoice.amount_credited), (total, total));
        prop_assert_eq!(invoice.status, InvoiceStatus::Paid);
        prop_assert_eq!(credit(&invoice, amount(1), 0).unwrap_err(), NoteRejection::ExceedsInvoice);
    }
}
