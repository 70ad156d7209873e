//! Payments: what the use cases create, update and delete depend on, and the reads.

mod settle;

use crate::caller::Caller;
use crate::connections::managed;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::use_cases::{New, Resource};
use perennial_domain::events::EventKind;
use perennial_domain::id::{PaymentId, SubscriptionId};
use perennial_domain::invoices::record::Invoice;
use perennial_domain::payments::{ExternalPaymentId, Payment, PaymentDraft};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, payments, subscriptions};

pub use perennial_store::Range;
pub use perennial_store::payments::Query;

/// The payment with this ID.
pub async fn read(app: &App, caller: &Caller, id: PaymentId) -> Result<Payment, Error> {
    if caller.own.is_some() {
        let owner = payments::owner(&app.db, caller.organization(), id).await?;
        owner.filter(|owner| caller.may_see(*owner)).ok_or(Error::NotFound)?;
    }
    payments::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// A page of payments, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Payment>, Option<String>), Error> {
    let name = cursor::payments(caller.organization(), caller.own, &query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, query, after, limit).await).await
}

/// A page of payments after a position, newest first.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Payment>, Error> {
    let query = Query { user_id: caller.own.or(query.user_id), ..query };
    Ok(payments::list(&app.db, caller.organization(), &query, after, limit).await?)
}

/// What a payment that a provider reports changes in its invoice, in the subscription and in the balance. The events are those of
/// the service.
pub(crate) async fn effects_of_report(
    app: &App,
    before: &Payment,
    after: &mut Payment,
    now: Time,
) -> Result<Change, Error> {
    Box::pin(settle::effects(app, &Caller::system(before.organization_id), after, Some(before), now)).await
}

impl Resource for Payment {
    type Key = PaymentId;
    type Draft = PaymentDraft;
    type Patch = PaymentDraft;
    /// The invoice that a new or changed payment names.
    type References = Option<Invoice>;

    const CREATED: EventKind = EventKind::PaymentCreated;
    const UPDATED: EventKind = EventKind::PaymentUpdated;
    const DELETED: EventKind = EventKind::PaymentDeleted;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[Violation::Subscription, Violation::Balance];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &PaymentId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    fn assume_references(_: &App, _: &Caller, draft: &PaymentDraft, _: Time) -> Option<Option<Invoice>> {
        draft.invoice_id.flatten().is_none().then_some(None)
    }

    fn makes_work(&self) -> bool {
        self.invoice_id.is_some()
    }

    async fn is_behind(&self, app: &App, now: Time) -> Result<bool, Error> {
        Ok(self.invoice_id.is_some() && settle::is_behind(app, self, now).await?)
    }

    async fn catch_up(&self, app: &App, now: Time) -> Result<bool, Error> {
        if self.invoice_id.is_some() {
            settle::catch_up(app, self.organization_id, self.subscription_id, now).await?;
        }
        // The payment itself is not changed by the clock.
        Ok(false)
    }

    async fn effects(
        &mut self,
        app: &App,
        caller: &Caller,
        before: Option<&Self>,
        _: &Option<Invoice>,
        now: Time,
    ) -> Result<Change, Error> {
        Box::pin(settle::effects(app, caller, self, before, now)).await
    }

    fn check_delete(&self) -> Result<(), Error> {
        if self.applied.is_some() { Err(Conflict::PaymentApplied.into()) } else { Ok(()) }
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &PaymentDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Invoice>, Error> {
        check_subscription(app, caller, draft.subscription_id, errors).await?;
        let Some(id) = draft.invoice_id.flatten() else { return Ok(None) };
        let named = (id, draft.subscription_id, draft.currency);
        settle::find_invoice(app, caller, named, errors).await
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &PaymentDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Invoice>, Error> {
        let changed = patch.subscription_id.filter(|id| *id != self.subscription_id);
        check_subscription(app, caller, changed, errors).await?;
        let subscription = patch.subscription_id.unwrap_or(self.subscription_id);
        let currency = patch.currency.unwrap_or(self.currency);
        let Some(id) = patch.invoice_id.flatten().filter(|id| self.invoice_id != Some(*id)) else {
            settle::check_named(app, self, (subscription, currency), errors).await?;
            return Ok(None);
        };
        settle::find_invoice(app, caller, (id, Some(subscription), Some(currency)), errors).await
    }

    fn decide_create(
        caller: &Caller,
        draft: PaymentDraft,
        errors: ValidationErrors,
        _: &Option<Invoice>,
        new: New,
    ) -> Result<Self, Error> {
        let id = PaymentId::new(new.now, new.random);
        Ok(Self::create(draft, errors, caller.organization(), id, new.revision, new.now)?)
    }

    fn decide_update(
        &self,
        patch: PaymentDraft,
        errors: ValidationErrors,
        _: &Option<Invoice>,
        now: Time,
    ) -> Result<Self, Error> {
        let merged = self.merge(patch, errors, now)?;
        let of = |payment: &Self| (payment.amount, payment.currency, payment.subscription_id);
        if self.applied.is_some() && of(&merged) != of(self) {
            return Err(Conflict::PaymentApplied.into());
        }
        Ok(merged)
    }

    fn insert(&self, change: Change, _: &Option<Invoice>) -> Change {
        let change = subscriptions::guard_live(change, self.organization_id, self.subscription_id);
        payments::insert(payments::guard_invoice(change, self), self)
    }

    fn update(&self, mut change: Change, before: &Self, _: &Option<Invoice>) -> Change {
        if self.subscription_id != before.subscription_id {
            change = subscriptions::guard_live(change, self.organization_id, self.subscription_id);
        }
        if self.status != before.status {
            change = payments::guard_invoice(change, self);
        }
        payments::update(change, self, before.revision)
    }

    fn delete(&self, change: Change, stamp: Stamp) -> Change {
        payments::delete(change, self, stamp.at, stamp.revision)
    }

    async fn find_conflicts(&self, app: &App, _: Option<&Self>) -> Result<(), Error> {
        let Some(external) = &self.external_payment_id else { return Ok(()) };
        match payments::id_by_external(&app.db, self.organization_id, external.as_str()).await? {
            Some(other) if other != self.id => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
            _ => Ok(()),
        }
    }

    async fn check_managed(&self, app: &App, after: Option<&Self>) -> Result<(), Error> {
        managed::check_payment(app, self, after).await
    }

    async fn explain(&self, app: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        if violation != Violation::ExternalId {
            return Err(store::Error::Violated(violation).into());
        }
        let external = self.external_payment_id.as_ref().map(ExternalPaymentId::as_str).unwrap_or_default();
        match payments::id_by_external(&app.db, self.organization_id, external).await? {
            Some(other) => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
            None => Ok(()),
        }
    }
}

/// Adds an error if the subscription does not exist.
async fn check_subscription(
    app: &App,
    caller: &Caller,
    subscription: Option<SubscriptionId>,
    errors: &mut ValidationErrors,
) -> Result<(), Error> {
    if let Some(id) = subscription
        && !subscriptions::exists(&app.db, caller.organization(), id).await?
    {
        errors.note("/subscription_id", ValidationCode::NotFound, "names no subscription of this organization");
    }
    Ok(())
}
