//! Who may write: while its connection is enabled, a record that follows a provider is changed by the provider only.

use super::cache::has_enabled;
use super::known;
use crate::context::App;
use crate::error::{Conflict, Error};
use perennial_domain::id::{ConnectionId, OrganizationId};
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::Subscription;
use perennial_store::{connection_collections, connection_links};

/// Rejects a change of what a provider reports of a subscription. `after` is none for a deletion.
pub(crate) async fn check_subscription(
    app: &App,
    before: &Subscription,
    after: Option<&Subscription>,
) -> Result<(), Error> {
    let Some(connection) = before.managed_by else { return Ok(()) };
    // Two systems would charge the customer, also if one of them is not listened to now.
    if before.billing.is_none() && after.is_some_and(|after| after.billing.is_some()) {
        return Err(Conflict::ProviderManaged(connection).into());
    }
    let reported = |record: &Subscription| {
        let Subscription { status, plan_id, plan_version, billing_cycle, starts_at, renews_at, ends_at, .. } = *record;
        (status, plan_id, plan_version, billing_cycle, starts_at, renews_at, ends_at)
    };
    let is_same = |after: &Subscription| {
        reported(before) == reported(after) && before.details == after.details && before.billing == after.billing
    };
    if after.is_some_and(is_same) {
        return Ok(());
    }
    let known = known(app).await?;
    match known.get(&connection).filter(|open| open.connection.organization_id == before.organization_id) {
        Some(open) if open.connection.is_enabled => Err(Conflict::ProviderManaged(connection).into()),
        _ => Ok(()),
    }
}

/// Rejects a change of what a provider reports of a payment.
pub(crate) async fn check_payment(app: &App, before: &Payment, after: Option<&Payment>) -> Result<(), Error> {
    let reported =
        |record: &Payment| (record.status, record.amount, record.currency, record.external_payment_id.clone());
    if after.is_some_and(|after| reported(before) == reported(after)) {
        return Ok(());
    }
    if before.status == PaymentStatus::Processing {
        check_collected(app, before).await?;
    }
    check_linked(app, before.organization_id, before.id.bytes()).await
}

/// Rejects the collection of a payment that a provider charges, or whose last collection has not ended.
pub(super) async fn check_collection(app: &App, payment: &Payment) -> Result<(), Error> {
    check_collected(app, payment).await?;
    check_linked(app, payment.organization_id, payment.id.bytes()).await
}

/// A payment that is being collected counts as linked.
async fn check_collected(app: &App, payment: &Payment) -> Result<(), Error> {
    let last = connection_collections::last(&app.db, payment.organization_id, payment.id).await?;
    let Some(last) = last.filter(|last| !last.is_settled()) else { return Ok(()) };
    match known(app).await?.get(&last.connection_id) {
        Some(open) if open.connection.is_enabled => Err(Conflict::ProviderManaged(last.connection_id).into()),
        _ => Ok(()),
    }
}

/// Rejects a change of what a provider reports of a plan.
pub(crate) async fn check_plan(app: &App, before: &Plan, after: Option<&Plan>) -> Result<(), Error> {
    let reported = |record: &Plan| (record.price, record.billing_cycle, record.is_active);
    if after.is_some_and(|after| reported(before) == reported(after)) {
        return Ok(());
    }
    check_linked(app, before.organization_id, before.id.bytes()).await
}

/// Rejects the change if the record has a link of an enabled connection. An organization without one costs no read.
async fn check_linked(app: &App, organization: OrganizationId, record: [u8; 16]) -> Result<(), Error> {
    match followed(app, organization, record).await? {
        Some(connection) => Err(Conflict::ProviderManaged(connection).into()),
        None => Ok(()),
    }
}

/// The enabled connection that a record follows.
pub(super) async fn followed(
    app: &App,
    organization: OrganizationId,
    record: [u8; 16],
) -> Result<Option<ConnectionId>, Error> {
    let known = known(app).await?;
    if !has_enabled(&known, organization) {
        return Ok(None);
    }
    let is_enabled = |id: &ConnectionId| known.get(id).is_some_and(|open| open.connection.is_enabled);
    let links = connection_links::of_record(&app.db, organization, record).await?;
    Ok(links.iter().map(|link| link.connection_id).find(is_enabled))
}
