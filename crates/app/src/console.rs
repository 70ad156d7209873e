//! Sign-in of operators at the identity provider. What the browser must bring back is sealed in a cookie, so that no server
//! stores it and every server can finish a sign-in that another began.
//!
//! An identity is the pair of issuer and subject. An e-mail address never links: an operator who signed in by a link connects
//! the identity once.

use crate::audit::json;
use crate::caller::{Caller, KnownOperator};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::operators::{Begin, SignedIn, begin, session_limits};
use crate::sessions::Device;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{OperatorSessionId, OrganizationId};
use perennial_domain::operators::{Operator, SignInMethod};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::users::Identity;
use perennial_identity::secret::Secret;
use perennial_identity::sign_in::{Answer, Attempt, RelyingParty};
use perennial_identity::verify::Rejection;
use perennial_store::{self as store, Change, Violation, events, operator_sessions, operators};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a sign-in leads if no other page was requested.
pub const HOME: &str = "/console/";
/// The path that the provider sends the browser to.
pub const CALLBACK_PATH: &str = "/console/oidc/callback";
const SEAL_NAME: &[u8] = b"console sign-in";
const SIGN_IN_SECONDS: i64 = 600;
const LONGEST_RETURN: usize = 1_024;

/// A sign-in that has begun.
pub struct Started {
    /// The provider's page.
    pub url: String,
    /// The sealed state, for a cookie.
    pub sealed: Secret,
}

/// What the provider sent back with the browser.
pub struct Callback {
    /// The code.
    pub code: String,
    /// `state`.
    pub state: String,
    /// `iss`, if it was sent.
    pub issuer: Option<String>,
}

/// A finished sign-in.
pub struct Finished {
    /// The new session.
    pub signed_in: SignedIn,
    /// The page to continue with, below `/console/`.
    pub return_to: String,
}

/// Why a sign-in at the provider failed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignInFault {
    /// Something that was sent back is invalid. The reason is logged.
    #[error("invalid response of the identity provider: {0}")]
    Rejected(&'static str),
    /// No active operator has the identity.
    #[error("no active operator has this identity")]
    UnknownIdentity,
    /// Another operator of the installation has the identity, or the operator has another identity.
    #[error("the identity cannot be connected")]
    IdentityTaken,
    /// The provider cannot be reached. The reason is logged.
    #[error("the identity provider is unavailable: {0}")]
    Unavailable(&'static str),
    /// The store failed.
    #[error(transparent)]
    App(#[from] Error),
}

/// The sealed state of a sign-in.
#[derive(Serialize, Deserialize)]
struct Sealed {
    state: String,
    nonce: String,
    verifier: String,
    return_to: String,
    /// The session whose operator connects the identity. None: an ordinary sign-in.
    session: Option<([u8; 16], [u8; 16])>,
    expires_at: i64,
}

/// The URL that one-time links begin with.
pub fn base_url(app: &App) -> &str {
    &app.options.console.base_url
}

/// The host of the identity provider of operators, if there is one.
pub fn provider_host(app: &App) -> Option<String> {
    provider(app).map(RelyingParty::host)
}

/// Begins a sign-in on the site with this origin. `connecting`: the operator who connects the identity. Returns `None` if no
/// provider is configured.
pub async fn start(
    app: &App,
    origin: &str,
    return_to: Option<&str>,
    connecting: Option<&KnownOperator>,
) -> Result<Option<Started>, Error> {
    let Some(provider) = provider(app) else { return Ok(None) };
    let now = app.clock.now();
    let random = || BASE64URL_NOPAD.encode(&app.entropy.bytes::<32>());
    let sealed = Sealed {
        state: random(),
        nonce: random(),
        verifier: random(),
        return_to: checked_return(return_to),
        session: connecting.map(|known| (known.session.organization_id.bytes(), known.session.id.bytes())),
        expires_at: now.plus_seconds(SIGN_IN_SECONDS).as_micros(),
    };
    let redirect_uri = format!("{origin}{CALLBACK_PATH}");
    let url = provider.authorization_url(&sealed.attempt(&redirect_uri), now).await?;
    let text = app.keys.seal_cookie(SEAL_NAME, json(&sealed).as_bytes())?;
    Ok(Some(Started { url, sealed: Secret::new(BASE64URL_NOPAD.encode(&text)) }))
}

/// Finishes a sign-in on the site with this origin and begins a session.
pub async fn finish(
    app: &App,
    caller: &Caller,
    origin: &str,
    sealed: Option<&str>,
    callback: Option<&Callback>,
    device: &Device,
) -> Result<Finished, SignInFault> {
    let provider = provider(app).ok_or(Error::NotFound)?;
    let now = app.clock.now();
    let sealed = sealed.and_then(|text| open(app, text)).filter(|sealed| sealed.is_fresh(now));
    let sealed = sealed.ok_or(SignInFault::Rejected("the browser did not begin this sign-in, or too long ago"))?;
    let callback = callback.ok_or(SignInFault::Rejected("the provider sent no code"))?;
    let redirect_uri = format!("{origin}{CALLBACK_PATH}");
    let answer = Answer { code: &callback.code, state: &callback.state, issuer: callback.issuer.as_deref() };
    let (issuer, subject) = provider.finish(&sealed.attempt(&redirect_uri), &answer, now).await?;
    let identity = Identity { issuer, subject };
    let signed_in = match sealed.session {
        Some((organization, session)) => {
            let named = (OrganizationId::from_bytes(organization), OperatorSessionId::from_bytes(session));
            connect(app, caller, &identity, named, device).await?
        }
        None => sign_in(app, caller, &identity, device).await?,
    };
    Ok(Finished { signed_in, return_to: sealed.return_to })
}

async fn sign_in(app: &App, caller: &Caller, identity: &Identity, device: &Device) -> Result<SignedIn, SignInFault> {
    let found = operators::by_identity(&app.db, identity).await.map_err(Error::from)?;
    let operator = found.filter(|operator| operator.is_active).ok_or(SignInFault::UnknownIdentity)?;
    let new = Begin { operator, method: SignInMethod::Oidc, device, previous: None };
    let (signed_in, change) = begin(app, caller, Change::new(), new);
    match app.db.commit(change).await {
        Ok(()) => Ok(signed_in),
        Err(store::Error::Violated(Violation::Operator)) => Err(SignInFault::UnknownIdentity),
        Err(error) => Err(Error::from(error).into()),
    }
}

/// Connects the identity to the operator of a live session, and replaces that session.
async fn connect(
    app: &App,
    caller: &Caller,
    identity: &Identity,
    (organization, session): (OrganizationId, OperatorSessionId),
    device: &Device,
) -> Result<SignedIn, SignInFault> {
    for _ in 0..ATTEMPTS {
        let found = operator_sessions::with_its_operator(&app.db, organization, session).await.map_err(Error::from)?;
        let now = app.clock.now();
        let live = found.filter(|(session, operator)| operator.is_active && session.is_live(session_limits(app), now));
        let (session, before) = live.ok_or(SignInFault::Rejected("the session that connects has ended"))?;
        let known = Arc::new(KnownOperator { operator: before.clone(), session });
        let of_operator = Caller::operator_with(Arc::clone(&known), caller.request_id.clone());
        let (operator, change) = match &before.identity {
            Some(connected) if connected != identity => return Err(SignInFault::IdentityTaken),
            Some(_) => (before, Change::new()),
            None => prepare_connect(app, &of_operator, &before, identity),
        };
        let new = Begin { operator, method: SignInMethod::Oidc, device, previous: Some(known) };
        let (signed_in, change) = begin(app, caller, change, new);
        match app.db.commit(change).await {
            Ok(()) => return Ok(signed_in),
            Err(store::Error::Violated(Violation::Identity)) => return Err(SignInFault::IdentityTaken),
            Err(store::Error::Violated(Violation::Record | Violation::Session | Violation::Operator)) => {}
            Err(error) => return Err(Error::from(error).into()),
        }
    }
    Err(Error::from(Conflict::Contended).into())
}

fn prepare_connect(app: &App, caller: &Caller, before: &Operator, identity: &Identity) -> (Operator, Change) {
    let Stamp { at, revision } = app.stamp(before, app.clock.now());
    let after = Operator { identity: Some(identity.clone()), updated_at: at, revision, ..before.clone() };
    let event = caller.event(EventKind::OperatorUpdated, before.id.bytes(), revision, at).following(before.revision);
    let traces = (Some(json(&before.trace(Some(&after)))), Some(json(&after.trace(Some(before)))));
    let change = operators::connect(Change::new(), &after, identity, before.revision);
    (after, events::insert(change, &Event { before: traces.0, after: traces.1, ..event }))
}

fn provider(app: &App) -> Option<&RelyingParty> {
    let build = || {
        let settings = app.options.console.provider.as_ref()?;
        let keyring = app.verifiers.keyring();
        let secret = settings.client_secret.clone();
        RelyingParty::new(keyring, &settings.issuer, &settings.client_id, secret).ok().map(Box::new)
    };
    app.console_provider.get_or_init(build).as_deref()
}

fn open(app: &App, text: &str) -> Option<Sealed> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    serde_json::from_slice(&app.keys.open_cookie(SEAL_NAME, &bytes).ok()?).ok()
}

/// A path of the console. Everything else is replaced by its start page, so that a sign-in leads nowhere else.
fn checked_return(path: Option<&str>) -> String {
    let is_ours = |path: &&str| {
        path.starts_with(HOME)
            && path.len() <= LONGEST_RETURN
            && path.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\\"<>".contains(&byte))
            && !path.split(['/', '?', '#']).any(is_parent)
    };
    path.filter(is_ours).unwrap_or(HOME).to_owned()
}

/// Browsers also read an encoded dot as one.
fn is_parent(segment: &str) -> bool {
    segment.to_ascii_lowercase().replace("%2e", ".") == ".."
}

impl Sealed {
    fn attempt<'a>(&'a self, redirect_uri: &'a str) -> Attempt<'a> {
        Attempt { state: &self.state, nonce: &self.nonce, verifier: &self.verifier, redirect_uri }
    }

    fn is_fresh(&self, now: Time) -> bool {
        now.as_micros() < self.expires_at
    }
}

impl From<Rejection> for SignInFault {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Invalid(reason) => Self::Rejected(reason.0),
            Rejection::Unavailable(reason) => Self::Unavailable(reason.0),
            Rejection::EmailMismatch | Rejection::EmailNotVerified => Self::Rejected("the e-mail address"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_stays_within_the_console() {
        for path in ["/console/", "/console/users/usr_1?tab=events#x", "/console/a%20b"] {
            assert_eq!(checked_return(Some(path)), path);
        }
        for path in [
            "",
            "/",
            "/console",
            "//evil.example/console/",
            "https://evil.example/console/",
            "/console/../x",
            "/console\\",
            "/console/\"",
            "/console/ x",
            "/console/\u{e9}",
            "/console/..",
            "/console/%2e%2E/x",
            "/console/.%2e",
            "javascript:alert(1)",
        ] {
            assert_eq!(checked_return(Some(path)), HOME, "{path}");
        }
        assert_eq!(checked_return(Some(&format!("/console/{}", "x".repeat(2_000)))), HOME);
        assert_eq!(checked_return(None), HOME);
    }
}
