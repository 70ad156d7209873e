//! Calls that send: a sample now, events again, or the feed from another position.
//!
//! Each revokes the lease of the endpoint's reader in its change, so that a delivery in progress on another server stores
//! nothing afterwards.

use super::secrets::signing_keys;
use super::send::{record, send};
use super::{commit, prepare_update, read};
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::feed::place_recent;
use crate::revision::IfMatch;
use perennial_domain::id::{EventId, WebhookEndpointId};
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_domain::webhook_delivery::{Attempt, Trigger};
use perennial_domain::webhooks::{Payload, WebhookEndpoint};
use perennial_store::{self as store, Change, Violation, feed, webhook_attempts, webhook_readers, webhook_undelivered};
use serde_json::{Value, json};
use std::time::Duration;

/// A ping is part of a request, which must be answered in time.
const MAX_PING: Duration = Duration::from_secs(20);

/// What to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// One event, even if it was delivered.
    Event(EventId),
    /// Every undelivered event that entered the feed from the first time to before the second.
    Range(Time, Time),
}

/// Where a reader continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekTo {
    /// At the oldest event.
    Oldest,
    /// After the newest event.
    Newest,
    /// At the first event that entered the feed at or after this time.
    At(Time),
}

/// Sends a sample, also while the endpoint is disabled, and returns the attempt, whatever its outcome. `sample` makes the
/// event of a type; none if there is no such type.
pub async fn ping(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    event_type: &str,
    sample: impl FnOnce(&str, EventId, Time) -> Option<String>,
) -> Result<Option<Attempt>, Error> {
    let endpoint = read(app, caller, id).await?;
    let keys = signing_keys(app, &endpoint)?;
    let now = app.clock.now();
    let event_id = EventId::new(now, app.entropy.id_bits());
    let Some(body) = sample(event_type, event_id, now) else { return Ok(None) };
    let body = if endpoint.payload == Payload::Thin { thin(&body) } else { body };
    let timeout = Duration::from_secs(app.options.webhooks.timeout_seconds.into()).min(MAX_PING);
    let response = send(app, endpoint.url.as_str(), &keys, event_id, &body, timeout).await;
    let attempt = record(app, &endpoint, (event_id, event_type), (Trigger::Ping, 1), response, now);
    let change = webhook_attempts::insert(Change::new(), &attempt);
    app.db.commit(confirm(app, caller, change).await?).await?;
    Ok(Some(attempt))
}

/// Sends events again and returns their number. Closes the circuit.
pub async fn retry(app: &App, caller: &Caller, id: WebhookEndpointId, resend: Resend) -> Result<i64, Error> {
    let organization = caller.organization();
    let mut attempts = app.locks.attempts((organization.bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if !before.is_active {
            return Err(disabled(app, &before, resend).await?);
        }
        let now = app.clock.now();
        let (_, change) = prepare_update(app, caller, &before, before.recovered());
        let change = close_circuit(change, &before, now);
        let (queued, change) = match resend {
            Resend::Event(event) => (1, webhook_undelivered::resend(change, organization, id, event, now)),
            Resend::Range(since, until) => {
                let since = feed::stored_since(&app.db, since);
                let queued = webhook_undelivered::count_range(&app.db, organization, id, (since, until)).await?;
                (queued, webhook_undelivered::resend_range(change, organization, id, (since, until), now))
            }
        };
        match app.db.commit(confirm(app, caller, change).await?).await {
            Ok(()) => return Ok(queued),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(store::Error::Violated(Violation::Event)) => return Err(no_event()),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Moves the reader, drops what waits, and closes the circuit.
pub async fn seek(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    if_match: &IfMatch,
    to: SeekTo,
) -> Result<WebhookEndpoint, Error> {
    let organization = caller.organization();
    let mut attempts = app.locks.attempts((organization.bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let position = match to {
            SeekTo::Oldest => None,
            SeekTo::Newest => {
                place_recent(app).await?;
                feed::newest(&app.db, organization).await?.map(|(newest, _)| newest)
            }
            SeekTo::At(time) => feed::last_before(&app.db, organization, time).await?,
        };
        let (after, change) = prepare_update(app, caller, &before, before.recovered());
        let change = close_circuit(change, &before, app.clock.now());
        let sequence = position.map_or(0, |position| position.sequence);
        let change = webhook_undelivered::remove_sought(change, organization, id, sequence);
        if commit(app, caller, webhook_readers::seek(change, organization, id, sequence)).await? {
            return Ok(after);
        }
    }
    Err(Conflict::Contended.into())
}

/// Closes the circuit: everything that waits is sent at once.
pub(super) fn close_circuit(change: Change, endpoint: &WebhookEndpoint, now: Time) -> Change {
    let (organization, id) = (endpoint.organization_id, endpoint.id);
    let change = revoke(change, endpoint);
    let change = webhook_readers::close_circuit(change, organization, id);
    let change = webhook_undelivered::hasten(change, organization, id, now);
    webhook_undelivered::wake_all(change, organization, id, now)
}

/// Ends the lease of the endpoint's reader: what its holder has under way is not stored.
pub(super) fn revoke(change: Change, endpoint: &WebhookEndpoint) -> Change {
    webhook_readers::unit(endpoint.organization_id, endpoint.id).revoke(change)
}

/// A sample with the ID of its record only.
fn thin(sample: &str) -> String {
    let mut event: Value = serde_json::from_str(sample).expect("a sample is JSON");
    event["data"] = json!({ "id": event["record_id"] });
    event["before"] = Value::Null;
    event.to_string()
}

/// Why nothing is sent again to a disabled endpoint. What is wrong with the request comes first.
async fn disabled(app: &App, endpoint: &WebhookEndpoint, resend: Resend) -> Result<Error, Error> {
    let is_unknown = match resend {
        Resend::Event(event) => feed::sequence_of(&app.db, endpoint.organization_id, event).await?.is_none(),
        Resend::Range(..) => false,
    };
    Ok(if is_unknown { no_event() } else { Conflict::EndpointDisabled.into() })
}

fn no_event() -> Error {
    let mut errors = ValidationErrors::none();
    errors.note("/event_id", ValidationCode::NotFound, "names no event of the feed");
    Error::Invalid(errors)
}
