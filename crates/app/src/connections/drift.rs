//! Differences between a record and the provider's object, reported as events of the connection.

use super::Connection;
use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::Error;
use crate::keyed_locks::ATTEMPTS;
use perennial_domain::connections::ObjectKind;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::stamp::Stamp;
use perennial_store::{self as store, Change, Violation, connections, events};
use serde::Serialize;
use serde_json::{Map, Value};

/// A difference. It serializes as the event's data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// What differs.
    pub object: Option<ObjectKind>,
    /// Its ID at the provider.
    pub external_id: Option<String>,
    /// The record's ID here.
    pub record_id: Option<String>,
    /// Each field with `ours` and `theirs`.
    pub fields: Map<String, Value>,
    /// Whether the provider has no such object.
    pub missing: bool,
    /// Whether the record was changed.
    pub repaired: bool,
    /// Whether a sweep applied nothing, because too many would lose access.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// Reports a difference as an event of the connection as it is now.
pub async fn report(
    app: &App,
    connection: &Connection,
    difference: &Difference,
    request_id: &str,
) -> Result<(), Error> {
    let object = difference.object.map_or("", ObjectKind::as_str);
    app.connections.drift.add(connection.kind.as_str(), object);
    for _ in 0..ATTEMPTS {
        let found = connections::by_id(&app.db, connection.organization_id, connection.id).await?;
        let Some(before) = found else { return Ok(()) };
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        let after = Connection { updated_at: at, revision, ..before.clone() };
        let id = after.id.bytes();
        let event = system_event(after.organization_id, EventKind::ConnectionDrift, id, revision, at);
        let event = event.following(before.revision);
        let event = Event { request_id: Some(request_id.to_owned()), after: Some(json(difference)), ..event };
        let change = connections::update(Change::new().background(), &after, before.revision);
        match app.db.commit(events::insert(change, &event)).await {
            Ok(()) => return Ok(()),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::Internal("the connection changes all the time".to_owned()))
}
