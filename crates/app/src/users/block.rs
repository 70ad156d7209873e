//! Blocking: a blocked user has no session and cannot begin one, until the operator unblocks it.
//! A concurrent sign-in comes first, and its session ends too, or it fails and finds the user blocked.

use crate::audit::{UserTrace, json, system_event};
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::sessions::prepare_revoke;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::stamp::Stamp;
use perennial_domain::users::User;
use perennial_store::{self as store, Change, Violation, events, sessions, users};

/// Blocks a user, ends its sessions and returns the number of live ones. A blocked user stays as it is.
pub async fn block(app: &App, organization: OrganizationId, id: UserId) -> Result<(User, usize), Error> {
    set_blocked(app, organization, id, true).await
}

/// Lets a user sign in again. A user that is not blocked stays as it is.
pub async fn unblock(app: &App, organization: OrganizationId, id: UserId) -> Result<User, Error> {
    Ok(set_blocked(app, organization, id, false).await?.0)
}

async fn set_blocked(
    app: &App,
    organization: OrganizationId,
    id: UserId,
    is_blocked: bool,
) -> Result<(User, usize), Error> {
    for _ in 0..ATTEMPTS {
        // The user is read before the sessions. A session begun in between changes the epoch, and this change fails.
        let before = users::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
        if before.is_blocked() == is_blocked {
            return Ok((before, 0));
        }
        let now = app.clock.now();
        let open = sessions::open(&app.db, organization, id).await?;
        let live = open.iter().filter(|listed| listed.session.is_live(now)).count();
        let Stamp { at, revision } = app.stamp(&before, now);
        let after = User {
            blocked_at: is_blocked.then_some(at),
            session_epoch: before.session_epoch + 1,
            updated_at: at,
            revision,
            ..before.clone()
        };
        let mut change = users::set_blocked(Change::new(), &after, &before);
        for listed in &open {
            change = prepare_revoke(app, &Caller::system(organization), change, &listed.session, now);
        }
        change = events::insert(change, &event(&after, &before));
        match app.db.commit(change).await {
            Ok(()) => return Ok((after, live)),
            Err(store::Error::Violated(Violation::User | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

fn event(after: &User, before: &User) -> Event {
    let kind = if after.is_blocked() { EventKind::UserBlocked } else { EventKind::UserUnblocked };
    let trace = UserTrace { id: after.id, fields: after.changed_fields(Some(before)) };
    let event = system_event(after.organization_id, kind, after.id.bytes(), after.revision, after.updated_at);
    Event { after: Some(json(&trace)), ..event }
}
