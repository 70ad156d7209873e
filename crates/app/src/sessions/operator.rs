//! Sessions that a client or the operator ends on behalf of a user: one, or all.

use super::{Listed, prepare_revoke, revoke_one};
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::id::{SessionId, UserId};
use perennial_store::{self as store, Change, Violation, sessions, users};

/// A user's live sessions, newest first.
pub async fn list_of(app: &App, caller: &Caller, user: UserId) -> Result<Vec<Listed>, Error> {
    let sessions = sessions::live(&app.db, caller.organization(), user, app.clock.now()).await?;
    // Only a user without sessions has to be looked up: the sessions of an erased user are removed with it.
    if sessions.is_empty() && !users::exists(&app.db, caller.organization(), user).await? {
        return Err(Error::NotFound);
    }
    Ok(sessions)
}

/// Ends one live session of a user and returns it.
pub async fn end_of(app: &App, caller: &Caller, user: UserId, id: SessionId) -> Result<Listed, Error> {
    let now = app.clock.now();
    let live = sessions::live(&app.db, caller.organization(), user, now).await?;
    let mut listed = live.into_iter().find(|listed| listed.session.id == id).ok_or(Error::NotFound)?;
    if revoke_one(app, caller, &listed.session).await? == 0 {
        return Err(Error::NotFound);
    }
    listed.session.revoked_at = Some(now);
    Ok(listed)
}

/// Ends one session and returns the number of live ones.
pub async fn end(app: &App, caller: &Caller, id: SessionId) -> Result<usize, Error> {
    let found = sessions::with_user(&app.db, caller.organization(), id).await?;
    let (session, _) = found.ok_or(Error::NotFound)?;
    revoke_one(app, caller, &session).await
}

/// Ends all sessions of a user and returns the number of live ones. A concurrent sign-in is ended too, or decides again.
pub async fn revoke_user(app: &App, caller: &Caller, id: UserId) -> Result<usize, Error> {
    for _ in 0..ATTEMPTS {
        // The user is read before the sessions. A session begun in between changes the epoch, and this change fails.
        let user = users::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)?;
        let now = app.clock.now();
        let open = sessions::open(&app.db, caller.organization(), id).await?;
        let live = open.iter().filter(|listed| listed.session.is_live(now)).count();
        let mut change = users::move_epoch(Change::new(), &user);
        for listed in &open {
            change = prepare_revoke(app, caller, change, &listed.session, now);
        }
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(live),
            Err(store::Error::Violated(Violation::User | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}
