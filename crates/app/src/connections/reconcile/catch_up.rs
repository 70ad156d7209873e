//! Events of the provider's list that no webhook brought. They go into the inbox under the same keys, so each counts once.

use super::Run;
use crate::connections::provider::{Fetched, Page};
use crate::connections::{health, receive};
use crate::error::Error;
use perennial_domain::connections::ConnectionKind;
use perennial_domain::connections::hints::Hint;
use perennial_domain::time::Time;
use perennial_provider_api::lists::{self, List, Scope};
use perennial_store::connection_states::ConnectionProgress;
use perennial_store::{Change, connection_progress};

/// Stripe's list is read again from this long before the last event: events appear in it with a delay.
const OVERLAP_SECONDS: i64 = 600;
/// How long Stripe lists events.
const KEPT_SECONDS: i64 = 30 * 86_400;

impl Run<'_> {
    /// Reads the list of events to its end. False: the provider does not answer.
    pub(super) async fn catch_up(&self, state: &ConnectionProgress) -> Result<bool, Error> {
        let (connection, began) = (&self.open.connection, self.app.clock.now());
        let is_stripe = connection.kind == ConnectionKind::Stripe;
        let read_until = state.cursor.as_deref().and_then(|cursor| Time::parse(cursor).ok());
        let since = read_until.unwrap_or(connection.created_at).plus_seconds(-OVERLAP_SECONDS);
        let is_too_old = is_stripe && began >= since.plus_seconds(KEPT_SECONDS);
        let account = connection.account.as_ref().map(perennial_domain::text::Line::as_str);
        let scope = Scope { account, mode: connection.mode, since };
        // Stripe's position is a time; Paddle's is the last event.
        let mut cursor = state.cursor.clone().filter(|_| !is_stripe);
        let (mut last, mut is_lost) = (cursor.clone(), is_too_old);
        loop {
            match self.app.payment_providers().list(self.account, List::Events, scope, cursor.as_deref()).await {
                Page::Found(page) => {
                    self.note(true).await?;
                    for event in &page.objects {
                        self.take(event, since).await?;
                        last = lists::id_of(event).or(last);
                    }
                    cursor = page.next;
                    if cursor.is_none() {
                        break;
                    }
                }
                Page::CursorUnknown => {
                    (last, is_lost) = (None, true);
                    break;
                }
                Page::NotSent(_) => return Ok(false),
                Page::Unavailable { .. } | Page::Malformed => {
                    self.note(false).await?;
                    return Ok(false);
                }
            }
        }
        let position = if is_stripe { Some(began.to_string()) } else { last };
        let (organization, id) = (connection.organization_id, connection.id);
        let change = connection_progress::caught_up(Change::new(), organization, id, position.as_deref(), began);
        let change = if is_lost && state.sweep.is_none() {
            // Events were lost: everything is compared.
            connection_progress::sweep(change, organization, id, &new_sweep(began))
        } else {
            change
        };
        self.commit(change).await?;
        Ok(true)
    }

    /// Stores an event, unless it is older than the connection.
    async fn take(&self, event: &str, since: Time) -> Result<(), Error> {
        let connection = &self.open.connection;
        let occurred = Hint::read(connection, event.as_bytes()).occurred_at;
        if occurred.is_none_or(|occurred| occurred >= since) {
            receive::store_event(self.app, connection, event.as_bytes()).await?;
        }
        Ok(())
    }

    /// Whether requests succeed counts for the state of the connection.
    pub(super) async fn note(&self, is_answered: bool) -> Result<(), Error> {
        let fetched = if is_answered {
            Fetched::NotFound
        } else {
            Fetched::Unavailable { retry_after: None, is_rate_limited: false }
        };
        health::note(self.app, self.open, &fetched).await
    }
}

fn new_sweep(now: Time) -> String {
    use perennial_domain::connections::sweep::{Sweep, SweepOptions};
    Sweep::begin(SweepOptions::default(), now).to_stored()
}
