//! The clients seen lately. An entry lives four seconds, so that a change by any process takes effect within five,
//! and a request costs no read of its own.

use super::credential;
use crate::cached::Cached;
use crate::caller::KnownClient;
use crate::context::App;
use crate::error::Error;
use perennial_domain::clients::Origin;
use perennial_domain::time::Time;
use perennial_store::{clients, organizations};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Strangers' ids are remembered too; past this many entries the old ones go.
const MOST_ENTRIES: usize = 10_000;

#[derive(Default)]
pub(crate) struct ClientCache {
    by_hash: RwLock<HashMap<[u8; 32], Cached<Seen>>>,
    origins: RwLock<Option<Cached<Arc<[Origin]>>>>,
}

/// A client, or a stranger.
type Seen = Option<Arc<KnownClient>>;

/// The live client that presents this, with its organization. `None` for unknown, expired and disabled alike.
pub async fn recognise(app: &App, presented: &str) -> Result<Option<Arc<KnownClient>>, Error> {
    by_hash(app, credential::hash(presented), app.clock.now()).await
}

/// The live client with this hash of its credential, read at most four seconds ago.
pub(super) async fn by_hash(app: &App, hash: [u8; 32], now: Time) -> Result<Option<Arc<KnownClient>>, Error> {
    let cached = app.clients.get(&hash, now);
    let known = match cached {
        Some(known) => known,
        None => {
            let known = Box::pin(load(app, hash, now)).await?;
            app.clients.put(hash, known.clone(), now);
            known
        }
    };
    Ok(known.filter(|known| known.client.is_live(now)))
}

/// Whether some live public client of the installation lists the origin.
pub async fn origin_is_listed(app: &App, origin: &str) -> Result<bool, Error> {
    let now = app.clock.now();
    let cached = app.clients.origins.read().unwrap_or_else(PoisonError::into_inner).clone();
    let origins = match cached.filter(|cached| cached.is_fresh(now)) {
        Some(cached) => cached.value,
        None => {
            let clients = clients::public(&app.db).await?;
            let live = clients.into_iter().filter(|client| client.is_live(now));
            let origins: Arc<[Origin]> = live.flat_map(|client| client.origins).collect();
            let fresh = Cached { value: Arc::clone(&origins), read_at: now };
            *app.clients.origins.write().unwrap_or_else(PoisonError::into_inner) = Some(fresh);
            origins
        }
    };
    Ok(origins.iter().any(|listed| listed.allows(origin)))
}

/// A client that does not work takes as many statements as one that does not exist, so that nobody can tell.
async fn load(app: &App, hash: [u8; 32], now: Time) -> Result<Option<Arc<KnownClient>>, Error> {
    let client = clients::by_credential(&app.db, hash).await?;
    let Some(client) = client.filter(|client| client.is_live(now)) else { return Ok(None) };
    let organization = organizations::by_id(&app.db, client.organization_id)
        .await?
        .ok_or_else(|| Error::Internal("the row was there a moment ago".into()))?;
    if organization.deleted_at.is_some() {
        return Ok(None);
    }
    Ok(Some(Arc::new(KnownClient { client, organization, credential_hash: hash, read_at: now })))
}

impl ClientCache {
    fn get(&self, hash: &[u8; 32], now: Time) -> Option<Seen> {
        let entries = self.by_hash.read().unwrap_or_else(PoisonError::into_inner);
        entries.get(hash).filter(|cached| cached.is_fresh(now)).map(|cached| cached.value.clone())
    }

    fn put(&self, hash: [u8; 32], value: Seen, now: Time) {
        let mut entries = self.by_hash.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MOST_ENTRIES {
            entries.retain(|_, cached| cached.is_fresh(now) && cached.value.is_some());
        }
        if entries.len() < MOST_ENTRIES {
            entries.insert(hash, Cached { value, read_at: now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_strangers_stays_bounded() {
        let cache = ClientCache::default();
        let now = Time::from_micros(0).unwrap();
        for number in 0..50_000_u64 {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_be_bytes());
            cache.put(hash, None, now);
        }
        assert!(cache.by_hash.read().unwrap().len() <= MOST_ENTRIES);
    }
}
