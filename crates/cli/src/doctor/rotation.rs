//! A rotation of the master key: its progress, and whether the other key is still needed.

use super::report::Report;
use perennial_app::context::App;
use perennial_app::first_run;
use perennial_app::key_rotation::{self, Progress};

const CHECK: &str = "key_rotation";

pub(super) async fn look(report: &mut Report, app: &App, role: Option<&str>) {
    // With the key of another store nothing opens, and the check of the master key reports it.
    if !matches!(first_run::has_this_key(app).await, Ok(true)) {
        return;
    }
    match key_rotation::progress(app).await {
        Ok(progress) => describe(report, progress, role),
        Err(error) => report.unreadable(CHECK, &error),
    }
}

fn describe(report: &mut Report, progress: Progress, role: Option<&str>) {
    let Progress { current, other, .. } = progress;
    let lost = progress.lost_signing_keys
        + progress.lost_provider_secrets
        + progress.lost_webhook_secrets
        + progress.lost_connection_secrets;
    if lost > 0 {
        let found = format!("{lost} of {} sealed secrets open with no master key that is set", current + other + lost);
        report.problem(CHECK, found, "set PERENNIAL_MASTER_KEY_PREVIOUS to the key that they were sealed under");
    } else if let Some(role) = role {
        let found = format!("{other} of {} sealed secrets are under the {role} master key", current + other);
        match (role, other) {
            ("previous", 0) => report.ok(
                CHECK,
                format!("{found}; refresh tokens from before the switch still need it until they are used or expire"),
            ),
            ("previous", _) => report.warning(CHECK, found, "wait until the servers have sealed them again"),
            _ => report.ok(CHECK, format!("{found}; when every server accepts it, switch to it")),
        }
    }
}
