//! `perennial doctor`: checks the configuration, the store, the secrets and the providers, and reports problems with remedies.
//! It changes nothing, can run next to a server, and continues after a check that fails.

mod analytics;
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
mod webhooks;

use crate::config::Loaded;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::Clock;
use report::Report;

/// Runs all checks, prints the report, and fails if there is a problem.
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
