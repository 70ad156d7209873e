//! Subscriptions: create, read, list, update, delete.

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Answer, Held, Key};
use crate::revision::{ATTEMPTS, IfMatch};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, SubscriptionId, UserId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDraft};
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, events, plans, subscriptions, users};
use std::sync::Arc;

pub use perennial_store::subscriptions::{Query, Range, Sort, position};

/// Creates a subscription. `answer` says how it will be told, so that a retry can be told the same.
pub async fn create(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: SubscriptionDraft,
    faults: ValidationErrors,
    answer: impl Fn(&Subscription) -> Answer + Send + Sync,
) -> Result<Answer, Error> {
    let mut held = idempotency::enter(app, caller, key).await?;
    let is_suspect = !faults.is_empty() || held.as_ref().is_some_and(Held::is_suspect);
    let mut trusting = !is_suspect && app.trust.holds(caller, app.clock.now());
    for _ in 0..ATTEMPTS {
        let mut faults = faults.clone();
        let trusted = draft.plan.as_ref().filter(|_| trusting);
        let plan = match trusted.and_then(|key| app.trust.plan(caller.organization(), key, app.clock.now())) {
            Some(plan) => Some(plan),
            None => {
                trusting = false;
                if let Some(answer) = idempotency::remembered(&mut held).await? {
                    return Ok(answer);
                }
                resolve(app, caller, draft.user_id, draft.plan.as_ref(), &mut faults).await?
            }
        };
        let now = app.clock.now();
        let (id, revision) = (SubscriptionId::new(now, app.entropy.bits()), EventId::new(now, app.entropy.bits()));
        let subscription = match Subscription::create(draft.clone(), faults, plan.as_deref(), id, revision, now) {
            Ok(subscription) => subscription,
            // What is wrong is told as a whole, after a look at what it refers to.
            Err(_) if trusting => {
                trusting = false;
                continue;
            }
            Err(faults) => return Err(faults.into()),
        };
        let Some(plan) = plan.filter(|plan| plan.is_active) else {
            return Err(Conflict::PlanInactive.into());
        };
        let answer = answer(&subscription);
        let event = caller.event(EventKind::SubscriptionCreated, id.bytes(), revision, now);
        let mut change = users::guard_live(Change::new(), caller.organization(), subscription.user_id);
        change = plans::guard_active(change, &plan);
        change = subscriptions::insert(change, &subscription);
        change = events::insert(change, &Event { after: Some(json(&subscription)), ..event });
        if let Some(held) = &held {
            change = held.keep(change, &answer, now);
        }
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(answer),
            Err(store::Error::Violated(Violation::User | Violation::Plan)) if trusting => {
                app.trust.shake(caller.organization(), caller.known.client.id, now);
                trusting = false;
            }
            Err(store::Error::Violated(Violation::User | Violation::Plan)) => {}
            Err(store::Error::Violated(Violation::ExternalId)) => taken(app, caller, &subscription).await?,
            Err(error) => return idempotency::settle(held.as_ref(), error).await,
        }
    }
    Err(Conflict::Contended.into())
}

/// The subscription with this id.
pub async fn read(app: &App, caller: &Caller, id: SubscriptionId) -> Result<Subscription, Error> {
    let found = subscriptions::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|subscription| caller.may_see(subscription.user_id)).ok_or(Error::NotFound)
}

/// A page of subscriptions, those of a plan if one is named, and the cursor of the next one.
pub async fn list(
    app: &App,
    caller: &Caller,
    plan: Option<&PlanKey>,
    mut query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Subscription>, Option<String>), Error> {
    let (organization, own) = (caller.organization(), caller.own);
    let name = cursor::subscriptions(organization, own, plan, &query);
    let previous = || cursor::previous_subscriptions(organization, own, plan, &query);
    let after = cursor.map(|cursor| cursor::open_either(&app.keys, &name, previous, cursor)).transpose()?;
    if query.user_id.is_some_and(|user| !caller.may_see(user)) {
        return Ok((vec![], None));
    }
    query.user_id = query.user_id.or(own);
    query.plan_id = match plan {
        None => None,
        Some(PlanKey::Id(id)) => Some(*id),
        Some(key) => match plans::find(&app.db, caller.organization(), key).await? {
            Some(plan) => Some(plan.id),
            None => return Ok((vec![], None)),
        },
    };
    let page = subscriptions::list(&app.db, caller.organization(), &query, after, limit).await?;
    let next = page.next.map(|position| cursor::seal(&app.keys, &name, &position));
    Ok((page.items, next))
}

/// The subscription of an organization with this id, for the operator.
pub async fn find(app: &App, organization: OrganizationId, id: SubscriptionId) -> Result<Option<Subscription>, Error> {
    Ok(subscriptions::by_id(&app.db, organization, id).await?)
}

/// A page of an organization's subscriptions after a place, for the operator.
pub async fn page(
    app: &App,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Subscription>, Error> {
    Ok(subscriptions::list(&app.db, organization, query, after, limit).await?)
}

/// Updates a subscription. `read` says what was sent, held against the subscription as it stands.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: SubscriptionId,
    if_match: &IfMatch,
    read: impl Fn(&Subscription) -> (SubscriptionDraft, ValidationErrors) + Send + Sync,
) -> Result<Subscription, Error> {
    let mut attempts = app.turns.attempts(id.bytes());
    while attempts.next().await {
        let before = self::read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let (patch, mut faults) = read(&before);
        // A reference that does not change is not checked again.
        let user = patch.user_id.filter(|user| *user != before.user_id);
        let plan_key = patch.plan.as_ref().filter(|key| **key != PlanKey::Id(before.plan_id));
        let plan = resolve(app, caller, user, plan_key, &mut faults).await?;
        let now = app.clock.now();
        let mut after = before.merge(patch, plan.as_ref().map(|plan| plan.id), faults, now)?;
        if after == before {
            return Ok(before);
        }
        let moved_to = plan.filter(|plan| plan.id != before.plan_id);
        if moved_to.as_ref().is_some_and(|plan| !plan.is_active) {
            return Err(Conflict::PlanInactive.into());
        }
        let Stamp { at, revision } = app.stamp(&before, now);
        (after.updated_at, after.revision) = (at, revision);
        let event = caller.event(EventKind::SubscriptionUpdated, id.bytes(), revision, at);
        let mut change = Change::new();
        if user.is_some() {
            change = users::guard_live(change, caller.organization(), after.user_id);
        }
        if let Some(plan) = &moved_to {
            change = plans::guard_active(change, plan);
        }
        change = subscriptions::update(change, &after, before.revision);
        change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::User | Violation::Plan | Violation::Record)) => {}
            Err(store::Error::Violated(Violation::ExternalId)) => taken(app, caller, &after).await?,
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes a subscription; its payments stay. Answers what it was.
pub async fn delete(app: &App, caller: &Caller, id: SubscriptionId, if_match: &IfMatch) -> Result<Subscription, Error> {
    let mut attempts = app.turns.attempts(id.bytes());
    while attempts.next().await {
        let subscription = read(app, caller, id).await?;
        if_match.check(subscription.revision)?;
        let Stamp { at, revision } = app.stamp(&subscription, app.clock.now());
        let event = caller.event(EventKind::SubscriptionDeleted, id.bytes(), revision, at);
        let change = subscriptions::delete(Change::new(), &subscription, at, revision);
        let change = events::insert(change, &Event { before: Some(json(&subscription)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(subscription),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Looks up what a draft refers to; notes what does not exist.
async fn resolve(
    app: &App,
    caller: &Caller,
    user: Option<UserId>,
    plan: Option<&PlanKey>,
    faults: &mut ValidationErrors,
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
        faults.note("/user_id", ValidationCode::NotFound, "names no user of this organization");
    }
    if plan.is_some() && found_plan.is_none() {
        faults.note("/subscription_plan_id", ValidationCode::NotFound, "names no plan of this organization");
    }
    let found_plan = found_plan.map(Arc::new);
    if let (Some(key), Some(plan)) = (plan, found_plan.as_ref().filter(|plan| plan.is_active)) {
        app.trust.remember(key, plan, app.clock.now());
    }
    Ok(found_plan)
}

/// Says which subscription has the external id; none if it has been given up meanwhile.
async fn taken(app: &App, caller: &Caller, subscription: &Subscription) -> Result<(), Error> {
    let external = subscription.external_subscription_id.as_ref().map(ExternalSubscriptionId::as_str);
    let other = subscriptions::id_by_external(&app.db, caller.organization(), external.unwrap_or_default()).await?;
    match other {
        Some(other) => Err(Conflict::ExternalIdTaken { other: other.to_string() }.into()),
        None => Ok(()),
    }
}
