//! The parts of an event: who caused it, and what of the record it stores.
//! No event identifies a person: of a user it stores the id and the names of the fields that were set.

use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::time::Time;
use serde::Serialize;

/// An event of the command line or of the server itself. The use case adds the record before and after.
pub fn system_event(
    organization_id: OrganizationId,
    kind: EventKind,
    record_id: [u8; 16],
    id: EventId,
    at: Time,
) -> Event {
    Event {
        id,
        organization_id,
        kind,
        record_id,
        client_id: None,
        operator_id: None,
        request_id: None,
        at,
        previous_id: None,
        before: None,
        after: None,
    }
}

/// A record as an event stores it.
pub fn json<T: Serialize>(record: &T) -> String {
    perennial_domain::json::to_string(record)
}

/// What an event stores of a user: the names of the fields that were set, not their values, so that an erased person
/// stays erased.
#[derive(Serialize)]
pub struct UserTrace {
    /// The user.
    pub id: UserId,
    /// The names of the fields that were set.
    pub fields: Vec<&'static str>,
}
