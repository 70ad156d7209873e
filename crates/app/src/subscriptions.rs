//! Subscriptions: what the use cases create, update and delete depend on, and the reads.

mod documents;
mod references;

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::connections::managed;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::lifecycle;
use crate::use_cases::{New, Resource};
use perennial_domain::events::EventKind;
use perennial_domain::id::SubscriptionId;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::actions::Step;
use perennial_domain::plans::PlanKey;
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDraft};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{
    self as store, Change, Page, Position, Violation, invoices, members, plans, subscriptions, users,
};
use references::References;
use std::sync::Arc;

pub use perennial_store::subscriptions::{Query, Range, Sort, position};

/// The subscription with this ID.
pub async fn read(app: &App, caller: &Caller, id: SubscriptionId) -> Result<Subscription, Error> {
    let found = subscriptions::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|subscription| caller.may_see(subscription.user_id)).ok_or(Error::NotFound)
}

/// The next actions of a subscription, at most `count`, if every invoice is paid.
pub async fn forecast(
    app: &App,
    caller: &Caller,
    id: SubscriptionId,
    count: usize,
) -> Result<Vec<(Step, Option<Invoice>)>, Error> {
    let subscription = read(app, caller, id).await?;
    if subscription.billing.is_none() {
        return Ok(Vec::new());
    }
    let catalog = Arc::new(Catalog::new(app, subscription.organization_id));
    let known = lifecycle::known::known(&catalog, &subscription).await?;
    crate::invoices::forecast::forecast(&catalog, &subscription, &known, count).await
}

/// A page of subscriptions, of one plan if `plan` is given, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    plan: Option<&PlanKey>,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Subscription>, Option<String>), Error> {
    let (organization, own) = (caller.organization(), caller.own);
    let name = cursor::subscriptions(organization, own, plan, &query);
    let previous = || cursor::previous_subscriptions(organization, own, plan, &query);
    let after = cursor::open_optional(&app.keys, &name, previous, cursor)?;
    Ok(cursor::with_next(&app.keys, &name, page(app, caller, plan, query, after, limit).await?))
}

/// A page of subscriptions after a position, of one plan if `plan` is given.
pub async fn page(
    app: &App,
    caller: &Caller,
    plan: Option<&PlanKey>,
    mut query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Subscription>, Error> {
    let empty = Page { items: vec![], next: None };
    if query.user_id.is_some_and(|user| !caller.may_see(user)) {
        return Ok(empty);
    }
    query.user_id = query.user_id.or(caller.own);
    query.plan_id = match plan {
        None => query.plan_id,
        Some(PlanKey::Id(id)) => Some(*id),
        Some(key) => match plans::find(&app.db, caller.organization(), key).await? {
            Some(plan) => Some(plan.id),
            None => return Ok(empty),
        },
    };
    Ok(subscriptions::list(&app.db, caller.organization(), &query, after, limit).await?)
}

impl Resource for Subscription {
    type Key = SubscriptionId;
    type Draft = SubscriptionDraft;
    type Patch = SubscriptionDraft;
    type References = References;

    const CREATED: EventKind = EventKind::SubscriptionCreated;
    const UPDATED: EventKind = EventKind::SubscriptionUpdated;
    const DELETED: EventKind = EventKind::SubscriptionDeleted;
    const REFERENCE_VIOLATIONS: &'static [Violation] =
        &[Violation::User, Violation::Plan, Violation::Number, Violation::Balance];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &SubscriptionId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    fn due_at(&self) -> Option<Time> {
        self.due_at
    }

    async fn catch_up(&self, app: &App, now: Time) -> Result<bool, Error> {
        lifecycle::catch_up(app, self, now).await
    }

    async fn is_behind(&self, app: &App, now: Time) -> Result<bool, Error> {
        lifecycle::is_behind(app, self, now).await
    }

    fn makes_work(&self) -> bool {
        self.billing.is_some()
    }

    async fn effects(
        &mut self,
        app: &App,
        caller: &Caller,
        before: Option<&Self>,
        references: &References,
        now: Time,
    ) -> Result<Change, Error> {
        documents::effects(app, caller, self, before, references, now).await
    }

    fn assume_references(app: &App, caller: &Caller, draft: &SubscriptionDraft, now: Time) -> Option<References> {
        let has_grants = draft.entitlements.as_ref().is_some_and(|sent| !sent.is_empty());
        if draft.billing.is_some() || has_grants {
            return None;
        }
        let plan = app.plans.get(caller.organization(), draft.plan.as_ref()?, now)?;
        Some(References { plan: Some(plan), ..References::default() })
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<References, Error> {
        References::of_draft(app, caller, draft, errors).await
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<References, Error> {
        References::of_patch(self, app, caller, patch, errors).await
    }

    fn decide_create(
        _: &Caller,
        draft: SubscriptionDraft,
        errors: ValidationErrors,
        references: &References,
        new: New,
    ) -> Result<Self, Error> {
        let id = SubscriptionId::new(new.now, new.random);
        let plan = references.plan.as_deref();
        let mut created = match &references.known {
            Some(known) => Self::create_billed(draft, errors, plan, id, new.revision, new.now, known)?,
            None => Self::create(draft, errors, plan, id, new.revision, new.now)?,
        };
        references.grant(&mut created);
        references.check_connection()?;
        references.check_next(&created, None)?;
        let is_active = plan.is_some_and(|plan| plan.is_active);
        if is_active { Ok(created) } else { Err(Conflict::PlanInactive.into()) }
    }

    fn decide_update(
        &self,
        patch: SubscriptionDraft,
        errors: ValidationErrors,
        references: &References,
        now: Time,
    ) -> Result<Self, Error> {
        let plan = references.plan.as_deref();
        let mut merged = match &references.known {
            Some(known) => Self::update(self, patch, plan, errors, now, known)?,
            None => Self::update(self, patch, plan, errors, now, &Known::default())?,
        };
        references.grant(&mut merged);
        references.check_connection()?;
        references.check_next(&merged, Some(self))?;
        let is_retired = is_moved(&merged, self) && plan.is_some_and(|plan| !plan.is_active);
        if is_retired { Err(Conflict::PlanInactive.into()) } else { Ok(merged) }
    }

    fn insert(&self, change: Change, references: &References) -> Change {
        let mut change = users::guard_live(change, self.organization_id, self.user_id);
        if let Some(plan) = &references.plan {
            change = plans::guard_active(change, plan);
        }
        change = references.guard_next(change, self, None);
        subscriptions::insert(change, self)
    }

    fn update(&self, mut change: Change, before: &Self, references: &References) -> Change {
        if self.user_id != before.user_id {
            change = users::guard_live(change, self.organization_id, self.user_id);
            // An owner has one seat, and is no member.
            change = members::remove_owner(change, self);
        }
        if let Some(plan) = references.plan.as_ref().filter(|plan| is_moved(self, before) && plan.id == self.plan_id) {
            change = plans::guard_active(change, plan);
        }
        change = references.guard_next(change, self, Some(before));
        if self.billing.is_none() && before.billing.is_some() {
            change = invoices::guard_none_open(change, self.organization_id, self.id);
        }
        change = subscriptions::update(change, self, before.revision);
        match self.usage_closed_until {
            // An update does not write it: issuing closes windows at the same time.
            Some(until) if self.usage_closed_until != before.usage_closed_until => {
                subscriptions::close_usage(change, self.organization_id, self.id, until)
            }
            _ => change,
        }
    }

    fn delete(&self, change: Change, stamp: Stamp) -> Change {
        // An external subscription can have invoices of an earlier billing.
        let change = invoices::guard_none_open(change, self.organization_id, self.id);
        let change = subscriptions::delete(change, self, stamp.at, stamp.revision);
        members::remove_all(change, self)
    }

    async fn find_delete_conflicts(&self, app: &App, _: &Caller) -> Result<(), Error> {
        documents::check_no_open(app, self).await
    }

    async fn find_conflicts(&self, app: &App, before: Option<&Self>) -> Result<(), Error> {
        if let Some(before) = before.filter(|before| before.billing.is_some() && self.billing.is_none()) {
            documents::check_no_open(app, before).await?;
        }
        let Some(external) = &self.details.external_subscription_id else { return Ok(()) };
        match subscriptions::id_by_external(&app.db, self.organization_id, external.as_str()).await? {
            Some(other) if other != self.id => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
            _ => Ok(()),
        }
    }

    async fn check_managed(&self, app: &App, after: Option<&Self>) -> Result<(), Error> {
        managed::check_subscription(app, self, after).await
    }

    async fn explain(&self, app: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        match violation {
            Violation::InUse => return Err(Conflict::HasOpenInvoices.into()),
            Violation::Coupon => return Err(Conflict::CouponUnavailable.into()),
            _ => {}
        }
        if violation != Violation::ExternalId {
            return Err(store::Error::Violated(violation).into());
        }
        let external = self.details.external_subscription_id.as_ref();
        let external = external.map(ExternalSubscriptionId::as_str).unwrap_or_default();
        match subscriptions::id_by_external(&app.db, self.organization_id, external).await? {
            Some(other) => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
            None => Ok(()),
        }
    }
}

/// Whether an update moves the subscription to another plan.
fn is_moved(after: &Subscription, before: &Subscription) -> bool {
    after.plan_id != before.plan_id
}
