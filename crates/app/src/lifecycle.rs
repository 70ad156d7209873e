//! What happens to subscriptions by the clock alone.
//!
//! A subscription stores when that is due. Each instant is one change, guarded by the revision of the record, so that it
//! happens exactly once, whatever the number of servers.

pub(crate) mod actions;
pub(crate) mod failures;
mod unpark;

pub use actions::act_once;
pub use unpark::unpark;

use crate::audit::{json, system_event};
use crate::background::{Held, Job};
use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::leases::Unit;
use perennial_store::{self as store, Change, Violation, events, subscriptions};
use serde::Serialize;
use std::sync::Arc;

const NAME: &str = "lifecycle";
/// Subscriptions of one turn of an organization.
const TURN: i64 = 256;
/// Changes in progress. The writer commits them together.
const AT_ONCE: usize = 64;

/// The work on due subscriptions. A unit is an organization.
#[derive(Debug)]
pub struct Lifecycle;

impl Job for Lifecycle {
    const AT_ONCE: usize = 8;

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        Ok(subscriptions::with_due(&app.db, NAME, app.clock.now(), limit).await?)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        while !held.is_stopping() {
            let now = app.clock.now();
            let due = subscriptions::due(&app.db, held.unit().organization, now, TURN).await?;
            if due.is_empty() {
                return Ok(());
            }
            for due in due.chunks(AT_ONCE) {
                let mut changes = Vec::with_capacity(due.len());
                for before in due {
                    changes.push(actions::perform(app, before, now, Some(held)));
                }
                try_join_all(changes).await?;
            }
        }
        Ok(())
    }
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
            Ok(true)
        }
        Err(store::Error::Violated(Violation::Record)) => Ok(true),
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
