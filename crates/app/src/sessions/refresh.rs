//! Refresh: a refresh token is exchanged for its successor once. A second use is a replay within the grace period, or reuse.

use super::{Granted, grant, revoked_event};
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::rotation::{Decision, Rotation};
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, sessions};

/// New tokens for the session of this refresh token.
pub async fn refresh(app: &App, caller: &Caller, token: &str) -> Result<Granted, Error> {
    let (id, presented) = app.keys.open_refresh(token).map_err(|_| Error::InvalidRefreshToken)?;
    for _ in 0..ATTEMPTS {
        let found = sessions::with_user(&app.db, caller.organization(), id).await?;
        let own = found
            .filter(|(session, _)| session.client_id.map(|id| (session.organization_id, id)) == caller.client_key());
        let (session, user) = own.ok_or(Error::InvalidRefreshToken)?;
        // Blocking has ended the session. The holder of a valid token learns why.
        if user.is_blocked() {
            return Err(Error::UserBlocked);
        }
        if session.revoked_at.is_some() {
            return Err(Error::InvalidRefreshToken);
        }
        let now = app.clock.now();
        let (change, session) = match rotation(&session).decide(presented, now) {
            Decision::Replay => return grant(app, user, session, now).await,
            Decision::Rotate(next) | Decision::Grace(next) => {
                let next = rotated(&session, next, now);
                (sessions::rotate(Change::new(), &next, &session), next)
            }
            Decision::Reuse => {
                let change = confirm(app, caller, prepare_end(app, caller, &session, now)).await?;
                match app.db.commit(change).await {
                    Ok(()) => return Err(Error::RefreshTokenReused),
                    Err(store::Error::Violated(Violation::Session)) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            Decision::Expired => return Err(Error::RefreshTokenExpired),
        };
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return grant(app, user, session, now).await,
            // Another caller was faster with the same token, or the session has ended.
            Err(store::Error::Violated(Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

fn prepare_end(app: &App, caller: &Caller, session: &Session, now: Time) -> Change {
    let stamp = app.stamp(session, now);
    let change = sessions::revoke_unchanged(Change::new(), session, stamp.at);
    revoked_event(caller, change, session, stamp)
}

fn rotation(session: &Session) -> Rotation {
    Rotation {
        generation: session.generation,
        signed_in_at: session.signed_in_at,
        rotated_at: session.rotated_at,
        graces: session.graces.clone(),
    }
}

fn rotated(session: &Session, next: Rotation, now: Time) -> Session {
    Session {
        expires_at: next.expires_at(),
        generation: next.generation,
        rotated_at: next.rotated_at,
        graces: next.graces,
        last_used_at: now.max(session.last_used_at),
        ..session.clone()
    }
}
