//! `perennial lifecycle`.

use super::flags::organization;
use super::records::parse_id;
use crate::arguments::Lifecycle;
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::lifecycle;
use perennial_http::fuzz_api::subscription_record;

pub(super) async fn run(app: &App, command: Lifecycle, json: bool) -> Result<(), Failure> {
    match command {
        Lifecycle::Unpark { subscription, org } => unpark(app, &subscription, &org.org, json).await,
    }
}

/// Lets the engine try again to work on a subscription.
async fn unpark(app: &App, named: &str, org: &str, json: bool) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, org).await?.id);
    let unparked = lifecycle::unpark(app, &caller, parse_id(named)?).await?;
    let record: serde_json::Value = serde_json::from_slice(&subscription_record(&unparked, app.clock.now()))
        .map_err(|error| Failure::new(error.to_string()))?;
    output::print(json, &record, || match unparked.next_action() {
        Some((action, at)) => format!("{} is not parked. Its next action is {} at {at}.", unparked.id, action.as_str()),
        None => format!("{} is not parked. It has no next action.", unparked.id),
    })
}
