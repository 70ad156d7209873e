//! Accounts: deleted by the user or erased by the operator. Afterwards no personal data is left.

use crate::audit::{UserTrace, json};
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::connections;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::members;
use crate::revision::IfMatch;
use crate::sessions::{SignedIn, prepare_revoke};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::UserId;
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::{Subscription, SubscriptionDraft, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_domain::users::User;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{
    self as store, Change, Violation, billing_profiles, events, portal_links, sessions, subscriptions, users,
};

const FRESH_SECONDS: i64 = 24 * 3600;

/// Deletes the caller's own account, named by its subject at the provider. In one transaction, personal data and
/// sessions are removed and subscriptions are canceled. An empty user stays, because payments refer to it.
pub async fn delete(app: &App, caller: &Caller, signed_in: &SignedIn, auth_id: &str) -> Result<(), Error> {
    let organization = caller.organization();
    let own = signed_in.user.identity.as_ref().filter(|identity| identity.subject == auth_id);
    let identity = own.ok_or(Error::NotAccountOwner)?;
    if app.clock.now() > signed_in.session.signed_in_at.plus_seconds(FRESH_SECONDS) {
        return Err(Error::FreshSignInRequired);
    }
    let _lock = app.locks.lock_identity(organization, identity).await;
    for _ in 0..ATTEMPTS {
        let now = app.clock.now();
        let found = sessions::with_user(&app.db, organization, signed_in.session.id).await?;
        // The session was ended, or the account deleted, after the request was authenticated.
        let (_, user) = found.filter(|(session, _)| session.is_live(now)).ok_or(Error::InvalidToken)?;
        let change = prepare_erasure(app, caller, &user, now).await?;
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(()),
            Err(store::Error::Violated(
                Violation::User | Violation::Session | Violation::Record | Violation::Member | Violation::Clock,
            )) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Erases a user for a client or the operator, as [`delete`] does for the user, with or without an identity.
/// Returns the number of live sessions and open subscriptions that ended.
pub async fn erase(app: &App, caller: &Caller, id: UserId, if_match: &IfMatch) -> Result<Erased, Error> {
    let organization = caller.organization();
    for _ in 0..ATTEMPTS {
        let user = users::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
        if_match.check(user.revision)?;
        let now = app.clock.now();
        let sessions = sessions::live(&app.db, organization, id, now).await?.len();
        let subscriptions = subscriptions::open_by_user(&app.db, organization, id).await?.len();
        let change = prepare_erasure(app, caller, &user, now).await?;
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(Erased { sessions, subscriptions }),
            Err(store::Error::Violated(
                Violation::User | Violation::Session | Violation::Record | Violation::Member | Violation::Clock,
            )) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The number of records that ended with an erased user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// Live sessions.
    pub sessions: usize,
    /// Subscriptions that had not expired.
    pub subscriptions: usize,
}

/// The whole erasure as one change, which fails if the user has changed since it was read.
async fn prepare_erasure(app: &App, caller: &Caller, user: &User, now: Time) -> Result<Change, Error> {
    let organization = user.organization_id;
    let live = sessions::live(&app.db, organization, user.id, now).await?;
    let open = subscriptions::open_by_user(&app.db, organization, user.id).await?;
    let Stamp { at, revision } = app.stamp(user, now);
    // Sessions and the user end in real time, subscriptions in that of the organization.
    let time = business_time::read(app, caller).await?;
    let mut change = time.guard(users::erase(Change::new(), user, at, revision))?;
    change = subscriptions::guard_open_count(change, organization, user.id, open.len());
    // Each session that ends has an event.
    for listed in &live {
        change = prepare_revoke(app, caller, change, &listed.session, now);
    }
    change = sessions::erase(change, organization, user.id);
    change = billing_profiles::erase(change, organization, user.id);
    change = portal_links::erase(change, organization, user.id);
    change = members::prepare_erasure(app, caller, change, user.id, time.now).await?;
    change = connections::prepare_erasure(app, change, organization, user.id).await?;
    for before in &open {
        change = prepare_end(app, caller, change, before, time.now)?;
    }
    let trace = UserTrace { id: user.id, fields: user.changed_fields(None) };
    let event = caller.event(EventKind::UserDeleted, user.id.bytes(), revision, at).following(user.revision);
    Ok(events::insert(change, &Event { before: Some(json(&trace)), ..event }))
}

/// Cancels a subscription now, or at its start if that is in the future.
fn prepare_end(app: &App, caller: &Caller, change: Change, before: &Subscription, now: Time) -> Result<Change, Error> {
    let patch = SubscriptionDraft {
        status: Some(SubscriptionStatus::Cancelled),
        ends_at: Some(Some(now.max(before.starts_at))),
        ..SubscriptionDraft::default()
    };
    let mut after = match before.billing {
        Some(_) => before.cancel_for_erasure(now),
        None => before.merge(patch, None, ValidationErrors::default(), now)?,
    };
    if after == *before {
        return Ok(change);
    }
    let Stamp { at, revision } = app.stamp(before, now);
    (after.updated_at, after.revision) = (at, revision);
    let event =
        caller.event(EventKind::SubscriptionUpdated, before.id.bytes(), revision, at).following(before.revision);
    let change = subscriptions::update(change, &after, before.revision);
    Ok(events::insert(change, &Event { before: Some(json(before)), after: Some(json(&after)), ..event }))
}
