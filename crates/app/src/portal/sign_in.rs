//! Sign-in to the portal at an identity provider: the code flow of operators, then the sign-in of users. What the browser
//! must bring back is sealed in a cookie, so that every server can finish a sign-in that another began.

use super::providers::of_organization;
use super::sessions::{PortalSession, seal};
use crate::audit::json;
use crate::caller::Caller;
use crate::console::{Callback, SignInFault, Started};
use crate::context::App;
use crate::error::Error;
use crate::sessions::begin::sign_in_verified;
use crate::sessions::{Device, Secret, SignedIn};
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::time::Time;
use perennial_identity::sign_in::{Answer, Attempt};
use serde::{Deserialize, Serialize};

/// The path that the provider sends the browser to.
pub const CALLBACK_PATH: &str = "/portal/oidc/callback";
const SEAL_NAME: &[u8] = b"portal sign-in";
const SIGN_IN_SECONDS: i64 = 600;
/// A user that no event names: the identity is not known before the sign-in.
const NO_USER: UserId = UserId::from_bytes([0; 16]);

/// The sealed state of a sign-in.
#[derive(Serialize, Deserialize)]
struct Sealed {
    state: String,
    nonce: String,
    verifier: String,
    organization: [u8; 16],
    provider: usize,
    expires_at: i64,
}

/// The hosts of the providers that sign users of an organization in, in their order.
pub async fn provider_hosts(app: &App, organization: OrganizationId) -> Result<Vec<String>, Error> {
    Ok(of_organization(app, organization).await?.iter().map(|provider| provider.host()).collect())
}

/// Begins a sign-in at the provider with this number, on the site with this origin. `None` if there is no such provider.
pub async fn start(
    app: &App,
    origin: &str,
    organization: OrganizationId,
    provider: usize,
) -> Result<Option<Started>, Error> {
    let known = of_organization(app, organization).await?;
    let Some(party) = known.get(provider) else { return Ok(None) };
    let now = app.clock.now();
    let random = || BASE64URL_NOPAD.encode(&app.entropy.bytes::<32>());
    let sealed = Sealed {
        state: random(),
        nonce: random(),
        verifier: random(),
        organization: organization.bytes(),
        provider,
        expires_at: now.plus_seconds(SIGN_IN_SECONDS).as_micros(),
    };
    let url = party.authorization_url(&sealed.attempt(&redirect_uri(origin)), now).await?;
    let text = app.keys.seal_cookie(SEAL_NAME, json(&sealed).as_bytes())?;
    Ok(Some(Started { url, sealed: Secret::new(BASE64URL_NOPAD.encode(&text)) }))
}

/// Finishes a sign-in on the site with this origin and begins a session. Returns the session and its cookie.
pub async fn finish(
    app: &App,
    request_id: &str,
    origin: &str,
    sealed: Option<&str>,
    callback: Option<&Callback>,
    device: &Device,
) -> Result<(PortalSession, Secret), SignInFault> {
    let now = app.clock.now();
    let sealed = sealed.and_then(|text| open(app, text)).filter(|sealed| sealed.is_fresh(now));
    let sealed = sealed.ok_or(SignInFault::Rejected("the browser did not begin this sign-in, or too long ago"))?;
    let callback = callback.ok_or(SignInFault::Rejected("the provider sent no code"))?;
    let organization = OrganizationId::from_bytes(sealed.organization);
    let known = of_organization(app, organization).await?;
    let party = known.get(sealed.provider).ok_or(SignInFault::Rejected("the provider was removed"))?;
    let answer = Answer { code: &callback.code, state: &callback.state, issuer: callback.issuer.as_deref() };
    let verified = party.finish_user(&sealed.attempt(&redirect_uri(origin)), &answer, now).await?;
    let caller = Caller::user(organization, NO_USER, request_id);
    let SignedIn { user, session } = match sign_in_verified(app, &caller, verified, device, None).await {
        Err(Error::UserNotFound | Error::UserBlocked) => return Err(SignInFault::UnknownIdentity),
        signed_in => signed_in?,
    };
    let cookie = seal(app, &session, None)?;
    Ok((PortalSession { user, session, return_url: None }, cookie))
}

/// The organization of a sign-in that the browser has begun.
pub fn organization_of(app: &App, sealed: &str) -> Option<OrganizationId> {
    open(app, sealed).map(|sealed| OrganizationId::from_bytes(sealed.organization))
}

fn redirect_uri(origin: &str) -> String {
    format!("{origin}{CALLBACK_PATH}")
}

fn open(app: &App, text: &str) -> Option<Sealed> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    serde_json::from_slice(&app.keys.open_cookie(SEAL_NAME, &bytes).ok()?).ok()
}

impl Sealed {
    fn attempt<'a>(&'a self, redirect_uri: &'a str) -> Attempt<'a> {
        Attempt { state: &self.state, nonce: &self.nonce, verifier: &self.verifier, redirect_uri }
    }

    fn is_fresh(&self, now: Time) -> bool {
        now.as_micros() < self.expires_at
    }
}
