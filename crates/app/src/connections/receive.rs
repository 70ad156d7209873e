//! The receiver of webhooks: it verifies the raw body and stores one row, unless its key exists. It does no other work.

use super::{Connection, ConnectionKind, object_unit, open};
use crate::context::App;
use crate::error::Error;
use crate::keys::sha256;
use data_encoding::HEXLOWER;
use perennial_domain::connections::hints::{Hint, Refusal, without_personal_data};
use perennial_domain::connections::inbox::{InboxItem, InboxState};
use perennial_domain::id::{ConnectionId, uuid_v7};
use perennial_identity::provider_signature::is_signed;
use perennial_provider_api::intents;
use perennial_store::{self as store, Change, Violation, connection_collections, connection_inbox};
use std::time::Duration;

/// How long the commit may wait: the response must arrive within four seconds.
const COMMIT_WITHIN: Duration = Duration::from_secs(3);

/// What became of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It is stored, now or earlier.
    Stored,
    /// Its signature is missing, wrong or out of tolerance. Nothing is stored.
    InvalidSignature,
}

/// The name of the signature header of a connection. `NotFound` if there is no such connection, or if it is disabled.
pub async fn signature_header(app: &App, id: ConnectionId) -> Result<&'static str, Error> {
    let known = open(app, id).await?.filter(|open| open.connection.is_enabled).ok_or(Error::NotFound)?;
    Ok(known.connection.kind.signature_header())
}

/// Receives a webhook: the value of the signature header and the raw body.
pub async fn receive(app: &App, id: ConnectionId, header: Option<&str>, body: &[u8]) -> Result<Received, Error> {
    let known = open(app, id).await?.filter(|open| open.connection.is_enabled).ok_or(Error::NotFound)?;
    let connection = &known.connection;
    let now = app.clock.now();
    let count = |outcome| app.connections.received.add(connection.kind.as_str(), outcome);
    let secrets = known.secrets.as_ref();
    let signed = header.and_then(|header| connection.kind.read_signature(header, now.as_micros() / 1_000_000));
    let is_valid = signed.zip(secrets).is_some_and(|(signed, secrets)| {
        let verify = |secret| is_signed(secret, &signed.prefix, body, &signed.signatures);
        secrets.webhook.iter().fold(false, |found, secret| found | verify(secret))
    });
    if !is_valid {
        count("invalid_signature");
        return Ok(Received::InvalidSignature);
    }
    let outcome = store_event(app, connection, body).await?;
    count(outcome.map_or("repeated", InboxState::as_str));
    Ok(Received::Stored)
}

/// Stores an event of the provider, from a webhook or a list. None if its key exists.
pub(super) async fn store_event(app: &App, connection: &Connection, body: &[u8]) -> Result<Option<InboxState>, Error> {
    let (id, now) = (connection.id, app.clock.now());
    let hint = Hint::read(connection, body);
    // An intent of a collection is looked at by the collection.
    let collected = (connection.kind == ConnectionKind::Stripe).then(|| intents::of_event(body)).flatten();
    let (state, code) = match hint.refusal {
        None => (InboxState::Waiting, None),
        Some(Refusal::Ignored("unhandled_type")) if collected.is_some() => (InboxState::Applied, None),
        Some(Refusal::Ignored(code)) => (InboxState::Ignored, Some(code)),
        Some(Refusal::Malformed) => (InboxState::Failed, Some("malformed")),
    };
    let collected = collected.filter(|_| state == InboxState::Applied);
    let (object, object_id) = hint.object.unzip();
    let unit = object.zip(object_id.as_deref()).map(|(object, external)| object_unit(id, object, external));
    let object_id = object_id.or_else(|| collected.as_ref().map(|(_, intent)| intent.clone()));
    let mut item = InboxItem {
        organization_id: connection.organization_id,
        id: uuid_v7(now, app.entropy.id_bits()),
        connection_id: id,
        key: hint.key.unwrap_or_else(|| HEXLOWER.encode(&sha256(&[body]))),
        kind: hint.kind,
        object,
        object_id,
        unit,
        state,
        code: code.map(str::to_owned),
        attempts: 0,
        next_attempt_at: (state == InboxState::Waiting).then_some(now),
        occurred_at: hint.occurred_at,
        received_at: now,
        settled_at: (state != InboxState::Waiting).then_some(now),
        body: Some(body.to_vec()),
    };
    if state != InboxState::Waiting && collected.is_none() {
        // It names no object with a record, so the erasure of a user would not find the body.
        item.body = without_personal_data(connection.kind, &item);
    }
    let mut change = connection_inbox::insert(Change::new(), &item).within(COMMIT_WITHIN);
    if let Some((payment, intent)) = &collected {
        change = connection_collections::hasten(change, connection.organization_id, (*payment, intent), id, now);
    }
    match app.db.commit(change).await {
        Ok(()) => {
            app.connection_signal.notify_one();
            app.collection_signal.notify_one();
            Ok(Some(state))
        }
        Err(store::Error::Violated(Violation::Key)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
