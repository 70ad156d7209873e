//! The work of test clocks that advance or are being deleted. Its state is stored, so that after a kill any server continues.

use super::removal;
use crate::audit::{json, system_event};
use crate::background::{Held, Job};
use crate::context::App;
use crate::error::Error;
use crate::lifecycle::{self, TURN};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::EventId;
use perennial_domain::test_clocks::{ClockState, Step, TestClock};
use perennial_store::leases::Unit;
use perennial_store::{self as store, Change, Violation, events, invoices, subscriptions, test_clocks};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

const NAME: &str = "test_clock";

/// Turns without an action after which an advance fails and is tried again.
const MAX_IDLE_TURNS: usize = 100;

/// The work of test clocks. A unit is an organization.
#[derive(Debug)]
pub struct TestClocks;

impl Job for TestClocks {
    const AT_ONCE: usize = 4;
    const LOOK_EVERY: Duration = Duration::from_secs(1);

    fn signal<'a>(&self, app: &'a App) -> Option<&'a Notify> {
        Some(&app.lifecycle.clocks)
    }

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        Ok(test_clocks::with_work(&app.db, NAME, limit).await?)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        match test_clocks::find(&app.db, held.unit().organization).await? {
            Some(clock) if clock.state == ClockState::Advancing => advance(app, held, clock).await,
            Some(clock) if clock.state == ClockState::Deleting => removal::run(app, held, &clock).await,
            _ => Ok(()),
        }
    }
}

/// Moves the clock from one due instant to the next, and does the work of each, until its target.
async fn advance(app: &App, held: &Held, mut clock: TestClock) -> Result<(), Error> {
    let organization = clock.organization_id;
    // Actions that the stored clock does not count yet.
    let (mut done, mut idle_turns) = (0, 0);
    while !held.is_stopping() {
        let limit = TURN.min(clock.actions_left() - done);
        let due = lifecycle::due(app, organization, clock.now, clock.now, limit.max(0)).await?;
        if limit > 0 && !due.is_empty() {
            let made = lifecycle::turns::act(app, &due, clock.now, Some(held)).await?;
            // A subscription that was only postponed makes no action, but is not due any more.
            idle_turns = if made.is_nothing() { idle_turns + 1 } else { 0 };
            if idle_turns > MAX_IDLE_TURNS {
                return Err(Error::Internal("due subscriptions have no action".into()));
            }
            done += i64::try_from(made.actions).unwrap_or(i64::MAX);
            if done >= TURN {
                clock = store_progress(app, held, &clock, done).await?;
                done = 0;
            }
            continue;
        }
        let of_subscriptions = subscriptions::next_due(&app.db, organization).await?;
        let of_invoices = invoices::next_due(&app.db, organization).await?;
        let next = clock.step(of_subscriptions.into_iter().chain(of_invoices).min(), done);
        done = 0;
        match next {
            Step::Work(next) => clock = save(app, held, &clock, next).await?,
            Step::Ended(end) => return finish(app, held, &clock, end).await,
        }
    }
    store_progress(app, held, &clock, done).await.map(drop)
}

async fn store_progress(app: &App, held: &Held, clock: &TestClock, done: i64) -> Result<TestClock, Error> {
    save(app, held, clock, TestClock { transitions: clock.transitions + done, ..clock.clone() }).await
}

async fn save(app: &App, held: &Held, before: &TestClock, after: TestClock) -> Result<TestClock, Error> {
    let after = TestClock { revision: EventId::new(after.now, app.entropy.id_bits()), ..after };
    let change = test_clocks::update(held.fence(Change::new()), &after, before.revision);
    commit(app, change).await?;
    Ok(after)
}

/// Ends an advance, with its event.
async fn finish(app: &App, held: &Held, before: &TestClock, end: TestClock) -> Result<(), Error> {
    let end = TestClock { revision: EventId::new(end.now, app.entropy.id_bits()), ..end };
    let event =
        system_event(end.organization_id, EventKind::TestClockAdvanced, end.id().bytes(), end.revision, end.now);
    let event = Event {
        request_id: Some("lifecycle".to_owned()),
        before: Some(json(&before.view(false, false))),
        // What is left after the limit is due.
        after: Some(json(&end.view(false, end.limit_reached))),
        ..event
    };
    let change = test_clocks::update(held.fence(Change::new()), &end, before.revision);
    commit(app, events::insert(change, &event)).await?;
    app.lifecycle.wake();
    Ok(())
}

/// Another server has changed the clock, so this one has lost it.
async fn commit(app: &App, change: Change) -> Result<(), Error> {
    match app.db.commit(change).await {
        Err(store::Error::Violated(Violation::Clock)) => Err(Error::LeaseLost),
        outcome => Ok(outcome?),
    }
}
