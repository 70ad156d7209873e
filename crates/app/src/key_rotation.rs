//! Rotation of the master key: what is sealed under the previous key is sealed again under the current one.
//!
//! Every server that knows the previous key does this. Each update is guarded by the bytes it replaces, so
//! several servers at once are harmless. A server that knows the *next* key replaces nothing: otherwise two servers in
//! the middle of a rollout would undo each other's work.

use crate::connections;
use crate::context::App;
use crate::error::Error;
use crate::keys::SealedUnder;
use crate::providers::record;
use crate::signing_keys::sealed;
use crate::webhooks;
use perennial_identity::signing::SigningKey;
use perennial_store::{
    Change, connections as stored_connections, installation, providers, signing_keys, webhook_endpoints,
};

/// The number of sealed secrets in the store, by the master key they are sealed under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Under the current key.
    pub current: usize,
    /// Under another key that is accepted: the previous one, or the next.
    pub other: usize,
    /// Signing keys that no accepted key opens. No session can begin or continue.
    pub lost_signing_keys: usize,
    /// Secrets of identity providers that no accepted key opens.
    pub lost_provider_secrets: usize,
    /// Webhook endpoints with secrets that no accepted key opens. Nothing can be sent to them.
    pub lost_webhook_secrets: usize,
    /// Connections with secrets that no accepted key opens. They can neither receive nor fetch.
    pub lost_connection_secrets: usize,
}

/// Moves the store to the current master key, if the previous one is known. Returns the number of replaced seals.
pub async fn advance(app: &App) -> Result<usize, Error> {
    let Some(previous) = app.keys.previous() else { return Ok(0) };
    let mut change = Change::new();
    let mut replaced = 0;
    for row in signing_keys::all(&app.db).await? {
        if let Ok(key) = SigningKey::open(&sealed(&row), &previous.wrapping) {
            change = signing_keys::reseal(change, &row, key.seal(&app.keys.wrapping)?.sealed);
            replaced += 1;
        }
    }
    for row in providers::all(&app.db).await? {
        if let Some(secret) = record::reseal(&app.keys, &row)? {
            change = providers::reseal(change, &row, secret);
            replaced += 1;
        }
    }
    for endpoint in webhook_endpoints::all(&app.db).await? {
        if let Some(secrets) = webhooks::reseal(&app.keys, &endpoint)? {
            change = webhook_endpoints::reseal(change, &endpoint, secrets);
            replaced += 1;
        }
    }
    for connection in stored_connections::all(&app.db).await? {
        if let Some(secrets) = connections::reseal(&app.keys, &connection)? {
            change = stored_connections::reseal(change, &connection, secrets);
            replaced += 1;
        }
    }
    let found = installation::find(&app.db).await?;
    if found.is_some_and(|found| found.key_fingerprint == previous.fingerprint) {
        change = installation::move_key(change, &previous.fingerprint, &app.keys.fingerprint);
    }
    if !change.is_empty() {
        app.db.commit(change).await?;
        tracing::info!(replaced, "sealed secrets again under the current master key");
    }
    Ok(replaced)
}

/// Counts the sealed secrets. Nothing is changed.
pub async fn progress(app: &App) -> Result<Progress, Error> {
    let mut progress = Progress::default();
    for row in signing_keys::all(&app.db).await? {
        let row = sealed(&row);
        match SigningKey::open(&row, &app.keys.wrapping) {
            Ok(_) => progress.current += 1,
            Err(_) if app.keys.open_signing_key(&row).is_ok() => progress.other += 1,
            Err(_) => progress.lost_signing_keys += 1,
        }
    }
    for row in providers::all(&app.db).await? {
        match record::sealed_under(&app.keys, &row) {
            Some(SealedUnder::Current) => progress.current += 1,
            Some(SealedUnder::Other) => progress.other += 1,
            Some(SealedUnder::Unknown) => progress.lost_provider_secrets += 1,
            None => {}
        }
    }
    for endpoint in webhook_endpoints::all(&app.db).await? {
        match webhooks::sealed_under(&app.keys, &endpoint) {
            SealedUnder::Current => progress.current += 1,
            SealedUnder::Other => progress.other += 1,
            SealedUnder::Unknown => progress.lost_webhook_secrets += 1,
        }
    }
    for connection in stored_connections::all(&app.db).await? {
        match connections::sealed_under(&app.keys, &connection) {
            SealedUnder::Current => progress.current += 1,
            SealedUnder::Other => progress.other += 1,
            SealedUnder::Unknown => progress.lost_connection_secrets += 1,
        }
    }
    Ok(progress)
}
