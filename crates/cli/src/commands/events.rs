//! `perennial events`.

use super::flags::{organization, wrong};
use crate::arguments::Events;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::events::{self, Readers};
use perennial_app::feed::{EventView, PlacedEvent};
use perennial_app::organizations;
use perennial_domain::events::Event;
use perennial_domain::time::Time;
use serde_json::{Value, json};

pub(super) async fn run(app: &App, command: Events, json: bool) -> Result<(), Failure> {
    match command {
        Events::List { limit, before, org } => {
            // The event of an organization's deletion can still be read.
            let found = organizations::find_with_deleted(app, &org.org).await?;
            let organization = match found {
                Some(found) => found,
                None => organization(app, &org.org).await?,
            };
            let before = before
                .map(|text| text.parse().map_err(|_| Failure::new("--before must be an event's id, such as evt_01h4…")))
                .transpose()?;
            let events = events::list(app, organization.id, before, i64::from(limit)).await?;
            let mut shown = Vec::with_capacity(events.len());
            for event in &events {
                shown.push(record(event, events::position(app, event).await?));
            }
            output::print(json, &shown, || {
                let rows: Vec<[String; 4]> = events
                    .iter()
                    .map(|event| [event.at.to_string(), event.kind.as_str().to_owned(), event.record(), caller(event)])
                    .collect();
                output::table(["AT", "KIND", "RECORD", "BY"], &rows)
            })
        }
        Events::Prune { before, past_readers, org } => {
            let organization = organization(app, &org.org).await?;
            let before = Time::parse(&before).map_err(|reason| wrong("before", &reason))?;
            let readers = if past_readers { Readers::Ignore } else { Readers::Wait };
            let pruned = events::prune(app, organization.id, before, readers).await?;
            output::print(json, &json!({ "pruned": pruned }), || {
                format!("Removed {pruned} events older than {before}.")
            })
        }
    }
}

/// Who caused the event: a client, an operator, or the command line.
fn caller(event: &Event) -> String {
    match (event.client_id, event.operator_id) {
        (Some(client), _) => client.to_string(),
        (None, Some(operator)) => operator.to_string(),
        (None, None) => "command line".to_owned(),
    }
}

/// The event as the API returns it. `sequence` is null without a position in the feed.
fn record(event: &Event, sequence: Option<i64>) -> Value {
    let placed = PlacedEvent { sequence: sequence.unwrap_or_default(), event: event.clone() };
    let mut shown = json!(EventView::of(&placed));
    shown["sequence"] = json!(sequence);
    shown
}
