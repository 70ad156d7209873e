//! Members of subscriptions: users who get what a subscription of another user grants, as many as it has seats.

use crate::audit::json;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use crate::subscriptions;
use perennial_domain::entitlements::SEATS;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::features::{Feature, FeatureKey, FeatureReference};
use perennial_domain::id::{EventId, PlanId, SubscriptionId, UserId};
use perennial_domain::members::{Member, Seats, seat_limit};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::members::{self, Basis};
use perennial_store::{self as store, Change, Position, Violation, events, features, plans, users};

/// A page of a subscription's members, its seats, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    id: SubscriptionId,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Member>, Seats, Option<String>), Error> {
    let name = cursor::members(caller.organization(), id);
    let after = cursor.map(|cursor| cursor::open(&app.keys, &name, cursor)).transpose()?;
    let (members, seats, next) = page(app, caller, id, after, limit).await?;
    Ok((members, seats, next.map(|position| cursor::seal(&app.keys, &name, &position))))
}

/// A page of a subscription's members after a position, its seats, and the next position.
pub async fn page(
    app: &App,
    caller: &Caller,
    id: SubscriptionId,
    after: Option<Position>,
    limit: usize,
) -> Result<(Vec<Member>, Seats, Option<Position>), Error> {
    let subscription = subscriptions::read(app, caller, id).await?;
    let Found { seats, .. } = find(app, &subscription).await?;
    let page = members::list(&app.db, subscription.organization_id, id, after, limit).await?;
    Ok((page.items, seats, page.next))
}

/// What the seats of a subscription depend on.
struct Found {
    plan: Plan,
    feature: Option<Feature>,
    seats: Seats,
}

async fn find(app: &App, subscription: &Subscription) -> Result<Found, Error> {
    let organization = subscription.organization_id;
    let named = FeatureReference::Key(FeatureKey::from_stored(SEATS.to_owned()));
    let (plan, feature, members) = tokio::try_join!(
        plan_of(app, subscription),
        async { Ok(features::find(&app.db, organization, &named).await?) },
        async { Ok(members::count(&app.db, organization, subscription.id).await?) },
    )?;
    let seats = Seats::of(seat_limit(feature.as_ref(), subscription, &plan.entitlements), members);
    Ok(Found { plan, feature, seats })
}

async fn plan_of(app: &App, subscription: &Subscription) -> Result<Plan, Error> {
    let key = PlanKey::Id(subscription.plan_id);
    let found = plans::find(&app.db, subscription.organization_id, &key).await?;
    found.ok_or_else(|| missing_plan(subscription.plan_id))
}

fn missing_plan(id: PlanId) -> Error {
    Error::Internal(format!("the plan {id} of a live subscription does not exist"))
}

/// Adds a member. `render` makes the response, which is stored under the idempotency key in the same change.
pub async fn add(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    id: SubscriptionId,
    (user, errors): (Option<UserId>, ValidationErrors),
    render: impl Fn(&Member, EventId) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let time = business_time::read(app, caller).await?;
        let subscription = subscriptions::read(app, caller, id).await?;
        let user = existing_user(app, &subscription, user, errors.clone()).await?;
        let Found { plan, feature, seats } = find(app, &subscription).await?;
        check_can_join(app, &subscription, user, seats).await?;
        let member = new_member(&subscription, user, time.now);
        let Stamp { at, revision } = app.stamp(&subscription, time.now);
        let response = render(&member, revision);
        let bound = seats.bound() - 1;
        let basis = Basis { subscription: &subscription, plan: &plan, seats: feature.as_ref(), bound };
        let event = caller.event(EventKind::MemberCreated, id.bytes(), revision, at).following(subscription.revision);
        let change = members::insert(Change::new(), &member, basis);
        let change = store::subscriptions::write_advance(change, &subscription, revision);
        let mut change = events::insert(change, &Event { after: Some(json(&member)), ..event });
        if let Some(guard) = &guard {
            change = guard.store(change, &response, app.clock.now());
        }
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(response),
            Err(error @ store::Error::Violated(Violation::Key)) => {
                return idempotency::recover(guard.as_ref(), error).await;
            }
            Err(store::Error::Violated(violation)) if is_outdated(violation) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Whether a change was rejected because something was different from what was read.
const fn is_outdated(violation: Violation) -> bool {
    matches!(
        violation,
        Violation::Record
            | Violation::Plan
            | Violation::User
            | Violation::Member
            | Violation::SeatLimit
            | Violation::Clock
    )
}

async fn existing_user(
    app: &App,
    subscription: &Subscription,
    user: Option<UserId>,
    mut errors: ValidationErrors,
) -> Result<UserId, Error> {
    let found = match user {
        Some(user) => users::exists(&app.db, subscription.organization_id, user).await?,
        None => false,
    };
    match user {
        Some(user) if found && errors.is_empty() => Ok(user),
        Some(_) if !found => {
            errors.note("/user_id", ValidationCode::NotFound, "names no user of this organization");
            Err(errors.into())
        }
        _ => Err(errors.into()),
    }
}

async fn check_can_join(app: &App, subscription: &Subscription, user: UserId, seats: Seats) -> Result<(), Error> {
    let found = members::find(&app.db, subscription.organization_id, subscription.id, user).await?;
    if found.is_some() || subscription.user_id == user {
        return Err(Conflict::AlreadyMember.into());
    }
    if seats.is_full() {
        return Err(Conflict::SeatLimit { limit: seats.bound(), used: seats.used }.into());
    }
    Ok(())
}

fn new_member(subscription: &Subscription, user_id: UserId, now: Time) -> Member {
    let (organization_id, subscription_id) = (subscription.organization_id, subscription.id);
    Member { organization_id, subscription_id, user_id, created_at: now }
}

/// Removes a member and returns it as it was.
pub async fn remove(app: &App, caller: &Caller, id: SubscriptionId, user: UserId) -> Result<Member, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let time = business_time::read(app, caller).await?;
        let subscription = subscriptions::read(app, caller, id).await?;
        let found = members::find(&app.db, subscription.organization_id, id, user).await?;
        let member = found.ok_or(Error::NotFound)?;
        let change = prepare_removal(app, caller, Change::new(), (&member, &subscription), time.now);
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(member),
            Err(store::Error::Violated(Violation::Member | Violation::Record | Violation::Clock)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Removes all memberships of a user who is erased, each with its event. The user must be guarded exclusively in the same
/// change, so that no caller adds the user at the same time.
pub(crate) async fn prepare_erasure(
    app: &App,
    caller: &Caller,
    change: Change,
    user: UserId,
    now: Time,
) -> Result<Change, Error> {
    let memberships = members::of_user(&app.db, caller.organization(), user).await?;
    let mut change = members::guard_count_of_user(change, caller.organization(), user, memberships.len());
    for member in &memberships {
        // Members of a deleted subscription are removed with it.
        let found = store::subscriptions::by_id(&app.db, caller.organization(), member.subscription_id).await?;
        if let Some(subscription) = found {
            change = prepare_removal(app, caller, change, (member, &subscription), now);
        }
    }
    Ok(change)
}

/// Removes a member. The event is the new revision of the subscription, so that its history has it.
fn prepare_removal(
    app: &App,
    caller: &Caller,
    change: Change,
    (member, subscription): (&Member, &Subscription),
    now: Time,
) -> Change {
    let Stamp { at, revision } = app.stamp(subscription, now);
    let event = caller.event(EventKind::MemberDeleted, member.subscription_id.bytes(), revision, at);
    let event = event.following(subscription.revision);
    let change = store::subscriptions::advance(change, subscription, revision);
    let change = members::remove(change, member);
    events::insert(change, &Event { before: Some(json(member)), ..event })
}
