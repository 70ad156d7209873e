//! Payments: create, read, update, delete.

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Answer, Held, Key};
use crate::revision::{ATTEMPTS, IfMatch};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, PaymentId, SubscriptionId};
use perennial_domain::payments::{ExternalPaymentId, Payment, PaymentDraft};
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, events, payments, subscriptions};

pub use perennial_store::payments::Query;

/// Creates a payment. `answer` says how it will be told, so that a retry can be told the same.
pub async fn create(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: PaymentDraft,
    faults: ValidationErrors,
    answer: impl Fn(&Payment) -> Answer + Send + Sync,
) -> Result<Answer, Error> {
    let mut held = idempotency::enter(app, caller, key).await?;
    let is_suspect = !faults.is_empty() || held.as_ref().is_some_and(Held::is_suspect);
    let mut trusting = !is_suspect && app.trust.holds(caller, app.clock.now());
    for _ in 0..ATTEMPTS {
        let mut faults = faults.clone();
        if !trusting {
            if let Some(answer) = idempotency::remembered(&mut held).await? {
                return Ok(answer);
            }
            check(app, caller, draft.subscription_id, &mut faults).await?;
        }
        let now = app.clock.now();
        let (id, revision) = (PaymentId::new(now, app.entropy.bits()), EventId::new(now, app.entropy.bits()));
        let payment = match Payment::create(draft.clone(), faults, caller.organization(), id, revision, now) {
            Ok(payment) => payment,
            // What is wrong is told as a whole, after a look at what it refers to.
            Err(_) if trusting => {
                trusting = false;
                continue;
            }
            Err(faults) => return Err(faults.into()),
        };
        let answer = answer(&payment);
        let event = caller.event(EventKind::PaymentCreated, id.bytes(), revision, now);
        let mut change = subscriptions::guard_live(Change::new(), caller.organization(), payment.subscription_id);
        change = payments::insert(change, &payment);
        change = events::insert(change, &Event { after: Some(json(&payment)), ..event });
        if let Some(held) = &held {
            change = held.keep(change, &answer, now);
        }
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(answer),
            Err(store::Error::Violated(Violation::Subscription)) if trusting => {
                app.trust.shake(caller.organization(), caller.known.client.id, now);
                trusting = false;
            }
            Err(store::Error::Violated(Violation::Subscription)) => {}
            Err(store::Error::Violated(Violation::ExternalId)) => taken(app, caller, &payment).await?,
            Err(error) => return idempotency::settle(held.as_ref(), error).await,
        }
    }
    Err(Conflict::Contended.into())
}

/// The payment with this id.
pub async fn read(app: &App, caller: &Caller, id: PaymentId) -> Result<Payment, Error> {
    if caller.own.is_some() {
        let owner = payments::owner(&app.db, caller.organization(), id).await?;
        owner.filter(|owner| caller.may_see(*owner)).ok_or(Error::NotFound)?;
    }
    payments::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// The payment of an organization with this id, for the operator.
pub async fn find(app: &App, organization: OrganizationId, id: PaymentId) -> Result<Option<Payment>, Error> {
    Ok(payments::by_id(&app.db, organization, id).await?)
}

/// A page of an organization's payments after a place, newest first, for the operator.
pub async fn page(
    app: &App,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Payment>, Error> {
    Ok(payments::list(&app.db, organization, query, after, limit).await?)
}

/// Updates a payment. `read` says what was sent, held against the payment as it stands.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: PaymentId,
    if_match: &IfMatch,
    read: impl Fn(&Payment) -> (PaymentDraft, ValidationErrors) + Send + Sync,
) -> Result<Payment, Error> {
    let mut attempts = app.turns.attempts(id.bytes());
    while attempts.next().await {
        let before = self::read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let (patch, mut faults) = read(&before);
        // A reference that does not change is not checked again.
        let subscription = patch.subscription_id.filter(|subscription| *subscription != before.subscription_id);
        check(app, caller, subscription, &mut faults).await?;
        let now = app.clock.now();
        let mut after = before.merge(patch, faults, now)?;
        if after == before {
            return Ok(before);
        }
        let Stamp { at, revision } = app.stamp(&before, now);
        (after.updated_at, after.revision) = (at, revision);
        let event = caller.event(EventKind::PaymentUpdated, id.bytes(), revision, at);
        let mut change = Change::new();
        if subscription.is_some() {
            change = subscriptions::guard_live(change, caller.organization(), after.subscription_id);
        }
        change = payments::update(change, &after, before.revision);
        change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Subscription | Violation::Record)) => {}
            Err(store::Error::Violated(Violation::ExternalId)) => taken(app, caller, &after).await?,
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes a payment; answers what it was.
pub async fn delete(app: &App, caller: &Caller, id: PaymentId, if_match: &IfMatch) -> Result<Payment, Error> {
    let mut attempts = app.turns.attempts(id.bytes());
    while attempts.next().await {
        let payment = read(app, caller, id).await?;
        if_match.check(payment.revision)?;
        let Stamp { at, revision } = app.stamp(&payment, app.clock.now());
        let event = caller.event(EventKind::PaymentDeleted, id.bytes(), revision, at);
        let change = payments::delete(Change::new(), &payment, at, revision);
        let change = events::insert(change, &Event { before: Some(json(&payment)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(payment),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Notes a subscription that does not exist.
async fn check(
    app: &App,
    caller: &Caller,
    subscription: Option<SubscriptionId>,
    faults: &mut ValidationErrors,
) -> Result<(), Error> {
    if let Some(id) = subscription
        && !subscriptions::exists(&app.db, caller.organization(), id).await?
    {
        faults.note("/subscription_id", ValidationCode::NotFound, "names no subscription of this organization");
    }
    Ok(())
}

/// Says which payment has the external id; none if it has been given up meanwhile.
async fn taken(app: &App, caller: &Caller, payment: &Payment) -> Result<(), Error> {
    let external = payment.external_payment_id.as_ref().map(ExternalPaymentId::as_str);
    match payments::id_by_external(&app.db, caller.organization(), external.unwrap_or_default()).await? {
        Some(other) => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
        None => Ok(()),
    }
}
