//! What happens to subscriptions by the clock alone.
//!
//! A subscription stores when that is due. Each instant is one change, guarded by the revision of the record, so that it
//! happens exactly once, whatever the number of servers.

pub(crate) mod actions;
pub(crate) mod drafts;
pub(crate) mod failures;
pub(crate) mod invoices;
pub(crate) mod known;
mod made;
pub(crate) mod order;
pub(crate) mod turns;
mod unpark;

pub use actions::act_once;
pub use unpark::unpark;

use crate::audit::{json, system_event};
use crate::background::{Held, Job};
use crate::business_time::{self, BusinessTime};
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use made::Made;
use order::Due;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::OrganizationId;
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::leases::Unit;
use perennial_store::subscriptions::{self, Search};
use perennial_store::{self as store, Change, Violation, events, test_clocks};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

mod figures;
pub(crate) mod holds;
pub(crate) mod state;

pub use figures::count_lifecycle;
pub use holds::{HeldOrganization, LifecycleStatus, held, hold_restored, resume, status};
pub use state::LifecycleOptions;

const NAME: &str = "lifecycle";
/// Subscriptions of one turn of an organization.
pub(crate) const TURN: i64 = 256;
/// How long a record that cannot be read waits. After a repair of its row the engine continues by itself.
const INVALID_RETRY_SECONDS: i64 = 86_400;

/// The work on due subscriptions. A unit is an organization.
#[derive(Debug)]
pub struct Lifecycle;

impl Job for Lifecycle {
    const AT_ONCE: usize = 8;
    const LOOK_EVERY: Duration = Duration::from_secs(1);

    fn signal<'a>(&self, app: &'a App) -> Option<&'a Notify> {
        Some(&app.lifecycle.due)
    }

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        let began = Instant::now();
        holds::compare_clocks(app).await?;
        let now = app.clock.now();
        let may_be_due = subscriptions::any_due(&app.db, now).await?
            || store::invoices::any_due(&app.db, now).await?
            || test_clocks::any_idle(&app.db).await?;
        let found = if may_be_due { search(app, now, limit).await? } else { Vec::new() };
        app.lifecycle.set_found(found.len(), Self::AT_ONCE);
        app.background.lifecycle.passes.add(began.elapsed());
        Ok(found)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        let _turn = app.lifecycle.begin_turn();
        let organization = held.unit().organization;
        while !held.is_stopping() {
            let time = business_time::read(app, &Caller::system(organization)).await?;
            // A clock that moves has its own job.
            if !time.accepts_writes() || turn(app, organization, &time, held).await?.is_nothing() {
                return Ok(());
            }
            if app.lifecycle.is_crowded() {
                // The next search begins after this organization, so that the others come first.
                app.lifecycle.wake();
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Organizations with due work, beginning after the one at which the last search ended.
async fn search(app: &App, now: Time, limit: i64) -> Result<Vec<Unit>, Error> {
    let is_clock_wrong = app.lifecycle.is_clock_wrong();
    let last = app.lifecycle.last();
    let search =
        |after, limit| subscriptions::with_due(&app.db, Search { job: NAME, now, is_clock_wrong, after, limit });
    let mut found = search(last, limit).await?;
    let missing = limit - i64::try_from(found.len()).unwrap_or(i64::MAX);
    if missing > 0 && last != [0; 16] {
        let first = search([0; 16], missing).await?;
        found.extend(first.into_iter().filter(|unit| unit.id <= last));
    }
    app.lifecycle.set_last(found.last().map_or([0; 16], |unit| unit.id));
    Ok(found)
}

/// A turn of an organization: at most 256 subscriptions, oldest first.
async fn turn(app: &App, organization: OrganizationId, time: &BusinessTime, held: &Held) -> Result<Made, Error> {
    let billed_until = holds::billed_until(app, organization, time).await?;
    let due = due(app, organization, time.now, billed_until, TURN).await?;
    turns::act(app, &due, time.now, Some(held)).await
}

/// What is due in an organization at `now`; what is billed only if it was due until `billed_until`.
pub(crate) async fn due(
    app: &App,
    organization: OrganizationId,
    now: Time,
    billed_until: Time,
    limit: i64,
) -> Result<Due, Error> {
    let subscriptions = subscriptions::due(&app.db, organization, now, billed_until, limit);
    let invoices = store::invoices::due(&app.db, organization, now.min(billed_until), limit);
    let (subscriptions, invoices) = tokio::try_join!(subscriptions, invoices)?;
    let subscriptions = set_aside(app, organization, subscriptions, subscriptions::postpone, now).await?;
    let invoices = set_aside(app, organization, invoices, store::invoices::postpone, now).await?;
    Ok(Due { subscriptions, invoices, limit: usize::try_from(limit).unwrap_or(usize::MAX) })
}

/// The records that can be read. The others are postponed, so that they delay none of these.
async fn set_aside<R>(
    app: &App,
    organization: OrganizationId,
    found: Vec<Result<R, [u8; 16]>>,
    postpone: fn(Change, OrganizationId, [u8; 16], Time) -> Change,
    now: Time,
) -> Result<Vec<R>, Error> {
    let mut records = Vec::with_capacity(found.len());
    for row in found {
        match row {
            Ok(record) => records.push(record),
            Err(id) => {
                app.background.lifecycle.count_parked("invalid_record");
                let until = now.plus_seconds(INVALID_RETRY_SECONDS);
                app.db.commit(postpone(Change::new().background(), organization, id, until)).await?;
            }
        }
    }
    Ok(records)
}

/// Makes the late actions of a subscription that a caller is about to change. False if none is late.
pub(crate) async fn catch_up(app: &App, before: &Subscription, now: Time) -> Result<bool, Error> {
    if before.billing.is_none() {
        return change_access(app, before, now, None).await;
    }
    // The instant decides, and not the due time: that of a renewal can be later, if the organization spreads them.
    let own = before.next_action().map(|(_, at)| at).filter(|at| *at <= now);
    let of_invoices = turns::first_due(app, before, now).await?;
    let Some(first) = own.into_iter().chain(of_invoices).min() else { return Ok(false) };
    let until = holds::admitted_until(app, before.organization_id).await?.min(now);
    if first > until {
        return Err(Conflict::LifecycleBehind.into());
    }
    turns::catch_up(app, before, until, now).await
}

/// The same for a caller who is about to change something else of the subscription: an invoice or a credit note.
pub(crate) async fn catch_up_for(app: &App, caller: &Caller, subscription: &Subscription) -> Result<bool, Error> {
    let time = business_time::read(app, caller).await?;
    match caller.is_dry_run {
        true if is_behind(app, subscription, time.now).await? => Err(Conflict::LifecycleBehind.into()),
        false if time.accepts_writes() => Box::pin(catch_up(app, subscription, time.now)).await,
        _ => Ok(false),
    }
}

/// The same for a caller whose write depends on the state of the subscription's invoices: a dry run is rejected if a draft is due,
/// too.
pub(crate) async fn catch_up_invoices_for(
    app: &App,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<bool, Error> {
    let now = business_time::now(app, caller).await?;
    if caller.is_dry_run && is_behind_with_drafts(app, subscription, now).await? {
        return Err(Conflict::LifecycleBehind.into());
    }
    catch_up_for(app, caller, subscription).await
}

/// Whether an action of a subscription or a step of its invoices is due, drafts included.
pub(crate) async fn is_behind_with_drafts(app: &App, subscription: &Subscription, now: Time) -> Result<bool, Error> {
    Ok(subscription.is_behind(now)
        || (subscription.billing.is_some() && turns::has_due_invoice(app, subscription, now).await?))
}

/// Whether an action of a subscription or a step of its issued invoices is due. A draft that is due decides nothing.
pub(crate) async fn is_behind(app: &App, subscription: &Subscription, now: Time) -> Result<bool, Error> {
    Ok(subscription.is_behind(now)
        || (subscription.billing.is_some() && turns::has_due_step(app, subscription, now).await?))
}

/// Commits the change of access that is due. False if none is. True also if another writer was faster.
async fn change_access(app: &App, before: &Subscription, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    let Some((after, has_access)) = before.change_access(now) else { return Ok(false) };
    let Stamp { at, revision } = app.stamp(before, now);
    let after = Subscription { revision, ..after };
    let organization = before.organization_id;
    let kind = EventKind::SubscriptionAccessChanged;
    let event = system_event(organization, kind, before.id.bytes(), revision, at).following(before.revision);
    let event = Event {
        request_id: Some(NAME.to_owned()),
        before: Some(json(&WithAccess { subscription: before, has_access: !has_access })),
        after: Some(json(&WithAccess { subscription: &after, has_access })),
        ..event
    };
    let change = held.map_or_else(Change::new, |held| held.fence(Change::new()));
    let change = subscriptions::update(change, &after, before.revision);
    match app.db.commit(events::insert(change, &event)).await {
        Ok(()) => {
            app.background.set_access_lag(before.due_at.map_or(0, |due| now.seconds_since(due)));
            app.background.lifecycle.count_transition("access_change");
            Ok(true)
        }
        Err(store::Error::Violated(Violation::Record)) => {
            app.background.lifecycle.count_miss();
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

/// A subscription and its access at the instant of the change, which cannot be computed from the time of a late event.
#[derive(Serialize)]
struct WithAccess<'a> {
    #[serde(flatten)]
    subscription: &'a Subscription,
    has_access: bool,
}
