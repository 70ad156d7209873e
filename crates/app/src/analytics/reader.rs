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
use perennial_store::analytics_ledgers::{self, Ledger, LedgerState};
use perennial_store::feed::{self, FeedEvent, Filter};
use perennial_store::leases::Unit;
use perennial_store::{Change, analytics_removal, analytics_subscriptions};
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

/// Events that one change reads at most, and events of the feed that it examines for them.
const MOST_EVENTS: usize = 2_000;
const MOST_EXAMINED: usize = 10_000;
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
        let mut reader = Reader { app, held, memories: HashMap::new(), portion, has_read_all: false };
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
    /// Whether the active ledger includes the feed as it was. What arrived since then belongs to the next search.
    has_read_all: bool,
}

/// How much of the feed the next change reads: what the last one needed for as many customers as a change may have. Events
/// that are read beyond that are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Portion {
    page: usize,
    examine: usize,
}

impl Default for Portion {
    fn default() -> Self {
        Self { page: CUSTOMERS, examine: CUSTOMERS }
    }
}

impl Portion {
    /// After a change that found events which count, applied some of them, and changed customers.
    fn after(self, found: usize, applied: usize, customers: usize) -> Self {
        let page = (applied * CUSTOMERS / customers.max(1)).clamp(CUSTOMERS, MOST_EVENTS);
        let examine = if found < self.page { self.examine * 4 } else { page };
        Self { page, examine: examine.clamp(page, MOST_EXAMINED) }
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
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
        let (db, organization) = (&self.app.db, ledger.organization_id);
        let now = now(self.app, organization).await?;
        let is_active = ledger.state == LedgerState::Active;
        if is_active && self.has_read_all {
            return self.advance_clock(ledger, now).await;
        }
        let Portion { page, examine } = self.portion;
        let examined = feed::examined(db, organization, ledger.sequence, number(examine)).await?;
        let Some(end) = examined.last else { return self.advance_clock(ledger, now).await };
        let filter = Filter { kinds: kinds(), ..Filter::default() };
        let mut events = feed::page(db, organization, (ledger.sequence, end.sequence), &filter, number(page)).await?;
        let found = events.len();
        let mut is_cut = found == page;
        match events.iter().position(|event| event.event.kind == CLOCK_DELETED) {
            Some(0) => {
                self.empty(ledger, &events[0], next_generation).await?;
                return Ok(true);
            }
            Some(place) => {
                events.truncate(place);
                is_cut = true;
            }
            None => {}
        }
        // The time of a record always increases, so events of the same instant are a little ahead of the clock.
        let is_near = |at: &Time| *at <= now.plus_seconds(AHEAD_SECONDS);
        let ahead = events.iter().map(|event| event.event.at).filter(is_near).fold(ledger.as_of.max(now), Time::max);
        let change = self.change();
        let memory = self.memories.entry(ledger.generation).or_default();
        let mut batch = Batch::new(self.app, ledger, memory, ahead, change);
        let Applied { events: applied, customers } = batch.apply(&events).await?;
        let last = if applied < events.len() || is_cut { applied.checked_sub(1) } else { None };
        let position = last.map_or(end, |last| events[last].position());
        self.has_read_all = is_active && last.is_none() && examined.count < number(examine);
        let counted = |at: Time| if is_near(&at) { at } else { now };
        let as_of = events[..applied].iter().map(|event| counted(event.event.at)).fold(ledger.as_of, Time::max);
        let after = Ledger { sequence: position.sequence, event_id: position.event_id, as_of, ..*ledger };
        let change = batch.finish().await?;
        self.portion = self.portion.after(found, applied, customers);
        self.commit(analytics_ledgers::save(change, ledger, &after)).await?;
        Ok(true)
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
        let change = batch.finish().await?;
        self.commit(analytics_ledgers::save(change, ledger, &Ledger { as_of, ..*ledger })).await?;
        Ok(true)
    }

    /// Begins a ledger at an event. The old one is removed. The new one is complete up to no instant: the next clock of the
    /// organization may show any.
    async fn empty(&self, ledger: &Ledger, event: &FeedEvent, generation: i64) -> Result<(), Error> {
        let (sequence, event_id) = (event.sequence, event.event.id);
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
        assert_eq!(first.after(200, 199, 199), Portion { page: 200, examine: 200 });
        assert_eq!(first.after(200, 200, 100), Portion { page: 400, examine: 400 });
        assert_eq!(first.after(200, 200, 0), Portion { page: 2_000, examine: 2_000 });
        // Most events of the feed do not count: more of them are examined.
        assert_eq!(first.after(3, 3, 3), Portion { page: 200, examine: 800 });
        assert_eq!(Portion { page: 2_000, examine: 8_000 }.after(10, 10, 0).examine, 10_000);
        assert_eq!(Portion { page: 200, examine: 10_000 }.after(200, 199, 199), first);
    }
}
