//! One change of a ledger: a portion of the feed, or subscriptions that the clock has changed.
//!
//! The pure code of `domain` decides; this file loads what it needs and collects the rows that differ. The holder of the lease is
//! the only writer of a ledger, so rows that were read stay valid until the change commits.

use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::analytics::event::RecordEvent;
use perennial_domain::analytics::history::History;
use perennial_domain::analytics::movements::{Movement, revise};
use perennial_domain::analytics::payments::{self, CountedPayment};
use perennial_domain::analytics::state::{self, PlanPrice, PlanVersionKey, Snapshot};
use perennial_domain::analytics::steps::Difference;
use perennial_domain::analytics::sums::{CohortKey, CohortSum, Sum, SumKey, Sums};
use perennial_domain::events::{EventKind, RecordKind};
use perennial_domain::id::{PaymentId, SubscriptionId, UserId};
use perennial_domain::time::Time;
use perennial_store::analytics_events::LedgerEvent;
use perennial_store::analytics_ledgers::Ledger;
use perennial_store::analytics_subscriptions::{self, LedgerSubscription};
use perennial_store::{Change, analytics_movements, analytics_sums};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most customers of one change.
pub(super) const CUSTOMERS: usize = 200;
/// The most sums that are held in memory.
const CACHED: usize = 20_000;

/// What the holder of a lease remembers between changes.
#[derive(Default)]
pub(super) struct Memory {
    /// Whether every row is looked up and replaced. Otherwise a subscription that an event creates, and a day after the last
    /// movement of a customer, count as new without a search, and the change is rejected if they are not. A subscription is
    /// created twice if it was removed for good and then imported again.
    is_careful: bool,
    prices: HashMap<PlanVersionKey, PlanPrice>,
    sums: HashMap<SumKey, Sum>,
    cohorts: HashMap<CohortKey, CohortSum>,
}

impl Memory {
    /// After a change was rejected because a row was not new.
    pub(super) fn careful() -> Self {
        Self { is_careful: true, ..Self::default() }
    }

    pub(super) const fn is_careful(&self) -> bool {
        self.is_careful
    }
}

/// A change in preparation.
pub(super) struct Batch<'a> {
    app: &'a App,
    ledger: &'a Ledger,
    memory: &'a mut Memory,
    now: Time,
    change: Change,
    subscriptions: BTreeMap<SubscriptionId, Entry>,
    payments: BTreeMap<PaymentId, (Option<CountedPayment>, Option<CountedPayment>)>,
    prices: BTreeMap<PlanVersionKey, PlanPrice>,
}

/// What a change includes.
pub(super) struct Applied {
    /// The number of positions.
    pub(super) events: usize,
    /// The number of customers who may have changed.
    pub(super) customers: usize,
}

/// A subscription before and after.
struct Entry {
    is_stored: bool,
    before: History,
    applied_at: Time,
    after: History,
    is_changed: bool,
}

impl Entry {
    fn of(stored: Option<LedgerSubscription>, now: Time) -> Self {
        let is_stored = stored.is_some();
        let (before, applied_at) = stored.map_or((History::default(), now), |row| (row.history, row.applied_at));
        Self { is_stored, after: before.clone(), before, applied_at, is_changed: false }
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(app: &'a App, ledger: &'a Ledger, memory: &'a mut Memory, now: Time, change: Change) -> Self {
        if memory.sums.len() + memory.cohorts.len() > CACHED {
            memory.sums.clear();
            memory.cohorts.clear();
        }
        Self {
            app,
            ledger,
            memory,
            now,
            change,
            subscriptions: BTreeMap::new(),
            payments: BTreeMap::new(),
            prices: BTreeMap::new(),
        }
    }

    /// Applies events in their order, until enough customers have changed.
    pub(super) async fn apply(&mut self, events: &[LedgerEvent]) -> Result<Applied, Error> {
        let snapshots: Vec<Option<Snapshot>> = events.iter().map(snapshot).collect();
        self.load(events, &snapshots).await?;
        let mut customers: BTreeSet<UserId> = BTreeSet::new();
        for (place, (event, snapshot)) in events.iter().zip(snapshots).enumerate() {
            let Some(event) = &event.content else { continue };
            match event.kind.record_kind() {
                RecordKind::Subscription => {
                    let Some(snapshot) = snapshot else { continue };
                    let id = SubscriptionId::from_bytes(event.record_id);
                    let price = self.price(snapshot.plan);
                    let Some(entry) = self.subscriptions.get_mut(&id) else { continue };
                    // A change moves a subscription from one customer to another one at most.
                    if !entry.is_changed && customers.len() + 2 > CUSTOMERS {
                        return Ok(Applied { events: place, customers: customers.len() });
                    }
                    let before = entry.after.last().map(|state| state.user_id);
                    if entry.after.push(snapshot.after(entry.after.last(), price)) {
                        entry.is_changed = true;
                        customers.extend(before);
                        customers.insert(snapshot.user_id);
                    }
                }
                RecordKind::Payment if payments::is_read(event.kind) => {
                    let id = PaymentId::from_bytes(event.record_id);
                    if let Some((_, after)) = self.payments.get_mut(&id) {
                        *after = payments::read(event);
                    }
                }
                RecordKind::Plan => {
                    if let Some((key, price)) = state::read_price(event) {
                        self.prices.insert(key, price);
                    }
                }
                _ => {}
            }
        }
        Ok(Applied { events: events.len(), customers: customers.len() })
    }

    /// Applies what the clock has changed.
    pub(super) fn apply_due(&mut self, due: Vec<LedgerSubscription>) {
        for row in due {
            let (id, now) = (row.id, self.now);
            self.subscriptions.insert(id, Entry { is_changed: true, ..Entry::of(Some(row), now) });
        }
    }

    async fn load(&mut self, events: &[LedgerEvent], snapshots: &[Option<Snapshot>]) -> Result<(), Error> {
        let (db, ledger) = (&self.app.db, self.ledger);
        let (mut stored, mut counted) = (BTreeSet::new(), BTreeSet::new());
        for event in events.iter().filter_map(|event| event.content.as_ref()) {
            let id = SubscriptionId::from_bytes(event.record_id);
            match event.kind.record_kind() {
                RecordKind::Subscription if stored.contains(&id) => {}
                RecordKind::Subscription if event.kind == EventKind::SubscriptionCreated && !self.memory.is_careful => {
                    self.subscriptions.insert(id, Entry::of(None, self.now));
                }
                RecordKind::Subscription if self.subscriptions.contains_key(&id) => {}
                RecordKind::Subscription => drop(stored.insert(id)),
                RecordKind::Payment => drop(counted.insert(PaymentId::from_bytes(event.record_id))),
                _ => {}
            }
        }
        let stored: Vec<SubscriptionId> = stored.into_iter().collect();
        let rows = analytics_subscriptions::by_ids(db, ledger, &stored).await?;
        for (id, row) in stored.into_iter().zip(rows) {
            self.subscriptions.insert(id, Entry::of(row, self.now));
        }
        let counted: Vec<PaymentId> = counted.into_iter().collect();
        let rows = analytics_sums::payments(db, ledger, &counted).await?;
        for (id, row) in counted.into_iter().zip(rows) {
            self.payments.insert(id, (row, row));
        }
        let versions: BTreeSet<PlanVersionKey> = snapshots.iter().flatten().map(|snapshot| snapshot.plan).collect();
        let unknown: Vec<PlanVersionKey> =
            versions.into_iter().filter(|key| !self.memory.prices.contains_key(key)).collect();
        let found = unknown.iter().map(|key| analytics_subscriptions::price(db, ledger, *key));
        for (key, price) in unknown.iter().zip(try_join_all(found).await?) {
            if let Some(price) = price {
                self.memory.prices.insert(*key, price);
            }
        }
        Ok(())
    }

    fn price(&self, key: PlanVersionKey) -> Option<PlanPrice> {
        self.memory.prices.get(&key).or_else(|| self.prices.get(&key)).copied()
    }

    /// The change with all rows that differ.
    pub(super) async fn finish(mut self) -> Result<Change, Error> {
        let mut difference = Difference::default();
        let mut change = std::mem::take(&mut self.change);
        let mut new = Vec::new();
        for (id, mut entry) in std::mem::take(&mut self.subscriptions) {
            if !entry.is_changed {
                continue;
            }
            entry.after.compact(self.now);
            difference.add((&entry.before, entry.applied_at), (&entry.after, self.now));
            let due_at = entry.after.due_after(self.now);
            let row = LedgerSubscription { id, history: entry.after, applied_at: self.now, due_at };
            if entry.is_stored || self.memory.is_careful {
                change = analytics_subscriptions::put(change, self.ledger, &row);
            } else {
                new.push(row);
            }
        }
        // After those that are replaced, so that the rows of each kind are one statement.
        change = new.iter().fold(change, |change, row| analytics_subscriptions::insert(change, self.ledger, row));
        difference.normalize();
        let mut sums = std::mem::take(&mut difference.sums);
        change = self.revise_customers(change, &difference, &mut sums).await?;
        for (id, (before, after)) in std::mem::take(&mut self.payments) {
            if before != after {
                add_payment(&mut sums, before.as_ref(), -1);
                add_payment(&mut sums, after.as_ref(), 1);
                change = analytics_sums::put_payment(change, self.ledger, id, after.as_ref());
            }
        }
        for (key, price) in &self.prices {
            change = analytics_subscriptions::put_price(change, self.ledger, *key, *price);
        }
        sums.normalize();
        self.add_sums(change, sums).await
    }

    async fn revise_customers(
        &self,
        mut change: Change,
        difference: &Difference,
        sums: &mut Sums,
    ) -> Result<Change, Error> {
        let (db, ledger) = (&self.app.db, self.ledger);
        let last = analytics_movements::last(db, ledger, difference.customers.keys().copied()).await?;
        let (mut replaced, mut new) = (Vec::new(), Vec::new());
        for ((key, changes), last) in difference.customers.iter().zip(last) {
            let Some(first) = changes.keys().next() else { continue };
            let (before, known) = match last {
                Some(last) if last.day < *first => (last.after(), Vec::new()),
                Some(last) if last.day == *first => (last.before(), vec![last]),
                None => (None, Vec::new()),
                // An event of an earlier day: the movements after it may change too.
                Some(_) => {
                    let all = analytics_movements::of_customer(db, ledger, *key).await?;
                    let (earlier, known): (Vec<Movement>, Vec<Movement>) =
                        all.into_iter().partition(|movement| movement.day < *first);
                    (earlier.last().and_then(Movement::after), known)
                }
            };
            let revision = revise(*key, before, &known, changes, sums);
            for day in &revision.removed {
                change = analytics_movements::remove(change, ledger, *key, *day);
            }
            for movement in revision.put {
                let is_known = known.iter().any(|known| known.day == movement.day);
                if is_known || self.memory.is_careful { replaced.push(movement) } else { new.push(movement) }
            }
        }
        change = replaced.iter().fold(change, |change, movement| analytics_movements::put(change, ledger, movement));
        Ok(new.iter().fold(change, |change, movement| analytics_movements::insert(change, ledger, movement)))
    }

    /// Adds to the sums that are stored. They are read once and then known, because no other server writes them.
    async fn add_sums(self, mut change: Change, sums: Sums) -> Result<Change, Error> {
        let (db, ledger, memory) = (&self.app.db, self.ledger, self.memory);
        let unknown: Vec<SumKey> = sums.sums.keys().filter(|key| !memory.sums.contains_key(key)).copied().collect();
        let read = try_join_all(unknown.iter().map(|key| analytics_sums::sum(db, ledger, key))).await?;
        memory.sums.extend(unknown.into_iter().zip(read));
        for (key, added) in sums.sums {
            let sum = memory.sums.entry(key).or_default();
            *sum = sum.plus(added);
            change = analytics_sums::put(change, ledger, &key, *sum);
        }
        let unknown: Vec<CohortKey> =
            sums.cohorts.keys().filter(|key| !memory.cohorts.contains_key(key)).copied().collect();
        let read = try_join_all(unknown.iter().map(|key| analytics_sums::cohort(db, ledger, key))).await?;
        memory.cohorts.extend(unknown.into_iter().zip(read));
        for (key, added) in sums.cohorts {
            let cell = memory.cohorts.entry(key).or_default();
            *cell = cell.plus(added);
            change = analytics_sums::put_cohort(change, ledger, &key, *cell);
        }
        Ok(change)
    }
}

fn add_payment(sums: &mut Sums, payment: Option<&CountedPayment>, sign: i64) {
    let Some(payment) = payment else { return };
    for kind in payment.kinds() {
        sums.add_payment(payment.currency, payment.day, *kind, payment.amount, sign);
    }
}

fn snapshot(placed: &LedgerEvent) -> Option<Snapshot> {
    let is_read = |event: &&RecordEvent| event.kind.record_kind() == RecordKind::Subscription;
    let event = placed.content.as_ref().filter(is_read)?;
    let read = state::read(event);
    if read.is_none() {
        let (id, kind) = (placed.position.event_id, event.kind);
        tracing::warn!(event = %id, kind = kind.as_str(), "analytics cannot read an event, which was probably imported");
    }
    read
}
