//! The documents of a write: invoices and credit notes that a create or an update of a billed subscription makes.

use super::references::References;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::invoices::documents;
use crate::invoices::issue::preview;
use crate::invoices::unit::{Cause, Unit};
use crate::invoices::usage;
use crate::lifecycle::actions::give_up_invoices;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{Change, coupons, invoices};

/// What a write of a subscription changes in other records.
pub(super) async fn effects(
    app: &App,
    caller: &Caller,
    after: &mut Subscription,
    before: Option<&Subscription>,
    references: &References,
    now: Time,
) -> Result<Change, Error> {
    let mut unit = Unit::new(app, after.organization_id, Cause::Caller(caller), now);
    if let Some(coupon) = &references.coupon {
        if coupon.availability(now).is_err() {
            return Err(Conflict::CouponUnavailable.into());
        }
        unit.add(|change| coupons::redeem(change, after.organization_id, coupon.id, now));
    }
    documents::bill(&mut unit, before, after, Some(now)).await.map_err(rejected)?;
    if let Some(before) = before {
        give_up_invoices(&mut unit, before, after).await?;
    }
    if caller.is_dry_run {
        let mut issued = Vec::new();
        for draft in &unit.invoices {
            issued.extend(shown(&unit.catalog, draft, after, now).await?);
        }
        caller.tried.set(issued, std::mem::take(&mut unit.notes));
    }
    Ok(unit.change)
}

/// A caller's write that cannot be billed is rejected; the engine parks a subscription for the same reason.
fn rejected(error: Error) -> Error {
    if error != Error::Unbillable(ParkReason::OutOfRange) {
        return error;
    }
    let mut errors = ValidationErrors::none();
    errors.note("/quantity", ValidationCode::OutOfRange, "makes an amount larger than 999999999999");
    errors.into()
}

/// A draft as it would be issued, without a number.
async fn shown(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    subscription: &Subscription,
    now: Time,
) -> Result<Option<Invoice>, Error> {
    if draft.status != InvoiceStatus::Draft {
        return Ok(Some(draft.clone()));
    }
    let until = draft.cycle_at.unwrap_or(now);
    let usage = usage::lines(catalog, draft.subscription_id, &draft.parts, until).await?;
    preview(catalog, draft, subscription, usage, now).await
}

/// Rejects a write that needs a subscription without drafts and open invoices.
pub(super) async fn check_no_open(app: &App, subscription: &Subscription) -> Result<(), Error> {
    if subscription.billing.is_some()
        && invoices::has_open(&app.db, subscription.organization_id, subscription.id).await?
    {
        return Err(Conflict::HasOpenInvoices.into());
    }
    Ok(())
}
