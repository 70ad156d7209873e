//! Sessions of the portal: a sealed cookie names the session, which is read at every request. Its use extends it, noted once
//! a minute.

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use crate::keys::sha256;
use crate::sessions::{Listed, Secret, SignedIn, revoke_all, revoke_one};
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::{OrganizationId, SessionId};
use perennial_domain::plans::Href;
use perennial_domain::portal::portal_expiry;
use perennial_domain::sessions::Session;
use perennial_domain::time::Time;
use perennial_domain::users::User;
use perennial_store::{Change, sessions};
use serde::{Deserialize, Serialize};

const SEAL_NAME: &[u8] = b"portal session";
const GRANULARITY_SECONDS: i64 = 60;

/// A user with a live session of the portal.
pub struct PortalSession {
    /// The user.
    pub user: User,
    /// The session.
    pub session: Session,
    /// Where the portal links back to.
    pub return_url: Option<Href>,
}

impl PortalSession {
    /// A request of this user.
    pub fn caller(&self, request_id: &str) -> Caller {
        Caller::user(self.session.organization_id, self.user.id, request_id)
    }
}

/// The content of the cookie.
#[derive(Serialize, Deserialize)]
struct Sealed {
    organization: [u8; 16],
    session: [u8; 16],
    return_url: Option<String>,
}

/// The cookie of a session. What the store holds of a session is not enough to make one.
pub(super) fn seal(app: &App, session: &Session, return_url: Option<&Href>) -> Result<Secret, Error> {
    let sealed = Sealed {
        organization: session.organization_id.bytes(),
        session: session.id.bytes(),
        return_url: return_url.map(|url| url.as_str().to_owned()),
    };
    let content = serde_json::to_vec(&sealed).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(Secret::new(BASE64URL_NOPAD.encode(&app.keys.seal_cookie(SEAL_NAME, &content)?)))
}

fn open(app: &App, cookie: &str) -> Option<Sealed> {
    let bytes = BASE64URL_NOPAD.decode(cookie.as_bytes()).ok()?;
    serde_json::from_slice(&app.keys.open_cookie(SEAL_NAME, &bytes).ok()?).ok()
}

/// The user with this cookie. `None` if the session has ended or the user is blocked.
pub async fn recognize(app: &App, cookie: &str) -> Result<Option<PortalSession>, Error> {
    let Some(sealed) = open(app, cookie) else { return Ok(None) };
    let (organization, id) = (OrganizationId::from_bytes(sealed.organization), SessionId::from_bytes(sealed.session));
    let found = sessions::with_user(&app.db, organization, id).await?;
    let now = app.clock.now();
    let is_live = |session: &Session| session.client_id.is_none() && session.is_live(now);
    let Some((session, user)) = found.filter(|(session, user)| is_live(session) && !user.is_blocked()) else {
        return Ok(None);
    };
    extend(app, &session, now);
    Ok(Some(PortalSession { user, session, return_url: sealed.return_url.map(Href::from_stored) }))
}

/// The organization of a cookie whose session may have ended, to sign in there again.
pub fn organization_of(app: &App, cookie: &str) -> Option<OrganizationId> {
    open(app, cookie).map(|sealed| OrganizationId::from_bytes(sealed.organization))
}

/// The token of the session's forms: a page of another origin cannot know it, because it cannot read the cookie.
pub fn form_token(cookie: &str) -> String {
    BASE64URL_NOPAD.encode(&sha256(&[b"portal form\0", cookie.as_bytes()]))
}

/// Ends the session.
pub async fn sign_out(app: &App, known: &PortalSession, request_id: &str) -> Result<(), Error> {
    revoke_one(app, &known.caller(request_id), &known.session).await.map(drop)
}

/// The user's live sessions, newest first, of the portal and of all clients.
pub async fn list(app: &App, known: &PortalSession) -> Result<Vec<Listed>, Error> {
    let organization = known.session.organization_id;
    Ok(sessions::live(&app.db, organization, known.user.id, app.clock.now()).await?)
}

/// Ends one of the user's live sessions.
pub async fn end(app: &App, known: &PortalSession, id: SessionId, request_id: &str) -> Result<(), Error> {
    let listed = list(app, known).await?.into_iter().find(|listed| listed.session.id == id).ok_or(Error::NotFound)?;
    revoke_one(app, &known.caller(request_id), &listed.session).await.map(drop)
}

/// Ends all other sessions of the user.
pub async fn end_others(app: &App, known: &PortalSession, request_id: &str) -> Result<usize, Error> {
    let signed_in = SignedIn { user: known.user.clone(), session: known.session.clone() };
    revoke_all(app, &known.caller(request_id), &signed_in, Some(known.session.id)).await
}

/// Records the use, unless that was recorded within the minute. No request waits for it.
fn extend(app: &App, session: &Session, now: Time) {
    let id = session.id.bytes();
    if now < session.last_used_at.plus_seconds(GRANULARITY_SECONDS) || !app.use_marks.enter(id) {
        return;
    }
    let expires_at = portal_expiry(session.signed_in_at, now);
    let (db, marks, session) = (app.db.clone(), app.use_marks.clone(), session.clone());
    tokio::spawn(async move {
        // If the session has ended or the store is busy, the mark is not worth a retry.
        let _ = db.commit(sessions::extend(Change::new(), &session, now, expires_at)).await;
        marks.leave(id);
    });
}
