//! Sessions that the operator ends: one, or all of a user.

use super::{prepare_revoke, revoke_one};
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::id::{OrganizationId, SessionId, UserId};
use perennial_store::{self as store, Change, Violation, sessions, users};

/// Ends one session and returns the number of live ones.
pub async fn end(app: &App, organization: OrganizationId, id: SessionId) -> Result<usize, Error> {
    let found = sessions::with_user(&app.db, organization, id).await?;
    let (session, _) = found.ok_or(Error::NotFound)?;
    revoke_one(app, &Caller::system(organization), &session).await
}

/// Ends all sessions of a user and returns the number of live ones. A concurrent sign-in is ended too, or decides again.
pub async fn revoke_user(app: &App, organization: OrganizationId, id: UserId) -> Result<usize, Error> {
    for _ in 0..ATTEMPTS {
        // The user is read before the sessions. A session begun in between changes the epoch, and this change fails.
        let user = users::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
        let now = app.clock.now();
        let open = sessions::open(&app.db, organization, id).await?;
        let live = open.iter().filter(|listed| listed.session.is_live(now)).count();
        let mut change = users::move_epoch(Change::new(), &user);
        for listed in &open {
            change = prepare_revoke(app, &Caller::system(organization), change, &listed.session, now);
        }
        match app.db.commit(change).await {
            Ok(()) => return Ok(live),
            Err(store::Error::Violated(Violation::User | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}
