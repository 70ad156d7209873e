//! Makes documents of what a decision bills: drafts of cycle and change invoices, and credit notes of changes.

use super::context::issue_context;
use super::unit::Unit;
use super::versions::{Priced, version};
use crate::credit_notes::of_change::{self, ChangeNote};
use crate::error::Error;
use perennial_domain::coupons::Coupon;
use perennial_domain::id::{CouponId, EventId, InvoiceId};
use perennial_domain::invoices::fees::{Change as Changed, Charge, PayingLine, Span};
use perennial_domain::invoices::record::{Invoice, InvoiceKind, InvoiceLine};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::invoices::{Amount, Decimal, LineKind, Result as Exactly};
use perennial_domain::lifecycle::bill::{Bill, BilledCharge, BilledPart, LineTax, Paying};
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{coupons, invoices, users};

/// Adds the documents of a decision to a unit, and stores in the subscription what pays for its period. `written_at` is the
/// instant of a caller's write.
pub(crate) async fn bill(
    unit: &mut Unit<'_>,
    before: Option<&Subscription>,
    after: &mut Subscription,
    written_at: Option<Time>,
) -> Result<(), Error> {
    let bills = after.take_bills();
    if bills.is_empty() {
        return Ok(());
    }
    let is_new = before.is_none();
    // No document is created for an erased user.
    if !is_new && !users::exists(&unit.app.db, after.organization_id, after.user_id).await? {
        return Ok(());
    }
    for bill in bills {
        match bill {
            Bill::Period { at, end, cycle, parts, coupon } => {
                let period = NewPeriod { at, end, cycle, coupon, written_at };
                period_invoice(unit, after, period, parts).await?;
            }
            Bill::Usage { at, parts, coupon } => usage_invoice(unit, after, at, parts, coupon).await?,
            Bill::Change { at, renews_at, paying, charge, coupon, in_period } => {
                let change = PlanChange { at, renews_at, paying, charge, coupon, in_period };
                change_document(unit, after, change, written_at).await?;
            }
        }
    }
    Ok(())
}

struct NewPeriod {
    at: Time,
    end: Option<Time>,
    cycle: i64,
    coupon: Option<CouponId>,
    written_at: Option<Time>,
}

struct PlanChange {
    at: Time,
    renews_at: Option<Time>,
    paying: Option<Paying>,
    charge: BilledCharge,
    coupon: Option<CouponId>,
    in_period: Option<Time>,
}

/// The plan version of a subscription.
async fn own_version(unit: &Unit<'_>, subscription: &Subscription) -> Result<Priced, Error> {
    let found = version(&unit.catalog, subscription.plan_id, subscription.plan_version).await?;
    found.ok_or(Error::Unbillable(ParkReason::MissingPlan))
}

/// The parts of a window if the plan version of one has charges. The others stay: the window closes at the end of the last one.
async fn charged_parts(unit: &Unit<'_>, parts: Vec<BilledPart>) -> Result<Vec<BilledPart>, Error> {
    let mut is_charged = false;
    for part in &parts {
        let found = version(&unit.catalog, part.plan_id, part.version).await?;
        is_charged |= !found.ok_or(Error::Unbillable(ParkReason::MissingPlan))?.charges.is_empty();
    }
    Ok(if is_charged { parts } else { Vec::new() })
}

async fn period_invoice(
    unit: &mut Unit<'_>,
    after: &mut Subscription,
    period: NewPeriod,
    parts: Vec<BilledPart>,
) -> Result<(), Error> {
    let NewPeriod { at, end, cycle, coupon, written_at } = period;
    let priced = own_version(unit, after).await?;
    let quantity = after.details.quantity.get();
    let amount = fee(&priced, quantity, at, end, cycle)?;
    let parts = charged_parts(unit, parts).await?;
    if amount.is_zero() && parts.is_empty() {
        return Ok(());
    }
    let mut draft = new_draft(unit, after, &priced, InvoiceKind::Cycle);
    draft.cycle_at = Some(at);
    draft.in_period = Some(at);
    draft.coupon_id = coupon;
    let hours = settings_hours(unit).await?;
    let settled = written_at.unwrap_or(at);
    draft.finalizes_at = Some(if parts.is_empty() { settled } else { at.plus_seconds(hours * 3_600) });
    draft.parts = parts;
    if !amount.is_zero() {
        (draft.period_start, draft.period_end) = (Some(at), end);
        draft.lines.push(plan_line(LineKind::Fee, &priced, quantity, amount, at, end));
    }
    complete(unit, after, &mut draft).await?;
    set_paying(after, &draft, LineKind::Fee, at, &priced)?;
    unit.create_invoice(&draft);
    Ok(())
}

async fn settings_hours(unit: &Unit<'_>) -> Result<i64, Error> {
    let found = unit.catalog.organization().await?.ok_or(Error::NotFound)?;
    Ok(found.settings().draft_hours.get())
}

/// A cycle invoice without a fee.
async fn usage_invoice(
    unit: &mut Unit<'_>,
    after: &Subscription,
    at: Time,
    parts: Vec<BilledPart>,
    coupon: Option<CouponId>,
) -> Result<(), Error> {
    let parts = charged_parts(unit, parts).await?;
    if parts.is_empty() {
        return Ok(());
    }
    let priced = own_version(unit, after).await?;
    let mut draft = new_draft(unit, after, &priced, InvoiceKind::Cycle);
    draft.cycle_at = Some(at);
    draft.in_period = after.billing.as_deref().and_then(|billing| billing.period_start);
    draft.coupon_id = percent_coupon(unit, coupon).await?.map(|coupon| coupon.id);
    draft.finalizes_at = Some(at.plus_seconds(settings_hours(unit).await? * 3_600));
    draft.parts = parts;
    unit.create_invoice(&draft);
    Ok(())
}

async fn percent_coupon(unit: &Unit<'_>, coupon: Option<CouponId>) -> Result<Option<Coupon>, Error> {
    let Some(id) = coupon else { return Ok(None) };
    let found = coupons::by_id(&unit.app.db, unit.organization, id).await?;
    Ok(found.filter(|coupon| coupon.percent.is_some()))
}

/// The invoice or credit note of a change.
async fn change_document(
    unit: &mut Unit<'_>,
    after: &mut Subscription,
    change: PlanChange,
    written_at: Option<Time>,
) -> Result<(), Error> {
    let PlanChange { at, renews_at, paying, charge, coupon, in_period } = change;
    let priced = own_version(unit, after).await?;
    let quantity = after.details.quantity.get();
    let source = match &paying {
        Some(paying) => invoices::by_id(&unit.app.db, unit.organization, paying.invoice_id).await?,
        None => None,
    };
    // Nothing is credited for what a void or uncollectible invoice should have paid.
    let is_paid_for = source
        .as_ref()
        .is_some_and(|invoice| !matches!(invoice.status, InvoiceStatus::Void | InvoiceStatus::Uncollectible));
    let paying = paying.filter(|_| is_paid_for);
    let line = PayingLine {
        net: paying.as_ref().map_or(Amount::ZERO, |paying| paying.net),
        from: paying.as_ref().map_or(at, |paying| paying.from),
        paused: Span::from_micros(paying.as_ref().map_or(0, |paying| paying.paused)),
    };
    let (billed, end) = match charge {
        BilledCharge::Rest(cycle) => (Charge::Rest(Span::from_micros(cycle)), renews_at),
        BilledCharge::Period(Some(end), cycle) => {
            (Charge::Period(Span::between(at, end), Span::from_micros(cycle)), Some(end))
        }
        BilledCharge::Period(None, _) => (Charge::Lifetime, None),
        BilledCharge::Nothing => (Charge::Nothing, None),
    };
    let changed = Changed { at, renews_at, paying: line, price: priced.units(quantity), charge: billed };
    let proration = changed.proration()?;
    let begins_period = matches!(billed, Charge::Period(..) | Charge::Lifetime);
    let mut draft = new_draft(unit, after, &priced, InvoiceKind::Change);
    draft.in_period = in_period;
    draft.begins_period = begins_period;
    draft.coupon_id = coupon;
    draft.finalizes_at = Some(written_at.unwrap_or(at));
    if let (Some(paying), false) = (&paying, proration.credit.is_zero()) {
        let credit = credit_line(unit, paying, source.as_ref(), proration.credit, at, renews_at).await?;
        draft.source_invoice_id = Some(paying.invoice_id);
        draft.lines.push(credit);
        if let Some(source) = &source {
            // Decided again if the invoice becomes void or uncollectible before the commit.
            unit.touch_invoice(source, source);
        }
    }
    if !proration.charge.is_zero() {
        (draft.period_start, draft.period_end) = (Some(at), end);
        draft.lines.push(plan_line(LineKind::ProrationCharge, &priced, quantity, proration.charge, at, end));
    } else if !draft.lines.is_empty() {
        (draft.period_start, draft.period_end) = (Some(at), renews_at);
    }
    if draft.lines.is_empty() {
        if let Some(billing) = &mut after.billing {
            billing.paying = None;
        }
        return Ok(());
    }
    complete(unit, after, &mut draft).await?;
    if draft.sums.discount.is_zero() {
        // An amount is not taken off within a period, and a percentage not off a plan that the coupon is not for.
        draft.coupon_id = None;
    }
    set_paying(after, &draft, LineKind::ProrationCharge, at, &priced)?;
    if draft.sums.total.is_negative() {
        if let Some(billing) = after.billing.as_mut() {
            // The paying line keeps the invoice that the credit reduces, which does not have its tax.
            if let (Some(now), Some(paid)) = (&mut billing.paying, &paying) {
                now.invoice_id = paid.invoice_id;
                let line = draft.lines.iter().find(|line| line.kind == LineKind::ProrationCharge);
                now.tax = line.map(tax_of);
            }
        }
        return of_change::issue_of_change(unit, after, ChangeNote { draft, source }).await;
    }
    unit.create_invoice(&draft);
    Ok(())
}

/// The credit line has the plan of the paying line, and the tax of the line that it reverses.
async fn credit_line(
    unit: &Unit<'_>,
    paying: &Paying,
    source: Option<&Invoice>,
    amount: Amount,
    at: Time,
    renews_at: Option<Time>,
) -> Result<InvoiceLine, Error> {
    let reversed = source.and_then(|invoice| {
        let lines = || invoice.lines.iter().filter(|line| line.kind.is_for_time() && !line.amount.is_negative());
        let is_same = |line: &&InvoiceLine| {
            line.subscription_plan_id == Some(paying.plan_id) && line.plan_version == Some(paying.version)
        };
        lines().find(is_same).or_else(|| lines().next())
    });
    let tax = paying.tax.clone().or_else(|| reversed.map(tax_of));
    let priced = version(&unit.catalog, paying.plan_id, paying.version).await?;
    Ok(InvoiceLine {
        kind: LineKind::ProrationCredit,
        description: priced.as_ref().map(|priced| priced.name.clone()).unwrap_or_default(),
        subscription_plan_id: Some(paying.plan_id),
        plan_version: Some(paying.version),
        meter_id: None,
        quantity: None,
        unit_price: None,
        amount,
        discount: Amount::ZERO,
        tax_behavior: tax.as_ref().map(|tax| tax.behavior).unwrap_or_default(),
        tax_rate_ids: tax.map(|tax| tax.rate_ids).unwrap_or_default(),
        period_start: Some(at),
        period_end: renews_at,
        source_invoice_id: Some(paying.invoice_id),
    })
}

fn tax_of(line: &InvoiceLine) -> LineTax {
    LineTax { behavior: line.tax_behavior, rate_ids: line.tax_rate_ids.clone() }
}

fn new_draft(unit: &Unit<'_>, subscription: &Subscription, priced: &Priced, kind: InvoiceKind) -> Invoice {
    let (app, now) = (unit.app, unit.now);
    let id = InvoiceId::new(now, app.entropy.id_bits());
    Invoice::draft(subscription, priced.currency, kind, id, EventId::new(now, app.entropy.id_bits()), now)
}

fn fee(priced: &Priced, quantity: i64, at: Time, end: Option<Time>, cycle: i64) -> Exactly<Amount> {
    let price = priced.units(quantity);
    match end {
        Some(end) if cycle > 0 => price.of_part(Span::between(at, end), Span::from_micros(cycle)),
        Some(_) | None => price.full(),
    }
}

fn plan_line(
    kind: LineKind,
    priced: &Priced,
    quantity: i64,
    amount: Amount,
    start: Time,
    end: Option<Time>,
) -> InvoiceLine {
    InvoiceLine {
        kind,
        description: priced.name.clone(),
        subscription_plan_id: Some(priced.plan_id),
        plan_version: Some(priced.version),
        meter_id: None,
        quantity: Some(Decimal::from(quantity)),
        unit_price: Some(priced.price.into()),
        amount,
        discount: Amount::ZERO,
        tax_behavior: priced.tax_behavior,
        tax_rate_ids: Vec::new(),
        period_start: Some(start),
        period_end: end,
        source_invoice_id: None,
    }
}

/// Sets discounts, taxes and sums of a draft, without usage.
async fn complete(unit: &Unit<'_>, subscription: &Subscription, draft: &mut Invoice) -> Result<(), Error> {
    let context = issue_context(&unit.catalog, subscription, draft, Vec::new(), unit.now).await?;
    Ok(draft.complete_lines(subscription.plan_id, &context)?)
}

/// The line that pays for the rest of the period from now on.
fn set_paying(
    subscription: &mut Subscription,
    draft: &Invoice,
    kind: LineKind,
    from: Time,
    priced: &Priced,
) -> Result<(), Error> {
    let line = draft.lines.iter().find(|line| line.kind == kind);
    let paying = match line {
        Some(line) => Some(Paying {
            net: line.net()?,
            from,
            paused: 0,
            invoice_id: draft.id,
            plan_id: priced.plan_id,
            version: priced.version,
            tax: None,
        }),
        None => None,
    };
    if let Some(billing) = &mut subscription.billing {
        billing.paying = paying;
    }
    Ok(())
}
