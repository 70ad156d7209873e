//! Subscriptions: what the use cases create, update and delete depend on, and the reads.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::lifecycle;
use crate::use_cases::{New, Resource};
use perennial_domain::events::EventKind;
use perennial_domain::id::{SubscriptionId, UserId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDraft};
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, plans, subscriptions, users};
use std::sync::Arc;

pub use perennial_store::subscriptions::{Query, Range, Sort, position};

/// The subscription with this ID.
pub async fn read(app: &App, caller: &Caller, id: SubscriptionId) -> Result<Subscription, Error> {
    let found = subscriptions::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|subscription| caller.may_see(subscription.user_id)).ok_or(Error::NotFound)
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
    /// The plan that the draft names. None: it names none, or one that does not exist.
    type References = Option<Arc<Plan>>;

    const CREATED: EventKind = EventKind::SubscriptionCreated;
    const UPDATED: EventKind = EventKind::SubscriptionUpdated;
    const DELETED: EventKind = EventKind::SubscriptionDeleted;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[Violation::User, Violation::Plan];

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

    fn assume_references(
        app: &App,
        caller: &Caller,
        draft: &SubscriptionDraft,
        now: Time,
    ) -> Option<Option<Arc<Plan>>> {
        app.plans.get(caller.organization(), draft.plan.as_ref()?, now).map(Some)
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Arc<Plan>>, Error> {
        find_user_and_plan(app, caller, draft.user_id, draft.plan.as_ref(), errors).await
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &SubscriptionDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Arc<Plan>>, Error> {
        let user = patch.user_id.filter(|user| *user != self.user_id);
        let own = PlanKey::Id(self.plan_id);
        let other = patch.plan.as_ref().filter(|key| **key != own);
        // Another version than the stored one can only be the plan's current one.
        let is_moved = patch.plan_version.is_some_and(|version| version != self.plan_version);
        let plan = other.or_else(|| is_moved.then_some(&own));
        find_user_and_plan(app, caller, user, plan, errors).await
    }

    fn decide_create(
        _: &Caller,
        draft: SubscriptionDraft,
        errors: ValidationErrors,
        plan: &Option<Arc<Plan>>,
        new: New,
    ) -> Result<Self, Error> {
        let id = SubscriptionId::new(new.now, new.random);
        let created = Self::create(draft, errors, plan.as_deref(), id, new.revision, new.now)?;
        let is_active = plan.as_ref().is_some_and(|plan| plan.is_active);
        if is_active { Ok(created) } else { Err(Conflict::PlanInactive.into()) }
    }

    fn decide_update(
        &self,
        patch: SubscriptionDraft,
        errors: ValidationErrors,
        plan: &Option<Arc<Plan>>,
        now: Time,
    ) -> Result<Self, Error> {
        let merged = self.merge(patch, plan.as_deref(), errors, now)?;
        let is_retired = is_moved(&merged, self) && plan.as_ref().is_some_and(|plan| !plan.is_active);
        if is_retired { Err(Conflict::PlanInactive.into()) } else { Ok(merged) }
    }

    fn insert(&self, change: Change, plan: &Option<Arc<Plan>>) -> Change {
        let mut change = users::guard_live(change, self.organization_id, self.user_id);
        if let Some(plan) = plan {
            change = plans::guard_active(change, plan);
        }
        subscriptions::insert(change, self)
    }

    fn update(&self, mut change: Change, before: &Self, plan: &Option<Arc<Plan>>) -> Change {
        if self.user_id != before.user_id {
            change = users::guard_live(change, self.organization_id, self.user_id);
        }
        if let Some(plan) = plan.as_ref().filter(|_| is_moved(self, before)) {
            change = plans::guard_active(change, plan);
        }
        subscriptions::update(change, self, before.revision)
    }

    fn delete(&self, change: Change, stamp: Stamp) -> Change {
        subscriptions::delete(change, self, stamp.at, stamp.revision)
    }

    async fn explain(&self, app: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
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

/// Reads the user and the plan, and adds an error for each that does not exist.
async fn find_user_and_plan(
    app: &App,
    caller: &Caller,
    user: Option<UserId>,
    plan: Option<&PlanKey>,
    errors: &mut ValidationErrors,
) -> Result<Option<Arc<Plan>>, Error> {
    let organization = caller.organization();
    let (user_exists, found_plan) = tokio::try_join!(
        async {
            match user {
                Some(user) => users::exists(&app.db, organization, user).await,
                None => Ok(true),
            }
        },
        async {
            match plan {
                Some(key) => plans::find(&app.db, organization, key).await,
                None => Ok(None),
            }
        },
    )?;
    if !user_exists {
        errors.note("/user_id", ValidationCode::NotFound, "names no user of this organization");
    }
    if plan.is_some() && found_plan.is_none() {
        errors.note("/subscription_plan_id", ValidationCode::NotFound, "names no plan of this organization");
    }
    let found_plan = found_plan.map(Arc::new);
    if let (Some(key), Some(plan)) = (plan, found_plan.as_ref().filter(|plan| plan.is_active)) {
        app.plans.put(key, plan, app.clock.now());
    }
    Ok(found_plan)
}
