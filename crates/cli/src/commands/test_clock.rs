//! `perennial test-clock`.

use super::flags::{organization, wrong};
use crate::arguments::{InOrg, TestClock};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::test_clock;
use perennial_domain::test_clocks::{ClockMode, ClockPatch, ClockStatus, TestClockView};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(50);

pub(super) async fn run(app: &App, command: TestClock, json: bool) -> Result<(), Failure> {
    let clock = match command {
        TestClock::Create { now, org } => {
            let now = Time::parse(&now).map_err(|reason| wrong("now", &reason))?;
            let caller = caller(app, &org).await?;
            test_clock::create(app, &caller, Some(now), ValidationErrors::none()).await
        }
        TestClock::Get { org } => test_clock::read(app, &caller(app, &org).await?).await,
        TestClock::Advance { to, jump, wait, org } => {
            let to = Time::parse(&to).map_err(|reason| wrong("to", &reason))?;
            let mode = if jump { ClockMode::Jump } else { ClockMode::Advance };
            let patch = ClockPatch { now: Some(to), mode: Some(mode) };
            let caller = caller(app, &org).await?;
            let moved = test_clock::update(app, &caller, patch, ValidationErrors::none()).await;
            if wait { stopped(app, &caller, moved).await } else { moved }
        }
        TestClock::Delete { org } => test_clock::delete(app, &caller(app, &org).await?).await,
    };
    let clock = clock.map_err(named)?;
    output::print(json, &clock, || describe(&clock))
}

async fn caller(app: &App, org: &InOrg) -> Result<Caller, Failure> {
    Ok(Caller::system(organization(app, &org.org).await?.id))
}

/// The clock when nothing moves it any more. Only a server moves it, in another process: it is read again and again.
async fn stopped(app: &App, caller: &Caller, mut clock: Result<TestClockView, Error>) -> Result<TestClockView, Error> {
    while let Ok(TestClockView { status: ClockStatus::Advancing | ClockStatus::Working, .. }) = clock {
        tokio::time::sleep(POLL).await;
        clock = test_clock::read(app, caller).await;
    }
    clock
}

fn describe(clock: &TestClockView) -> String {
    let TestClockView { now, status, transitions, .. } = clock;
    let target = clock.target.map(|target| format!(" on its way to {target}")).unwrap_or_default();
    let limit = if clock.limit_reached { " It stopped at the limit of actions." } else { "" };
    format!("The clock shows {now}{target} ({}). Actions in its last advance: {transitions}.{limit}", status.as_str())
}

fn named(error: Error) -> Failure {
    match error {
        Error::NotFound => Failure::new("the organization has no test clock: see `perennial test-clock create`"),
        Error::Conflict(Conflict::NotATestOrganization) => {
            Failure::new("the organization is live: create one with `perennial org create --test`")
        }
        Error::Conflict(Conflict::ClockExists) => Failure::new("the organization has a test clock already"),
        Error::Conflict(Conflict::ClockAdvancing) => {
            Failure::new("the clock is moving or being deleted: try again later")
        }
        Error::Conflict(Conflict::LifecycleBehind) => {
            Failure::new("the organization is on hold: see `perennial lifecycle status`")
        }
        error => error.into(),
    }
}
