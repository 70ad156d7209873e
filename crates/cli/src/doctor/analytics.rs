//! The ledger of revenue figures, compared with the subscriptions: the same comparison as `perennial analytics check`.

use super::report::Report;
use crate::config::Config;
use crate::output;
use perennial_app::analytics::check::{Difference, check};
use perennial_app::analytics::{self, Meta, MetaState};
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::organizations;
use perennial_domain::id::OrganizationId;
use std::time::Duration;

const CHECK: &str = "analytics";
/// The timeout of all comparisons together. `perennial analytics check` has none.
const PATIENCE: Duration = Duration::from_secs(10);
/// The lag that deserves a warning, as in the alert on `perennial_analytics_lag_seconds`.
const NOTABLE_SECONDS: i64 = 300;
/// How often a difference must be found: a write between two reads looks like one.
const TIMES: usize = 2;

/// What a comparison found.
enum Compared {
    /// The ledger equals the subscriptions.
    Equal,
    /// The ledger does not include every event yet, by this many seconds.
    Behind(i64),
    /// Customers whose revenue differs.
    Different(usize),
}

pub(super) async fn look(report: &mut Report, app: &App, config: &Config) {
    if !config.analytics.app().enabled {
        return report.ok(CHECK, "the ledger of figures is disabled");
    }
    let organizations = match organizations::list(app).await {
        Ok(organizations) => organizations,
        Err(error) => return report.unreadable(CHECK, &error),
    };
    let mut results: Vec<(String, Result<Compared, Error>)> = Vec::new();
    let work = async {
        for organization in &organizations {
            results.push((organization.name.as_str().to_owned(), compare(app, organization.id).await));
        }
    };
    let is_complete = tokio::time::timeout(PATIENCE, work).await.is_ok();
    let (mut equal, mut behind) = (0, 0);
    for (name, result) in &results {
        match result {
            Ok(Compared::Equal) => equal += 1,
            Ok(Compared::Behind(seconds)) if *seconds <= NOTABLE_SECONDS => behind += 1,
            Ok(Compared::Behind(seconds)) => {
                let found = format!("the figures of {name} are {seconds} seconds behind");
                report.warning(CHECK, found, "see that a server runs, and its log; it catches up by itself");
            }
            Ok(Compared::Different(customers)) => {
                let customers = output::counted(*customers, "customer");
                let found = format!("the ledger of {name} differs from the subscriptions of {customers}");
                let advice = format!(
                    "see `perennial analytics check --org {name}`, then run `perennial analytics rebuild --org {name}`"
                );
                report.problem(CHECK, found, advice);
            }
            Err(error) => report.unreadable(CHECK, error),
        }
    }
    if equal + behind == organizations.len() {
        report.ok(CHECK, all_well(equal, behind));
    } else if !is_complete {
        let (done, all) = (results.len(), organizations.len());
        let seconds = PATIENCE.as_secs();
        let found =
            format!("{done} of {all} organizations were compared with their subscriptions in {seconds} seconds");
        report.warning(CHECK, found, "run `perennial analytics check --org NAME` for the others");
    }
}

fn all_well(equal: usize, behind: usize) -> String {
    let equal = format!("the ledger equals the subscriptions of {}", output::counted(equal, "organization"));
    match behind {
        0 => equal,
        _ => format!("{equal}; {behind} not compared yet, because the ledger has not read every event"),
    }
}

/// Compares the ledger of an organization if it includes every event.
async fn compare(app: &App, organization: OrganizationId) -> Result<Compared, Error> {
    let mut found: Option<Vec<Difference>> = None;
    for _ in 0..TIMES {
        let Meta { state, lag_seconds, .. } = analytics::status(app, organization, None).await?;
        if state != MetaState::Current {
            return Ok(Compared::Behind(lag_seconds));
        }
        let mut differences = check(app, organization).await?;
        differences.retain(|difference| found.as_ref().is_none_or(|before| before.contains(difference)));
        if differences.is_empty() {
            return Ok(Compared::Equal);
        }
        found = Some(differences);
    }
    Ok(Compared::Different(found.map_or(0, |found| found.len())))
}
