//! The background work on collections. A unit is a payment: the server that holds its lease sends its requests, one after the other.

use super::super::cache::OpenConnection;
use super::super::{managed, open};
use super::ask::ask;
use super::earlier;
use crate::audit::{json, system_event};
use crate::background::{Held, Job};
use crate::business_time;
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::payments::effects_of_report;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::collection::{Answer, Collection, CollectionState, Effect, Step};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::PaymentId;
use perennial_domain::invoices::Amount;
use perennial_domain::payments::{ExternalPaymentId, Payment, PaymentStatus};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_store::leases::Unit;
use perennial_store::{
    self as store, Change, Violation, connection_collections, connection_inbox, connection_links, events, invoices,
    payments, subscriptions,
};
use serde_json::json as value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// The work on collections.
#[derive(Debug)]
pub struct Collections;

impl Job for Collections {
    const AT_ONCE: usize = 8;
    const LOOK_EVERY: Duration = Duration::from_secs(1);

    fn signal<'a>(&self, app: &'a App) -> Option<&'a Notify> {
        Some(&app.collection_signal)
    }

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        Ok(connection_collections::with_work(&app.db, app.clock.now(), limit).await?)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        let unit = held.unit();
        while !held.is_stopping() {
            let payment = PaymentId::from_bytes(unit.id);
            let last = connection_collections::last(&app.db, unit.organization, payment).await?;
            let now = app.clock.now();
            let Some(collection) = last.filter(|last| last.next_attempt_at.is_some_and(|next| next <= now)) else {
                return Ok(());
            };
            if !advance(app, held, &collection).await? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Sends one request and stores what follows. False: nothing can be done now.
async fn advance(app: &App, held: &Held, collection: &Collection) -> Result<bool, Error> {
    let time = business_time::read(app, &Caller::system(collection.organization_id)).await?;
    if !time.accepts_writes() {
        // What the provider reports could not be stored while the test clock moves.
        return Ok(false);
    }
    let now = app.clock.now();
    let found = find_connection(app, collection).await?;
    if let Some((next, effect)) = collection.without_connection(found.as_ref().map(|known| &known.connection), now) {
        tracing::warn!(
            organization = %collection.organization_id, payment = %collection.payment_id, connection = %collection.connection_id,
            "a payment is not collected: its connection is removed or does not collect"
        );
        settle(app, held, &next, effect).await?;
        return Ok(true);
    }
    let Some(known) = found.filter(|known| known.connection.is_enabled) else { return Ok(false) };
    let payment = payments::by_id(&app.db, collection.organization_id, collection.payment_id).await?;
    let mut stored = collection.clone();
    if stored.needs_customer() {
        stored.customer = customer(app, collection, payment.as_ref()).await?;
    }
    let Some(step) = stored.step(now) else { return Ok(false) };
    let answer = match obstacle(app, collection, &step, payment.as_ref()).await? {
        Some(code) => Answer::Rejected { code: Some(code.to_owned()), decline_code: None },
        None => {
            if matches!(step, Step::Create { .. }) {
                if let Some((next, effect)) = earlier::find(app, &known, &stored, payment.as_ref()).await? {
                    settle(app, held, &next, effect).await?;
                    return Ok(true);
                }
                stored = stored.sending(now);
                commit(app, held.fence(connection_collections::put(Change::new(), &stored))).await?;
            }
            ask(app, &known, &stored, &step, payment.as_ref()).await?
        }
    };
    let (next, effect) = stored.after(&step, answer, app.clock.now());
    settle(app, held, &next, effect).await?;
    // Strictly later than a fetch, so that one hint leads to one more fetch at most.
    let since = if matches!(step, Step::Create { .. }) { now } else { now.plus_micros(1) };
    hasten_watched(app, held, &next, since).await?;
    Ok(true)
}

/// A webhook that arrived during the request found no waiting collection to hasten: the intent is fetched again.
async fn hasten_watched(app: &App, held: &Held, next: &Collection, since: Time) -> Result<(), Error> {
    let Some(intent) = next.intent_id.as_deref().filter(|_| next.state == CollectionState::Watching) else {
        return Ok(());
    };
    let (organization, connection) = (next.organization_id, next.connection_id);
    if connection_inbox::has_since(&app.db, organization, connection, intent, since).await? {
        let of = (next.payment_id, intent);
        let change = connection_collections::hasten(Change::new(), organization, of, connection, app.clock.now());
        commit(app, held.fence(change)).await?;
    }
    Ok(())
}

/// The connection of a collection. If it does not collect as this server knows it, it is read again, so that no payment fails
/// because the server has not seen a change yet.
async fn find_connection(app: &App, collection: &Collection) -> Result<Option<Arc<OpenConnection>>, Error> {
    let known = open(app, collection.connection_id).await?;
    if known.as_ref().is_some_and(|known| known.connection.collect) {
        return Ok(known);
    }
    app.connection_cache.clear();
    open(app, collection.connection_id).await
}

/// Why a charge that was never requested is not requested any more.
async fn obstacle(
    app: &App,
    collection: &Collection,
    step: &Step,
    payment: Option<&Payment>,
) -> Result<Option<&'static str>, Error> {
    if !matches!(step, Step::Create { .. }) || collection.sends > 0 {
        return Ok(None);
    }
    let Some(payment) = payment else { return Ok(Some("payment_deleted")) };
    // For example paid at the provider, which reported it since the collection began.
    if payment.status != PaymentStatus::Processing {
        return Ok(Some("status_changed"));
    }
    if managed::followed(app, payment.organization_id, payment.id.bytes()).await?.is_some() {
        return Ok(Some("provider_managed"));
    }
    let Some(invoice) = payment.invoice_id else { return Ok(None) };
    // Void, credited, or paid in another way since the attempt began.
    let invoice = invoices::by_id(&app.db, payment.organization_id, invoice).await?;
    Ok(invoice.is_some_and(|invoice| invoice.amount_due() == Amount::ZERO).then_some("nothing_due"))
}

/// The customer at the provider that is the user of the payment.
async fn customer(app: &App, collection: &Collection, payment: Option<&Payment>) -> Result<Option<String>, Error> {
    let Some(payment) = payment else { return Ok(None) };
    let subscription = subscriptions::by_id(&app.db, payment.organization_id, payment.subscription_id).await?;
    let Some(subscription) = subscription else { return Ok(None) };
    let user = subscription.user_id.bytes();
    let links = connection_links::of_record(&app.db, payment.organization_id, user).await?;
    let is_it = |link: &&connection_links::Link| {
        link.connection_id == collection.connection_id && link.object == ObjectKind::Customer
    };
    Ok(links.iter().find(is_it).map(|link| link.external_id.clone()))
}

/// Stores the collection with what follows for the payment, as one change.
async fn settle(app: &App, held: &Held, next: &Collection, effect: Effect) -> Result<(), Error> {
    let (status, external) = match effect {
        Effect::None => return commit(app, held.fence(connection_collections::put(Change::new(), next))).await,
        Effect::Next(following) => {
            let change = connection_collections::put(Change::new(), next);
            return commit(app, held.fence(connection_collections::put(change, &following))).await;
        }
        Effect::Completed(intent) => (PaymentStatus::Completed, Some(intent)),
        Effect::Failed => (PaymentStatus::Failed, None),
    };
    let is_completed = status == PaymentStatus::Completed;
    let outcome = if is_completed { "succeeded" } else { "failed" };
    for _ in 0..ATTEMPTS {
        let time = business_time::read(app, &Caller::system(next.organization_id)).await?;
        let change = connection_collections::put(Change::new(), next);
        let before = payments::by_id(&app.db, next.organization_id, next.payment_id).await?;
        // A payment that has left `processing` in another way does not fail by its collection.
        let follows = |before: &Payment| is_completed || before.status == PaymentStatus::Processing;
        let Some(before) = before.filter(follows) else {
            return commit(app, held.fence(change)).await;
        };
        let external = external.as_deref().and_then(|intent| ExternalPaymentId::parse(intent).ok());
        let change = follow(app, change, &before, (status, external), next, time.now).await?;
        match app.db.commit(held.fence(time.guard(change)?)).await {
            Ok(()) => {
                app.connections.collections.add(outcome, "");
                app.lifecycle.wake();
                return Ok(());
            }
            Err(store::Error::Violated(Violation::Lease)) => return Err(Error::LeaseLost),
            Err(store::Error::Violated(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The payment as the provider reports it, with its events and what it changes in its invoice.
async fn follow(
    app: &App,
    change: Change,
    before: &Payment,
    (status, external): (PaymentStatus, Option<ExternalPaymentId>),
    collection: &Collection,
    now: Time,
) -> Result<Change, Error> {
    let stamp = app.stamp(before, now);
    let is_failed = status == PaymentStatus::Failed;
    let second = Stamp { at: stamp.at, ..stamp.next(now, app.entropy.id_bits()) };
    let mut after = Payment {
        status,
        external_payment_id: external.or_else(|| before.external_payment_id.clone()),
        date: if is_failed { before.date } else { Some(stamp.at) },
        updated_at: stamp.at,
        revision: if is_failed { second.revision } else { stamp.revision },
        ..before.clone()
    };
    let effects = effects_of_report(app, before, &mut after, now).await?;
    let request_id = Some(format!("{}/collect", collection.connection_id));
    let (organization, id) = (before.organization_id, before.id.bytes());
    let event = system_event(organization, EventKind::PaymentUpdated, id, stamp.revision, stamp.at);
    let event = Event {
        before: Some(json(before)),
        after: Some(json(&after)),
        request_id: request_id.clone(),
        ..event.following(before.revision)
    };
    let change = events::insert(payments::update(change, &after, before.revision), &event);
    if !is_failed {
        return Ok(change.and(effects));
    }
    let data = value!({
        "id": before.id.to_string(),
        "connection_id": collection.connection_id.to_string(),
        "attempt": collection.number,
        "code": collection.code,
        "decline_code": collection.decline_code,
    });
    let event = system_event(organization, EventKind::PaymentCollectionFailed, id, second.revision, second.at);
    let event = Event { after: Some(data.to_string()), request_id, ..event.following(stamp.revision) };
    Ok(events::insert(change, &event).and(effects))
}

async fn commit(app: &App, change: Change) -> Result<(), Error> {
    match app.db.commit(change).await {
        Err(store::Error::Violated(Violation::Lease)) => Err(Error::LeaseLost),
        other => Ok(other?),
    }
}
