//! Collecting payments through Stripe. A request stores the collection and returns; the background work sends the requests that the
//! pure `perennial_domain::connections::collection` decides, and stores each state before the next request.

mod ask;
mod earlier;
pub mod job;

pub use job::Collections;

use super::{known, managed};
use crate::audit::json;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::payments;
use perennial_domain::connections::collection::Collection;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ConnectionId, PaymentId};
use perennial_domain::payments::{Payment, PaymentStatus};
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::{Rejection, Transition, ValidationCode, ValidationErrors};
use perennial_store::{
    self as store, Change, Violation, connection_collections, events, payments as rows, subscriptions,
};

/// What a request to collect a payment has.
#[derive(Clone, Debug, Default)]
pub struct CollectRequest {
    /// The connection.
    pub connection_id: Option<ConnectionId>,
    /// The payment method at the provider.
    pub payment_method: Option<String>,
}

/// Begins to collect a payment: it is `processing` from now on.
pub async fn begin(
    app: &App,
    caller: &Caller,
    id: PaymentId,
    request: &CollectRequest,
    errors: ValidationErrors,
) -> Result<Payment, Error> {
    for _ in 0..ATTEMPTS {
        let before = payments::read(app, caller, id).await?;
        let time = business_time::read(app, caller).await?;
        let subscription = subscriptions::by_id(&app.db, caller.organization(), before.subscription_id).await?;
        let billing = subscription.as_ref().and_then(|subscription| subscription.billing.as_deref());
        let of_billing = billing.and_then(|billing| billing.connection_id);
        let connection = connection(app, caller, request.connection_id.or(of_billing), errors.clone()).await?;
        if !matches!(before.status, PaymentStatus::Pending | PaymentStatus::Failed) {
            let (from, to) = (before.status.as_str(), PaymentStatus::Processing.as_str());
            let allowed = before.status.next().iter().map(|status| status.as_str()).collect();
            return Err(Rejection::Transition(Transition { from, to, allowed }).into());
        }
        managed::check_collection(app, &before).await?;
        let (connection_id, collects) = connection;
        if !collects {
            return Err(Conflict::CollectingDisabled(connection_id).into());
        }
        let of_billing =
            billing.and_then(|billing| billing.payment_method.as_ref()).map(|method| method.as_str().to_owned());
        let payment_method = request.payment_method.clone().or(of_billing);
        let last = connection_collections::last(&app.db, caller.organization(), id).await?;
        let Stamp { at, revision } = app.stamp(&before, time.now);
        let after = Payment { status: PaymentStatus::Processing, updated_at: at, revision, ..before.clone() };
        let real_now = app.clock.now();
        let number = last.map_or(1, |last| last.number + 1);
        let collection =
            Collection::begin(caller.organization(), (id, number), connection_id, payment_method, real_now);
        let event = caller.event(EventKind::PaymentUpdated, id.bytes(), revision, at).following(before.revision);
        let event = Event { before: Some(json(&before)), after: Some(json(&after)), ..event };
        let change = rows::update(rows::guard_invoice(Change::new(), &after), &after, before.revision);
        let change = connection_collections::put(change, &collection);
        let change = confirm(app, caller, time.guard(events::insert(change, &event))?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                app.collection_signal.notify_one();
                return Ok(after);
            }
            Err(store::Error::Violated(Violation::Record | Violation::ExternalId | Violation::Clock)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The connection, and whether it collects.
async fn connection(
    app: &App,
    caller: &Caller,
    sent: Option<ConnectionId>,
    mut errors: ValidationErrors,
) -> Result<(ConnectionId, bool), Error> {
    let known = known(app).await?;
    let own = |id: ConnectionId| {
        let open = known.get(&id)?;
        (open.connection.organization_id == caller.organization()).then_some(&open.connection)
    };
    let found = sent.and_then(own).map(|connection| (connection.id, connection.collects()));
    match (sent, found) {
        // What is no object at all lacks nothing.
        (None, _) if !errors.touch("/connection_id") && !errors.touch("") => {
            errors.note(
                "/connection_id",
                ValidationCode::Required,
                "is required: the subscription names no connection",
            );
        }
        (Some(_), None) => {
            errors.note("/connection_id", ValidationCode::NotFound, "is no connection of this organization");
        }
        _ => {}
    }
    match found {
        Some(found) => Ok(errors.into_result(found)?),
        None => Err(errors.into_result(()).err().unwrap_or_default().into()),
    }
}
