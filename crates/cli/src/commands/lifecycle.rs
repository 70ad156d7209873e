//! `perennial lifecycle`.

use super::flags::{organization, read_flag};
use crate::arguments::Lifecycle;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::lifecycle::{self, LifecycleStatus};
use perennial_domain::time::Time;

pub(super) async fn run(app: &App, command: Lifecycle, json: bool) -> Result<(), Failure> {
    match command {
        Lifecycle::Status { org } => {
            let found = organization(app, &org.org).await?;
            let status = lifecycle::status(app, &found).await?;
            output::print(json, &status, || describe(found.name.as_str(), &status))
        }
        Lifecycle::Resume { through, org } => {
            let through = read_flag("through", through.as_deref(), Time::parse)?;
            let found = organization(app, &org.org).await?;
            let status = lifecycle::resume(app, &found, through).await?;
            output::print(json, &status, || describe(found.name.as_str(), &status))
        }
    }
}

fn describe(name: &str, status: &LifecycleStatus) -> String {
    let LifecycleStatus { now, due, lag_seconds, parked, .. } = status;
    let hold = match status.held_reason {
        Some(reason) => format!("on hold ({})", reason.as_str()),
        None => "not on hold".to_owned(),
    };
    let mode = status.mode.as_str();
    format!("{name} ({mode}) is {hold}. At {now}: {due} due, {lag_seconds} seconds late at most, {parked} parked.")
}
