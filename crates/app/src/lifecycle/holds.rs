//! Organizations on hold: what is late, a wrong clock, and the operator's release.

use crate::business_time::{self, BusinessTime};
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use perennial_domain::holds::{Hold, HoldReason, clocks_differ, late_before};
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::time::Time;
use perennial_store::subscriptions::{self, Backlog};
use perennial_store::{Change, examine, holds, invoices};
use serde::Serialize;

pub use perennial_store::holds::HeldOrganization;

/// The state of an organization's lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LifecycleStatus {
    /// The instant that is now for the organization.
    pub now: Time,
    /// Whether it is live or for tests.
    pub mode: OrganizationMode,
    /// Whether it is on hold.
    pub held: bool,
    /// Why.
    pub held_reason: Option<HoldReason>,
    /// The number of subscriptions and invoices with something due.
    pub due: i64,
    /// How late the oldest of it is.
    pub lag_seconds: i64,
    /// The number of parked subscriptions.
    pub parked: i64,
}

/// The state of an organization's lifecycle.
pub async fn status(app: &App, organization: &Organization) -> Result<LifecycleStatus, Error> {
    let time = business_time::read(app, &Caller::system(organization.id)).await?;
    let hold = holds::find(&app.db, organization.id).await?;
    let held_reason = match hold.reason {
        None if !time.has_clock() && is_clock_wrong(app).await? => Some(HoldReason::ClockDifference),
        reason => reason,
    };
    let of_invoices = invoices::backlog(&app.db, organization.id, time.now).await?;
    let Backlog { due, since } = subscriptions::backlog(&app.db, organization.id, time.now).await?.and(of_invoices);
    Ok(LifecycleStatus {
        now: time.now,
        mode: organization.mode,
        held: held_reason.is_some(),
        held_reason,
        due,
        lag_seconds: since.map_or(0, |since| time.now.seconds_since(since)),
        parked: subscriptions::parked(&app.db, organization.id).await?,
    })
}

/// Releases what an organization has due until `through`, or until now, and returns the state after it.
pub async fn resume(app: &App, organization: &Organization, through: Option<Time>) -> Result<LifecycleStatus, Error> {
    let now = business_time::now_of(app, organization.id).await?;
    let hold = holds::find(&app.db, organization.id).await?.release(through.unwrap_or(now), now);
    app.db.commit(holds::put(Change::new(), &hold)).await?;
    app.lifecycle.wake();
    status(app, organization).await
}

/// Puts an organization on hold whose store was restored to the state of this instant, and returns the state after it. Before a
/// payment is charged that may have been charged since then, the payment provider is asked.
pub async fn hold_restored(app: &App, organization: &Organization, state_of: Time) -> Result<LifecycleStatus, Error> {
    app.db.commit(holds::hold_restored(Change::new(), organization.id, state_of)).await?;
    status(app, organization).await
}

/// The organizations that are on hold.
pub async fn held(app: &App, limit: i64) -> Result<Vec<HeldOrganization>, Error> {
    Ok(holds::held(&app.db, limit).await?)
}

/// The hold of an organization at `now`. It is put on hold first if something is too late.
pub(crate) async fn current(app: &App, organization: OrganizationId, now: Time) -> Result<Hold, Error> {
    let hold = holds::find(&app.db, organization).await?;
    let Some(before) = late_before(now, app.options.lifecycle.hold_after_days).filter(|_| hold.reason.is_none()) else {
        return Ok(hold);
    };
    let released = hold.released_through;
    let is_late = subscriptions::is_late(&app.db, organization, before, released).await?
        || invoices::is_late(&app.db, organization, before, released).await?;
    if !is_late {
        return Ok(hold);
    }
    app.db.commit(holds::hold(Change::new().background(), organization, HoldReason::Late)).await?;
    tracing::warn!(
        organization = %organization,
        "the lifecycle of an organization is on hold because something is very late: see `perennial lifecycle status`"
    );
    Ok(Hold { reason: Some(HoldReason::Late), ..hold })
}

/// The last instant whose billed work may be done in an organization now.
pub(crate) async fn admitted_until(app: &App, organization: OrganizationId) -> Result<Time, Error> {
    let time = business_time::read(app, &Caller::system(organization)).await?;
    billed_until(app, organization, &time).await
}

/// The last instant whose billed work may be done in an organization at this time.
pub(super) async fn billed_until(app: &App, organization: OrganizationId, time: &BusinessTime) -> Result<Time, Error> {
    if !time.has_clock() && app.lifecycle.is_clock_wrong() {
        return Ok(Time::MIN);
    }
    Ok(current(app, organization, time.now).await?.admits_until(time.now))
}

/// Compares the clock of this server with the database's, now and then.
pub(super) async fn compare_clocks(app: &App) -> Result<(), Error> {
    if app.db.is_shared() && app.options.lifecycle.compare_clocks && app.lifecycle.is_comparison_due() {
        let is_wrong = is_clock_wrong(app).await?;
        if app.lifecycle.set_clock_wrong(is_wrong) && is_wrong {
            tracing::warn!(
                "the clocks of this server and of PostgreSQL differ: the lifecycle is on hold on this server"
            );
        }
    }
    Ok(())
}

async fn is_clock_wrong(app: &App) -> Result<bool, Error> {
    if !app.db.is_shared() || !app.options.lifecycle.compare_clocks {
        return Ok(false);
    }
    let before = app.clock.now();
    let database = examine::now(&app.db).await?;
    Ok(clocks_differ(before, database, app.clock.now()))
}
