//! Sign-up and sign-in: a verified identity token begins a new session.

use super::{Granted, SessionTrace, SignedIn, grant, prepare_revoke};
use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::providers;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId, SessionId, UserId};
use perennial_domain::portal::portal_expiry;
use perennial_domain::rotation::Rotation;
use perennial_domain::sessions::{MOST_SESSIONS, Session};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::users::{AuthType, Email, Identity, Profile, User};
use perennial_identity::secret::Secret;
use perennial_identity::verify;
use perennial_store::{self as store, Change, Violation, events, sessions, users};

/// The credentials of a sign-in: an identity provider's token, and the e-mail address that it is for.
pub struct Credentials {
    /// The provider's token.
    pub access_token: Secret,
    /// The e-mail address.
    pub email: Email,
}

/// The device that a user signs in from.
pub struct Device {
    /// The IP address.
    pub ip_address: String,
    /// The `User-Agent`.
    pub user_agent: Option<String>,
}

/// Creates the user of a verified identity, or links it to the user that the operator created for its e-mail address.
pub async fn sign_up(
    app: &App,
    caller: &Caller,
    credentials: &Credentials,
    profile: Profile,
    device: &Device,
) -> Result<Granted, Error> {
    let verified = verify(app, caller, credentials).await?;
    let by_default = Profile { auth_type: AuthType::parse(verified.auth_type).ok(), ..Profile::default() };
    let identity = Identity { issuer: verified.issuer, subject: verified.subject };
    for _ in 0..ATTEMPTS {
        let known = users::by_identity(&app.db, caller.organization(), &identity).await?;
        let found = users::by_email(&app.db, caller.organization(), &verified.email).await?;
        refuse_sign_up(&identity, known.as_ref(), found.as_ref())?;
        let now = app.clock.now();
        let mut user = match &found {
            Some(made) => {
                let Stamp { at, revision } = app.stamp(made, now);
                User { updated_at: at, revision, session_epoch: made.session_epoch + 1, ..made.clone() }
            }
            None => {
                let (id, revision) =
                    (UserId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
                User::new(caller.organization(), id, revision, verified.email.clone(), now)
            }
        };
        user.identity = Some(identity.clone());
        // What the operator stored is replaced only by what the user provides.
        user.profile = profile.clone().or(&user.profile).or(&by_default);
        let change = prepare_user(caller, &user, found.as_ref());
        match begin(app, caller, change, (user, Some(client_of(caller)?)), device, now).await {
            Err(Error::Conflict(Conflict::Contended)) => {}
            Err(error) => return Err(error),
            Ok(SignedIn { user, session }) => return grant(app, user, session, now).await,
        }
    }
    Err(Conflict::Contended.into())
}

/// Begins a session for the user of a verified identity. A changed e-mail address is adopted, unless another live user
/// has it; then the user's address does not change. Rejecting the session would lock the user out for good, and using the
/// other user's records would merge two accounts because of an address.
pub async fn sign_in(app: &App, caller: &Caller, credentials: &Credentials, device: &Device) -> Result<Granted, Error> {
    let verified = verify(app, caller, credentials).await?;
    let client = client_of(caller)?;
    let SignedIn { user, session } = sign_in_verified(app, caller, verified, device, Some(client)).await?;
    let now = session.signed_in_at;
    grant(app, user, session, now).await
}

/// Begins a session for a verified identity, with a client or with the portal.
pub(crate) async fn sign_in_verified(
    app: &App,
    caller: &Caller,
    verified: verify::Identity,
    device: &Device,
    client: Option<ClientId>,
) -> Result<SignedIn, Error> {
    let identity = Identity { issuer: verified.issuer, subject: verified.subject };
    let _lock = app.locks.lock_identity(caller.organization(), &identity).await;
    for _ in 0..ATTEMPTS {
        let found = users::by_identity(&app.db, caller.organization(), &identity).await?;
        let found = found.ok_or(Error::UserNotFound)?;
        if found.is_blocked() {
            return Err(Error::UserBlocked);
        }
        let now = app.clock.now();
        let mut user = found.clone();
        let change = if keeps_address(app, &found, &verified.email).await? {
            users::move_epoch(Change::new(), &found)
        } else {
            user.email = Some(verified.email.clone());
            let Stamp { at, revision } = app.stamp(&found, now);
            (user.updated_at, user.revision) = (at, revision);
            user.session_epoch += 1;
            prepare_user(caller, &user, Some(&found))
        };
        match begin(app, caller, change, (user, client), device, now).await {
            Err(Error::Conflict(Conflict::Contended)) => {}
            outcome => return outcome,
        }
    }
    Err(Conflict::Contended.into())
}

/// Checks whether a sign-up is rejected: `known` is the user with this identity, `found` the user with its address.
fn refuse_sign_up(identity: &Identity, known: Option<&User>, found: Option<&User>) -> Result<(), Error> {
    // If `found` has the identity, the same user signed up between the two reads.
    let same = found.filter(|user| user.identity.as_ref() == Some(identity));
    match (known.or(same), found) {
        (Some(user), _) if user.is_blocked() => Err(Error::UserBlocked),
        (Some(_), _) => Err(Conflict::UserAlreadyExists.into()),
        (None, Some(user)) if user.identity.is_some() => Err(Conflict::EmailTaken.into()),
        (None, Some(user)) if user.is_blocked() => Err(Error::UserBlocked),
        (None, _) => Ok(()),
    }
}

/// Whether the user's address does not change: it is the same at the provider, or a user without an identity has the new one.
/// Such a user waits for a sign-up, which this user cannot make, and must not lock this user out. An address that
/// belongs to another identity is a conflict.
async fn keeps_address(app: &App, user: &User, verified: &Email) -> Result<bool, Error> {
    if user.email.as_ref() == Some(verified) {
        return Ok(true);
    }
    let holder = users::by_email(&app.db, user.organization_id, verified).await?;
    // A concurrent sign-in of the same user may have adopted it. Then the change fails.
    match holder.filter(|holder| holder.id != user.id) {
        Some(holder) if holder.identity.is_some() => Err(Conflict::EmailTaken.into()),
        holder => Ok(holder.is_some()),
    }
}

async fn verify(app: &App, caller: &Caller, credentials: &Credentials) -> Result<verify::Identity, Error> {
    let verifier = providers::verifier(app, caller.organization()).await?;
    Ok(verifier.verify(credentials.access_token.expose(), &credentials.email, app.clock.now()).await?)
}

/// The user's row with its event, which names the changed fields and not their values.
fn prepare_user(caller: &Caller, user: &User, before: Option<&User>) -> Change {
    let (kind, change) = match before {
        None => (EventKind::UserCreated, users::insert(Change::new(), user)),
        Some(before) => (EventKind::UserUpdated, users::update(Change::new(), user, before)),
    };
    events::insert(change, &caller.user_event(kind, user, before))
}

fn client_of(caller: &Caller) -> Result<ClientId, Error> {
    Ok(caller.known().ok_or(Error::InvalidClient)?.client.id)
}

/// Commits the change together with a new session, with a client or with the portal. `Contended` if the user has changed
/// since it was read.
pub(crate) async fn begin(
    app: &App,
    caller: &Caller,
    mut change: Change,
    (user, client_id): (User, Option<ClientId>),
    device: &Device,
    now: Time,
) -> Result<SignedIn, Error> {
    let rotation = Rotation::begin(now);
    let session = Session {
        id: SessionId::new(now, app.entropy.id_bits()),
        organization_id: caller.organization(),
        user_id: user.id,
        client_id,
        generation: rotation.generation,
        signed_in_at: now,
        rotated_at: now,
        graces: Vec::new(),
        expires_at: if client_id.is_some() { rotation.expires_at() } else { portal_expiry(now, now) },
        last_used_at: now,
        ip_address: Some(device.ip_address.clone()),
        user_agent: device.user_agent.clone(),
        revoked_at: None,
    };
    let live = sessions::live(&app.db, caller.organization(), user.id, now).await?;
    for oldest in live.iter().skip(MOST_SESSIONS - 1) {
        change = prepare_revoke(app, caller, change, &oldest.session, now);
    }
    change = sessions::insert(change, &session);
    let id = EventId::new(now, app.entropy.id_bits());
    let event = caller.event(EventKind::SessionCreated, session.id.bytes(), id, now);
    change = events::insert(change, &Event { after: Some(json(&SessionTrace::of(&session))), ..event });
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(SignedIn { user, session }),
        Err(store::Error::Violated(Violation::User | Violation::Email | Violation::Session | Violation::Link)) => {
            Err(Conflict::Contended.into())
        }
        Err(error) => Err(error.into()),
    }
}
