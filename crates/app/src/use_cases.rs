//! The drivers of create, update and delete: written once, for every record that has an owner's organization, a revision
//! and events.
//!
//! A driver owns idempotency, retries, optimistic creates, revision and stamp, the event, no-op detection, the second
//! check of the client and the mapping of violations. A record implements [`Resource`]: pure decisions, plus the reads and
//! the store functions that they need. A use case that needs more is a function that does not use a driver.
//!
//! The order of checks is part of the API: a stored response first, then existence, `If-Match`, validation with all
//! errors at once, and conflicts last.

use crate::audit::json;
use crate::business_time::{self, BusinessTime};
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, IdempotencyGuard, Key, StoredResponse};
use crate::keyed_locks::ATTEMPTS;
use crate::revision::IfMatch;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::EventId;
use perennial_domain::stamp::{Stamp, Stamped};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Violation, events};
use serde::Serialize;
use std::hash::Hash;

/// A record that callers create, update and delete.
pub trait Resource: Stamped + Serialize + PartialEq + Send + Sync + Sized {
    /// What names a record: its ID, or its ID or slug.
    type Key: Hash + Send + Sync;
    /// The fields of a create.
    type Draft: Clone + Send + Sync;
    /// The fields of an update.
    type Patch: Send + Sync;
    /// What a decision needs to know of the records that this one refers to.
    type References: Send + Sync;

    /// The event of a create.
    const CREATED: EventKind;
    /// The event of an update.
    const UPDATED: EventKind;
    /// The event of a delete. A record that no operation deletes has none, and leaves out `delete` too.
    const DELETED: EventKind = Self::UPDATED;
    /// The violations of the guards on references. After one of them the driver decides again.
    const REFERENCE_VIOLATIONS: &'static [Violation];

    /// The record's ID.
    fn id(&self) -> [u8; 16];
    /// Sets the time and the revision of an update.
    fn set_stamp(&mut self, stamp: Stamp);

    /// The record as an event stores it.
    fn event_json(&self) -> String {
        json(self)
    }

    /// Rejects the deletion of a record whose state does not allow it.
    fn check_delete(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The record, if the caller may see it.
    fn read(app: &App, caller: &Caller, key: &Self::Key) -> impl Future<Output = Result<Self, Error>> + Send;

    /// The references of a new record without a read, if its guards alone can check them. None: read them.
    fn assume_references(_app: &App, _caller: &Caller, _draft: &Self::Draft, _now: Time) -> Option<Self::References> {
        None
    }

    /// When the clock alone changes the record next.
    fn due_at(&self) -> Option<Time> {
        None
    }

    /// Whether a change of the record may leave work for the engine in other records.
    fn makes_work(&self) -> bool {
        false
    }

    /// Commits what the clock alone has changed of the record, before a caller changes it. True: read the record again.
    fn catch_up(&self, _app: &App, _now: Time) -> impl Future<Output = Result<bool, Error>> + Send {
        std::future::ready(Ok(false))
    }

    /// Rejects a change of what a payment provider reports of the record. `after` is none for a deletion.
    fn check_managed(&self, _app: &App, _after: Option<&Self>) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Whether the clock alone has changed the record in a way that is not committed yet. A dry run is rejected then.
    fn is_behind(&self, _app: &App, _now: Time) -> impl Future<Output = Result<bool, Error>> + Send {
        std::future::ready(Ok(false))
    }

    /// Finds the conflicts that the commit of a new or changed record would find, for a dry run.
    fn find_conflicts(&self, _app: &App, _before: Option<&Self>) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Finds the conflicts that the commit of a deletion would find, for a dry run.
    fn find_delete_conflicts(&self, _app: &App, _caller: &Caller) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Reads the references of a new record and adds an error for each that does not exist.
    fn find_references(
        app: &App,
        caller: &Caller,
        draft: &Self::Draft,
        errors: &mut ValidationErrors,
    ) -> impl Future<Output = Result<Self::References, Error>> + Send;

    /// Reads the references that a patch changes and adds an error for each that does not exist.
    fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &Self::Patch,
        errors: &mut ValidationErrors,
    ) -> impl Future<Output = Result<Self::References, Error>> + Send;

    /// Decides on a new record.
    fn decide_create(
        caller: &Caller,
        draft: Self::Draft,
        errors: ValidationErrors,
        references: &Self::References,
        new: New,
    ) -> Result<Self, Error>;

    /// Decides on the record after an update, apart from its stamp.
    fn decide_update(
        &self,
        patch: Self::Patch,
        errors: ValidationErrors,
        references: &Self::References,
        now: Time,
    ) -> Result<Self, Error>;

    /// Other records that change with this one, in the same change. It may complete fields of the record that the service
    /// sets. A dry run reports the documents among them.
    fn effects(
        &mut self,
        _app: &App,
        _caller: &Caller,
        _before: Option<&Self>,
        _references: &Self::References,
        _now: Time,
    ) -> impl Future<Output = Result<Change, Error>> + Send {
        std::future::ready(Ok(Change::new()))
    }

    /// Adds the guards on the references and the new row.
    fn insert(&self, change: Change, references: &Self::References) -> Change;

    /// Adds the guards on the changed references and the changed row.
    fn update(&self, change: Change, before: &Self, references: &Self::References) -> Change;

    /// Adds the deletion.
    fn delete(&self, _change: Change, _stamp: Stamp) -> Change {
        unreachable!("no operation deletes such a record")
    }

    /// Maps a violation to the conflict that the caller receives. `Ok`: its cause is gone, so decide again.
    fn explain(
        &self,
        app: &App,
        caller: &Caller,
        violation: Violation,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

/// What a driver draws for a new record.
#[derive(Clone, Copy, Debug)]
pub struct New {
    /// The random part of its ID.
    pub random: u64,
    /// The ID of its first event.
    pub revision: EventId,
    /// When it is created.
    pub now: Time,
}

/// Creates a record. `render` makes the response, which is stored under the idempotency key in the same change.
pub async fn create<R: Resource>(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: R::Draft,
    errors: ValidationErrors,
    render: impl Fn(&R) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let key = key.filter(|_| !caller.is_dry_run);
    let mut guard = idempotency::lock(app, caller, key).await?;
    let may_fail = caller.is_dry_run || !errors.is_empty() || guard.as_ref().is_some_and(IdempotencyGuard::waited);
    let mut is_optimistic = !may_fail && app.optimistic.is_allowed(caller, app.clock.now());
    for _ in 0..ATTEMPTS {
        let mut errors = errors.clone();
        let assumed = if is_optimistic { R::assume_references(app, caller, &draft, app.clock.now()) } else { None };
        is_optimistic = assumed.is_some();
        let references = match assumed {
            Some(references) => references,
            None => {
                if let Some(response) = idempotency::stored(&mut guard).await? {
                    return Ok(response);
                }
                R::find_references(app, caller, &draft, &mut errors).await?
            }
        };
        let time = business_time::read(app, caller).await?;
        let now = time.now;
        let new = New { random: app.entropy.id_bits(), revision: EventId::new(now, app.entropy.id_bits()), now };
        let mut record = match R::decide_create(caller, draft.clone(), errors, &references, new) {
            Ok(record) => record,
            // The response lists all errors, so the references must be read first.
            Err(_) if is_optimistic => {
                is_optimistic = false;
                continue;
            }
            Err(error) => return Err(error),
        };
        let effects = record.effects(app, caller, None, &references, now).await?;
        let response = render(&record);
        if caller.is_dry_run {
            time.check()?;
            return record.find_conflicts(app, None).await.map(|()| response);
        }
        let event = caller.event(R::CREATED, record.id(), new.revision, now);
        let mut change = record.insert(Change::new(), &references);
        change = events::insert(change, &Event { after: Some(record.event_json()), ..event }).and(effects);
        if let Some(guard) = &guard {
            change = guard.store(change, &response, app.clock.now());
        }
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                wake_if_due(app, &record, now);
                return Ok(response);
            }
            Err(error @ store::Error::Violated(Violation::Key)) => {
                return idempotency::recover(guard.as_ref(), error).await;
            }
            Err(store::Error::Violated(violation)) if R::REFERENCE_VIOLATIONS.contains(&violation) => {
                if let Some(client) = caller.client_key().filter(|_| is_optimistic) {
                    app.optimistic.back_off(client, app.clock.now());
                }
                is_optimistic = false;
            }
            Err(error) => retry_or_fail(app, caller, &record, error).await?,
        }
    }
    Err(Conflict::Contended.into())
}

/// Updates a record and returns it. `read_patch` reads the request against the record as it is. Nothing is written if
/// nothing changes.
pub async fn update<R: Resource>(
    app: &App,
    caller: &Caller,
    key: &R::Key,
    if_match: &IfMatch,
    read_patch: impl Fn(&R) -> (R::Patch, ValidationErrors) + Send + Sync,
) -> Result<R, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), key));
    while attempts.next().await {
        let time = business_time::read(app, caller).await?;
        // The same instant for both: nothing becomes due between them.
        let now = time.now;
        let before = R::read(app, caller, key).await?;
        let is_behind = match commit_late_changes(app, caller, &before, &time).await {
            Ok(true) => continue,
            Ok(false) => false,
            Err(Error::Conflict(Conflict::LifecycleBehind)) => true,
            Err(error) => return Err(error),
        };
        check_revision(app, caller, if_match, before.stamp().revision).await?;
        let (patch, mut errors) = read_patch(&before);
        let references = before.find_changed_references(app, caller, &patch, &mut errors).await?;
        // What is wrong with the request comes first.
        if is_behind && errors.is_empty() {
            return Err(Conflict::LifecycleBehind.into());
        }
        let mut after = before.decide_update(patch, errors, &references, now)?;
        if after == before {
            return Ok(before);
        }
        before.check_managed(app, Some(&after)).await?;
        let effects = after.effects(app, caller, Some(&before), &references, now).await?;
        let stamp = app.stamp(&before, now);
        after.set_stamp(stamp);
        if caller.is_dry_run {
            time.check()?;
            return after.find_conflicts(app, Some(&before)).await.map(|()| after);
        }
        let event = caller.event(R::UPDATED, after.id(), stamp.revision, stamp.at);
        let event = event.following(before.stamp().revision);
        let change = after.update(Change::new(), &before, &references);
        let event = Event { before: Some(before.event_json()), after: Some(after.event_json()), ..event };
        let change = events::insert(change, &event).and(effects);
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => {
                wake_if_due(app, &after, now);
                return Ok(after);
            }
            Err(error) => retry_or_fail(app, caller, &after, error).await?,
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes a record and returns it as it was.
pub async fn delete<R: Resource>(app: &App, caller: &Caller, key: &R::Key, if_match: &IfMatch) -> Result<R, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), key));
    while attempts.next().await {
        let time = business_time::read(app, caller).await?;
        let record = R::read(app, caller, key).await?;
        if commit_late_changes(app, caller, &record, &time).await? {
            continue;
        }
        check_revision(app, caller, if_match, record.stamp().revision).await?;
        record.check_delete()?;
        record.check_managed(app, None).await?;
        if caller.is_dry_run {
            time.check()?;
            return record.find_delete_conflicts(app, caller).await.map(|()| record);
        }
        let stamp = app.stamp(&record, time.now);
        let event = caller.event(R::DELETED, record.id(), stamp.revision, stamp.at);
        let event = event.following(record.stamp().revision);
        let change = record.delete(Change::new(), stamp);
        let change = events::insert(change, &Event { before: Some(record.event_json()), ..event });
        let change = confirm(app, caller, time.guard(change)?).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(record),
            Err(error) => retry_or_fail(app, caller, &record, error).await?,
        }
    }
    Err(Conflict::Contended.into())
}

/// Wakes the engine after a commit that made something due.
fn wake_if_due<R: Resource>(app: &App, record: &R, now: Time) {
    if record.makes_work() || record.due_at().is_some_and(|due| due <= now) {
        app.lifecycle.wake();
    }
}

/// Commits what the clock alone has changed. True: read the record again. A dry run commits nothing, and while a test clock
/// moves, its job makes the actions.
async fn commit_late_changes<R: Resource>(
    app: &App,
    caller: &Caller,
    record: &R,
    time: &BusinessTime,
) -> Result<bool, Error> {
    match caller.is_dry_run {
        true if record.is_behind(app, time.now).await? => Err(Conflict::LifecycleBehind.into()),
        false if time.accepts_writes() => record.catch_up(app, time.now).await,
        _ => Ok(false),
    }
}

/// Compares the revision with the caller's. Some events are a new revision of a record and change no field of it, so the
/// revision before them is as good.
async fn check_revision(app: &App, caller: &Caller, if_match: &IfMatch, current: EventId) -> Result<(), Error> {
    let mut revision = current;
    while let Err(stale) = if_match.check(revision) {
        let event = events::by_id(&app.db, caller.organization(), revision).await?;
        match event.filter(|event| event.kind.leaves_record_as_it_was()) {
            Some(Event { previous_id: Some(previous), .. }) => revision = previous,
            _ => return Err(stale),
        }
    }
    Ok(())
}

/// Decides what follows a change that was not committed. `Ok`: another writer was faster, so decide again.
async fn retry_or_fail<R: Resource>(app: &App, caller: &Caller, record: &R, error: store::Error) -> Result<(), Error> {
    match error {
        store::Error::Violated(Violation::Record | Violation::Clock) => Ok(()),
        store::Error::Violated(violation) if R::REFERENCE_VIOLATIONS.contains(&violation) => Ok(()),
        store::Error::Violated(violation) => record.explain(app, caller, violation).await,
        error => Err(error.into()),
    }
}
