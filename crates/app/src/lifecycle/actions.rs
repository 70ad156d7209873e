//! Makes the actions of the engine: one action is one change, guarded by the revision of the subscription.
//!
//! What an action does is decided in `domain/lifecycle`. Here its references are read, and the record and its events are
//! committed together. A server that is not the first forgets its decision.

use super::known::known;
use super::{NAME, WithAccess, change_access};
use crate::audit::{json, system_event};
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use crate::invoices::documents;
use crate::invoices::forecast::forecast;
use crate::invoices::unit::{Cause, Unit};
use perennial_domain::credits::CreditReason;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, SubscriptionId};
use perennial_domain::invoices::record::InvoiceKind;
use perennial_domain::invoices::status::{InvoiceAction, InvoiceStatus};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::actions::{Action, Step};
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::lifecycle::forecast::Upcoming;
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::{Subscription, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, events, invoices, subscriptions};
use serde::Serialize;
use std::sync::Arc;

/// How long a failing action waits before it is tried again, so that it delays no other subscription.
const RETRY_SECONDS: i64 = 60;

/// Makes the earliest action of a subscription that is due. False if none is. True also if another writer was faster.
///
/// An action that fails in the engine is postponed, so that it delays no other subscription. After an hour in which others
/// succeeded, the subscription is parked.
pub(crate) async fn perform(
    catalog: &Arc<Catalog<'_>>,
    before: &Subscription,
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    let app = catalog.app;
    if before.billing.is_none() {
        return change_access(app, before, now, held).await;
    }
    match Box::pin(try_perform(catalog, before, now, held)).await {
        Ok(made) => {
            if made {
                app.action_failures.succeeded(before.id, app.clock.now());
            }
            Ok(made)
        }
        Err(error) if held.is_some() && is_of_the_record(&error) => {
            tracing::warn!(subscription = %before.id, organization = %before.organization_id, %error, "an action failed");
            if app.action_failures.failed(before.id, app.clock.now()) {
                return park(app, before, ParkReason::Failing, now, held).await;
            }
            let later = Some(now.plus_seconds(RETRY_SECONDS));
            commit(app, subscriptions::reschedule(fenced(held), before, later)).await.map(|_| false)
        }
        Err(error) => Err(error),
    }
}

/// Makes the earliest action of a subscription that is due at `now`, without a lease. False if none is.
pub async fn act_once(app: &App, organization: OrganizationId, id: SubscriptionId, now: Time) -> Result<bool, Error> {
    match subscriptions::by_id(&app.db, organization, id).await? {
        Some(subscription) => perform(&Arc::new(Catalog::new(app, organization)), &subscription, now, None).await,
        None => Ok(false),
    }
}

async fn try_perform(
    catalog: &Arc<Catalog<'_>>,
    before: &Subscription,
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    let (app, known) = (catalog.app, known(catalog, before).await?);
    if !before.is_behind(now) {
        // Imported without a due time, or the settings have changed.
        let due_at = before.due_time(&known.settings);
        if due_at != before.due_at {
            commit(app, subscriptions::reschedule(fenced(held), before, due_at)).await?;
        }
        return Ok(false);
    }
    match before.act(&known) {
        None => Ok(false),
        Some(Ok(step)) => Box::pin(write(catalog, before, step, &known, now, held)).await,
        Some(Err(reason)) => park(app, before, reason, now, held).await,
    }
}

/// Commits an action with its event, and the change of access after it.
async fn write(
    catalog: &Arc<Catalog<'_>>,
    before: &Subscription,
    step: Step,
    known: &Known,
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    let Step { action, at: instant, event: kind, mut after, access } = step;
    let app = catalog.app;
    let mut unit = Unit::with(Arc::clone(catalog), Cause::Engine, now);
    if let Err(error) = documents(&mut unit, before, &mut after).await {
        if !is_of_the_record(&error) {
            return Err(error);
        }
        tracing::warn!(subscription = %before.id, organization = %before.organization_id, %error, "no document can be made");
        return park(app, before, park_reason(&error), now, held).await;
    }
    let stamp = app.stamp(before, now);
    after.revision = stamp.revision;
    // A notice changes no field.
    if action != Action::Notice {
        after.updated_at = stamp.at;
    }
    let data = match action {
        Action::Notice => {
            let entries = forecast(catalog, &after, known, 1).await?;
            let upcoming = entries.into_iter().next().map(|(step, invoice)| Upcoming::of(&step, invoice));
            json(&WithUpcoming { subscription: &after, upcoming })
        }
        _ => json(&after),
    };
    let event = engine_event(before, kind, stamp, before.revision);
    let first = Event { before: Some(json(before)), after: Some(data), ..event };
    let mut last = None;
    if let Some(has_access) = access {
        let second = Stamp { at: stamp.at, ..stamp.next(now, app.entropy.id_bits()) };
        after.revision = second.revision;
        let event = engine_event(before, EventKind::SubscriptionAccessChanged, second, stamp.revision);
        last = Some(Event {
            before: Some(json(&WithAccess { subscription: &after, has_access: !has_access })),
            after: Some(json(&WithAccess { subscription: &after, has_access })),
            ..event
        });
    }
    let change = subscriptions::update(fenced(held), &after, before.revision);
    let change = last.iter().fold(events::insert(change, &first), events::insert).and(unit.change);
    let made = commit(app, change).await?;
    app.lifecycle.wake();
    app.background.set_access_lag(now.seconds_since(instant));
    app.background.lifecycle.count_transition(action.as_str());
    Ok(made)
}

pub(super) async fn park(
    app: &App,
    before: &Subscription,
    reason: ParkReason,
    now: Time,
    held: Option<&Held>,
) -> Result<bool, Error> {
    let stamp = app.stamp(before, now);
    let mut after = before.park(reason, now);
    (after.updated_at, after.revision) = (stamp.at, stamp.revision);
    let event = engine_event(before, EventKind::SubscriptionParked, stamp, before.revision);
    let event = Event { before: Some(json(before)), after: Some(json(&after)), ..event };
    let change = subscriptions::update(fenced(held), &after, before.revision);
    tracing::warn!(subscription = %before.id, organization = %before.organization_id, reason = reason.as_str(), "subscription parked");
    app.background.lifecycle.count_parked(reason.as_str());
    commit(app, events::insert(change, &event)).await
}

/// Adds the documents of a decision to a unit.
async fn documents(unit: &mut Unit<'_>, before: &Subscription, after: &mut Subscription) -> Result<(), Error> {
    documents::bill(unit, Some(before), after, None).await?;
    give_up_invoices(unit, before, after).await
}

/// The first invoice of an incomplete subscription that expires becomes void; if something was paid or credited,
/// uncollectible. Its draft is deleted. Invoices of callers stay.
pub(crate) async fn give_up_invoices(
    unit: &mut Unit<'_>,
    before: &Subscription,
    after: &Subscription,
) -> Result<(), Error> {
    if before.status != SubscriptionStatus::Incomplete || after.status != SubscriptionStatus::Expired {
        return Ok(());
    }
    let all = invoices::of_subscription(&unit.app.db, before.organization_id, before.id).await?;
    for invoice in all.into_iter().filter(|invoice| invoice.kind == InvoiceKind::Cycle) {
        match invoice.status {
            InvoiceStatus::Draft => unit.delete_invoice(&invoice),
            InvoiceStatus::Open => {
                let is_settled = invoice.is_partly_settled();
                let action = if is_settled { InvoiceAction::MarkUncollectible } else { InvoiceAction::Void };
                let mut ended = invoice.clone();
                if let Ok(outcome) = ended.act(action) {
                    let steps = outcome.steps(&ended);
                    unit.update_invoice(&invoice, steps, None);
                    if action == InvoiceAction::Void {
                        let (user, currency, record) = (invoice.user_id, invoice.currency, invoice.id.to_string());
                        unit.credit(user, currency, invoice.credit_applied, CreditReason::Returned, record);
                    }
                }
            }
            InvoiceStatus::Paid | InvoiceStatus::Uncollectible | InvoiceStatus::Void => {}
        }
    }
    Ok(())
}

/// True: committed, or another writer was faster.
pub(super) async fn commit(app: &App, change: Change) -> Result<bool, Error> {
    match app.db.commit(change).await {
        Ok(()) => Ok(true),
        Err(store::Error::Violated(Violation::Record | Violation::Number | Violation::Balance | Violation::Cycle)) => {
            app.background.lifecycle.count_miss();
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn fenced(held: Option<&Held>) -> Change {
    held.map_or_else(Change::new, |held| held.fence(Change::new()))
}

fn engine_event(subscription: &Subscription, kind: EventKind, stamp: Stamp, previous: EventId) -> Event {
    let organization = subscription.organization_id;
    let event = system_event(organization, kind, subscription.id.bytes(), stamp.revision, stamp.at);
    Event { request_id: Some(NAME.to_owned()), ..event.following(previous) }
}

/// Whether an error can be that of one record. Others end with the database's outage or the server's lease.
pub(super) fn is_of_the_record(error: &Error) -> bool {
    !matches!(error, Error::LeaseLost | Error::Overloaded | Error::Unavailable(_) | Error::OutcomeUnknown)
}

/// Why the subscription of a record that fails with this error is parked.
pub(super) const fn park_reason(error: &Error) -> ParkReason {
    match error {
        Error::Unbillable(reason) => *reason,
        _ => ParkReason::OutOfRange,
    }
}

/// A subscription and what happens to it next.
#[derive(Serialize)]
struct WithUpcoming<'a> {
    #[serde(flatten)]
    subscription: &'a Subscription,
    upcoming: Option<Upcoming>,
}
