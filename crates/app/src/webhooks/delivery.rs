//! Delivery: the background work that sends events to webhook endpoints.
//!
//! A server that holds an endpoint's lease reads the feed from the endpoint's position and sends what matches, several
//! events at once, those of one record in turn. It moves the position past an event only in the change that stores its
//! outcome. So an event is sent at least once, whichever server dies at which moment.

mod outcomes;

use super::describe::is_creation_of;
use super::send::{record, send};
use super::{WebhookEndpoint, signing_keys};
use crate::background::{Held, Job};
use crate::context::App;
use crate::error::Error;
use crate::feed::render;
use outcomes::Outcomes;
use perennial_domain::id::{EventId, WebhookEndpointId};
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::{
    Reader, Response, Schedule, Transition, Trigger, Undelivered, UndeliveredState, decide,
};
use perennial_domain::webhook_window::{Blocked, Next, Window};
use perennial_store::feed::{self, FeedEvent, Filter};
use perennial_store::leases::{Lease, Unit};
use perennial_store::{Change, webhook_endpoints, webhook_readers, webhook_undelivered};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// Events that are examined for a window.
const EXAMINED: i64 = 1_000;
/// Undelivered events that are read at once.
const RETRIES: i64 = 64;
/// How long outcomes are collected before they are stored.
const STORE_EVERY: Duration = Duration::from_millis(50);
/// How long a server holds an endpoint without work: the next event need not wait for a lease.
const LINGER: Duration = Duration::from_secs(2);
/// How often a server looks for retries that are due.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The least time between two looks at what is in progress.
const LEAST_WAIT: Duration = Duration::from_millis(5);
/// How often a position is stored that passed only events of other types.
const STORE_POSITION_EVERY: Duration = Duration::from_secs(5);
/// How long attempts in progress may take to end when the server stops.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// The delivery of events to webhook endpoints. A unit is an endpoint.
#[derive(Debug)]
pub struct Webhooks;

impl Job for Webhooks {
    const AT_ONCE: usize = 1_000;

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        Ok(webhook_readers::with_work(&app.db, app.clock.now(), limit).await?)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        match Delivery::load(app, held).await? {
            Some(delivery) => delivery.run().await,
            None => Ok(()),
        }
    }
}

/// The delivery to one endpoint.
struct Delivery<'a> {
    app: &'a Arc<App>,
    held: &'a Held,
    id: WebhookEndpointId,
    filter: Filter,
    schedule: Schedule,
    reader: Reader,
    window: Window,
    /// The events of the window.
    events: HashMap<EventId, FeedEvent>,
    blocked: Blocked,
    /// The positions of events that had a row before the reader reached them.
    stored: HashSet<i64>,
    /// Undelivered events that are due.
    retries: VecDeque<Undelivered>,
    /// The records with an attempt in progress.
    busy: HashSet<[u8; 16]>,
    attempts: JoinSet<Finished>,
    outcomes: Outcomes,
    /// Attempts at once; fewer after the circuit closed.
    concurrency: usize,
    next_look: Instant,
    next_check: Instant,
    position_stored_at: Instant,
}

/// An event to be sent.
struct Item {
    event: FeedEvent,
    /// Its row, or the one that it gets if the attempt fails.
    row: Undelivered,
    is_stored: bool,
    trigger: Trigger,
}

/// The endpoint as it was when the attempt began, and its response.
struct Sent {
    endpoint: Box<WebhookEndpoint>,
    response: Response,
    began: Time,
}

/// An attempt that has ended.
struct Finished {
    item: Item,
    /// None if there is nothing to send to any more.
    sent: Result<Option<Sent>, Error>,
    _permit: OwnedSemaphorePermit,
}

impl<'a> Delivery<'a> {
    async fn load(app: &'a Arc<App>, held: &'a Held) -> Result<Option<Self>, Error> {
        let organization = held.unit().organization;
        let id = WebhookEndpointId::from_bytes(held.unit().id);
        let endpoint = webhook_endpoints::by_id(&app.db, organization, id).await?.filter(|endpoint| endpoint.is_active);
        let reader = webhook_readers::of_endpoint(&app.db, organization, id).await?;
        let (Some(endpoint), Some(reader)) = (endpoint, reader) else { return Ok(None) };
        let blocked = webhook_undelivered::blocking(&app.db, organization, id).await?;
        if !blocked.is_empty() {
            // A delivery that was interrupted may have left a row that waits behind no other one.
            let change = webhook_undelivered::wake_all(Change::new(), organization, id, app.clock.now());
            app.db.commit(held.fence(change)).await?;
        }
        let stored = webhook_undelivered::after(&app.db, organization, id, reader.sequence).await?;
        let options = &app.options.webhooks;
        Ok(Some(Self {
            app,
            held,
            id,
            filter: Filter { kinds: endpoint.types.kinds(), ..Filter::default() },
            schedule: Schedule::of(options),
            window: Window::at(reader.sequence),
            reader,
            events: HashMap::new(),
            blocked: Blocked::new(blocked),
            stored: stored.into_iter().collect(),
            retries: VecDeque::new(),
            busy: HashSet::new(),
            attempts: JoinSet::new(),
            outcomes: Outcomes::default(),
            concurrency: options.concurrency as usize,
            next_look: Instant::now(),
            next_check: Instant::now(),
            position_stored_at: Instant::now(),
        }))
    }

    async fn run(mut self) -> Result<(), Error> {
        let mut idle_since = Instant::now();
        let mut stop_at = None;
        loop {
            let mut signal = self.app.feed.subscribe();
            if self.held.is_stopping() {
                stop_at.get_or_insert(Instant::now() + STOP_WITHIN);
            } else {
                self.begin_attempts().await?;
            }
            if self.attempts.is_empty() {
                self.store().await?;
                let is_over = self.reader.is_open() || idle_since.elapsed() >= LINGER;
                if (is_over && !self.has_work()) || stop_at.is_some() {
                    return self.store_position().await;
                }
            } else {
                idle_since = Instant::now();
            }
            let wake_at = self.wake_at();
            tokio::select! {
                Some(finished) = self.attempts.join_next() => {
                    let finished = finished.map_err(|error| Error::Internal(format!("an attempt ended: {error}")))?;
                    if !self.note(finished).await? {
                        return Ok(());
                    }
                }
                _ = signal.changed_before(wake_at), if self.can_begin() => {}
                () = sleep_until(stop_at.unwrap_or(wake_at)) => {
                    if stop_at.is_some() {
                        self.attempts.abort_all();
                        return self.store_position().await;
                    }
                }
                () = self.held.stopping(), if stop_at.is_none() => {}
            }
            if self.outcomes.since().is_some_and(|since| since.elapsed() >= STORE_EVERY) {
                self.store().await?;
            }
            self.store_passed_position().await?;
        }
    }

    /// When outcomes are to be stored or retries may be due.
    fn wake_at(&self) -> Instant {
        let wake_at = self.outcomes.since().map_or(self.next_look, |since| self.next_look.min(since + STORE_EVERY));
        wake_at.max(Instant::now() + LEAST_WAIT)
    }

    fn can_begin(&self) -> bool {
        !self.reader.is_open() && self.attempts.len() < self.concurrency
    }

    /// Whether something waits that can be sent now.
    fn has_work(&self) -> bool {
        let is_probe_due = self.reader.next_probe_at.is_some_and(|due| due <= self.app.clock.now());
        if self.reader.is_open() { is_probe_due } else { !self.retries.is_empty() || !self.window.is_empty() }
    }

    async fn begin_attempts(&mut self) -> Result<(), Error> {
        self.check_lease().await?;
        if self.reader.is_open() {
            return self.begin_probe().await;
        }
        self.look_for_retries().await?;
        self.extend_window().await?;
        while self.attempts.len() < self.concurrency {
            let Ok(permit) = Arc::clone(&self.app.webhook_permits).try_acquire_owned() else { return Ok(()) };
            match self.next_item().await? {
                Some(item) => self.begin(item, permit),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The next event to send: an undelivered one that is due, or the next one of the window.
    async fn next_item(&mut self) -> Result<Option<Item>, Error> {
        if let Some(place) = self.retries.iter().position(|row| !self.busy.contains(&row.record_id))
            && let Some(row) = self.retries.remove(place)
        {
            return self.stored_item(row, None).await;
        }
        loop {
            match self.window.next(&self.blocked, &self.busy) {
                Next::Send(id) => {
                    let item = self.new_item(id, Trigger::Event).await?;
                    return Ok(item);
                }
                Next::Queue(id) => self.queue(id).await?,
                Next::Wait | Next::Exhausted => return Ok(None),
            }
        }
    }

    /// Stores a row for an event that waits behind another one of its record.
    async fn queue(&mut self, id: EventId) -> Result<(), Error> {
        if let Some(item) = self.new_item(id, Trigger::Event).await? {
            self.blocked.add(item.row.record_id);
            self.outcomes.put(item.row);
        }
        self.finish_event(id);
        Ok(())
    }

    fn finish_event(&mut self, id: EventId) {
        self.window.done(id);
        self.events.remove(&id);
    }

    async fn new_item(&self, id: EventId, trigger: Trigger) -> Result<Option<Item>, Error> {
        let Some(event) = self.events.get(&id) else { return Ok(None) };
        let organization = self.held.unit().organization;
        let entered_at = feed::entered_at(&self.app.db, organization, event.sequence).await?;
        let row = Undelivered {
            organization_id: organization,
            endpoint_id: self.id,
            sequence: event.sequence,
            event_id: id,
            event_type: event.event.kind.as_str().to_owned(),
            record_id: event.event.record_id,
            entered_at: entered_at.unwrap_or(event.event.at),
            state: UndeliveredState::Waiting,
            attempts: 0,
            is_resend: false,
            next_attempt_at: None,
            first_failed_at: None,
            last_status: None,
            last_error: None,
        };
        Ok(Some(Item { event: event.clone(), row, is_stored: false, trigger }))
    }

    /// The event of a stored row. A row whose event was pruned is removed.
    async fn stored_item(&mut self, row: Undelivered, trigger: Option<Trigger>) -> Result<Option<Item>, Error> {
        let filter = Filter::default();
        let positions = (row.sequence - 1, row.sequence);
        let found = feed::page(&self.app.db, row.organization_id, positions, &filter, 1).await?.pop();
        let Some(event) = found else {
            self.settle(&row, None);
            return Ok(None);
        };
        let usual = match (row.is_resend, row.attempts) {
            (true, _) => Trigger::Resend,
            (false, 0) => Trigger::Event,
            (false, _) => Trigger::Retry,
        };
        Ok(Some(Item { event, row, is_stored: true, trigger: trigger.unwrap_or(usual) }))
    }

    fn begin(&mut self, item: Item, permit: OwnedSemaphorePermit) {
        self.busy.insert(item.row.record_id);
        let (app, lease) = (Arc::clone(self.app), self.held.lease());
        self.attempts.spawn(async move {
            let sent = attempt(&app, lease, &item).await;
            Finished { item, sent, _permit: permit }
        });
    }

    /// Sends the oldest undelivered event. Every second probe is the next event of a record without undelivered ones, so
    /// that one event that always fails does not hold the circuit open.
    async fn begin_probe(&mut self) -> Result<(), Error> {
        let is_due = self.reader.next_probe_at.is_some_and(|due| due <= self.app.clock.now());
        if !is_due || !self.attempts.is_empty() {
            return Ok(());
        }
        let Ok(permit) = Arc::clone(&self.app.webhook_permits).try_acquire_owned() else { return Ok(()) };
        self.extend_window().await?;
        let unit = self.held.unit();
        self.store().await?;
        let oldest = webhook_undelivered::oldest_waiting(&self.app.db, unit.organization, self.id).await?;
        let undelivered = webhook_undelivered::records(&self.app.db, unit.organization, self.id).await?;
        let unblocked = self.window.first_of_others(&undelivered.into_iter().collect());
        let item = match (oldest, unblocked) {
            (Some(row), None) => self.stored_item(row, Some(Trigger::Probe)).await?,
            (Some(row), Some(_)) if self.reader.probes % 2 == 0 => self.stored_item(row, Some(Trigger::Probe)).await?,
            (_, Some(id)) => self.new_item(id, Trigger::Probe).await?,
            (None, None) => None,
        };
        match item {
            Some(item) => self.begin(item, permit),
            // The next event is the probe.
            None => {
                self.reader = self.schedule.without_probe(&self.reader, self.app.clock.now());
                self.commit().await?;
            }
        }
        Ok(())
    }

    /// Handles the end of an attempt. False if there is nothing to send to any more.
    async fn note(&mut self, finished: Finished) -> Result<bool, Error> {
        let Finished { item, sent, _permit: permit } = finished;
        drop(permit);
        let Item { row, is_stored, trigger, .. } = item;
        self.busy.remove(&row.record_id);
        let Some(Sent { endpoint, response, began }) = sent? else {
            self.store().await?;
            return Ok(false);
        };
        let jitter = self.app.entropy.bits().to_be_bytes()[0];
        let now = self.app.clock.now();
        let after = decide(&self.schedule, &self.reader, &row, trigger, &response, now, jitter);
        let (event, cause) = ((row.event_id, row.event_type.as_str()), (trigger, row.attempts + 1));
        self.outcomes.attempt(record(self.app, &endpoint, event, cause, response, began));
        self.reader = Reader { sequence: self.reader.sequence, ..after.reader };
        let is_unread_probe = trigger == Trigger::Probe && !is_stored;
        match after.row {
            None => {
                if is_stored {
                    self.settle(&row, None);
                }
                self.finish_event(row.event_id);
                let most = self.app.options.webhooks.concurrency as usize;
                self.concurrency = (self.concurrency * 2).min(most);
            }
            // The reader has not passed the event, so it gets no row.
            Some(_) if is_unread_probe => {}
            Some(failed) if is_stored => self.settle(&row, Some(failed)),
            Some(failed) => {
                if failed.is_blocking() {
                    self.blocked.add(failed.record_id);
                }
                self.outcomes.put(failed);
                self.finish_event(row.event_id);
            }
        }
        if let Some(transition) = after.transition {
            return self.turn(transition).await;
        }
        Ok(true)
    }

    /// Stores what became of a row. The next event of its record need not wait for one that no longer blocks.
    fn settle(&mut self, before: &Undelivered, after: Option<Undelivered>) {
        let still_blocks = after.as_ref().is_some_and(Undelivered::is_blocking);
        match after {
            Some(after) => self.outcomes.put(after),
            None => self.outcomes.remove(before.clone()),
        }
        if before.is_blocking() && !still_blocks {
            self.blocked.remove(before.record_id);
            self.outcomes.wake_next(before.clone());
        }
        self.next_look = Instant::now();
    }

    /// Stores what became of the endpoint, with everything else. False if it is disabled.
    async fn turn(&mut self, transition: Transition) -> Result<bool, Error> {
        self.outcomes.transition(transition);
        match transition {
            Transition::Recovered => {
                self.concurrency = 1;
                self.next_look = Instant::now();
            }
            Transition::Failing => {
                for id in self.window.overtaken(&self.blocked) {
                    self.queue(id).await?;
                }
            }
            Transition::DisabledFailing | Transition::DisabledGone => {}
        }
        self.store().await?;
        Ok(matches!(transition, Transition::Recovered | Transition::Failing))
    }

    /// A call that revokes the lease ends the delivery, also while attempts hang or there are none.
    async fn check_lease(&mut self) -> Result<(), Error> {
        if Instant::now() < self.next_check {
            return Ok(());
        }
        self.next_check = Instant::now() + LOOK_EVERY;
        if self.held.lease().is_held(&self.app.db).await? { Ok(()) } else { Err(Error::LeaseLost) }
    }

    async fn look_for_retries(&mut self) -> Result<(), Error> {
        // Rows of attempts that are not stored yet would be found again.
        if Instant::now() < self.next_look || !self.retries.is_empty() || self.outcomes.since().is_some() {
            return Ok(());
        }
        self.next_look = Instant::now() + LOOK_EVERY;
        let organization = self.held.unit().organization;
        let now = self.app.clock.now();
        let due = webhook_undelivered::due(&self.app.db, organization, self.id, now, RETRIES).await?;
        self.retries.extend(due.into_iter().filter(|row| !self.busy.contains(&row.record_id)));
        Ok(())
    }

    async fn extend_window(&mut self) -> Result<(), Error> {
        let most = i64::try_from(self.window.room()).unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        let organization = self.held.unit().organization;
        let (db, after) = (&self.app.db, self.window.end());
        let examined = feed::examined(db, organization, after, EXAMINED).await?;
        let Some(last) = examined.last else { return Ok(()) };
        let mut events = feed::page(db, organization, (after, last.sequence), &self.filter, most).await?;
        let is_cut = i64::try_from(events.len()).unwrap_or(i64::MAX) == most;
        let end = events.last().filter(|_| is_cut).map_or(last.sequence, |event| event.sequence);
        events.retain(|event| !is_creation_of(self.id, event) && !self.stored.contains(&event.sequence));
        self.window.extend(events.iter().map(|event| (event.sequence, event.event.id, event.event.record_id)), end);
        self.events.extend(events.into_iter().map(|event| (event.event.id, event)));
        Ok(())
    }
}

/// Sends an event to the endpoint as it is now: an update or a delete takes effect with the next attempt, and so does a seek,
/// which revokes the lease.
async fn attempt(app: &App, lease: Lease, item: &Item) -> Result<Option<Sent>, Error> {
    let row = &item.row;
    let found = webhook_endpoints::by_id(&app.db, row.organization_id, row.endpoint_id).await?;
    let Some(endpoint) = found.filter(|endpoint| endpoint.is_active) else { return Ok(None) };
    if !lease.is_held(&app.db).await? {
        return Err(Error::LeaseLost);
    }
    let (keys, body) = (signing_keys(app, &endpoint)?, render(&item.event, endpoint.payload));
    let timeout = Duration::from_secs(app.options.webhooks.timeout_seconds.into());
    let began = app.clock.now();
    let response = send(app, endpoint.url.as_str(), &keys, row.event_id, &body, timeout).await;
    Ok(Some(Sent { endpoint: Box::new(endpoint), response, began }))
}
