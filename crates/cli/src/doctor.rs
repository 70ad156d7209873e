//! `perennial doctor`: looks at everything a server stands on and says what is wrong, and what to do about it.
//! It changes nothing, works beside a running server, and goes on looking when something cannot be looked at.

mod directory;
mod forwarded;
mod identity;
mod mounts;
mod report;
mod rotation;
mod secrets;
mod settings;
mod store;
mod telemetry;

use crate::config::Loaded;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::Clock;
use report::Report;

/// Looks, tells, and fails if anything is a problem.
pub(crate) async fn run(loaded: Loaded, json: bool) -> Result<(), Failure> {
    let mut report = Report::default();
    let patient = settings::look(&mut report, loaded);
    settings::look_at_network(&mut report, &patient.config);
    forwarded::look(&mut report, &patient.config).await;
    directory::look(&mut report, &patient.config);
    secrets::look(&mut report, &patient);
    store::look(&mut report, &patient, &Clock::System).await;
    telemetry::look(&mut report, &patient.config).await;
    output::print(json, &report, || report.text())?;
    match report.problems() {
        0 => Ok(()),
        1 => Err(Failure::new("there is a problem")),
        several => Err(Failure::new(format!("there are {several} problems"))),
    }
}
