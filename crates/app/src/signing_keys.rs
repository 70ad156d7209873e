//! The installation's signing keys: read from the store, opened, and the next one created when it is due.
//! Every server does this. The store lets one of them create a key, and the others read it.

pub(crate) mod cache;

use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::organizations::Organization;
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_identity::access::AccessTokens;
use perennial_identity::key_set::{KeySet, TERM_SECONDS};
use perennial_identity::signing::{SealedKey, SigningKey};
use perennial_store::signing_keys::{self, Row};
use perennial_store::{self as store, Change, Violation, events, installation, organizations};
use serde::Serialize;
use std::sync::Arc;

/// How long after a rotation the new key begins to sign. By then every server has read it, and so has every service that
/// fetches the published set when a token names an unknown key.
const ROTATION_NOTICE_SECONDS: i64 = 60;

/// The keys that sign and are published now.
pub async fn current(app: &App) -> Result<Arc<KeySet>, Error> {
    let now = app.clock.now();
    if let Some(keys) = app.signing.get(now) {
        return Ok(keys);
    }
    let keys = Arc::new(load(app, now).await?);
    app.signing.put(Arc::clone(&keys), now);
    Ok(keys)
}

/// The public keys, as a JWK set.
pub async fn published(app: &App) -> Result<String, Error> {
    Ok(current(app).await?.jwks_json(app.clock.now()))
}

/// The state of the keys according to their rows. Nothing is opened, created or removed.
pub struct Standing {
    /// When the newest one begins to sign. None if there is no key.
    pub newest_from: Option<Time>,
    /// Whether the newest has exceeded its term: a running server would have created the next one.
    pub is_overdue: bool,
}

/// Reads the state of the keys.
pub async fn standing(app: &App) -> Result<Standing, Error> {
    let newest_from = signing_keys::all(&app.db).await?.iter().map(|row| row.active_from).max();
    let is_overdue = newest_from.is_some_and(|from| from.plus_seconds(TERM_SECONDS) < app.clock.now());
    Ok(Standing { newest_from, is_overdue })
}

/// The access tokens of this installation.
pub(crate) async fn access_tokens(app: &App) -> Result<&AccessTokens, Error> {
    app.access_tokens.get_or_try_init(|| async { Ok(AccessTokens::new(issuer(app).await?)) }).await
}

/// The `iss` of access tokens.
pub(crate) async fn issuer(app: &App) -> Result<String, Error> {
    if let Some(url) = &app.options.public_url {
        return Ok(url.clone());
    }
    let found = installation::find(&app.db).await?;
    found.map(|found| found.issuer).ok_or_else(|| Error::Internal("there has been no first run".into()))
}

/// Adds the first key to the change of the first run.
pub(crate) fn prepare_first(app: &App, change: Change, now: Time) -> Result<Change, Error> {
    make(app, change, 1, now, now)
}

/// The result of a rotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rotated {
    /// The ID of the new key.
    pub kid: String,
    /// When it begins to sign.
    pub active_from: Time,
    /// The IDs of the removed keys.
    pub removed: Vec<String>,
}

/// Creates a signing key. It replaces the others after a minute, and tokens that they have signed stay valid
/// until they expire. A key that was created in advance and has not signed is removed.
///
/// With `revoke_old` the new key signs at once and the others are removed, so that every access token signed with them is
/// rejected. Sessions and refresh tokens stay valid.
pub async fn rotate(app: &App, revoke_old: bool) -> Result<Rotated, Error> {
    for _ in 0..ATTEMPTS {
        let now = app.clock.now();
        let active_from = if revoke_old { now } else { now.plus_seconds(ROTATION_NOTICE_SECONDS) };
        let rows = signing_keys::all(&app.db).await?;
        let next = rows.last().map_or(1, |row| row.sequence + 1);
        // A server with a fast clock may sign with a key that is due within a minute.
        let is_unused = |row: &Row| row.active_from > active_from.plus_seconds(ROTATION_NOTICE_SECONDS);
        let mut change = Change::new();
        let mut removed = Vec::new();
        for row in rows.iter().filter(|row| revoke_old || is_unused(row)) {
            change = signing_keys::remove(change, row.sequence);
            removed.push(row.kid.clone());
        }
        let SealedKey { kid, active_from, sealed } = SigningKey::generate(active_from)?.seal(&app.keys.wrapping)?;
        change = signing_keys::insert(change, &Row { sequence: next, kid: kid.clone(), active_from, sealed }, now);
        let rotated = Rotated { kid, active_from, removed };
        change = prepare_events(app, change, &rotated, now).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(rotated),
            // Another server has just created the next key.
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The keys belong to the installation, so every organization gets an event of the rotation.
async fn prepare_events(app: &App, mut change: Change, rotated: &Rotated, now: Time) -> Result<Change, Error> {
    for organization in organizations::all(&app.db).await? {
        let Stamp { at, revision } = app.stamp(&organization, now);
        let after = Organization { updated_at: at, revision, ..organization.clone() };
        let event = system_event(after.id, EventKind::OrganizationKeysRotated, after.id.bytes(), revision, at);
        change = organizations::update(change, &after, organization.revision);
        change =
            events::insert(change, &Event { after: Some(json(rotated)), ..event.following(organization.revision) });
    }
    Ok(change)
}

async fn load(app: &App, now: Time) -> Result<KeySet, Error> {
    loop {
        let rows = signing_keys::all(&app.db).await?;
        let sealed: Vec<SealedKey> = rows.iter().map(sealed).collect();
        let opened: Result<Vec<_>, _> = sealed.iter().map(|row| app.keys.open_signing_key(row)).collect();
        let keys = KeySet::new(opened?);
        let spent = keys.spent(now);
        let mut change = Change::new();
        for row in rows.iter().filter(|row| spent.contains(&row.kid.as_str())) {
            change = signing_keys::remove(change, row.sequence);
        }
        if let Some(active_from) = keys.due(now) {
            let next = rows.last().map_or(1, |row| row.sequence + 1);
            change = make(app, change, next, active_from, now)?;
        }
        if change.is_empty() {
            return Ok(keys);
        }
        match app.db.commit(change).await {
            Ok(()) | Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn make(app: &App, change: Change, sequence: i64, active_from: Time, now: Time) -> Result<Change, Error> {
    let SealedKey { kid, active_from, sealed } = SigningKey::generate(active_from)?.seal(&app.keys.wrapping)?;
    Ok(signing_keys::insert(change, &Row { sequence, kid, active_from, sealed }, now))
}

pub(crate) fn sealed(row: &Row) -> SealedKey {
    SealedKey { kid: row.kid.clone(), active_from: row.active_from, sealed: row.sealed.clone() }
}
