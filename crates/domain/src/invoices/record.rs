//! The record of an invoice, its lines and taxes, and who sells and buys. Everything that issuing freezes is in it, so that its
//! document can be rendered at any later time.

use super::credit_notes::Credited;
use super::dunning::{InvoiceStep, Schedule};
use super::status::InvoiceStatus;
use super::taxes::{TaxMode, TaxRate as Rate, TaxedLine};
use super::totals::{Settled, Totals};
use super::{Amount, Decimal, LineKind, Percentage, Result};
use crate::currency::Currency;
use crate::id::{CouponId, EventId, InvoiceId, MeterId, OrganizationId, PlanId, SubscriptionId, TaxRateId, UserId};
use crate::lifecycle::bill::BilledPart;
use crate::lifecycle::billing::Collection;
use crate::plans::Version;
use crate::plans::billing::TaxBehavior;
use crate::text::Prose;
use crate::time::Time;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::HashMap;

/// A note on an invoice.
pub type Memo = Prose<1_000>;

/// The most lines of an invoice.
pub const MAX_LINES: usize = 250;
/// The most items of an invoice that a caller creates.
pub const MAX_ITEMS: usize = 100;
/// The version of the template that documents are rendered with.
pub const TEMPLATE: i64 = 1;

/// Why an invoice exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceKind {
    /// A period began, or usage is billed.
    Cycle,
    /// The plan or the quantity changed.
    Change,
    /// A caller created it.
    OneOff,
}

impl InvoiceKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Cycle, Self::Change, Self::OneOff];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Change => "change",
            Self::OneOff => "one_off",
        }
    }

    /// The kind of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// What the engine does next with an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the API")]
pub enum InvoiceNext {
    Finalize,
    Attempt,
    Overdue,
    Deadline,
}

impl InvoiceNext {
    /// Every action.
    pub const ALL: [Self; 4] = [Self::Finalize, Self::Attempt, Self::Overdue, Self::Deadline];

    /// The word in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Finalize => "finalize",
            Self::Attempt => "attempt",
            Self::Overdue => "overdue",
            Self::Deadline => "deadline",
        }
    }
}

impl From<InvoiceStep> for InvoiceNext {
    fn from(step: InvoiceStep) -> Self {
        match step {
            InvoiceStep::Attempt => Self::Attempt,
            InvoiceStep::Overdue => Self::Overdue,
            InvoiceStep::Deadline => Self::Deadline,
        }
    }
}

/// A line of an invoice or a credit note. Members that do not apply are null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct InvoiceLine {
    pub kind: LineKind,
    pub description: String,
    pub subscription_plan_id: Option<PlanId>,
    pub plan_version: Option<Version>,
    pub meter_id: Option<MeterId>,
    pub quantity: Option<Decimal>,
    pub unit_price: Option<Decimal>,
    pub amount: Amount,
    pub discount: Amount,
    pub tax_behavior: TaxBehavior,
    pub tax_rate_ids: Vec<TaxRateId>,
    pub period_start: Option<Time>,
    pub period_end: Option<Time>,
    pub source_invoice_id: Option<InvoiceId>,
}

impl InvoiceLine {
    /// The line with its signs turned, as a credit note shows it.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { amount: self.amount.negated(), discount: self.discount.negated(), ..self.clone() }
    }

    /// The amount less the discount.
    pub fn net(&self) -> Result<Amount> {
        self.amount.minus(self.discount)
    }
}

/// The tax of a group of lines and a rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct InvoiceTax {
    pub tax_rate_id: TaxRateId,
    pub name: String,
    pub percentage: Decimal,
    pub tax_behavior: TaxBehavior,
    pub base: Amount,
    pub amount: Amount,
}

/// The organization on a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Seller {
    pub name: Option<String>,
    pub address: Vec<String>,
    pub country: Option<String>,
    pub tax_id: Option<String>,
    pub email: Option<String>,
    pub note: Option<String>,
}

/// The user on a document: a copy of the billing profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Buyer {
    pub name: Option<String>,
    pub email: Option<String>,
    pub address: Vec<String>,
    pub country: Option<String>,
    pub tax_id: Option<String>,
    pub tax_exempt: bool,
    pub locale: Option<String>,
    pub note: Option<String>,
}

/// How a document is rendered, frozen when it is issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    /// The version of the template.
    pub template: i64,
    /// The organization's time zone.
    pub time_zone: String,
    /// Whether the organization is for tests.
    pub is_test: bool,
}

/// The sums of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Sums {
    pub subtotal: Amount,
    pub discount: Amount,
    pub taxes: Vec<InvoiceTax>,
    pub tax: Amount,
    pub tax_included: Amount,
    pub total: Amount,
}

/// An invoice. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Invoice {
    pub id: InvoiceId,
    pub number: Option<String>,
    pub kind: InvoiceKind,
    pub status: InvoiceStatus,
    pub user_id: UserId,
    pub subscription_id: SubscriptionId,
    pub currency: Currency,
    pub collection: Option<Collection>,
    pub cycle_at: Option<Time>,
    pub period_start: Option<Time>,
    pub period_end: Option<Time>,
    pub lines: Vec<InvoiceLine>,
    pub sums: Sums,
    pub credit_applied: Amount,
    pub amount_paid: Amount,
    pub amount_credited: Amount,
    pub coupon_id: Option<CouponId>,
    pub memo: Option<Memo>,
    pub finalizes_at: Option<Time>,
    pub issued_at: Option<Time>,
    pub due_at: Option<Time>,
    pub paid_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
    pub seller: Option<Seller>,
    pub buyer: Option<Buyer>,
    pub organization_id: OrganizationId,
    /// Its last event.
    pub revision: EventId,
    /// What the notes of this invoice credited. Only the total is returned.
    pub credited: Credited,
    /// The schedule, fixed when it was issued. Not returned, as all that follow.
    pub schedule: Option<Schedule>,
    /// The window whose usage it bills.
    pub parts: Vec<BilledPart>,
    /// The payment terms that the caller sent.
    pub terms: Option<i64>,
    /// The lines whose tax rates the caller chose.
    pub own_rates: Vec<usize>,
    /// The rates chosen for each of them. The lines do not have them while the user is exempt.
    pub chosen_rates: Vec<Vec<TaxRateId>>,
    /// The invoice that its credit line reverses.
    pub source_invoice_id: Option<InvoiceId>,
    /// When the period began in which its fee and proration lines were created.
    pub in_period: Option<Time>,
    /// Whether the charge of a change begins a new period.
    pub begins_period: bool,
    /// Whether the engine does nothing more: the user was erased.
    pub is_stopped: bool,
    /// How its document is rendered.
    pub rendering: Rendering,
}

/// The tax rates that lines refer to: the name and the percentage of each.
pub type Rates = HashMap<TaxRateId, (String, Percentage)>;

impl Invoice {
    /// What is due.
    pub fn amount_due(&self) -> Amount {
        if self.status == InvoiceStatus::Void {
            return Amount::ZERO;
        }
        self.settled().amount_due(self.sums.total).unwrap_or_default()
    }

    /// What reduces the amount due.
    pub const fn settled(&self) -> Settled {
        Settled {
            credit_applied: self.credit_applied,
            amount_paid: self.amount_paid,
            amount_credited: self.amount_credited,
        }
    }

    /// Whether something was paid or credited, to the balance, too: it cannot become void.
    pub const fn is_partly_settled(&self) -> bool {
        !self.amount_paid.is_zero() || !self.amount_credited.is_zero() || !self.credited.total.is_zero()
    }

    /// Whether it is overdue.
    pub fn is_overdue(&self) -> bool {
        self.schedule.as_ref().is_some_and(|schedule| schedule.overdue)
    }

    /// The number of attempts.
    pub fn attempts(&self) -> i64 {
        self.schedule.as_ref().map_or(0, |schedule| schedule.attempts)
    }

    /// What the engine does next, and when.
    pub fn next_action(&self) -> Option<(InvoiceNext, Time)> {
        if self.is_stopped {
            return None;
        }
        if self.status == InvoiceStatus::Draft {
            return self.finalizes_at.map(|at| (InvoiceNext::Finalize, at));
        }
        let next = self.schedule.as_ref().and_then(|schedule| schedule.next(self.status).ok().flatten());
        next.map(|(step, at)| (step.into(), at))
    }

    /// The lines with the percentages of their tax rates.
    pub fn taxed_lines(&self, rates: &Rates) -> Vec<TaxedLine<TaxRateId>> {
        taxed(&self.lines, rates)
    }

    /// Computes the sums from the lines.
    pub fn compute(&mut self, rates: &Rates) -> Result<()> {
        self.sums = Sums::of(&self.lines, self.currency, rates)?;
        Ok(())
    }
}

/// Lines with the percentages of their tax rates. A rate that does not exist taxes nothing.
pub fn taxed(lines: &[InvoiceLine], rates: &Rates) -> Vec<TaxedLine<TaxRateId>> {
    let rate = |id: &TaxRateId| rates.get(id).map(|(_, percentage)| Rate { id: *id, percentage: *percentage });
    lines
        .iter()
        .map(|line| TaxedLine {
            amount: line.amount,
            discount: line.discount,
            mode: mode(line.tax_behavior),
            rates: line.tax_rate_ids.iter().filter_map(rate).collect(),
        })
        .collect()
}

/// The behavior of a line as the arithmetic names it.
pub const fn mode(behavior: TaxBehavior) -> TaxMode {
    match behavior {
        TaxBehavior::Exclusive => TaxMode::Exclusive,
        TaxBehavior::Inclusive => TaxMode::Inclusive,
    }
}

impl Sums {
    /// The sums of lines.
    pub fn of(lines: &[InvoiceLine], currency: Currency, rates: &Rates) -> Result<Self> {
        Ok(Self::from_totals(Totals::of(&taxed(lines, rates), currency)?, rates))
    }

    /// The sums with the names of the tax rates.
    pub fn from_totals(totals: Totals<TaxRateId>, rates: &Rates) -> Self {
        let taxes = totals.taxes.into_iter().map(|tax| InvoiceTax {
            tax_rate_id: tax.rate.id,
            name: rates.get(&tax.rate.id).map(|(name, _)| name.clone()).unwrap_or_default(),
            percentage: Decimal::new(tax.rate.percentage.ten_thousandths().into(), 4),
            tax_behavior: match tax.mode {
                TaxMode::Exclusive => TaxBehavior::Exclusive,
                TaxMode::Inclusive => TaxBehavior::Inclusive,
            },
            base: tax.base,
            amount: tax.amount,
        });
        Self {
            subtotal: totals.subtotal,
            discount: totals.discount,
            taxes: taxes.collect(),
            tax: totals.tax,
            tax_included: totals.tax_included,
            total: totals.total,
        }
    }

    /// The sums with their signs turned.
    #[must_use]
    pub fn negated(&self) -> Self {
        let turned =
            |tax: &InvoiceTax| InvoiceTax { base: tax.base.negated(), amount: tax.amount.negated(), ..tax.clone() };
        Self {
            subtotal: self.subtotal.negated(),
            discount: self.discount.negated(),
            taxes: self.taxes.iter().map(turned).collect(),
            tax: self.tax.negated(),
            tax_included: self.tax_included.negated(),
            total: self.total.negated(),
        }
    }
}

/// An invoice as an event stores it: without the buyer, and with lines only when it is issued.
#[derive(Clone, Copy, Debug)]
pub struct InvoiceEvent<'a> {
    /// The invoice.
    pub invoice: &'a Invoice,
    /// Whether it has its lines.
    pub has_lines: bool,
}

impl Serialize for Invoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Invoice", 36)?;
        self.write::<S>(&mut fields, true)?;
        fields.serialize_field("seller", &self.seller)?;
        fields.serialize_field("buyer", &self.buyer)?;
        fields.end()
    }
}

impl Serialize for InvoiceEvent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Invoice", 35)?;
        self.invoice.write::<S>(&mut fields, self.has_lines)?;
        fields.serialize_field("seller", &self.invoice.seller)?;
        fields.end()
    }
}

impl Invoice {
    fn write<S: Serializer>(
        &self,
        fields: &mut S::SerializeStruct,
        has_lines: bool,
    ) -> std::result::Result<(), S::Error> {
        let next = self.next_action();
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("number", &self.number)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("status", &self.status)?;
        fields.serialize_field("user_id", &self.user_id)?;
        fields.serialize_field("subscription_id", &self.subscription_id)?;
        fields.serialize_field("currency", &self.currency)?;
        fields.serialize_field("collection", &self.collection)?;
        fields.serialize_field("cycle_at", &self.cycle_at)?;
        fields.serialize_field("period_start", &self.period_start)?;
        fields.serialize_field("period_end", &self.period_end)?;
        if has_lines {
            fields.serialize_field("lines", &self.lines)?;
        }
        fields.serialize_field("subtotal", &self.sums.subtotal)?;
        fields.serialize_field("discount", &self.sums.discount)?;
        fields.serialize_field("taxes", &self.sums.taxes)?;
        fields.serialize_field("tax", &self.sums.tax)?;
        fields.serialize_field("tax_included", &self.sums.tax_included)?;
        fields.serialize_field("total", &self.sums.total)?;
        fields.serialize_field("credit_applied", &self.credit_applied)?;
        fields.serialize_field("amount_paid", &self.amount_paid)?;
        fields.serialize_field("amount_credited", &self.amount_credited)?;
        fields.serialize_field("credited_total", &self.credited.total)?;
        fields.serialize_field("amount_due", &self.amount_due())?;
        fields.serialize_field("coupon_id", &self.coupon_id)?;
        fields.serialize_field("memo", &self.memo)?;
        fields.serialize_field("attempts", &self.attempts())?;
        fields.serialize_field("overdue", &self.is_overdue())?;
        fields.serialize_field("next_action", &next.map(|(action, _)| action))?;
        fields.serialize_field("next_action_at", &next.map(|(_, at)| at))?;
        fields.serialize_field("finalizes_at", &self.finalizes_at)?;
        fields.serialize_field("issued_at", &self.issued_at)?;
        fields.serialize_field("due_at", &self.due_at)?;
        fields.serialize_field("paid_at", &self.paid_at)?;
        fields.serialize_field("created_at", &self.created_at)?;
        fields.serialize_field("updated_at", &self.updated_at)
    }
}
