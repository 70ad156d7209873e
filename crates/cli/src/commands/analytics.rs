//! `perennial analytics`.

use super::flags::organization;
use crate::arguments::Analytics;
use crate::failure::Failure;
use crate::output;
use perennial_app::analytics::{self, Meta, check, reader, rebuild};
use perennial_app::background;
use perennial_app::context::App;
use perennial_app::feed;
use perennial_app::organizations;
use perennial_domain::id::OrganizationId;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The interval between two looks at a rebuild.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The state of one organization.
#[derive(Serialize)]
struct State {
    organization_id: OrganizationId,
    organization: String,
    #[serde(flatten)]
    meta: Meta,
}

pub(super) async fn run(app: App, command: Analytics, json: bool) -> Result<(), Failure> {
    let app = Arc::new(app);
    let result = match command {
        Analytics::Status { org } => status(&app, org.as_deref(), json).await,
        Analytics::Rebuild { discard_history, org } => rebuild(&app, &org.org, discard_history, json).await,
        Analytics::Check { org } => compare(&app, &org.org, json).await,
    };
    app.db.close().await;
    result
}

async fn status(app: &App, org: Option<&str>, json: bool) -> Result<(), Failure> {
    let organizations = match org {
        Some(name) => vec![organization(app, name).await?],
        None => organizations::list(app).await?,
    };
    let mut states = Vec::with_capacity(organizations.len());
    for found in organizations {
        let meta = analytics::status(app, found.id, Some(found.currency)).await?;
        states.push(State { organization_id: found.id, organization: found.name.as_str().to_owned(), meta });
    }
    output::print(json, &states, || {
        let rows: Vec<[String; 5]> = states.iter().map(row).collect();
        output::table(["ORGANIZATION", "STATE", "AS OF", "SEQUENCE", "LAG SECONDS"], &rows)
    })
}

fn row(state: &State) -> [String; 5] {
    let Meta { as_of, sequence, lag_seconds, state: name, .. } = &state.meta;
    let name = name.as_str().to_owned();
    [state.organization.clone(), name, as_of.to_string(), sequence.to_string(), lag_seconds.to_string()]
}

/// Begins the rebuild and works on it, next to the servers that may run.
async fn rebuild(app: &Arc<App>, org: &str, discard_history: bool, json: bool) -> Result<(), Failure> {
    let found = organization(app, org).await?;
    if rebuild::is_pruned(app, found.id).await? && !discard_history {
        return Err(Failure::new(
            "events were pruned, so that figures before the oldest event would be lost; \
             --discard-history rebuilds nevertheless",
        ));
    }
    let position = rebuild::begin_rebuild(app, found.id).await?;
    let (stop, stopping) = watch::channel(false);
    let (placing, mut placing_stops) = (Arc::clone(app), stopping.clone());
    let placing = tokio::spawn(async move {
        let stopped = async move {
            let _ = placing_stops.wait_for(|stopping| *stopping).await;
        };
        feed::place_until_stopped(&placing, stopped).await;
    });
    let working = tokio::spawn(background::run(Arc::clone(app), reader::Analytics::default(), stopping));
    while !rebuild::is_rebuilt(app, found.id, position).await? {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let _ = stop.send(true);
    let _ = tokio::join!(working, placing);
    let meta = analytics::status(app, found.id, Some(found.currency)).await?;
    output::print(json, &meta, || format!("Rebuilt the figures of {} up to {}.", found.name.as_str(), meta.as_of))
}

async fn compare(app: &App, org: &str, json: bool) -> Result<(), Failure> {
    let found = organization(app, org).await?;
    let differences = check::check(app, found.id).await?;
    let data = json!({ "differences": differences });
    output::print(json, &data, || data.to_string())?;
    match differences.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("the figures differ for {}", output::counted(count, "customer")))),
    }
}
