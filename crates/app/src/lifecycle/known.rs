//! What decisions on a subscription depend on: settings, plans and coupon. It depends on no other part of the lifecycle.

use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{OrganizationId, PlanId};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::organizations::billing::OrganizationBilling;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::subscriptions::Subscription;
use perennial_store::{coupons, organizations, plans};
use std::sync::Arc;

/// The settings of an organization.
pub(crate) async fn settings(app: &App, organization: OrganizationId) -> Result<OrganizationBilling, Error> {
    let found = organizations::by_id(&app.db, organization).await?;
    Ok(found.map(|found| found.settings()).unwrap_or_default())
}

/// A plan by its ID.
pub(crate) async fn plan(app: &App, organization: OrganizationId, id: PlanId) -> Result<Option<Arc<Plan>>, Error> {
    Ok(plans::find(&app.db, organization, &PlanKey::Id(id)).await?.map(Arc::new))
}

/// What the next actions of a subscription depend on.
pub(crate) async fn known(catalog: &Catalog<'_>, subscription: &Subscription) -> Result<Known, Error> {
    let (app, organization) = (catalog.app, subscription.organization_id);
    let next = subscription.billing.as_deref().and_then(Billing::change_plan);
    let settings = catalog.organization().await?.map(|found| found.settings()).unwrap_or_default();
    // Only the end of a trial depends on the settings of the plan.
    let is_trial = subscription.billing.as_deref().is_some_and(|billing| billing.trial_ends_at.is_some());
    let own = if is_trial { plan(app, organization, subscription.plan_id).await? } else { None };
    let next = match next {
        Some(id) => plan(app, organization, id).await?,
        None => None,
    };
    let discount = subscription.billing.as_deref().and_then(|billing| billing.discount);
    let coupon = match discount {
        Some(discount) => coupons::by_id(&app.db, organization, discount.coupon_id).await?.map(Arc::new),
        None => None,
    };
    Ok(Known { settings, own, next, coupon, ..Known::default() })
}
