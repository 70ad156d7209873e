//! The credit note that a caller creates for an issued invoice: what it credits, and the invoice after it.
//!
//! A note never credits more than is left of the invoice, nor more of fees and prorations than is left of their period.

use super::credit_note::{CreditNote, NoteSettlement};
use super::credit_notes::{CreditError, CreditRequest, CreditedInvoice, Settlement};
use super::record::{Invoice, InvoiceLine, Rates, Rendering, Sums, taxed};
use super::status::InvoiceStatus;
use super::transitions::Outcome;
use super::{Amount, LineKind, OutOfRange, Result};
use crate::currency::Currency;
use crate::id::{CreditNoteId, EventId, InvoiceId};
use crate::money::Money;
use crate::subscriptions::Subscription;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{ValidationCode, ValidationErrors};

/// Why a note exists.
pub type NoteReason = Line<0, 255>;
/// The reference of a refund in another system.
pub type RefundReference = Line<0, 255>;

/// The fields of a create; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct NoteDraft {
    pub invoice_id: Option<InvoiceId>,
    pub amount: Option<Money>,
    pub lines: Option<Vec<NoteLine>>,
    pub reason: Option<NoteReason>,
    pub settlement: Option<NoteSettlement>,
    pub refund_reference: Option<RefundReference>,
}

/// How many lines of a tax group a note names.
const NAMED: usize = 3;
/// The longest description of a line.
const MAX_DESCRIPTION: usize = 255;

/// What a note credits of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteLine {
    /// The index of the invoice's line, from 0.
    pub line: usize,
    /// The amount before exclusive tax and with inclusive tax.
    pub amount: Money,
}

/// What the service draws for a new note.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are plain")]
pub struct NewNote {
    pub id: CreditNoteId,
    pub number: String,
    pub revision: EventId,
    pub now: Time,
}

/// A note, and what it changes.
#[derive(Clone, Debug)]
pub struct Crediting {
    /// The note.
    pub note: CreditNote,
    /// The invoice after it, apart from its stamp.
    pub invoice: Invoice,
    /// The events of the invoice, and what follows for its subscription.
    pub outcome: Outcome,
    /// What it credits of fees and prorations.
    pub of_time: Amount,
}

/// Why there is no note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteRejection {
    /// The input is invalid.
    Invalid(ValidationErrors),
    /// It credits more than is left.
    ExceedsInvoice,
}

/// What notes left of the fees and prorations of a period: of all invoices of its subscription that count, less what notes credited.
/// `notes` are those of changes: their lines are fees and prorations with signs turned.
pub fn left_of_period(invoices: &[Invoice], notes: &[CreditNote], in_period: Option<Time>) -> Result<Amount> {
    let mut left = Amount::ZERO;
    for invoice in invoices.iter().filter(|one| one.in_period == in_period && one.status != InvoiceStatus::Void) {
        left = left.plus(of_time(&invoice.lines)?)?.minus(invoice.credited.of_time)?;
    }
    for note in notes.iter().filter(|note| note.invoice_id.is_none()) {
        // What a change takes back belongs to the period of the invoice that it takes it back from.
        let source = invoices.iter().find(|one| Some(one.id) == note.source_invoice_id);
        let (credited, charged): (Vec<_>, Vec<_>) =
            note.lines.iter().cloned().partition(|line| line.kind == LineKind::ProrationCredit);
        if source.map_or(note.in_period, |source| source.in_period) == in_period {
            left = left.minus(of_time(&credited)?)?;
        }
        if note.in_period == in_period {
            left = left.minus(of_time(&charged)?)?;
        }
    }
    Ok(left)
}

impl Subscription {
    /// The subscription after a note credited this much of the fee and proration lines of an invoice. Of an invoice of the current
    /// period, or the one that pays for it, it reduces what a later change credits, at most to 0.
    pub fn after_credit(&self, invoice: &Invoice, of_time: Amount) -> Result<Self> {
        let mut after = self.clone();
        if let Some(billing) = &mut after.billing
            && let Some(paying) = &mut billing.paying
            && (billing.period_start == invoice.in_period || paying.invoice_id == invoice.id)
        {
            paying.net = paying.net.minus(of_time)?.or_zero();
        }
        Ok(after)
    }
}

fn of_time(lines: &[InvoiceLine]) -> Result<Amount> {
    let nets = lines.iter().filter(|line| line.kind.is_for_time()).map(InvoiceLine::net);
    Amount::sum(nets.collect::<Result<Vec<_>>>()?)
}

impl NoteDraft {
    /// The note that the draft describes, or why there is none. `invoice` is the one that it names, if it exists.
    pub fn credit(
        self,
        mut errors: ValidationErrors,
        invoice: Option<&Invoice>,
        left_of_period: Amount,
        new: NewNote,
    ) -> std::result::Result<Crediting, NoteRejection> {
        self.check(invoice, &mut errors);
        let (Some(invoice), Some(request), true) = (invoice, self.request(), errors.is_empty()) else {
            return Err(NoteRejection::Invalid(errors));
        };
        let rejected = |error: CreditError| match error {
            CreditError::ExceedsInvoice => NoteRejection::ExceedsInvoice,
            CreditError::NotPositive | CreditError::UnknownLine | CreditError::OutOfRange => {
                let mut errors = ValidationErrors::none();
                errors.note("/amount", ValidationCode::OutOfRange, "cannot be credited");
                NoteRejection::Invalid(errors)
            }
        };
        let rates = frozen_rates(invoice);
        let lines: Vec<_> = invoice.lines.iter().map(|line| line.kind).zip(taxed(&invoice.lines, &rates)).collect();
        let out_of_range = |_: OutOfRange| rejected(CreditError::OutOfRange);
        let credited =
            CreditedInvoice::new(&lines, invoice.currency, invoice.credited.clone()).map_err(out_of_range)?;
        let credit = credited.credit(&request, left_of_period).map_err(rejected)?;
        let groups = credited.groups().iter().map(|group| group.lines.as_slice());
        let shown = match &request {
            CreditRequest::Lines(lines) => {
                lines.iter().map(|(line, amount)| credited_line(&invoice.lines[*line], *amount)).collect()
            }
            CreditRequest::Amount(_) => {
                groups.zip(&credit.groups).filter_map(|(lines, amount)| group_line(invoice, lines, *amount)).collect()
            }
        };
        let settled =
            Settlement::of(credit.totals.total, invoice.amount_due(), invoice.status).map_err(out_of_range)?;
        let settlement = self.settlement.unwrap_or(NoteSettlement::Balance);
        let mut after = invoice.clone();
        after.credited = credit.credited;
        let outcome = after.credit(settled.applied, new.now).map_err(out_of_range)?;
        let note = CreditNote {
            id: new.id,
            number: new.number,
            invoice_id: Some(invoice.id),
            invoice_number: invoice.number.clone(),
            subscription_id: invoice.subscription_id,
            user_id: invoice.user_id,
            currency: invoice.currency,
            lines: shown,
            sums: Sums::from_totals(credit.totals, &rates),
            reason: self.reason.map(|reason| reason.as_str().to_owned()),
            settlement,
            refund_reference: self.refund_reference.map(|reference| reference.as_str().to_owned()),
            applied_amount: settled.applied,
            balance_amount: if settlement == NoteSettlement::Balance { settled.rest } else { Amount::ZERO },
            issued_at: new.now,
            seller: invoice.seller.clone(),
            buyer: invoice.buyer.clone(),
            created_at: new.now,
            organization_id: invoice.organization_id,
            revision: new.revision,
            source_invoice_id: None,
            in_period: invoice.in_period,
            rendering: Rendering { template: super::record::TEMPLATE, ..invoice.rendering.clone() },
        };
        Ok(Crediting { note, invoice: after, outcome, of_time: credit.of_time })
    }

    fn check(&self, invoice: Option<&Invoice>, errors: &mut ValidationErrors) {
        // What was sent and is invalid is not missing, and what is no object at all lacks nothing.
        let is_sent = errors.touch("") || ["/amount", "/lines"].iter().any(|at| errors.touch_within(at));
        match (&self.amount, &self.lines) {
            (None, None) if !is_sent => {
                errors.note("/amount", ValidationCode::Required, "is required unless lines is sent");
            }
            (Some(_), Some(_)) => errors.note("/lines", ValidationCode::Inconsistent, "must not be sent with amount"),
            _ => {}
        }
        if let (None, Some(_)) = (invoice, self.invoice_id) {
            errors.note("/invoice_id", ValidationCode::NotFound, "names no invoice of this organization");
        }
        let Some(invoice) = invoice else { return };
        if !invoice.status.takes_payments() {
            let detail = format!("names an invoice that is {}", invoice.status.as_str());
            errors.note("/invoice_id", ValidationCode::Inconsistent, detail);
        }
        if let Some(amount) = self.amount {
            check_amount("/amount".to_owned(), amount, invoice.currency, errors);
        }
        for (index, line) in self.lines.iter().flatten().enumerate() {
            check_amount(format!("/lines/{index}/amount"), line.amount, invoice.currency, errors);
            let at = format!("/lines/{index}/line");
            match invoice.lines.get(line.line).map(InvoiceLine::net) {
                None => errors.note(at, ValidationCode::OutOfRange, "is no line of the invoice"),
                Some(Ok(net)) if net <= Amount::ZERO => {
                    errors.note(at, ValidationCode::Inconsistent, "names a line that is not positive");
                }
                Some(_) => {}
            }
        }
    }

    fn request(&self) -> Option<CreditRequest> {
        let amount = |money: Money| Amount::from_ten_thousandths(money.ten_thousandths()).ok();
        match (self.amount, &self.lines) {
            (Some(money), None) => amount(money).map(CreditRequest::Amount),
            (None, Some(lines)) => {
                let lines = lines.iter().map(|line| Some((line.line, amount(line.amount)?)));
                lines.collect::<Option<Vec<_>>>().map(CreditRequest::Lines)
            }
            _ => None,
        }
    }
}

fn check_amount(at: String, amount: Money, currency: Currency, errors: &mut ValidationErrors) {
    if amount.ten_thousandths() == 0 {
        errors.note(at, ValidationCode::OutOfRange, "must be greater than 0");
    } else if let Err(reason) = amount.check(currency) {
        errors.add(at, reason);
    }
}

/// The percentages as the invoice froze them.
fn frozen_rates(invoice: &Invoice) -> Rates {
    let taxes = invoice.sums.taxes.iter();
    taxes.filter_map(|tax| Some((tax.tax_rate_id, (tax.name.clone(), tax.percentage.percentage()?)))).collect()
}

/// A line of an invoice with what is credited of it.
fn credited_line(line: &InvoiceLine, amount: Amount) -> InvoiceLine {
    InvoiceLine { amount, discount: Amount::ZERO, quantity: None, unit_price: None, ..line.clone() }
}

/// What an amount credits of a tax group. A group of several lines is named by all of them.
fn group_line(invoice: &Invoice, lines: &[usize], amount: Amount) -> Option<InvoiceLine> {
    let first = invoice.lines.get(*lines.first()?).filter(|_| !amount.is_zero())?;
    if lines.len() == 1 {
        return Some(credited_line(first, amount));
    }
    let mut descriptions: Vec<&str> = Vec::new();
    for line in lines.iter().filter_map(|line| invoice.lines.get(*line)) {
        if !descriptions.contains(&line.description.as_str()) {
            descriptions.push(&line.description);
        }
    }
    let more = if descriptions.len() > NAMED { ", …" } else { "" };
    let named: Vec<&str> = descriptions.into_iter().take(NAMED).collect();
    let description: String = format!("{}{more}", named.join(", ")).chars().take(MAX_DESCRIPTION).collect();
    Some(InvoiceLine {
        kind: LineKind::Item,
        description,
        subscription_plan_id: None,
        plan_version: None,
        meter_id: None,
        period_start: None,
        period_end: None,
        source_invoice_id: None,
        ..credited_line(first, amount)
    })
}

#[cfg(test)]
pub(super) mod tests;
