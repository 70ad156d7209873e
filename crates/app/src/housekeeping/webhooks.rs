//! Removal of old attempts to deliver webhooks, and of events that were given up.

use super::remove::{BATCH, commit, remove};
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{OrganizationId, WebhookAttemptId, WebhookEndpointId};
use perennial_domain::webhook_delivery::Schedule;
use perennial_store::{Change, webhook_attempts, webhook_endpoints, webhook_undelivered};

const DAY_SECONDS: i64 = 86_400;
/// The most attempts of an endpoint.
const MAX_ATTEMPTS: i64 = 100_000;
/// How long an event that was given up can at least be sent again.
const GIVEN_UP_DAYS: i64 = 30;

/// Removes what the retention does not cover, and wakes events that wait behind no other one. Returns the number of attempts.
pub async fn sweep_webhooks(app: &App) -> Result<u64, Error> {
    let now = app.clock.now();
    let days = i64::from(app.options.webhooks.attempts_days);
    let oldest = WebhookAttemptId::new(now.plus_seconds(-days * DAY_SECONDS), 0);
    // A row has the time of its first failure.
    let longest = Schedule::of(&app.options.webhooks).longest_seconds();
    let given_up = now.plus_seconds(-GIVEN_UP_DAYS * DAY_SECONDS - longest);
    let mut removed = 0;
    for (organization, id, is_deleted) in webhook_endpoints::of_any_age(&app.db).await? {
        let bound = if is_deleted {
            WebhookAttemptId::from_bytes([0xff; 16])
        } else {
            let beyond = webhook_attempts::beyond(&app.db, organization, id, MAX_ATTEMPTS).await?;
            beyond.map_or(oldest, |beyond| beyond.max(oldest))
        };
        removed += remove_attempts(app, organization, id, bound).await?;
        commit(app, || {
            let change = webhook_undelivered::remove_given_up(Change::new(), organization, id, given_up);
            webhook_undelivered::wake_all(change, organization, id, now)
        })
        .await?;
    }
    Ok(removed)
}

async fn remove_attempts(
    app: &App,
    organization: OrganizationId,
    id: WebhookEndpointId,
    bound: WebhookAttemptId,
) -> Result<u64, Error> {
    let due = || webhook_attempts::older(&app.db, organization, id, bound, BATCH);
    remove(app, due, || webhook_attempts::remove_older(Change::new(), organization, id, bound, BATCH)).await
}
