//! `perennial lifecycle`.

use super::flags::{organization, read_flag, wrong};
use super::records::parse_id;
use crate::arguments::Lifecycle;
use crate::failure::Failure;
use crate::output;
use perennial_app::business_time;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::lifecycle::{self, LifecycleStatus};
use perennial_app::organizations;
use perennial_domain::time::Time;
use perennial_http::fuzz_api::subscription_record;

pub(super) async fn run(app: &App, command: Lifecycle, json: bool) -> Result<(), Failure> {
    match command {
        Lifecycle::Status { org } => {
            let found = organization(app, &org.org).await?;
            let status = lifecycle::status(app, &found).await?;
            output::print(json, &status, || describe(found.name.as_str(), &status))
        }
        Lifecycle::Hold { restored_to, all, org } => hold(app, &restored_to, (!all).then_some(&*org.org), json).await,
        Lifecycle::Resume { through, org } => {
            let through = read_flag("through", through.as_deref(), Time::parse)?;
            let found = organization(app, &org.org).await?;
            let status = lifecycle::resume(app, &found, through).await?;
            output::print(json, &status, || describe(found.name.as_str(), &status))
        }
        Lifecycle::Unpark { subscription, org } => unpark(app, &subscription, &org.org, json).await,
    }
}

/// Puts an organization on hold after a restore, or all of them.
async fn hold(app: &App, restored_to: &str, org: Option<&str>, json: bool) -> Result<(), Failure> {
    let state_of = Time::parse(restored_to).map_err(|reason| wrong("restored-to", &reason))?;
    if state_of > app.clock.now() {
        return Err(Failure::new("--restored-to is in the future: give the time of the state that was restored"));
    }
    if let Some(org) = org {
        let found = organization(app, org).await?;
        let status = lifecycle::hold_restored(app, &found, state_of).await?;
        return output::print(json, &status, || describe(found.name.as_str(), &status));
    }
    let mut names = Vec::new();
    for found in organizations::list(app).await? {
        lifecycle::hold_restored(app, &found, state_of).await?;
        names.push(found.name.as_str().to_owned());
    }
    output::print(json, &serde_json::json!({ "held": names }), || format!("On hold: {}.", names.join(", ")))
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

/// Lets the engine try again to work on a subscription.
async fn unpark(app: &App, named: &str, org: &str, json: bool) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, org).await?.id);
    let unparked = lifecycle::unpark(app, &caller, parse_id(named)?).await?;
    let record: serde_json::Value =
        serde_json::from_slice(&subscription_record(&unparked, business_time::now(app, &caller).await?))
            .map_err(|error| Failure::new(error.to_string()))?;
    output::print(json, &record, || match unparked.next_action() {
        Some((action, at)) => format!("{} is not parked. Its next action is {} at {at}.", unparked.id, action.as_str()),
        None => format!("{} is not parked. It has no next action.", unparked.id),
    })
}
