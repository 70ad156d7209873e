//! Business time: the instant that is now for an organization. It is real time, or that of the organization's test clock.
//!
//! Plans, subscriptions, payments, their IDs and events and what follows from them use it. Users, sessions, tokens,
//! idempotency keys and rate limits use the machine's clock. A live organization costs no read: its mode is known from its
//! client. A test clock is read for every request, so that every server sees at once where it was moved to.

use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::test_clocks::TestClock;
use perennial_domain::time::Time;
use perennial_store::{Change, organizations, test_clocks};

/// The time of an organization for one decision.
pub(crate) struct BusinessTime {
    /// The instant that is now.
    pub(crate) now: Time,
    source: Source,
}

/// Where the time comes from.
enum Source {
    /// The machine's clock.
    Machine,
    /// The machine's clock, because the test organization has no clock.
    NoClock(OrganizationId),
    /// The test clock, as it was read.
    TestClock(Box<TestClock>),
}

/// The instant that is now for the caller's organization.
pub async fn now(app: &App, caller: &Caller) -> Result<Time, Error> {
    Ok(read(app, caller).await?.now)
}

/// The instant that is now for an organization.
pub async fn now_of(app: &App, organization: OrganizationId) -> Result<Time, Error> {
    now(app, &Caller::system(organization)).await
}

/// Rejects a write that the moving clock of the organization does not allow.
pub(crate) async fn check(app: &App, caller: &Caller) -> Result<(), Error> {
    read(app, caller).await?.check()
}

/// The time of the caller's organization, for a decision.
pub(crate) async fn read(app: &App, caller: &Caller) -> Result<BusinessTime, Error> {
    let known = caller.known().map(|known| known.organization.mode);
    let mode = known.or_else(|| app.lifecycle.mode(caller.organization()));
    match mode {
        Some(OrganizationMode::Live) => Ok(BusinessTime { now: app.clock.now(), source: Source::Machine }),
        // Boxed: only test organizations pay for the size of the future.
        mode => Box::pin(read_slowly(app, caller.organization(), mode)).await,
    }
}

async fn read_slowly(
    app: &App,
    organization: OrganizationId,
    mode: Option<OrganizationMode>,
) -> Result<BusinessTime, Error> {
    let mode = match mode {
        Some(mode) => mode,
        None => {
            let found = organizations::by_id(&app.db, organization).await?.map(|found| found.mode);
            found.inspect(|mode| app.lifecycle.remember_mode(organization, *mode)).unwrap_or_default()
        }
    };
    if mode == OrganizationMode::Live {
        return Ok(BusinessTime { now: app.clock.now(), source: Source::Machine });
    }
    Ok(match test_clocks::find(&app.db, organization).await? {
        Some(clock) => BusinessTime { now: clock.now, source: Source::TestClock(Box::new(clock)) },
        None => BusinessTime { now: app.clock.now(), source: Source::NoClock(organization) },
    })
}

impl BusinessTime {
    /// Whether callers may change records now.
    pub(crate) fn accepts_writes(&self) -> bool {
        match &self.source {
            Source::Machine | Source::NoClock(_) => true,
            Source::TestClock(clock) => clock.accepts_writes(),
        }
    }

    /// Whether the organization has a test clock.
    pub(crate) fn has_clock(&self) -> bool {
        matches!(self.source, Source::TestClock(_))
    }

    /// Rejects a write while the clock moves.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.accepts_writes() { Ok(()) } else { Err(Conflict::ClockAdvancing.into()) }
    }

    /// The change, which is rejected if the clock has moved since it was read.
    pub(crate) fn guard(&self, change: Change) -> Result<Change, Error> {
        self.check()?;
        Ok(match &self.source {
            Source::Machine => change,
            Source::NoClock(organization) => test_clocks::guard_none(change, *organization),
            Source::TestClock(clock) => test_clocks::guard_unchanged(change, clock),
        })
    }
}
