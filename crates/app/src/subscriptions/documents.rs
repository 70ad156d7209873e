//! The documents of a write: invoices and credit notes that a create or an update of a billed subscription makes.

use super::references::References;
use crate::business_time;
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::invoices::documents;
use crate::invoices::dry_run;
use crate::invoices::unit::{Cause, Unit};
use crate::lifecycle::{self, actions::give_up_invoices};
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
        dry_run::report(&mut unit, caller, after).await?;
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

/// Rejects a write that needs a subscription without drafts and open invoices.
pub(super) async fn check_no_open(app: &App, subscription: &Subscription) -> Result<(), Error> {
    if invoices::has_open(&app.db, subscription.organization_id, subscription.id).await? {
        // A draft that is due may be paid when it is issued.
        let now = business_time::now_of(app, subscription.organization_id).await?;
        let is_behind = lifecycle::is_behind_with_drafts(app, subscription, now).await?;
        return Err(if is_behind { Conflict::LifecycleBehind } else { Conflict::HasOpenInvoices }.into());
    }
    Ok(())
}
