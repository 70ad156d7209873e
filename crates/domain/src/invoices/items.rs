//! Invoices that callers create: items of a billed subscription.

use super::dunning::Schedule;
use super::record::{Invoice, InvoiceKind, InvoiceLine, MAX_ITEMS, Memo, Rates, Rendering, Sums};
use super::status::InvoiceStatus;
use super::{Amount, Decimal, Exact, LineKind, OutOfRange, Result};
use crate::currency::Currency;
use crate::id::{EventId, InvoiceId, SubscriptionId, TaxRateId};
use crate::money::Money;
use crate::number::Whole;
use crate::plans::billing::{PaymentTermsDays, TaxBehavior};
use crate::subscriptions::Subscription;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{ValidationCode, ValidationErrors};

/// The description of an item.
pub type ItemDescription = Line<1, 255>;
/// The quantity of an item.
pub type ItemQuantity = Whole<1, 1_000_000>;

/// The fields of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ItemDraft {
    pub description: Option<ItemDescription>,
    pub quantity: Option<ItemQuantity>,
    pub unit_price: Option<Money>,
    pub tax_behavior: Option<TaxBehavior>,
    pub tax_rate_ids: Option<Vec<TaxRateId>>,
}

/// The fields of a create or an update; an omitted or invalid field is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct InvoiceDraft {
    pub subscription_id: Option<SubscriptionId>,
    /// Each item with its own errors.
    pub lines: Option<Vec<(ItemDraft, ValidationErrors)>>,
    pub memo: Option<Option<Memo>>,
    pub payment_terms_days: Option<Option<PaymentTermsDays>>,
    pub finalizes_at: Option<Option<Time>>,
}

/// Which tax rates the lines of a user have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaxSource {
    /// Whether the user pays no tax.
    pub is_exempt: bool,
    /// The rates of the billing profile.
    pub profile: Vec<TaxRateId>,
    /// The rates of the organization.
    pub organization: Vec<TaxRateId>,
}

impl TaxSource {
    /// The rates of a line of a plan with these rates.
    pub fn of_plan(&self, plan: &[TaxRateId]) -> Vec<TaxRateId> {
        let first = [self.profile.as_slice(), plan, &self.organization].into_iter().find(|rates| !rates.is_empty());
        first.filter(|_| !self.is_exempt).map(<[_]>::to_vec).unwrap_or_default()
    }

    /// The rates of an item that names its own.
    pub fn of_item(&self, own: &[TaxRateId]) -> Vec<TaxRateId> {
        if self.is_exempt { Vec::new() } else { own.to_vec() }
    }
}

/// What the items of a subscription depend on.
#[derive(Clone, Debug)]
pub struct ItemContext {
    /// The subscription.
    pub subscription: Subscription,
    /// The currency of its plan.
    pub currency: Currency,
    /// The rates of its plan.
    pub plan_rates: Vec<TaxRateId>,
    /// Which rates its lines have.
    pub source: TaxSource,
    /// The tax rates that exist.
    pub rates: Rates,
}

impl Invoice {
    /// An empty draft of a subscription.
    pub fn draft(
        subscription: &Subscription,
        currency: Currency,
        kind: InvoiceKind,
        id: InvoiceId,
        revision: EventId,
        now: Time,
    ) -> Self {
        Self {
            id,
            number: None,
            kind,
            status: InvoiceStatus::Draft,
            user_id: subscription.user_id,
            subscription_id: subscription.id,
            currency,
            collection: None,
            cycle_at: None,
            period_start: None,
            period_end: None,
            lines: Vec::new(),
            sums: Sums::default(),
            credit_applied: Amount::ZERO,
            amount_paid: Amount::ZERO,
            amount_credited: Amount::ZERO,
            coupon_id: None,
            memo: None,
            finalizes_at: None,
            issued_at: None,
            due_at: None,
            paid_at: None,
            created_at: now,
            updated_at: now,
            seller: None,
            buyer: None,
            organization_id: subscription.organization_id,
            revision,
            credited: super::credit_notes::Credited::default(),
            schedule: None::<Schedule>,
            parts: Vec::new(),
            terms: None,
            own_rates: Vec::new(),
            chosen_rates: Vec::new(),
            source_invoice_id: None,
            in_period: None,
            begins_period: false,
            is_stopped: false,
            rendering: Rendering::default(),
        }
    }

    /// The draft that a caller describes, or all its errors.
    pub fn create(
        draft: InvoiceDraft,
        mut errors: ValidationErrors,
        context: Option<&ItemContext>,
        id: InvoiceId,
        revision: EventId,
        now: Time,
    ) -> std::result::Result<Self, ValidationErrors> {
        let lines = draft.lines.unwrap_or_default();
        check_items(&lines, context.map(|context| context.currency), &mut errors);
        if context.is_some_and(|context| context.subscription.billing.is_none()) {
            errors.note("/subscription_id", ValidationCode::Inconsistent, "must be a billed subscription");
        }
        let (Some(context), true) = (context, errors.is_empty()) else { return Err(errors) };
        let mut invoice = Self::draft(&context.subscription, context.currency, InvoiceKind::OneOff, id, revision, now);
        invoice.memo = draft.memo.flatten();
        invoice.terms = draft.payment_terms_days.flatten().map(Whole::get);
        invoice.set_items(&lines, context, &mut errors);
        errors.into_result(invoice)
    }

    /// The draft after an update, or all its errors.
    pub fn merge(
        &self,
        patch: InvoiceDraft,
        mut errors: ValidationErrors,
        context: Option<&ItemContext>,
    ) -> std::result::Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        if let Some(memo) = patch.memo {
            merged.memo = memo;
        }
        let is_item = self.kind == InvoiceKind::OneOff;
        if let Some(at) = patch.finalizes_at.filter(|at| *at != self.finalizes_at) {
            merged.finalizes_at = at;
            if !is_item {
                errors.note("/finalizes_at", ValidationCode::ReadOnlyField, "can be changed for one_off drafts only");
            }
        }
        if let Some(lines) = patch.lines {
            if is_item {
                check_items(&lines, Some(self.currency), &mut errors);
                if let Some(context) = context.filter(|_| errors.is_empty()) {
                    merged.set_items(&lines, context, &mut errors);
                }
            } else {
                errors.note("/lines", ValidationCode::ReadOnlyField, "can be changed for one_off drafts only");
            }
        }
        errors.into_result(merged)
    }

    /// The tax rates that the caller chose for a line. Drafts of earlier versions have them in the line only.
    pub(super) fn chosen_rates_of(&self, index: usize) -> Option<&[TaxRateId]> {
        let place = self.own_rates.iter().position(|own| *own == index)?;
        let of_line = || self.lines.get(index).map(|line| &line.tax_rate_ids);
        self.chosen_rates.get(place).or_else(of_line).map(Vec::as_slice)
    }

    fn set_items(
        &mut self,
        items: &[(ItemDraft, ValidationErrors)],
        context: &ItemContext,
        errors: &mut ValidationErrors,
    ) {
        self.lines.clear();
        self.own_rates.clear();
        self.chosen_rates.clear();
        for (index, (item, _)) in items.iter().enumerate() {
            match item.line(context) {
                Ok(line) => self.lines.push(line),
                Err(OutOfRange) => {
                    let detail = "makes an amount larger than 999999999999";
                    errors.note(format!("/lines/{index}/unit_price"), ValidationCode::OutOfRange, detail);
                }
            }
            if let Some(rates) = &item.tax_rate_ids {
                self.own_rates.push(index);
                self.chosen_rates.push(rates.clone());
            }
        }
        if errors.is_empty() && self.compute(&context.rates).is_err() {
            errors.note("/lines", ValidationCode::OutOfRange, "make a total larger than 999999999999");
        }
    }
}

impl ItemDraft {
    fn line(&self, context: &ItemContext) -> Result<InvoiceLine> {
        let (Some(description), Some(unit_price)) = (&self.description, self.unit_price) else {
            return Err(OutOfRange);
        };
        let quantity = self.quantity.unwrap_or_default().get();
        let amount = Exact::from(Amount::from(unit_price)).times(Exact::whole(quantity))?.round(context.currency)?;
        let tax_rate_ids = match &self.tax_rate_ids {
            Some(own) => context.source.of_item(own),
            None => context.source.of_plan(&context.plan_rates),
        };
        Ok(InvoiceLine {
            kind: LineKind::Item,
            description: description.as_str().to_owned(),
            subscription_plan_id: None,
            plan_version: None,
            meter_id: None,
            quantity: Some(Decimal::from(quantity)),
            unit_price: Some(unit_price.into()),
            amount,
            discount: Amount::ZERO,
            tax_behavior: self.tax_behavior.unwrap_or_default(),
            tax_rate_ids,
            period_start: None,
            period_end: None,
            source_invoice_id: None,
        })
    }
}

/// The errors of the items, with their places.
fn check_items(items: &[(ItemDraft, ValidationErrors)], currency: Option<Currency>, errors: &mut ValidationErrors) {
    // What is no object at all lacks nothing.
    if items.is_empty() && !errors.touch("/lines") && !errors.touch("") {
        errors.note("/lines", ValidationCode::TooShort, "must have at least one line");
    }
    if items.len() > MAX_ITEMS {
        errors.note("/lines", ValidationCode::TooLong, format!("must have at most {MAX_ITEMS} lines"));
    }
    for (index, (item, found)) in items.iter().enumerate() {
        for error in found {
            errors.add(format!("/lines/{index}{}", error.pointer), error.reason.clone());
        }
        if let (Some(price), Some(currency)) = (item.unit_price, currency)
            && let Err(reason) = price.check(currency)
        {
            errors.add(format!("/lines/{index}/unit_price"), reason);
        }
    }
}
