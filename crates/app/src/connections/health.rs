//! Whether requests to a provider succeed: a pause that the provider asked for, the state `failing`, and the recovery.

use super::cache::OpenConnection;
use super::provider::Fetched;
use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::bucket::{MAX_PAUSE_SECONDS, PAUSE_SECONDS, SLOW_SECONDS};
use perennial_domain::connections::{Connection, ConnectionState};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, connection_inbox, connection_states, connections, events};

/// A connection is `failing` if no request succeeded for this long.
const FAILING_SECONDS: i64 = 15 * 60;
/// One hint is tried this often while requests fail.
const PROBE_SECONDS: i64 = 5 * 60;
/// How often a success is stored.
const STORE_SECONDS: i64 = 60;

/// Notes what a request shows about the provider.
pub(super) async fn note(app: &App, open: &OpenConnection, fetched: &Fetched) -> Result<(), Error> {
    if matches!(fetched, Fetched::NotSent(_)) {
        return Ok(());
    }
    let connection = &open.connection;
    let (organization, id) = (connection.organization_id, connection.id);
    let now = app.clock.now();
    let state = connection_states::of_connection(&app.db, organization, id).await?;
    let Some(state) = state else { return Ok(()) };
    let change = Change::new().background();
    if let Fetched::Unavailable { retry_after, is_rate_limited } = fetched {
        let probe_at = now.plus_seconds(PROBE_SECONDS);
        let mut change = change;
        if *is_rate_limited {
            // The provider answers: it is not away.
            let seconds = retry_after.unwrap_or(PAUSE_SECONDS).clamp(1, MAX_PAUSE_SECONDS);
            let until = now.plus_seconds(seconds);
            change = connection_states::pause(change, organization, id, until, until.plus_seconds(SLOW_SECONDS));
        } else {
            change = connection_states::failed(change, organization, id, now, probe_at);
        }
        app.db.commit(change).await?;
        let since = state.failing_since.filter(|_| !is_rate_limited);
        if since.is_some_and(|since| now >= since.plus_seconds(FAILING_SECONDS)) {
            move_to(app, connection, ConnectionState::Failing, now).await?;
        }
        return Ok(());
    }
    let is_stored = state.succeeded_at.is_some_and(|at| now < at.plus_seconds(STORE_SECONDS));
    if state.failing_since.is_some() || !is_stored {
        let mut change = connection_states::succeeded(change, organization, id, now);
        if state.failing_since.is_some() {
            change = connection_inbox::hasten(change, organization, id, now);
        }
        app.db.commit(change).await?;
    }
    if connection.state == ConnectionState::Failing {
        move_to(app, connection, ConnectionState::Ok, now).await?;
    }
    Ok(())
}

/// Changes the state of the connection as it is now, with its event, once on any number of servers.
async fn move_to(app: &App, known: &Connection, state: ConnectionState, now: Time) -> Result<(), Error> {
    let (kind, from) = match state {
        ConnectionState::Failing => (EventKind::ConnectionFailing, ConnectionState::Ok),
        _ => (EventKind::ConnectionRecovered, ConnectionState::Failing),
    };
    let before = connections::by_id(&app.db, known.organization_id, known.id).await?;
    let Some(before) = before.filter(|before| before.state == from) else { return Ok(()) };
    let Stamp { at, revision } = app.stamp(&before, now);
    let after = Connection { state, updated_at: at, revision, ..before.clone() };
    let event = system_event(after.organization_id, kind, after.id.bytes(), revision, at).following(before.revision);
    let event = Event { before: Some(json(&before)), after: Some(json(&after)), ..event };
    let change = connections::update(Change::new().background(), &after, before.revision);
    match app.db.commit(events::insert(change, &event)).await {
        Ok(()) => {
            app.connection_cache.clear();
            tracing::warn!(connection = %after.id, state = state.as_str(), "the state of a connection changed");
            Ok(())
        }
        // Another server was faster.
        Err(store::Error::Violated(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
