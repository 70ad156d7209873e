//! The outcomes of attempts, collected and stored in one change that the lease fences, together with the reader's position.

use super::Delivery;
use crate::audit::{json, system_event};
use crate::context::App;
use crate::error::Error;
use crate::webhooks::{DisabledReason, WebhookEndpoint};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{OrganizationId, WebhookEndpointId};
use perennial_domain::stamp::Stamp;
use perennial_domain::webhook_delivery::{Attempt, Reader, Transition, Undelivered};
use perennial_store::{
    self as store, Change, Violation, events, webhook_attempts, webhook_endpoints, webhook_readers, webhook_undelivered,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Attempts to store outcomes while other writers change the endpoint.
const ATTEMPTS: usize = 5;
/// The pause before the next attempt if the writer is busy.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// Outcomes that are not stored yet.
#[derive(Default)]
pub(super) struct Outcomes {
    since: Option<Instant>,
    attempts: Vec<Attempt>,
    /// In the order in which they happened.
    rows: Vec<RowChange>,
    transition: Option<Transition>,
}

enum RowChange {
    Put(Undelivered),
    Remove(Undelivered),
    WakeNext(Undelivered),
}

impl Outcomes {
    /// Since when there are any.
    pub(super) const fn since(&self) -> Option<Instant> {
        self.since
    }

    pub(super) fn attempt(&mut self, attempt: Attempt) {
        self.note();
        self.attempts.push(attempt);
    }

    pub(super) fn put(&mut self, row: Undelivered) {
        self.note();
        self.rows.push(RowChange::Put(row));
    }

    pub(super) fn remove(&mut self, row: Undelivered) {
        self.note();
        self.rows.push(RowChange::Remove(row));
    }

    pub(super) fn wake_next(&mut self, row: Undelivered) {
        self.note();
        self.rows.push(RowChange::WakeNext(row));
    }

    pub(super) fn transition(&mut self, transition: Transition) {
        self.note();
        self.transition = Some(transition);
    }

    fn note(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    fn write(&self, app: &App, mut change: Change) -> Change {
        for attempt in &self.attempts {
            change = webhook_attempts::insert(change, attempt);
        }
        for row in &self.rows {
            change = match row {
                RowChange::Put(row) => webhook_undelivered::put(change, row),
                RowChange::Remove(row) => webhook_undelivered::remove(change, row),
                RowChange::WakeNext(row) => webhook_undelivered::wake_next(change, row, app.clock.now()),
            };
        }
        change
    }
}

impl Delivery<'_> {
    /// Stores the outcomes and the position. Without outcomes it does nothing.
    pub(super) async fn store(&mut self) -> Result<(), Error> {
        if self.outcomes.since().is_none() {
            return Ok(());
        }
        self.commit().await
    }

    /// Stores everything, and the position also if it passed only events of other types.
    pub(super) async fn store_position(&mut self) -> Result<(), Error> {
        if self.outcomes.since().is_none() && self.window.position() == self.reader.sequence {
            return Ok(());
        }
        self.commit().await
    }

    /// Stores a position that passed only events of other types, from time to time.
    pub(super) async fn store_passed_position(&mut self) -> Result<(), Error> {
        if self.position_stored_at.elapsed() < super::STORE_POSITION_EVERY {
            return Ok(());
        }
        self.store_position().await?;
        self.position_stored_at = Instant::now();
        Ok(())
    }

    pub(super) async fn commit(&mut self) -> Result<(), Error> {
        let reader = Reader { sequence: self.window.position(), ..self.reader.clone() };
        for _ in 0..ATTEMPTS {
            let change = webhook_readers::save(self.held.fence(Change::new()), &reader);
            let mut change = self.outcomes.write(self.app, change);
            if let Some(transition) = self.outcomes.transition {
                change = prepare_transition(self.app, change, (reader.organization_id, self.id), transition).await?;
            }
            match self.app.db.commit(change).await {
                Ok(()) => {
                    self.outcomes = Outcomes::default();
                    self.reader = reader;
                    return Ok(());
                }
                // The endpoint was changed at the same time.
                Err(store::Error::Violated(Violation::Record)) => {}
                Err(store::Error::Overloaded) => sleep(BUSY_PAUSE).await,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Overloaded)
    }
}

/// Adds the new state of the endpoint and its event.
async fn prepare_transition(
    app: &App,
    change: Change,
    (organization, id): (OrganizationId, WebhookEndpointId),
    transition: Transition,
) -> Result<Change, Error> {
    let Some(before) = webhook_endpoints::by_id(&app.db, organization, id).await? else { return Ok(change) };
    let now = app.clock.now();
    let (kind, after) = match transition {
        Transition::Failing => (EventKind::WebhookEndpointFailing, before.failing()),
        Transition::Recovered => (EventKind::WebhookEndpointRecovered, before.recovered()),
        Transition::DisabledFailing => {
            (EventKind::WebhookEndpointDisabled, before.disabled(DisabledReason::Failing, now))
        }
        Transition::DisabledGone => (EventKind::WebhookEndpointDisabled, before.disabled(DisabledReason::Gone, now)),
    };
    tracing::warn!(endpoint = %id, state = after.state.as_str(), "a webhook endpoint changed its state");
    let Stamp { at, revision } = app.stamp(&before, now);
    let after = WebhookEndpoint { updated_at: at, revision, ..after };
    let event = system_event(organization, kind, id.bytes(), revision, at).following(before.revision);
    let event = Event {
        request_id: Some(webhook_readers::JOB.to_owned()),
        before: Some(json(&before)),
        after: Some(json(&after)),
        ..event
    };
    let mut change = webhook_endpoints::update(change, &after, before.revision);
    if transition == Transition::Recovered {
        change = webhook_undelivered::hasten(change, organization, id, now);
    }
    Ok(events::insert(change, &event))
}
