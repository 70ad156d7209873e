//! One-time links to the portal. Only the SHA-256 of a link is stored. Of any number of simultaneous uses one works, and
//! looking at a link does not use it up.

use super::sessions::{PortalSession, seal};
use crate::caller::Caller;
use crate::clients::{confirm, random_text};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::keys::sha256;
use crate::sessions::begin::begin;
use crate::sessions::{Device, Secret, SignedIn};
use crate::users;
use perennial_domain::events::EventKind;
use perennial_domain::id::UserId;
use perennial_domain::plans::Href;
use perennial_domain::portal_offers::PortalLink;
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::users::User;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Violation, events, portal_links};

const PREFIX: &str = "plk_";

/// A new link. It cannot be printed.
pub struct NewLink {
    /// The text, for its path alone.
    pub link: Secret,
    /// When it expires.
    pub expires_at: Time,
}

impl NewLink {
    /// The URL that signs in.
    pub fn url(&self, base: &str) -> String {
        format!("{base}/portal/enter/{}", self.link.expose())
    }
}

/// A link that can be used, and its user.
pub struct Opened {
    /// The user.
    pub user: User,
    link: PortalLink,
}

/// Creates a one-time link for a user, which returns to a page and works for some seconds. Its holder acts as the user.
/// `errors` are those of the request; a user that does not exist is reported before them.
pub async fn create_link(
    app: &App,
    caller: &Caller,
    id: UserId,
    (return_url, seconds): (Option<Href>, i64),
    errors: ValidationErrors,
) -> Result<NewLink, Error> {
    if !super::is_enabled(app) {
        return Err(Error::NotFound);
    }
    let link = Secret::new(random_text(&app.entropy, PREFIX));
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = users::read(app, caller, id).await?;
        check_return(app, caller, return_url.as_ref(), errors.clone()).await?.into_result(())?;
        let now = app.clock.now();
        let row = PortalLink {
            organization_id: before.organization_id,
            id: app.entropy.bytes(),
            user_id: before.id,
            return_url: return_url.clone(),
            expires_at: now.plus_seconds(seconds),
        };
        let Stamp { at, revision } = app.stamp(&before, now);
        let after = User { updated_at: at, revision, ..before.clone() };
        let change = store::users::update(Change::new(), &after, &before);
        let change = portal_links::insert(change, &row, hash(link.expose()));
        let event = caller.user_event(EventKind::UserPortalLinkCreated, &after, Some(&before));
        let change = confirm(app, caller, events::insert(change, &event)).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(NewLink { link, expires_at: row.expires_at }),
            Err(store::Error::Violated(Violation::User)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The errors of the request, with that of a page that customers must not be sent to.
async fn check_return(
    app: &App,
    caller: &Caller,
    url: Option<&Href>,
    mut errors: ValidationErrors,
) -> Result<ValidationErrors, Error> {
    let Some(url) = url else { return Ok(errors) };
    let organization = super::organization(app, caller.organization()).await?.ok_or(Error::NotFound)?;
    if !organization.portal.allows_return(url) {
        let detail = "must have an origin that the organization's `portal.return_origins` lists";
        errors.note("/return_url", ValidationCode::UrlNotAllowed, detail);
    }
    Ok(errors)
}

/// The link with this text, if it can be used. This does not use it up.
pub async fn open_link(app: &App, text: &str) -> Result<Option<Opened>, Error> {
    let found = portal_links::by_link(&app.db, hash(text)).await?;
    let Some(link) = found.filter(|link| app.clock.now() < link.expires_at) else { return Ok(None) };
    if super::organization(app, link.organization_id).await?.is_none() {
        return Ok(None);
    }
    let user = store::users::by_id(&app.db, link.organization_id, link.user_id).await?;
    Ok(user.filter(|user| !user.is_blocked()).map(|user| Opened { user, link }))
}

/// Uses up the link and begins a session. `None`: it was used, has expired, or never existed.
pub async fn enter(
    app: &App,
    request_id: &str,
    text: &str,
    device: &Device,
) -> Result<Option<(PortalSession, Secret)>, Error> {
    for _ in 0..ATTEMPTS {
        let Some(Opened { user, link }) = open_link(app, text).await? else { return Ok(None) };
        let caller = Caller::user(link.organization_id, user.id, request_id);
        let now = app.clock.now();
        let change = portal_links::consume(store::users::move_epoch(Change::new(), &user), &link);
        match begin(app, &caller, change, (user, None), device, now).await {
            Ok(SignedIn { user, session }) => {
                let cookie = seal(app, &session, link.return_url.as_ref())?;
                return Ok(Some((PortalSession { user, session, return_url: link.return_url }, cookie)));
            }
            // Another request was faster: the next round finds no link. Or the user has changed.
            Err(Error::Conflict(Conflict::Contended)) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Conflict::Contended.into())
}

/// The hash that the store holds of a link.
fn hash(link: &str) -> [u8; 32] {
    sha256(&[link.as_bytes()])
}
