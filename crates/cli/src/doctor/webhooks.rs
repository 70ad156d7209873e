//! Webhook endpoints that do not accept events.

use super::report::Report;
use perennial_app::context::App;
use perennial_store::webhook_figures;

const CHECK: &str = "webhooks";

pub(super) async fn look(report: &mut Report, app: &App) {
    let unreached = match webhook_figures::unreached(&app.db).await {
        Ok(unreached) => unreached,
        Err(error) => return report.unreadable(CHECK, &error.into()),
    };
    for (id, state) in unreached {
        let advice = match state.as_str() {
            "disabled" => format!("repair the receiver, then `perennial webhook update {id} --active true`"),
            _ => format!("see why with `perennial webhook attempts {id}`"),
        };
        let found = match state.as_str() {
            "disabled" => format!("{id} is disabled because it did not accept events"),
            _ => format!("{id} does not accept events"),
        };
        report.warning(CHECK, found, advice);
    }
}
