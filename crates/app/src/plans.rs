//! Plans: create, read, list, update, delete.

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Answer, Key};
use crate::revision::IfMatch;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, PlanId};
use perennial_domain::plans::{Plan, PlanDraft, PlanKey, PlanPatch};
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Page, Position, Violation, events, plans};

pub use perennial_store::plans::{Query, Sort, position};

/// Creates a plan. `answer` says how it will be told, so that a retry can be told the same.
pub async fn create(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: PlanDraft,
    faults: ValidationErrors,
    answer: impl Fn(&Plan) -> Answer + Send + Sync,
) -> Result<Answer, Error> {
    let mut held = idempotency::enter(app, caller, key).await?;
    if let Some(answer) = idempotency::remembered(&mut held).await? {
        return Ok(answer);
    }
    let now = app.clock.now();
    let (id, revision) = (PlanId::new(now, app.entropy.bits()), EventId::new(now, app.entropy.bits()));
    let plan = Plan::create(draft, faults, &caller.known.organization, id, revision, now)?;
    let answer = answer(&plan);
    let event = caller.event(EventKind::PlanCreated, id.bytes(), revision, now);
    let mut change = plans::insert(Change::new(), &plan);
    change = events::insert(change, &Event { after: Some(json(&plan)), ..event });
    if let Some(held) = &held {
        change = held.keep(change, &answer, now);
    }
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(answer),
        Err(store::Error::Violated(Violation::Slug)) => Err(Conflict::SlugTaken.into()),
        Err(error) => idempotency::settle(held.as_ref(), error).await,
    }
}

/// The plan a key names.
pub async fn read(app: &App, caller: &Caller, key: &PlanKey) -> Result<Plan, Error> {
    plans::find(&app.db, caller.organization(), key).await?.ok_or(Error::NotFound)
}

/// A page of plans, and the cursor of the next one.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Plan>, Option<String>), Error> {
    let organization = caller.organization();
    let name = cursor::plans(organization, query);
    let previous = || cursor::previous_plans(organization, query);
    let after = cursor.map(|cursor| cursor::open_either(&app.keys, &name, previous, cursor)).transpose()?;
    let page = plans::list(&app.db, caller.organization(), query, after, limit).await?;
    let next = page.next.map(|position| cursor::seal(&app.keys, &name, &position));
    Ok((page.items, next))
}

/// The plan of an organization that a key names, for the operator.
pub async fn find(app: &App, organization: OrganizationId, key: &PlanKey) -> Result<Option<Plan>, Error> {
    Ok(plans::find(&app.db, organization, key).await?)
}

/// A page of an organization's plans after a place, for the operator.
pub async fn page(
    app: &App,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Plan>, Error> {
    Ok(plans::list(&app.db, organization, query, after, limit).await?)
}

/// Updates a plan. `read` says what was sent, held against the plan as it stands.
pub async fn update(
    app: &App,
    caller: &Caller,
    key: &PlanKey,
    if_match: &IfMatch,
    read: impl Fn(&Plan) -> (PlanPatch, ValidationErrors) + Send + Sync,
) -> Result<Plan, Error> {
    let mut attempts = app.turns.attempts((caller.organization().bytes(), key));
    while attempts.next().await {
        let before = self::read(app, caller, key).await?;
        if_match.check(before.revision)?;
        let (patch, faults) = read(&before);
        let mut after = before.merge(patch, faults)?;
        if after == before {
            return Ok(before);
        }
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        (after.updated_at, after.revision) = (at, revision);
        let event = caller.event(EventKind::PlanUpdated, after.id.bytes(), revision, at);
        let change = plans::update(Change::new(), &after, before.revision);
        let change = events::insert(change, &Event { before: Some(json(&before)), after: Some(json(&after)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes a plan that no live subscription refers to; answers what it was.
pub async fn delete(app: &App, caller: &Caller, key: &PlanKey, if_match: &IfMatch) -> Result<Plan, Error> {
    let mut attempts = app.turns.attempts((caller.organization().bytes(), key));
    while attempts.next().await {
        let plan = read(app, caller, key).await?;
        if_match.check(plan.revision)?;
        let Stamp { at, revision } = app.stamp(&plan, app.clock.now());
        let event = caller.event(EventKind::PlanDeleted, plan.id.bytes(), revision, at);
        let change = plans::delete(Change::new(), &plan, at, revision);
        let change = events::insert(change, &Event { before: Some(json(&plan)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(plan),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(store::Error::Violated(Violation::InUse)) => {
                let subscriptions =
                    store::subscriptions::count_by_plan(&app.db, caller.organization(), plan.id).await?;
                // Zero: the last one left meanwhile, so the plan can go after all.
                if subscriptions > 0 {
                    return Err(Conflict::PlanInUse { subscriptions }.into());
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}
