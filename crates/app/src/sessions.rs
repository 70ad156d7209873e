//! Sessions: begun by sign-up or sign-in, checked at every request with a token, refreshed, listed and ended.

pub(crate) mod begin;
mod operator;
mod record;
mod refresh;
mod usage;
pub(crate) mod use_marks;

pub use begin::{Credentials, Device, sign_in, sign_up};
pub use operator::{end, end_of, list_of, revoke_user};
pub use perennial_domain::sessions::Session;
pub use perennial_identity::secret::Secret;
pub use perennial_store::sessions::{Listed, Query};
pub use record::SessionRecord;
pub use refresh::refresh;

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::housekeeping::remove::{BATCH, remove};
use crate::keyed_locks::ATTEMPTS;
use crate::signing_keys;
use perennial_domain::clients::{ClientKind, Scope};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, SessionId, UserId};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::users::User;
pub use perennial_identity::access::Grant;
use perennial_identity::access::LIFE_SECONDS;
use perennial_store::{self as store, Change, Page, Position, Violation, events, organizations, sessions, users};
use serde::Serialize;

/// A user with a live session.
pub struct SignedIn {
    /// The user.
    pub user: User,
    /// The session of the token.
    pub session: Session,
}

/// The tokens after a sign-in or a refresh.
pub struct Granted {
    /// The access token.
    pub token: Secret,
    /// When the access token expires.
    pub token_expires_at: Time,
    /// The lifetime of the access token in seconds.
    pub token_seconds: i64,
    /// The refresh token.
    pub refresh_token: Secret,
    /// The lifetime of the refresh token in seconds, if it is not used.
    pub refresh_seconds: i64,
    /// The user and the session.
    pub signed_in: SignedIn,
}

/// A user's live sessions, and the number above the limit.
pub struct SessionList {
    /// The sessions, newest first.
    pub sessions: Vec<Listed>,
    /// The number of sessions above the organization's limit.
    pub too_many: usize,
}

/// The grant of a token for this client, whether or not its session is live. No row is read.
pub async fn open_token(app: &App, caller: &Caller, token: &str) -> Result<Grant, Error> {
    let keys = signing_keys::current(app).await?;
    let tokens = signing_keys::access_tokens(app).await?;
    let access = tokens.verify(&keys, token, caller.organization(), app.clock.now());
    let grant = access.map_err(|_| Error::InvalidToken)?.grant;
    let client = &caller.known().ok_or(Error::InvalidToken)?.client;
    let trusted = client.kind == ClientKind::Trusted && client.scopes.contain(Scope::Auth);
    if grant.client == client.id || trusted { Ok(grant) } else { Err(Error::InvalidToken) }
}

/// The user and session of this token, if the session is live: one read, and one signature check unless it is cached.
pub async fn check(app: &App, caller: &Caller, token: &str) -> Result<SignedIn, Error> {
    let grant = open_token(app, caller, token).await?;
    let found = sessions::with_user(&app.db, caller.organization(), grant.session).await?;
    let now = app.clock.now();
    // A blocked user has no live session, unless its rows were imported.
    let found = found.filter(|(session, user)| session.is_live(now) && !user.is_blocked());
    let (session, user) = found.ok_or(Error::InvalidToken)?;
    usage::mark(app, &session, now);
    Ok(SignedIn { user, session })
}

/// The user's live sessions, across all clients.
pub async fn list(app: &App, caller: &Caller, user: &User) -> Result<SessionList, Error> {
    let sessions = sessions::live(&app.db, caller.organization(), user.id, app.clock.now()).await?;
    // The client is cached for seconds, so the operator's current limit is read.
    let organization = organizations::by_id(&app.db, caller.organization()).await?;
    let most = organization.and_then(|organization| organization.max_sessions);
    let too_many = most.map_or(0, |most| sessions.len().saturating_sub(most as usize));
    Ok(SessionList { sessions, too_many })
}

/// The session with this ID, live or ended.
pub async fn read(app: &App, caller: &Caller, id: SessionId) -> Result<Session, Error> {
    let found = sessions::with_user(&app.db, caller.organization(), id).await?;
    let session = found.map(|(session, _)| session).filter(|session| caller.may_see(session.user_id));
    session.ok_or(Error::NotFound)
}

/// A page of sessions after a position, newest first.
pub async fn page(
    app: &App,
    caller: &Caller,
    mut query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Session>, Error> {
    if query.user_id.is_some_and(|user| !caller.may_see(user)) {
        return Ok(Page { items: vec![], next: None });
    }
    query.user_id = query.user_id.or(caller.own);
    Ok(sessions::list(&app.db, caller.organization(), &query, after, limit).await?)
}

/// Ends the session of this grant and returns the number of sessions that ended.
pub async fn logout(app: &App, caller: &Caller, grant: &Grant) -> Result<usize, Error> {
    match sessions::with_user(&app.db, caller.organization(), grant.session).await? {
        Some((session, _)) => revoke_one(app, caller, &session).await,
        None => Ok(0),
    }
}

/// Ends one session of the user and returns the number of sessions that ended.
pub async fn revoke(app: &App, caller: &Caller, user: &User, id: SessionId) -> Result<usize, Error> {
    match sessions::with_user(&app.db, caller.organization(), id).await? {
        Some((session, owner)) if owner.id == user.id => revoke_one(app, caller, &session).await,
        _ => Err(Error::NotFound),
    }
}

/// Ends every session of the user except `except`, and returns the number of sessions that ended.
///
/// A concurrent sign-in comes first, and its session ends too, or it fails because the epoch has changed.
pub async fn revoke_all(
    app: &App,
    caller: &Caller,
    signed_in: &SignedIn,
    except: Option<SessionId>,
) -> Result<usize, Error> {
    // A user of the portal may have no identity, and then no sign-in to wait for.
    let _lock = match &signed_in.user.identity {
        Some(identity) => Some(app.locks.lock_identity(caller.organization(), identity).await),
        None => None,
    };
    for _ in 0..ATTEMPTS {
        // Read again at each attempt: the epoch first, so that no session begun after it is missed.
        let now = app.clock.now();
        let found = sessions::with_user(&app.db, caller.organization(), signed_in.session.id).await?;
        // The caller's own session was ended after the request was authenticated.
        let (_, user) = found.filter(|(session, _)| session.is_live(now)).ok_or(Error::InvalidToken)?;
        let open = sessions::open(&app.db, caller.organization(), user.id).await?;
        let ended = || open.iter().map(|listed| &listed.session).filter(|session| Some(session.id) != except);
        let mut change = users::move_epoch(Change::new(), &user);
        for session in ended() {
            change = prepare_revoke(app, caller, change, session, now);
        }
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(ended().filter(|session| session.is_live(now)).count()),
            Err(store::Error::Violated(Violation::User | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Removes every session whose retention has passed, of every organization.
pub async fn sweep(app: &App) -> Result<(), Error> {
    let before = app.options.retention.sessions_before(app.clock.now());
    for organization in organizations::all(&app.db).await? {
        let due = || sessions::due(&app.db, organization.id, before, BATCH);
        remove(app, due, || sessions::sweep(Change::new(), organization.id, before, BATCH)).await?;
    }
    Ok(())
}

pub(crate) async fn revoke_one(app: &App, caller: &Caller, session: &Session) -> Result<usize, Error> {
    let now = app.clock.now();
    if session.revoked_at.is_some() {
        return Ok(0);
    }
    let change = prepare_revoke(app, caller, Change::new(), session, now);
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(usize::from(session.is_live(now))),
        // Another request has just ended it.
        Err(store::Error::Violated(Violation::Session)) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Ends a session together with its event. Fails with [`Violation::Session`] if it has ended. An expired session gets no
/// event, but is marked as ended, so that a clock that steps back does not make it live again.
pub(crate) fn prepare_revoke(app: &App, caller: &Caller, change: Change, session: &Session, now: Time) -> Change {
    let stamp = app.stamp(session, now);
    let change = sessions::revoke(change, session, stamp.at);
    if session.is_live(now) { revoked_event(caller, change, session, stamp) } else { change }
}

fn revoked_event(caller: &Caller, change: Change, session: &Session, stamp: Stamp) -> Change {
    let event = caller.event(EventKind::SessionRevoked, session.id.bytes(), stamp.revision, stamp.at);
    events::insert(change, &Event { before: Some(json(&SessionTrace::of(session))), ..event })
}

/// The tokens of a session.
async fn grant(app: &App, user: User, session: Session, now: Time) -> Result<Granted, Error> {
    let keys = signing_keys::current(app).await?;
    let tokens = signing_keys::access_tokens(app).await?;
    let grant = Grant {
        organization: session.organization_id,
        user: session.user_id,
        // The portal's sessions have no tokens.
        client: session.client_id.ok_or(Error::InvalidToken)?,
        session: session.id,
        auth_time: session.signed_in_at,
    };
    let token = tokens.issue(&keys, &grant, app.entropy.bytes(), now);
    let token = token.map_err(|fault| Error::Internal(fault.to_string()))?;
    Ok(Granted {
        token,
        token_expires_at: now.whole_seconds().plus_seconds(LIFE_SECONDS),
        token_seconds: LIFE_SECONDS,
        refresh_token: app.keys.refresh.make(session.id, session.generation),
        refresh_seconds: session.expires_at.seconds_since(now),
        signed_in: SignedIn { user, session },
    })
}

/// What an event stores of a session: IDs only, no personal data.
#[derive(Serialize)]
struct SessionTrace {
    id: SessionId,
    user_id: UserId,
    client_id: Option<ClientId>,
    /// Nothing of a session is updated with an event.
    fields: [&'static str; 0],
}

impl SessionTrace {
    fn of(session: &Session) -> Self {
        Self { id: session.id, user_id: session.user_id, client_id: session.client_id, fields: [] }
    }
}
