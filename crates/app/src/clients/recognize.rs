//! Recognizing the client of a request by its credential, from the cache or the store.

use super::credential;
use crate::caller::KnownClient;
use crate::context::App;
use crate::error::Error;
use perennial_domain::clients::Origin;
use perennial_domain::time::Time;
use perennial_store::{clients, organizations};
use std::sync::Arc;

/// The live client with this credential, and its organization. `None` if it is unknown, expired or disabled.
pub async fn recognize(app: &App, presented: &str) -> Result<Option<Arc<KnownClient>>, Error> {
    by_hash(app, credential::hash_of_presented(presented), app.clock.now()).await
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

/// Whether a live public client of the installation lists the origin.
pub async fn origin_is_listed(app: &App, origin: &str) -> Result<bool, Error> {
    let now = app.clock.now();
    let origins = match app.clients.origins(now) {
        Some(origins) => origins,
        None => {
            let clients = clients::public(&app.db).await?;
            let live = clients.into_iter().filter(|client| client.is_live(now));
            let origins: Arc<[Origin]> = live.flat_map(|client| client.origins).collect();
            app.clients.put_origins(Arc::clone(&origins), now);
            origins
        }
    };
    Ok(origins.iter().any(|listed| listed.allows(origin)))
}

/// An expired or disabled client costs as many statements as an unknown one, so that timing does not reveal it.
async fn load(app: &App, hash: [u8; 32], now: Time) -> Result<Option<Arc<KnownClient>>, Error> {
    let client = clients::by_credential(&app.db, hash).await?;
    let Some(client) = client.filter(|client| client.is_live(now)) else { return Ok(None) };
    let organization = organizations::by_id(&app.db, client.organization_id)
        .await?
        .ok_or_else(|| Error::Internal("the organization of a client does not exist".into()))?;
    if organization.deleted_at.is_some() {
        return Ok(None);
    }
    Ok(Some(Arc::new(KnownClient { client, organization, credential_hash: hash, read_at: now })))
}
