//! Requirements of sign-in: rotated signing keys, and providers that respond.

use super::report::Report;
use crate::commands::advice_on;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::organizations;
use perennial_app::providers::{self, Checked, Seen, Trouble, Unusable};
use perennial_app::signing_keys;
use std::time::Duration;

/// The timeout of all providers together; each has five seconds.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn look(report: &mut Report, app: &App) {
    if let Err(error) = look_at_keys(report, app).await {
        report.unreadable("signing_keys", &error);
    }
    if let Err(error) = providers::check_at_start(app).await {
        report.problem("providers", error.to_string(), "correct it in the configuration: no server starts with it");
    }
    match tokio::time::timeout(PATIENCE, look_at_providers(report, app)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => report.unreadable("providers", &error),
        Err(_) => report.warning(
            "providers",
            format!("not all of them responded within {} seconds; the rest was not checked", PATIENCE.as_secs()),
            "look at them one by one with `perennial provider check`",
        ),
    }
}

async fn look_at_keys(report: &mut Report, app: &App) -> Result<(), Error> {
    const CHECK: &str = "signing_keys";
    let standing = signing_keys::standing(app).await?;
    let Some(from) = standing.newest_from else {
        report.ok(CHECK, "there is none yet; the first run makes it");
        return Ok(());
    };
    if standing.is_overdue {
        let days = app.clock.now().seconds_since(from) / (24 * 3600);
        report.warning(
            CHECK,
            format!("the newest one has signed for {days} days, and should have been replaced after 30"),
            "a running server replaces it: see that one runs, and look for `signing keys` in its log",
        );
    } else {
        report.ok(CHECK, format!("the newest one signs from {from}"));
    }
    Ok(())
}

async fn look_at_providers(report: &mut Report, app: &App) -> Result<(), Error> {
    let mut any = false;
    for organization in organizations::list(app).await? {
        for checked in providers::check(app, organization.id, None).await? {
            any = true;
            report_provider(report, organization.name.as_str(), &checked);
        }
    }
    if !any {
        report.ok("providers", "there is none to ask");
    }
    Ok(())
}

fn report_provider(report: &mut Report, organization: &str, checked: &Checked) {
    const CHECK: &str = "providers";
    let found = |what: &dyn std::fmt::Display| format!("{} of {organization}: {what}", checked.issuer);
    match &checked.outcome {
        Ok(Seen::Keys(sighting)) if sighting.keys.is_empty() => report.ok(CHECK, found(&"its key can be fetched")),
        Ok(Seen::Keys(sighting)) => {
            report.ok(CHECK, found(&format!("its {} keys can be fetched", sighting.keys.len())));
        }
        Ok(Seen::Answers) => report.ok(CHECK, found(&"it responds and accepts our credentials")),
        Ok(Seen::Secret) => report.ok(CHECK, found(&"its secret opens; there is no endpoint to check")),
        Err(trouble @ Trouble::Unusable(Unusable::Overridden)) => {
            report.warning(CHECK, found(trouble), "remove it from the store or from the file");
        }
        Err(trouble) => report.problem(CHECK, found(trouble), advice_on(trouble).unwrap_or("settle that first")),
    }
}
