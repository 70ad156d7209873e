//! Operators: people who manage one organization. Disabling and deleting an operator ends its sessions in the same change.
//! No caller grants more scopes than it holds.

mod links;
pub(crate) mod options;
mod sessions;
mod sign_in;

pub use links::{NewLink, create_link};
pub use options::{ConsoleOptions, ProviderSettings};
pub use perennial_domain::operators::{Operator, OperatorDraft, OperatorSession, Role, SessionLimits, SignInMethod};
pub use sessions::{
    MAX_LISTED_SESSIONS, describe, end_session, live_sessions, recognize, session_limits, sign_out, sweep,
};
pub(crate) use sign_in::{Begin, begin};
pub use sign_in::{SignedIn, sign_in};

use crate::audit::json;
use crate::caller::Caller;
use crate::clients::{confirm, confirm_granting};
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use crate::keyed_locks::ATTEMPTS;
use crate::revision::IfMatch;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OperatorId};
use perennial_domain::stamp::Stamp;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Page, Position, Violation, events, operators};

/// Creates an operator. `render` makes the response, which is stored under the idempotency key in the same change.
pub async fn create(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: OperatorDraft,
    errors: ValidationErrors,
    render: impl Fn(&Operator) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    let operator = decide_create(app, caller, draft, errors)?;
    let response = render(&operator);
    let mut change = prepare_create(caller, Change::new(), &operator);
    if let Some(guard) = &guard {
        change = guard.store(change, &response, operator.created_at);
    }
    let change = confirm_granting(app, caller, operator.role.scopes(), change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(response),
        Err(error @ store::Error::Violated(Violation::Key)) => idempotency::recover(guard.as_ref(), error).await,
        Err(error) => Err(explain(error)),
    }
}

/// Creates an operator for the command line.
pub async fn add(app: &App, caller: &Caller, draft: OperatorDraft) -> Result<Operator, Error> {
    let operator = decide_create(app, caller, draft, ValidationErrors::none())?;
    app.db.commit(prepare_create(caller, Change::new(), &operator)).await.map_err(explain)?;
    Ok(operator)
}

/// The operator with this ID.
pub async fn read(app: &App, caller: &Caller, id: OperatorId) -> Result<Operator, Error> {
    operators::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// The operator with this name.
pub async fn read_by_name(app: &App, caller: &Caller, name: &str) -> Result<Operator, Error> {
    operators::by_name(&app.db, caller.organization(), name).await?.ok_or(Error::NotFound)
}

/// A page of operators, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Operator>, Option<String>), Error> {
    let name = cursor::operators(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of operators after a position.
pub async fn page(app: &App, caller: &Caller, after: Option<Position>, limit: usize) -> Result<Page<Operator>, Error> {
    Ok(operators::list(&app.db, caller.organization(), after, limit).await?)
}

/// Updates an operator. `read_patch` reads the request against the operator as it is. Nothing is written if nothing
/// changes.
pub async fn update(
    app: &App,
    caller: &Caller,
    id: OperatorId,
    if_match: &IfMatch,
    read_patch: impl Fn(&Operator) -> (OperatorDraft, ValidationErrors) + Send + Sync,
) -> Result<Operator, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        if_match.check(before.revision)?;
        let (patch, errors) = read_patch(&before);
        let mut after = before.merge(patch, errors)?;
        if after == before {
            return Ok(before);
        }
        if caller.is_operator(id) && (after.role != before.role || !after.is_active) {
            return Err(Conflict::OwnOperator.into());
        }
        let granted = after.granted_since(&before);
        caller.check_grant(granted)?;
        let Stamp { at, revision } = app.stamp(&before, app.clock.now());
        (after.updated_at, after.revision) = (at, revision);
        let event = caller.event(EventKind::OperatorUpdated, id.bytes(), revision, at).following(before.revision);
        let traces = (Some(json(&before.trace(Some(&after)))), Some(json(&after.trace(Some(&before)))));
        let mut change = operators::update(Change::new(), &after, before.revision);
        change = events::insert(change, &Event { before: traces.0, after: traces.1, ..event });
        if !after.is_active {
            change = sessions::prepare_end_all(app, caller, change, &before, at).await?;
        }
        let change = confirm_granting(app, caller, granted, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(after),
            Err(store::Error::Violated(Violation::Record | Violation::Session)) => {}
            Err(error) => return Err(explain(error)),
        }
    }
    Err(Conflict::Contended.into())
}

/// Deletes an operator and returns it as it was.
pub async fn delete(app: &App, caller: &Caller, id: OperatorId, if_match: &IfMatch) -> Result<Operator, Error> {
    for _ in 0..ATTEMPTS {
        let operator = read(app, caller, id).await?;
        if_match.check(operator.revision)?;
        if caller.is_operator(id) {
            return Err(Conflict::OwnOperator.into());
        }
        let Stamp { at, revision } = app.stamp(&operator, app.clock.now());
        let event = caller.event(EventKind::OperatorDeleted, id.bytes(), revision, at).following(operator.revision);
        let mut change = operators::delete(Change::new(), &operator, at, revision);
        change = events::insert(change, &Event { before: Some(json(&operator.trace(None))), ..event });
        change = sessions::prepare_end_all(app, caller, change, &operator, at).await?;
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(operator),
            Err(store::Error::Violated(Violation::Record | Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

fn decide_create(
    app: &App,
    caller: &Caller,
    draft: OperatorDraft,
    errors: ValidationErrors,
) -> Result<Operator, Error> {
    let now = app.clock.now();
    let (id, revision) = (OperatorId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
    let operator = Operator::create(draft, errors, caller.organization(), id, revision, now)?;
    caller.check_grant(operator.role.scopes())?;
    Ok(operator)
}

fn prepare_create(caller: &Caller, change: Change, operator: &Operator) -> Change {
    let (id, revision, at) = (operator.id.bytes(), operator.revision, operator.created_at);
    let event = caller.event(EventKind::OperatorCreated, id, revision, at);
    let change = operators::insert(change, operator);
    events::insert(change, &Event { after: Some(json(&operator.trace(None))), ..event })
}

fn explain(error: store::Error) -> Error {
    match error {
        store::Error::Violated(Violation::Name) => Conflict::NameTaken.into(),
        other => other.into(),
    }
}
