//! Webhook endpoints: the URLs that receive an organization's events, and the secrets that sign the requests.
//!
//! A secret leaves this module once, in the result of its create or rotation. At rest it is sealed.

pub(crate) mod client;
mod control;
pub mod delivery;
mod describe;
mod history;
mod secrets;
pub(crate) mod send;
mod view;

pub use control::{Resend, SeekTo, ping, retry, seek};
pub use describe::{Endpoint, describe, describe_all};
pub use history::{AttemptQuery, attempts, attempts_page, undelivered, undelivered_page};

pub use perennial_domain::webhooks::{
    DisabledReason, EndpointDraft, EndpointState, EventPattern, EventTypes, OVERLAP_SECONDS, Payload, Signature,
    WebhookEndpoint, WebhookOptions,
};
pub use secrets::{SigningKeys, signing_keys};
pub(crate) use secrets::{reseal, sealed_under};
pub use view::{AttemptView, UndeliveredView};

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::feed::place_recent;
use crate::revision::IfMatch;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, WebhookEndpointId};
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_domain::webhook_delivery::Reader;
use perennial_domain::webhooks::EndpointUrl;
use perennial_identity::secret::Secret;
use perennial_store::{
    self as store, Change, Page, Position, Violation, events, feed, webhook_endpoints, webhook_readers,
    webhook_undelivered,
};

/// Creates an endpoint. The secret is that of an endpoint with a shared one.
pub async fn create(
    app: &App,
    caller: &Caller,
    draft: EndpointDraft,
    mut errors: ValidationErrors,
) -> Result<(WebhookEndpoint, Option<Secret>), Error> {
    check_url(app, draft.url.as_ref().map(EndpointUrl::as_str), &mut errors).await;
    let now = app.clock.now();
    let (id, revision) = (WebhookEndpointId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
    let mut endpoint = WebhookEndpoint::create(draft, errors, caller.organization(), id, revision, now)?;
    let keys = SigningKeys::generate(endpoint.signature, &app.entropy);
    endpoint.sealed_secrets = keys.seal(&app.keys, &endpoint)?;
    let event = caller.event(EventKind::WebhookEndpointCreated, id.bytes(), revision, now);
    // It starts after the newest event. What was committed before this request is not sent to it.
    place_recent(app).await?;
    let newest = feed::newest(&app.db, caller.organization()).await?.map_or(0, |(newest, _)| newest.sequence);
    let change = webhook_endpoints::insert(Change::new(), &endpoint);
    let change = webhook_readers::insert(change, &Reader::new(caller.organization(), id, newest));
    let change = events::insert(change, &Event { after: Some(json(&endpoint)), ..event });
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok((endpoint, keys.newest_secret())),
        Err(store::Error::Violated(Violation::EndpointLimit)) => Err(Conflict::EndpointLimit.into()),
        Err(error) => Err(error.into()),
    }
}

/// The endpoint with this ID.
pub async fn read(app: &App, caller: &Caller, id: WebhookEndpointId) -> Result<WebhookEndpoint, Error> {
    webhook_endpoints::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// A page of endpoints, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<WebhookEndpoint>, Option<String>), Error> {
    let name = cursor::webhook_endpoints(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of endpoints after a position.
pub async fn page(
    app: &App,
    caller: &Caller,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<WebhookEndpoint>, Error> {
    Ok(webhook_endpoints::list(&app.db, caller.organization(), after, limit).await?)
}

/// Updates an endpoint. `read_patch` reads the request against the endpoint as it is. Nothing is written if nothing
/// changes.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    if_match: &IfMatch,
    read_patch: impl Fn(&WebhookEndpoint) -> (EndpointDraft, ValidationErrors) + Send + Sync,
) -> Result<WebhookEndpoint, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let (patch, mut errors) = read_patch(&before);
        // A URL that is sent back unchanged is not looked up: its name may not resolve at the moment.
        let url = patch.url.as_ref().filter(|url| **url != before.url);
        if url.is_some() && !caller.is_fresh(app.options.console.limits, app.clock.now()) {
            return Err(Error::FreshOperatorRequired);
        }
        check_url(app, url.map(EndpointUrl::as_str), &mut errors).await;
        let now = app.clock.now();
        let is_enabled = patch.is_active == Some(true);
        let after = before.merge(patch, errors, now)?;
        let closes_circuit = after.is_active && (is_enabled || after.url != before.url);
        if after == before && !closes_circuit {
            return Ok(before);
        }
        let (after, mut change) = prepare_update(app, caller, &before, after);
        if closes_circuit {
            change = control::close_circuit(change, &after, now);
        } else if after.is_redirected_from(&before) {
            change = control::revoke(change, &after);
        }
        if after.is_active && !before.is_active {
            change = webhook_readers::end_failures(change, after.organization_id, id);
        }
        if commit(app, caller, change).await? {
            return Ok(after);
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes an endpoint, erases its secrets, and returns it as it was.
pub async fn delete(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    if_match: &IfMatch,
) -> Result<WebhookEndpoint, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let endpoint = read(app, caller, id).await?;
        if_match.check(endpoint.revision)?;
        let Stamp { at, revision } = app.stamp(&endpoint, app.clock.now());
        let event = caller.event(EventKind::WebhookEndpointDeleted, id.bytes(), revision, at);
        let event = event.following(endpoint.revision);
        let change = webhook_endpoints::delete(Change::new(), &endpoint, at, revision);
        let change = control::revoke(change, &endpoint);
        let change = webhook_readers::remove(change, endpoint.organization_id, id);
        let change = webhook_undelivered::remove_all(change, endpoint.organization_id, id);
        let change = events::insert(change, &Event { before: Some(json(&endpoint)), ..event });
        if commit(app, caller, change).await? {
            return Ok(endpoint);
        }
    }
    Err(Conflict::Contended.into())
}

/// Adds a secret. The old ones continue to sign for `overlap_seconds`.
pub async fn rotate_secret(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    if_match: &IfMatch,
    overlap_seconds: i64,
) -> Result<(WebhookEndpoint, Option<Secret>), Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let now = app.clock.now();
        let new = SigningKeys::generate(before.signature, &app.entropy);
        let keys = signing_keys(app, &before)?.rotated(new, overlap_seconds, now).ok_or(Conflict::SecretLimit)?;
        let sealed_secrets = keys.seal(&app.keys, &before)?;
        let (after, change) =
            prepare_update(app, caller, &before, WebhookEndpoint { sealed_secrets, ..before.clone() });
        let change = control::revoke(webhook_endpoints::set_secrets(change, &after), &after);
        if commit(app, caller, change).await? {
            return Ok((after, keys.newest_secret()));
        }
    }
    Err(Conflict::Contended.into())
}

/// The endpoint with its new stamp, and the change with its event. If nothing differs, the change only guards the endpoint.
fn prepare_update(
    app: &App,
    caller: &Caller,
    before: &WebhookEndpoint,
    after: WebhookEndpoint,
) -> (WebhookEndpoint, Change) {
    if after == *before {
        return (after, webhook_endpoints::guard(Change::new(), before));
    }
    let Stamp { at, revision } = app.stamp(before, app.clock.now());
    let after = WebhookEndpoint { updated_at: at, revision, ..after };
    let event = caller.event(EventKind::WebhookEndpointUpdated, after.id.bytes(), revision, at);
    let event = event.following(before.revision);
    let change = webhook_endpoints::update(Change::new(), &after, before.revision);
    let change = events::insert(change, &Event { before: Some(json(before)), after: Some(json(&after)), ..event });
    (after, change)
}

/// Commits a change of an endpoint. False: another writer was faster, so decide again.
async fn commit(app: &App, caller: &Caller, change: Change) -> Result<bool, Error> {
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(true),
        Err(store::Error::Violated(Violation::Record)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Adds an error if requests must not be sent to the URL.
async fn check_url(app: &App, url: Option<&str>, errors: &mut ValidationErrors) {
    if let Some(url) = url
        && let Err(error) = client::client(app).check(url).await
    {
        errors.note("/url", ValidationCode::UrlNotAllowed, error.to_string());
    }
}
