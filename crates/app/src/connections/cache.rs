//! The connections that this server knows, with their secrets. They are read again after two seconds, so that every server
//! uses a change within five.

use super::secrets::ConnectionSecrets;
use perennial_domain::connections::Connection;
use perennial_domain::id::{ConnectionId, OrganizationId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a reading is used.
const FRESH: Duration = Duration::from_secs(2);

/// A connection with its secrets.
pub struct OpenConnection {
    /// The connection.
    pub connection: Connection,
    /// Its secrets. None: no accepted master key opens them.
    pub secrets: Option<ConnectionSecrets>,
}

/// Every connection of the installation.
pub(crate) type Known = HashMap<ConnectionId, Arc<OpenConnection>>;

/// The last reading.
#[derive(Default)]
pub(crate) struct ConnectionCache(Mutex<Option<(Instant, Arc<Known>)>>);

impl ConnectionCache {
    /// The connections, if they were read recently.
    pub(crate) fn get(&self) -> Option<Arc<Known>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.as_ref().filter(|(read_at, _)| read_at.elapsed() < FRESH).map(|(_, known)| Arc::clone(known))
    }

    /// Stores a reading that began at this time.
    pub(crate) fn put(&self, began: Instant, known: &Arc<Known>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((began, Arc::clone(known)));
    }

    /// Forgets the reading: this server has changed a connection.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Whether an organization has an enabled connection.
pub(crate) fn has_enabled(known: &Known, organization: OrganizationId) -> bool {
    known.values().any(|open| open.connection.organization_id == organization && open.connection.is_enabled)
}
