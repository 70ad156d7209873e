//! Updates of users. Blocking is an update too: a blocked user has no session and cannot begin one until it is unblocked.
//! A concurrent sign-in comes first, and its session ends too, or it fails and finds the user blocked.

use super::read;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use crate::sessions::prepare_revoke;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::UserId;
use perennial_domain::time::Time;
use perennial_domain::users::{User, UserDraft};
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Violation, events, sessions, users};

/// Updates a user. `read_patch` reads the request against the user as it is. Nothing is written if nothing changes.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: UserId,
    if_match: &IfMatch,
    read_patch: impl Fn(&User) -> (UserDraft, ValidationErrors) + Send + Sync,
) -> Result<User, Error> {
    Ok(change(app, caller, id, if_match, read_patch).await?.0)
}

/// Blocks a user, ends its sessions and returns the number of live ones. A blocked user stays as it is.
pub async fn block(app: &App, caller: &Caller, id: UserId) -> Result<(User, usize), Error> {
    set_blocked(app, caller, id, true).await
}

/// Lets a user sign in again. A user that is not blocked stays as it is.
pub async fn unblock(app: &App, caller: &Caller, id: UserId) -> Result<User, Error> {
    Ok(set_blocked(app, caller, id, false).await?.0)
}

async fn set_blocked(app: &App, caller: &Caller, id: UserId, is_blocked: bool) -> Result<(User, usize), Error> {
    let patch = UserDraft { is_blocked: Some(is_blocked), ..UserDraft::default() };
    change(app, caller, id, &IfMatch::Unconditional, |_| (patch.clone(), ValidationErrors::none())).await
}

/// Returns the user after the update and the number of live sessions that ended.
async fn change(
    app: &App,
    caller: &Caller,
    id: UserId,
    if_match: &IfMatch,
    read_patch: impl Fn(&User) -> (UserDraft, ValidationErrors) + Send + Sync,
) -> Result<(User, usize), Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        // The user is read before the sessions. A session begun in between changes the epoch, and this change fails.
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let (patch, errors) = read_patch(&before);
        let now = app.clock.now();
        let merged = before.merge(patch, errors, now)?;
        if merged == before {
            return Ok((before, 0));
        }
        business_time::check(app, caller).await?;
        if merged.email != before.email && before.is_email_managed() {
            return Err(Conflict::EmailManaged.into());
        }
        let (after, events) = stamped(app, caller, &before, &merged, now);
        let mut change = users::update(Change::new(), &after, &before);
        let mut live = 0;
        if after.session_epoch != before.session_epoch {
            for listed in sessions::open(&app.db, caller.organization(), id).await? {
                live += usize::from(listed.session.is_live(now));
                change = prepare_revoke(app, caller, change, &listed.session, now);
            }
        }
        let change = events.iter().fold(change, events::insert);
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok((after, live)),
            Err(store::Error::Violated(Violation::Email)) => super::check_email(app, caller, &after).await?,
            Err(store::Error::Violated(Violation::User | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The user with the stamp of its last event, and the events: one for the fields, one for the block.
fn stamped(app: &App, caller: &Caller, before: &User, merged: &User, now: Time) -> (User, Vec<Event>) {
    let mut events = Vec::new();
    let mut after = User { blocked_at: before.blocked_at, ..merged.clone() };
    if after != *before {
        set_stamp(app, &mut after, now);
        events.push(caller.user_event(EventKind::UserUpdated, &after, Some(before)));
    }
    if merged.is_blocked() != before.is_blocked() {
        let fields_only = after.clone();
        set_stamp(app, &mut after, now);
        after.blocked_at = merged.blocked_at.map(|_| after.updated_at);
        after.session_epoch += 1;
        let kind = if after.is_blocked() { EventKind::UserBlocked } else { EventKind::UserUnblocked };
        events.push(caller.user_event(kind, &after, Some(&fields_only)));
    }
    (after, events)
}

fn set_stamp(app: &App, user: &mut User, now: Time) {
    let stamp = app.stamp(user, now);
    (user.updated_at, user.revision) = (stamp.at, stamp.revision);
}
