//! Idempotent creates: a key, its request and its answer commit together, or not at all.
//! Retries that arrive while the first is still at work wait for it in this process.

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::{self, BATCH};
use crate::keys::sha256;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, idempotency};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;

pub use perennial_store::idempotency::{Owner, Remembered};

const LIFETIME_SECONDS: i64 = 24 * 3600;
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// A caller's key and what it stands for.
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

/// What a create answers: made now, or remembered from the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status, a number only the HTTP floor understands.
    pub status: i64,
    /// The body.
    pub body: String,
    /// Where the new record is.
    pub location: String,
    /// The new record's entity tag.
    pub etag: String,
    /// Whether it was remembered.
    pub replayed: bool,
}

/// Keys whose first request is still at work in this process.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<HashMap<Owner, Arc<tokio::sync::Mutex<()>>>>);

/// A key held by one request until it is answered. Its fields are dropped in this order: the gate opens, then the
/// seat is given up.
pub(crate) struct Held<'a> {
    _gate: OwnedMutexGuard<()>,
    seat: Seat<'a>,
    fingerprint: [u8; 32],
    /// Whether another request held it when this one came.
    waited: bool,
    /// Whether the store was asked what it stands for.
    asked: bool,
}

/// A request that holds a key or waits for it.
struct Seat<'a> {
    app: &'a App,
    owner: Owner,
}

/// Takes the key if one was sent; waits for a request that holds it.
pub(crate) async fn enter<'a>(app: &'a App, caller: &Caller, key: Option<&Key>) -> Result<Option<Held<'a>>, Error> {
    let Some(key) = key else { return Ok(None) };
    let owner = Owner { organization: caller.organization(), client: caller.known.client.id, key: key.key.clone() };
    let seat = Seat { app, owner };
    let gate = app.in_flight.gate(&seat.owner);
    let (gate, waited) = match Arc::clone(&gate).try_lock_owned() {
        Ok(gate) => (gate, false),
        Err(_) => match tokio::time::timeout(LONGEST_WAIT, gate.lock_owned()).await {
            Ok(gate) => (gate, true),
            Err(_) => return Err(Error::KeyInFlight),
        },
    };
    Ok(Some(Held { _gate: gate, seat, fingerprint: key.fingerprint, waited, asked: false }))
}

/// What the key stands for, if one is held and it stands for something. The store is asked once.
pub(crate) async fn remembered(held: &mut Option<Held<'_>>) -> Result<Option<Answer>, Error> {
    match held {
        Some(held) if !held.asked => {
            held.asked = true;
            held.remembered().await
        }
        _ => Ok(None),
    }
}

/// Answers a create that was not committed: with what is remembered under the key, by another server that was faster,
/// or from before, if nobody had asked.
pub(crate) async fn settle(held: Option<&Held<'_>>, error: store::Error) -> Result<Answer, Error> {
    match (held, error) {
        (Some(held), store::Error::Violated(Violation::Key)) => {
            let Seat { app, owner } = &held.seat;
            app.trust.shake(owner.organization, owner.client, app.clock.now());
            held.remembered().await?.ok_or(Error::KeyInFlight)
        }
        (_, error) => Err(error.into()),
    }
}

impl Held<'_> {
    /// Whether it may well have been used just now.
    pub(crate) fn is_suspect(&self) -> bool {
        self.waited
    }

    async fn remembered(&self) -> Result<Option<Answer>, Error> {
        let Seat { app, owner } = &self.seat;
        let Some(found) = idempotency::find(&app.db, owner, app.clock.now()).await? else {
            return Ok(None);
        };
        if found.fingerprint != self.fingerprint {
            return Err(Error::KeyReused);
        }
        let Remembered { status, body, location, etag, .. } = found;
        Ok(Some(Answer { status, body, location, etag, replayed: true }))
    }

    /// Commits the answer with the change that it answers.
    pub(crate) fn keep(&self, change: Change, answer: &Answer, now: Time) -> Change {
        let remembered = Remembered {
            fingerprint: self.fingerprint.to_vec(),
            status: answer.status,
            body: answer.body.clone(),
            location: answer.location.clone(),
            etag: answer.etag.clone(),
        };
        idempotency::insert(change, &self.seat.owner, &remembered, now, now.plus_seconds(LIFETIME_SECONDS))
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.app.in_flight.leave(&self.owner);
    }
}

impl InFlight {
    fn gate(&self, owner: &Owner) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(owner.clone()).or_default())
    }

    /// Forgets the key when nobody holds it or waits for it.
    fn leave(&self, owner: &Owner) {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if gates.get(owner).is_some_and(|gate| Arc::strong_count(gate) == 1) {
            gates.remove(owner);
        }
    }
}

/// Removes every expired key, of every organization.
pub async fn sweep(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    for organization in store::organizations::all(&app.db).await? {
        let due = || idempotency::due(&app.db, organization.id, now, BATCH);
        housekeeping::remove(app, due, || idempotency::sweep(Change::new(), organization.id, now, BATCH)).await?;
    }
    Ok(())
}
