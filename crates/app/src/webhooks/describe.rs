//! An endpoint together with what the API returns of it and its row does not hold.

use super::secrets::signing_keys;
use crate::context::App;
use crate::error::Error;
use perennial_domain::events::EventKind;
use perennial_domain::id::WebhookEndpointId;
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::Reader;
use perennial_domain::webhooks::{Signature, WebhookEndpoint};
use perennial_store::feed::{self, FeedEvent, Filter as EventFilter};
use perennial_store::{webhook_readers, webhook_undelivered};

/// An endpoint. It serializes as the API returns it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Endpoint {
    /// The record.
    #[serde(flatten)]
    pub record: WebhookEndpoint,
    /// The public keys that are valid now; none for shared secrets.
    pub public_keys: Vec<String>,
    /// The first failure since the last success.
    pub failing_since: Option<Time>,
    /// When the oldest undelivered event entered the feed.
    pub oldest_undelivered_at: Option<Time>,
}

/// Describes an endpoint.
pub async fn describe(app: &App, record: WebhookEndpoint) -> Result<Endpoint, Error> {
    let public_keys = match record.signature {
        Signature::Hmac => Vec::new(),
        Signature::Ed25519 => signing_keys(app, &record)?.public_keys(app.clock.now()),
    };
    let reader = webhook_readers::of_endpoint(&app.db, record.organization_id, record.id).await?;
    let oldest_undelivered_at = match &reader {
        Some(reader) => oldest_undelivered_at(app, &record, reader).await?,
        None => None,
    };
    Ok(Endpoint {
        record,
        public_keys,
        failing_since: reader.and_then(|reader| reader.failing_since),
        oldest_undelivered_at,
    })
}

/// When the oldest event entered the feed that waits for a retry or that the reader has not reached.
async fn oldest_undelivered_at(app: &App, record: &WebhookEndpoint, reader: &Reader) -> Result<Option<Time>, Error> {
    let (db, organization) = (&app.db, record.organization_id);
    if let Some(waiting) = webhook_undelivered::oldest_waiting(db, organization, record.id).await? {
        return Ok(Some(waiting.entered_at));
    }
    let Some(last) = feed::examined(db, organization, reader.sequence, feed::EXAMINED).await?.last else {
        return Ok(None);
    };
    let filter = EventFilter { kinds: record.types.kinds(), ..EventFilter::default() };
    // One more than the one: the event that created the endpoint is never sent to it.
    let next = feed::page(db, organization, (reader.sequence, last.sequence), &filter, 2).await?;
    match next.iter().find(|next| !is_creation_of(record.id, next)) {
        Some(next) => Ok(feed::entered_at(db, organization, next.sequence).await?),
        None => Ok(None),
    }
}

/// Whether the event is the creation of this endpoint, which is never sent to it: an endpoint starts after that event.
pub(super) fn is_creation_of(endpoint: WebhookEndpointId, event: &FeedEvent) -> bool {
    event.event.kind == EventKind::WebhookEndpointCreated && event.event.record_id == endpoint.bytes()
}

/// Describes the endpoints of a page.
pub async fn describe_all(app: &App, records: Vec<WebhookEndpoint>) -> Result<Vec<Endpoint>, Error> {
    let mut endpoints = Vec::with_capacity(records.len());
    for record in records {
        endpoints.push(describe(app, record).await?);
    }
    Ok(endpoints)
}
