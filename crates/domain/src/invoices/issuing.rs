//! Issuing: a draft becomes an invoice whose lines, amounts and parties never change again.

use super::discounts::{Discount, DiscountLine, discounts};
use super::dunning::{AtDeadline, CollectBy, DunningRules, Schedule};
use super::items::TaxSource;
use super::record::{Buyer, Invoice, InvoiceKind, InvoiceLine, Rates, Rendering, Seller, TEMPLATE};
use super::status::InvoiceStatus;
use super::totals::credit_applied;
use super::{Amount, LineKind, Percentage, Result};
use crate::billing_profiles::BillingProfile;
use crate::coupons::Coupon;
use crate::currency::Currency;
use crate::id::{PlanId, TaxRateId};
use crate::lifecycle::billing::Collection;
use crate::organizations::billing::OrganizationBilling;
use crate::plans::billing::{AfterDunning, Dunning};
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::text::Line;
use crate::time::Time;
use std::collections::HashMap;

/// What issuing an invoice depends on, in addition to its draft.
#[derive(Clone, Debug)]
pub struct IssueContext {
    /// When it is issued.
    pub now: Time,
    /// The lines of the usage in its window, before discount and tax.
    pub usage: Vec<InvoiceLine>,
    /// The coupon of the draft.
    pub coupon: Option<Coupon>,
    /// Which tax rates lines have.
    pub source: TaxSource,
    /// The tax rates of each plan that a line names, and of the subscription's plan.
    pub plan_rates: HashMap<PlanId, Vec<TaxRateId>>,
    /// The tax rates that exist.
    pub rates: Rates,
    /// The balance of the user.
    pub balance: Amount,
    /// The settings of the organization.
    pub settings: OrganizationBilling,
    /// The payment terms and the dunning of the subscription's plan.
    pub plan_terms: Option<i64>,
    /// See above.
    pub plan_dunning: Option<Dunning>,
    /// Whether the organization is for tests.
    pub is_test: bool,
    /// The buyer.
    pub buyer: Buyer,
}

impl IssueContext {
    /// The tax rates of a line, read now.
    fn rates_of(&self, invoice: &Invoice, index: usize, line: &InvoiceLine, own_plan: PlanId) -> Vec<TaxRateId> {
        match (line.kind, invoice.chosen_rates_of(index)) {
            (LineKind::ProrationCredit, _) => line.tax_rate_ids.clone(),
            (LineKind::Item, Some(own)) => self.source.of_item(own),
            (LineKind::Item | LineKind::Fee | LineKind::Usage | LineKind::ProrationCharge, _) => {
                let plan = line.subscription_plan_id.unwrap_or(own_plan);
                self.source.of_plan(self.plan_rates.get(&plan).map_or(&[], Vec::as_slice))
            }
        }
    }

    /// How the document is rendered.
    pub fn rendering(&self) -> Rendering {
        Rendering { template: TEMPLATE, time_zone: self.settings.time_zone.as_str().to_owned(), is_test: self.is_test }
    }

    /// The seller.
    pub fn seller(&self) -> Seller {
        self.settings.seller.clone()
    }
}

impl Invoice {
    /// The invoice after it was issued, without a number. None: it has no lines, so that the draft is deleted.
    pub fn issue(&self, subscription: &Subscription, context: &IssueContext) -> Result<Option<Self>> {
        let mut issued = self.clone();
        issued.complete_lines(subscription.plan_id, context)?;
        if issued.lines.is_empty() {
            return Ok(None);
        }
        let now = context.now;
        issued.credit_applied = credit_applied(context.balance, issued.sums.total);
        issued.status = InvoiceStatus::Open;
        issued.issued_at = Some(now);
        let collection = subscription.billing.as_deref().map(|billing| billing.collection).unwrap_or_default();
        issued.collection = Some(collection);
        let rules = rules(context.plan_dunning.as_ref().unwrap_or(&context.settings.dunning));
        let terms = self.terms.or(context.plan_terms).unwrap_or_else(|| context.settings.payment_terms_days.get());
        let is_first = subscription.status == SubscriptionStatus::Incomplete && self.kind == InvoiceKind::Cycle;
        let is_due = issued.amount_due() > Amount::ZERO;
        let schedule = Schedule::issue(collect_by(collection), rules, terms, is_first, is_due, now)?;
        issued.due_at = Some(schedule.due_at);
        issued.schedule = Some(schedule);
        issued.seller = Some(context.seller());
        issued.buyer = Some(context.buyer.clone());
        issued.rendering = context.rendering();
        if !is_due {
            (issued.status, issued.paid_at) = (InvoiceStatus::Paid, Some(now));
        }
        Ok(Some(issued))
    }

    /// Adds the usage, reads the tax rates and computes everything again.
    pub fn complete_lines(&mut self, own_plan: PlanId, context: &IssueContext) -> Result<()> {
        self.lines.extend(context.usage.iter().cloned());
        for index in 0..self.lines.len() {
            self.lines[index].tax_rate_ids = context.rates_of(self, index, &self.lines[index], own_plan);
        }
        let is_new_period = self.kind == InvoiceKind::Cycle || self.begins_period;
        discount(&mut self.lines, context.coupon.as_ref(), is_new_period, self.currency)?;
        if self.period_start.is_none() {
            let usage = self.lines.iter().filter(|line| line.kind == LineKind::Usage);
            self.period_start = usage.clone().filter_map(|line| line.period_start).min();
            self.period_end = usage.filter_map(|line| line.period_end).max();
        }
        self.compute(&context.rates)
    }
}

/// Sets the discounts of lines. An amount is for cycle invoices and for changes that begin a new period.
pub fn discount(
    lines: &mut [InvoiceLine],
    coupon: Option<&Coupon>,
    is_new_period: bool,
    currency: Currency,
) -> Result<()> {
    let Some(coupon) = coupon else { return Ok(()) };
    let discount = match (coupon.percent, coupon.amount) {
        (Some(percent), _) => Percentage::from_ten_thousandths(percent.ten_thousandths()).map(Discount::Percent),
        (None, Some(amount)) if is_new_period => Some(Discount::Amount(amount.into())),
        _ => None,
    };
    let Some(discount) = discount else { return Ok(()) };
    let discounted: Vec<DiscountLine> = lines
        .iter()
        .map(|line| DiscountLine {
            kind: line.kind,
            amount: line.amount,
            is_eligible: line.subscription_plan_id.is_some_and(|plan| coupon.is_for(plan)),
        })
        .collect();
    for (line, discount) in lines.iter_mut().zip(discounts(discount, &discounted, currency)?) {
        line.discount = discount;
    }
    Ok(())
}

/// Collection as the schedule names it.
pub const fn collect_by(collection: Collection) -> CollectBy {
    match collection {
        Collection::Automatic => CollectBy::Automatic,
        Collection::Manual => CollectBy::Manual,
    }
}

fn rules(dunning: &Dunning) -> DunningRules {
    DunningRules {
        retry_days: dunning.retry_days.iter().map(|day| day.get()).collect(),
        grace_days: dunning.grace_days.get(),
        then: match dunning.then {
            AfterDunning::Unpaid => AtDeadline::Unpaid,
            AfterDunning::Expire => AtDeadline::Expire,
        },
    }
}

impl Buyer {
    /// The buyer of a billing profile.
    pub fn of(profile: &BillingProfile) -> Self {
        let fields = &profile.fields;
        Self {
            name: fields.name.as_ref().map(|name| name.as_str().to_owned()),
            email: fields.email.as_ref().map(|email| email.as_str().to_owned()),
            address: fields.address.iter().map(|line| Line::as_str(line).to_owned()).collect(),
            country: fields.country.as_ref().map(|country| country.as_str().to_owned()),
            tax_id: fields.tax_id.as_ref().map(|id| id.as_str().to_owned()),
            tax_exempt: fields.tax_exempt,
            locale: fields.locale.map(|locale| locale.as_str().to_owned()),
            note: fields.note.as_ref().map(|note| note.as_str().to_owned()),
        }
    }
}
