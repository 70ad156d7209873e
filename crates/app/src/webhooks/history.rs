//! What was sent to an endpoint, and what was not delivered yet.

use super::read;
use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use perennial_domain::id::WebhookEndpointId;
use perennial_domain::webhook_delivery::{Attempt, Undelivered, UndeliveredState};
use perennial_store::{Page, Position, webhook_attempts, webhook_undelivered};

pub use perennial_store::webhook_attempts::Query as AttemptQuery;

/// A page of an endpoint's attempts, newest first, and the cursor of the next page.
pub async fn attempts(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    query: AttemptQuery,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Attempt>, Option<String>), Error> {
    let name = cursor::webhook_attempts(caller.organization(), id, query);
    cursor::list(&app.keys, &name, cursor, async |after| attempts_page(app, caller, id, query, after, limit).await)
        .await
}

/// A page of an endpoint's attempts after a position.
pub async fn attempts_page(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    query: AttemptQuery,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Attempt>, Error> {
    read(app, caller, id).await?;
    Ok(webhook_attempts::list(&app.db, caller.organization(), id, query, after, limit).await?)
}

/// A page of an endpoint's undelivered events, oldest first, and the cursor of the next page.
pub async fn undelivered(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    state: Option<UndeliveredState>,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Undelivered>, Option<String>), Error> {
    let name = cursor::webhook_undelivered(caller.organization(), id, state);
    cursor::list(&app.keys, &name, cursor, async |after| undelivered_page(app, caller, id, state, after, limit).await)
        .await
}

/// A page of an endpoint's undelivered events after a position.
pub async fn undelivered_page(
    app: &App,
    caller: &Caller,
    id: WebhookEndpointId,
    state: Option<UndeliveredState>,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Undelivered>, Error> {
    read(app, caller, id).await?;
    Ok(webhook_undelivered::list(&app.db, caller.organization(), id, state, after, limit).await?)
}
