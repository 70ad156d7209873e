//! Idempotent creates: a key, the digest of its request and its response commit together, or not at all.
//! Retries that arrive while the first request runs wait for it, if they reach the same server.

pub(crate) mod in_flight;

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::remove::{BATCH, remove};
use crate::keys::sha256;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, idempotency};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;

pub use perennial_store::idempotency::{Owner, Remembered};

const LIFETIME_SECONDS: i64 = 24 * 3600;
const MAX_WAIT: Duration = Duration::from_secs(20);

/// A caller's key and the request that it belongs to.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key as it was sent.
    pub key: String,
    /// A digest of the request; see [`fingerprint`].
    pub fingerprint: [u8; 32],
}

/// The digest of a request: method, path, raw body.
pub fn fingerprint(method: &str, path: &str, body: &[u8]) -> [u8; 32] {
    sha256(&[method.as_bytes(), b"\0", path.as_bytes(), b"\0", body])
}

/// The response to a create, as it is stored under the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredResponse {
    /// The status. Only the HTTP layer knows what the number means.
    pub status: i64,
    /// The body.
    pub body: String,
    /// The path of the new record.
    pub location: String,
    /// The new record's entity tag.
    pub etag: String,
    /// Whether it was read from the store instead of made for this request.
    pub replayed: bool,
}

/// A key that one request holds until it is answered. The fields are dropped in this order: first the lock is released,
/// then the key's registration.
pub(crate) struct IdempotencyGuard<'a> {
    _lock: OwnedMutexGuard<()>,
    registration: Registration<'a>,
    fingerprint: [u8; 32],
    /// Whether another request held the key when this one arrived.
    waited: bool,
    /// Whether the store was read for a response.
    looked_up: bool,
}

/// Keeps a key registered in [`InFlight`] while a request holds it or waits for it.
struct Registration<'a> {
    app: &'a App,
    owner: Owner,
}

/// Locks the key, if one was sent; waits for a request that holds it. The operator's changes have no key.
pub(crate) async fn lock<'a>(
    app: &'a App,
    caller: &Caller,
    key: Option<&Key>,
) -> Result<Option<IdempotencyGuard<'a>>, Error> {
    let (Some(key), Some((organization, client))) = (key, caller.client_key()) else { return Ok(None) };
    let registration = Registration { app, owner: Owner { organization, client, key: key.key.clone() } };
    let lock = app.in_flight.lock(&registration.owner);
    let (lock, waited) = match Arc::clone(&lock).try_lock_owned() {
        Ok(lock) => (lock, false),
        Err(_) => match tokio::time::timeout(MAX_WAIT, lock.lock_owned()).await {
            Ok(lock) => (lock, true),
            Err(_) => return Err(Error::KeyInFlight),
        },
    };
    let fingerprint = key.fingerprint;
    Ok(Some(IdempotencyGuard { _lock: lock, registration, fingerprint, waited, looked_up: false }))
}

/// The response stored under the key, if there is a key and a response. The store is read once.
pub(crate) async fn stored(guard: &mut Option<IdempotencyGuard<'_>>) -> Result<Option<StoredResponse>, Error> {
    match guard {
        Some(guard) if !guard.looked_up => {
            guard.looked_up = true;
            guard.stored().await
        }
        _ => Ok(None),
    }
}

/// The response to a create that was not committed. If the key was in use, it is the response stored under it: another
/// server was faster, or an optimistic create did not look it up.
pub(crate) async fn recover(
    guard: Option<&IdempotencyGuard<'_>>,
    error: store::Error,
) -> Result<StoredResponse, Error> {
    match (guard, error) {
        (Some(guard), store::Error::Violated(Violation::Key)) => {
            let Registration { app, owner } = &guard.registration;
            app.optimistic.back_off((owner.organization, owner.client), app.clock.now());
            guard.stored().await?.ok_or(Error::KeyInFlight)
        }
        (_, error) => Err(error.into()),
    }
}

impl IdempotencyGuard<'_> {
    /// Whether a request with the same key has just ended, so that a response is probably stored.
    pub(crate) fn waited(&self) -> bool {
        self.waited
    }

    async fn stored(&self) -> Result<Option<StoredResponse>, Error> {
        let Registration { app, owner } = &self.registration;
        let Some(found) = idempotency::find(&app.db, owner, app.clock.now()).await? else {
            return Ok(None);
        };
        if found.fingerprint != self.fingerprint {
            return Err(Error::KeyReused);
        }
        let Remembered { status, body, location, etag, .. } = found;
        Ok(Some(StoredResponse { status, body, location, etag, replayed: true }))
    }

    /// Adds the response to the change, so that both commit together.
    pub(crate) fn store(&self, change: Change, response: &StoredResponse, now: Time) -> Change {
        let remembered = Remembered {
            fingerprint: self.fingerprint.to_vec(),
            status: response.status,
            body: response.body.clone(),
            location: response.location.clone(),
            etag: response.etag.clone(),
        };
        idempotency::insert(change, &self.registration.owner, &remembered, now, now.plus_seconds(LIFETIME_SECONDS))
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.app.in_flight.release(&self.owner);
    }
}

/// Removes every expired key, of every organization.
pub async fn sweep(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    for organization in store::organizations::all(&app.db).await? {
        let due = || idempotency::due(&app.db, organization.id, now, BATCH);
        remove(app, due, || idempotency::sweep(Change::new(), organization.id, now, BATCH)).await?;
    }
    Ok(())
}
