//! The reader of the feed that maintains the ledger of each organization.
//!
//! Position and rows commit in one change that is fenced by the lease. A server that is killed leaves a ledger that equals the
//! definitions at its position, and the next one continues there.

use super::batch::{Applied, Batch, CUSTOMERS, Memory};
use super::now;
use crate::background::{Held, Job};
use crate::context::App;
use crate::error::Error;
use perennial_domain::analytics::payments;
use perennial_domain::events::{EventKind, RecordKind};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;
use perennial_store::analytics_events::{self, LedgerEvent};
use perennial_store::analytics_ledgers::{self, Ledger, LedgerState};
use perennial_store::feed::{self, FeedPosition};
use perennial_store::leases::Unit;
use perennial_store::{Change, Error as StoreError, Violation, analytics_removal, analytics_subscriptions};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The events that figures depend on. Others only move the position.
fn kinds() -> Vec<&'static str> {
    let counts = |kind: &&EventKind| match kind.record_kind() {
        RecordKind::Subscription | RecordKind::Plan => true,
        RecordKind::Payment => payments::is_read(**kind),
        _ => **kind == CLOCK_DELETED,
    };
    EventKind::ALL.iter().filter(counts).map(|kind| kind.as_str()).collect()
}

/// Empties the ledger: the records of the test clock are gone.
const CLOCK_DELETED: EventKind = EventKind::TestClockDeleted;

/// Positions of the feed that one change reads at most.
const MOST_EVENTS: usize = 2_000;
/// Subscriptions that the clock has changed, of one change.
const DUE: i64 = 100;
/// How far ahead of the clock an event may be to count at once.
const AHEAD_SECONDS: i64 = 60;
/// Rows of an obsolete ledger that one change removes from each table.
const REMOVED: i64 = 500;
/// The least time between two searches for work, and the part of the time that searches may take. Events that arrive in
/// between are one change of the ledger instead of one each.
const LEAST_PAUSE: Duration = Duration::from_secs(1);
const SHARE: u32 = 50;
/// The longest rest after a change of an active ledger that is behind, if the server is not busy: as long as the change took, so that
/// other background work has half of the time.
const QUIET_REST: Duration = Duration::from_millis(100);
/// On a busy server it rests so many times as long as it worked.
const BUSY_REST: u32 = 2;

/// The work on ledgers. A unit is an organization.
#[derive(Debug, Default)]
pub struct Analytics {
    next_look: Mutex<Option<Instant>>,
}

impl Job for Analytics {
    const AT_ONCE: usize = 4;

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        let began = Instant::now();
        if self.next_look.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|next| began < next) {
            return Ok(Vec::new());
        }
        let units = analytics_ledgers::with_work(&app.db, app.clock.now(), limit).await;
        let pause = (began.elapsed() * SHARE).max(LEAST_PAUSE);
        *self.next_look.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + pause);
        Ok(units?)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        let organization = held.unit().organization;
        let portion = Portion::default();
        let mut reader = Reader { app, held, memories: HashMap::new(), portion, next: None, has_read_all: false };
        while !held.is_stopping() {
            let (piece, began) = (app.activity.begin(), Instant::now());
            let ledgers = analytics_ledgers::of_organization(&app.db, organization).await?;
            if !reader.step(&ledgers, organization).await? {
                return Ok(());
            }
            if !reader.has_read_all {
                let is_building = ledgers.iter().any(|ledger| ledger.state == LedgerState::Building);
                let least = if is_building { Duration::ZERO } else { began.elapsed().min(QUIET_REST) };
                piece.rest(BUSY_REST, least).await;
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    app: &'a App,
    held: &'a Held,
    /// By generation.
    memories: HashMap<i64, Memory>,
    portion: Portion,
    /// The next part of the feed, if it was read while a change was committed.
    next: Option<Page>,
    /// Whether the active ledger includes the feed as it was. What arrived since then belongs to the next search.
    has_read_all: bool,
}

/// How much of the feed the next change reads: what the last one needed for as many customers as a change may have. Events
/// that are read beyond that are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Portion(usize);

impl Default for Portion {
    fn default() -> Self {
        Self(CUSTOMERS)
    }
}

impl Portion {
    /// After a change that includes so many positions and changed so many customers.
    fn after(applied: usize, customers: usize) -> Self {
        Self((applied * CUSTOMERS / customers.max(1)).clamp(CUSTOMERS, MOST_EVENTS))
    }
}

/// A part of the feed.
struct Page {
    /// The position that it follows.
    after: i64,
    events: Vec<LedgerEvent>,
    /// Whether it was the rest of the feed.
    is_last: bool,
}

impl Reader<'_> {
    /// Commits the next change of each ledger. False if there is nothing to do.
    async fn step(&mut self, ledgers: &[Ledger], organization: OrganizationId) -> Result<bool, Error> {
        let of_state = |state: LedgerState| ledgers.iter().find(|ledger| ledger.state == state);
        let (active, building) = (of_state(LedgerState::Active), of_state(LedgerState::Building));
        let next = ledgers.last().map_or(1, |last| last.generation + 1);
        let Some(active) = active else {
            let begun = begin(organization, next, LedgerState::Active);
            self.commit(analytics_ledgers::insert(self.change(), &begun)).await?;
            return Ok(true);
        };
        let mut has_work = false;
        if let Some(building) = building {
            has_work = true;
            if !self.is_placed(building).await? {
                self.commit(analytics_ledgers::set_state(self.change(), building, LedgerState::Obsolete)).await?;
            } else if !self.advance(building, next).await? {
                self.swap(active, building).await?;
                return Ok(true);
            }
        }
        if self.is_placed(active).await? {
            has_work |= self.advance(active, next).await?;
        } else if building.is_none() {
            tracing::warn!(%organization, "the feed does not hold the position of analytics, which are rebuilt");
            self.commit(analytics_ledgers::insert(self.change(), &begin(organization, next, LedgerState::Building)))
                .await?;
            has_work = true;
        }
        if let Some(obsolete) = of_state(LedgerState::Obsolete) {
            has_work = true;
            self.remove(obsolete).await?;
        }
        Ok(has_work)
    }

    /// Whether the feed holds the event at the position of a ledger. It does not after an earlier state was restored.
    async fn is_placed(&self, ledger: &Ledger) -> Result<bool, Error> {
        if ledger.sequence == 0 {
            return Ok(true);
        }
        let found = feed::at(&self.app.db, ledger.organization_id, ledger.sequence).await?;
        Ok(found == Some(ledger.event_id))
    }

    /// Commits the next portion of the feed, or what the clock has changed. False if the ledger is complete.
    async fn advance(&mut self, ledger: &Ledger, next_generation: i64) -> Result<bool, Error> {
        let now = now(self.app, ledger.organization_id).await?;
        let is_active = ledger.state == LedgerState::Active;
        if is_active && self.has_read_all {
            return self.advance_clock(ledger, now).await;
        }
        let Page { mut events, mut is_last, .. } = match self.next.take_if(|page| page.after == ledger.sequence) {
            Some(page) => page,
            None => read(self.app, ledger, self.portion).await?,
        };
        if events.is_empty() {
            return self.advance_clock(ledger, now).await;
        }
        let is_deletion = |event: &LedgerEvent| event.content.as_ref().is_some_and(|event| event.kind == CLOCK_DELETED);
        match events.iter().position(is_deletion) {
            Some(0) => {
                self.empty(ledger, events[0].position, next_generation).await?;
                return Ok(true);
            }
            Some(place) => {
                events.truncate(place);
                is_last = false;
            }
            None => {}
        }
        // The time of a record always increases, so events of the same instant are a little ahead of the clock.
        let is_near = |at: &Time| *at <= now.plus_seconds(AHEAD_SECONDS);
        let ahead = times(&events).filter(is_near).fold(ledger.as_of.max(now), Time::max);
        let change = self.change();
        let memory = self.memories.entry(ledger.generation).or_default();
        let mut batch = Batch::new(self.app, ledger, memory, ahead, change);
        let Applied { events: applied, customers } = batch.apply(&events).await?;
        let Some(FeedPosition { sequence, event_id }) = events[..applied].last().map(|event| event.position) else {
            return Err(Error::Internal("a change of a ledger includes no event".to_owned()));
        };
        let is_last = is_last && applied == events.len();
        let counted = |at: Time| if is_near(&at) { at } else { now };
        let as_of = times(&events[..applied]).map(counted).fold(ledger.as_of, Time::max);
        let after = Ledger { sequence, event_id, as_of, ..*ledger };
        self.portion = Portion::after(applied, customers);
        let (app, portion) = (self.app, self.portion);
        // What follows in the feed does not depend on this change.
        let next = async { if is_last { Ok(None) } else { read(app, &after, portion).await.map(Some) } };
        let (next, committed) = tokio::join!(next, commit(app, ledger, &after, batch));
        if self.is_committed(ledger, committed?)? {
            self.next = next?;
            self.has_read_all = is_active && is_last;
        }
        Ok(true)
    }

    /// Whether a change was committed. If a row was not new, its ledger is careful from now on, and the change is made again.
    fn is_committed(&mut self, ledger: &Ledger, outcome: Result<(), StoreError>) -> Result<bool, Error> {
        let is_careful = self.memories.get(&ledger.generation).is_some_and(Memory::is_careful);
        match outcome {
            Err(StoreError::Violated(Violation::Record)) if !is_careful => {
                self.memories.insert(ledger.generation, Memory::careful());
                Ok(false)
            }
            outcome => Ok(outcome.map(|()| true)?),
        }
    }

    async fn advance_clock(&mut self, ledger: &Ledger, now: Time) -> Result<bool, Error> {
        let now = now.max(ledger.as_of);
        let due = analytics_subscriptions::due(&self.app.db, ledger, now, DUE).await?;
        if due.is_empty() {
            return Ok(false);
        }
        let as_of = due.iter().filter_map(|row| row.due_at).fold(ledger.as_of, Time::max);
        let change = self.change();
        let memory = self.memories.entry(ledger.generation).or_default();
        let mut batch = Batch::new(self.app, ledger, memory, now, change);
        batch.apply_due(due);
        let committed = commit(self.app, ledger, &Ledger { as_of, ..*ledger }, batch).await?;
        self.is_committed(ledger, committed)?;
        Ok(true)
    }

    /// Begins a ledger at an event. The old one is removed. The new one is complete up to no instant: the next clock of the
    /// organization may show any.
    async fn empty(&self, ledger: &Ledger, event: FeedPosition, generation: i64) -> Result<(), Error> {
        let FeedPosition { sequence, event_id } = event;
        let begun = begin(ledger.organization_id, generation, ledger.state);
        let empty = Ledger { sequence, event_id, ..begun };
        let change = analytics_ledgers::set_state(self.change(), ledger, LedgerState::Obsolete);
        self.commit(analytics_ledgers::insert(change, &empty)).await
    }

    /// The ledger that was built takes the place of the active one.
    async fn swap(&self, active: &Ledger, building: &Ledger) -> Result<(), Error> {
        let change = analytics_ledgers::set_state(self.change(), active, LedgerState::Obsolete);
        self.commit(analytics_ledgers::set_state(change, building, LedgerState::Active)).await
    }

    async fn remove(&self, obsolete: &Ledger) -> Result<(), Error> {
        if analytics_removal::has_rows(&self.app.db, obsolete).await? {
            return self.commit(analytics_removal::remove_rows(self.change(), obsolete, REMOVED)).await;
        }
        self.commit(analytics_ledgers::remove(self.change(), obsolete)).await
    }

    fn change(&self) -> Change {
        self.held.fence(Change::new())
    }

    async fn commit(&self, change: Change) -> Result<(), Error> {
        Ok(self.app.db.commit(change).await?)
    }
}

/// When the events that count happened.
fn times(events: &[LedgerEvent]) -> impl Iterator<Item = Time> {
    events.iter().filter_map(|event| Some(event.content.as_ref()?.at))
}

/// Moves a ledger with the rows that differ.
async fn commit(app: &App, before: &Ledger, after: &Ledger, batch: Batch<'_>) -> Result<Result<(), StoreError>, Error> {
    let change = analytics_ledgers::save(batch.finish().await?, before, after);
    Ok(app.db.commit(change).await)
}

/// The first part of the feed that a ledger does not include.
async fn read(app: &App, ledger: &Ledger, Portion(most): Portion) -> Result<Page, Error> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let events = analytics_events::after(&app.db, ledger.organization_id, ledger.sequence, &kinds(), limit).await?;
    Ok(Page { after: ledger.sequence, is_last: events.len() < most, events })
}

/// A ledger before the first event.
pub(super) fn begin(organization: OrganizationId, generation: i64, state: LedgerState) -> Ledger {
    let as_of = Time::from_micros(0).unwrap_or(Time::MAX);
    Ledger {
        organization_id: organization,
        generation,
        state,
        sequence: 0,
        event_id: EventId::from_bytes([0; 16]),
        as_of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_as_many_events_as_its_customers_need() {
        let first = Portion::default();
        // Each event changes a customer: the one that was left over is all that is read again.
        assert_eq!(Portion::after(199, 199), first);
        assert_eq!(Portion::after(200, 100), Portion(400));
        assert_eq!(Portion::after(200, 0), Portion(2_000));
        assert_eq!(Portion::after(3, 3), first);
        assert_eq!(Portion::after(2_000, 199), Portion(2_000));
    }
}
