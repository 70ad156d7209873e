//! The background work that applies hints. A unit is an object at a provider: a server that holds its lease fetches it, so no
//! two fetches of one object overlap, on any number of servers.
//!
//! One change writes the record, its event, the link and all hints that waited when the lease was taken. It is fenced by the
//! lease, so a change is applied once, whichever server dies at which moment.

use super::apply::Work;
use super::open;
use super::outcome::Ended;
use crate::background::{Held, Job};
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::hints::custom_user;
use perennial_domain::connections::inbox::{Delay, InboxItem};
use perennial_store::leases::{Lease, Unit};
use perennial_store::{Change, connection_inbox, connection_states};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Hints of one object that one fetch settles.
pub(super) const ROWS: i64 = 200;
/// How long one hint of a connection whose requests fail is given before the next is tried.
const PROBE_SECONDS: i64 = 5 * 60;

/// The work on hints.
#[derive(Debug)]
pub struct Connections;

impl Job for Connections {
    const AT_ONCE: usize = 16;
    const LOOK_EVERY: Duration = Duration::from_millis(500);

    fn signal<'a>(&self, app: &'a App) -> Option<&'a Notify> {
        Some(&app.connection_signal)
    }

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        let now = app.clock.now();
        for (organization, connection) in connection_inbox::probes(&app.db, now).await? {
            let next = now.plus_seconds(PROBE_SECONDS);
            let change = connection_inbox::probe(Change::new().background(), organization, connection, now);
            app.db.commit(connection_states::failed(change, organization, connection, now, next)).await?;
        }
        let mut due = Vec::new();
        for connection in connection_inbox::due_connections(&app.db, now).await? {
            // Those whose requests wait for their turns anyway take no places from others.
            if connection.bucket.has_turn(connection.requests_per_minute, connection.now) {
                // Many hints of one object are one unit.
                due.push(connection_inbox::due_units(&app.db, &connection, now, limit * 16).await?);
            }
        }
        Ok(in_turns(due))
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        while !held.is_stopping() {
            let unit = held.unit();
            let rows = connection_inbox::of_unit(&app.db, unit.organization, unit.id, ROWS).await?;
            let now = app.clock.now();
            if !rows.iter().any(|row| row.next_attempt_at.is_some_and(|next| next <= now)) {
                return Ok(());
            }
            if !apply(app, held.lease(), &rows).await? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The first of each, then the second of each, and so on: one connection with many hints does not delay the others.
fn in_turns(lists: Vec<Vec<Unit>>) -> Vec<Unit> {
    let mut placed: Vec<(usize, Unit)> = lists.into_iter().flat_map(|list| list.into_iter().enumerate()).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, unit)| unit).collect()
}

/// Fetches the object of these hints and applies it. False: its connection is gone or disabled.
async fn apply(app: &App, lease: Lease, rows: &[InboxItem]) -> Result<bool, Error> {
    let Some(first) = rows.first() else { return Ok(false) };
    let (Some(object), Some(external_id)) = (first.object, first.object_id.as_deref()) else { return Ok(false) };
    let known = open(app, first.connection_id).await?;
    let Some(known) = known.filter(|known| known.connection.is_enabled) else { return Ok(false) };
    let custom_user = custom_user(known.connection.kind, rows);
    let work = Work { app, open: &known, key: &first.key, custom_user, is_sweep: false };
    match work.apply(lease, object, external_id, rows, 0).await {
        Ok(_) => Ok(true),
        Err(Error::Conflict(_)) => {
            // A test clock moves, or other writers were faster again and again.
            work.settle(lease, rows, Ended::Delayed(Delay::Busy)).await?;
            Ok(true)
        }
        Err(error) => Err(error),
    }
}
