//! The test clock of a test organization: created, read, moved and deleted over the API. `test_clock/work.rs` does what a
//! move or a deletion takes.

mod removal;
mod work;

pub use work::TestClocks;

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::lifecycle::holds;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::EventId;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::test_clocks::{ClockMode, ClockPatch, ClockState, TestClock, TestClockView};
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Violation, events, invoices, organizations, subscriptions, test_clocks};

/// Creates the clock of the caller's organization.
pub async fn create(
    app: &App,
    caller: &Caller,
    now: Option<Time>,
    errors: ValidationErrors,
) -> Result<TestClockView, Error> {
    let Some(now) = now.filter(|_| errors.is_empty()) else { return Err(errors.into()) };
    let id = caller.organization();
    let organization = organizations::by_id(&app.db, id).await?.ok_or(Error::NotFound)?;
    if organization.mode != OrganizationMode::Test {
        return Err(Conflict::NotATestOrganization.into());
    }
    if test_clocks::find(&app.db, id).await?.is_some() {
        return Err(Conflict::ClockExists.into());
    }
    if test_clocks::has_newer_record(&app.db, id, now).await? {
        return Err(newer().into());
    }
    let clock = TestClock::new(id, now, EventId::new(now, app.entropy.id_bits()));
    let view = describe(app, &clock).await?;
    let event = caller.event(EventKind::TestClockCreated, clock.id().bytes(), clock.revision, now);
    let change = test_clocks::insert(Change::new(), &clock);
    let change = events::insert(change, &Event { after: Some(json(&view)), ..event });
    match app.db.commit(confirm(app, caller, change).await?).await {
        Ok(()) => {}
        Err(store::Error::Violated(Violation::Clock)) => return Err(Conflict::ClockExists.into()),
        Err(error) => return Err(error.into()),
    }
    app.lifecycle.wake();
    Ok(view)
}

fn newer() -> ValidationErrors {
    let mut errors = ValidationErrors::none();
    let detail =
        "must not be before the last change of a record that the clock governs, such as a plan or a subscription";
    errors.note("/now", ValidationCode::Inconsistent, detail);
    errors
}

/// The clock of the caller's organization.
pub async fn read(app: &App, caller: &Caller) -> Result<TestClockView, Error> {
    let clock = find(app, caller).await?;
    describe(app, &clock).await
}

/// Moves the clock of the caller's organization. `patch` is what the caller sent.
pub async fn update(
    app: &App,
    caller: &Caller,
    patch: ClockPatch,
    errors: ValidationErrors,
) -> Result<TestClockView, Error> {
    let mut attempts = app.locks.attempts(caller.organization().bytes());
    while attempts.next().await {
        let before = find(app, caller).await?;
        let after = before.set(patch, errors.clone())?;
        if !before.accepts_writes() {
            return Err(Conflict::ClockAdvancing.into());
        }
        let is_jump = patch.mode == Some(ClockMode::Jump);
        if !is_jump && is_held(app, &before).await? {
            return Err(Conflict::LifecycleBehind.into());
        }
        if is_jump && after == before {
            return describe(app, &before).await;
        }
        let after = TestClock { revision: EventId::new(after.now, app.entropy.id_bits()), ..after };
        let mut change = test_clocks::update(Change::new(), &after, before.revision);
        // An advance has its event when it ends.
        if is_jump {
            let (was, is) = (describe(app, &before).await?, describe(app, &after).await?);
            let event = caller.event(EventKind::TestClockAdvanced, after.id().bytes(), after.revision, after.now);
            let event = Event { before: Some(json(&was)), after: Some(json(&is)), ..event };
            change = events::insert(change, &event);
        }
        match app.db.commit(confirm(app, caller, change).await?).await {
            Ok(()) => return moved(app, &after).await,
            Err(store::Error::Violated(Violation::Clock)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// Wakes what works on a moved clock.
async fn moved(app: &App, clock: &TestClock) -> Result<TestClockView, Error> {
    if clock.state == ClockState::Advancing {
        app.lifecycle.clocks.notify_one();
    } else {
        app.lifecycle.wake();
    }
    describe(app, clock).await
}

/// Begins the deletion of the clock with the records and events that it governs.
pub async fn delete(app: &App, caller: &Caller) -> Result<TestClockView, Error> {
    let mut attempts = app.locks.attempts(caller.organization().bytes());
    while attempts.next().await {
        let before = find(app, caller).await?;
        if !before.accepts_writes() {
            return Err(Conflict::ClockAdvancing.into());
        }
        // What follows happens in real time. The event is the newest of the feed, so that positions continue after it when
        // the others are removed.
        let now = app.clock.now();
        let revision = EventId::new(now, app.entropy.id_bits());
        let after = TestClock { state: ClockState::Deleting, revision, ..before.clone() };
        let event = caller.event(EventKind::TestClockDeleted, before.id().bytes(), revision, now);
        let event = Event { before: Some(json(&describe(app, &before).await?)), ..event };
        let change = events::insert(test_clocks::update(Change::new(), &after, before.revision), &event);
        match app.db.commit(confirm(app, caller, change).await?).await {
            Ok(()) => {
                app.lifecycle.clocks.notify_one();
                return describe(app, &after).await;
            }
            Err(store::Error::Violated(Violation::Clock)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

async fn find(app: &App, caller: &Caller) -> Result<TestClock, Error> {
    test_clocks::find(&app.db, caller.organization()).await?.ok_or(Error::NotFound)
}

/// The clock as the API returns it. Its status depends on the hold and on what is due.
async fn describe(app: &App, clock: &TestClock) -> Result<TestClockView, Error> {
    if clock.state != ClockState::Idle {
        return Ok(clock.view(false, false));
    }
    let of_subscriptions = subscriptions::next_due(&app.db, clock.organization_id).await?;
    let of_invoices = invoices::next_due(&app.db, clock.organization_id).await?;
    let next_due = of_subscriptions.into_iter().chain(of_invoices).min();
    Ok(clock.view(is_held(app, clock).await?, next_due.is_some_and(|due| due <= clock.now)))
}

async fn is_held(app: &App, clock: &TestClock) -> Result<bool, Error> {
    Ok(holds::current(app, clock.organization_id, clock.now).await?.reason.is_some())
}
