//! Lets the engine work on a parked subscription again.

use super::known::settings;
use crate::audit::json;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::SubscriptionId;
use perennial_domain::subscriptions::Subscription;
use perennial_store::{self as store, Change, Violation, events, subscriptions};

/// Lets the engine try again. A subscription that is not parked is returned as it is.
pub async fn unpark(app: &App, caller: &Caller, id: SubscriptionId) -> Result<Subscription, Error> {
    let organization = caller.organization();
    let mut attempts = app.locks.attempts((organization.bytes(), id));
    while attempts.next().await {
        let before = subscriptions::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
        let mut after = before.unpark(&settings(app, organization).await?);
        if after == before {
            return Ok(before);
        }
        let time = business_time::read(app, caller).await?;
        let stamp = app.stamp(&before, time.now);
        (after.updated_at, after.revision) = (stamp.at, stamp.revision);
        let event = caller.event(EventKind::SubscriptionUpdated, id.bytes(), stamp.revision, stamp.at);
        let event = event.following(before.revision);
        let change = subscriptions::update(Change::new(), &after, before.revision);
        let change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        match app.db.commit(confirm(app, caller, time.guard(change)?).await?).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record | Violation::Clock)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}
