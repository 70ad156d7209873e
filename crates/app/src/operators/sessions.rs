//! Operators' sessions: read at every call by the SHA-256 of the cookie, listed and ended. Nothing is cached, so that an
//! end or a change of the role takes effect at once on every server.

use super::read;
use crate::audit::json;
use crate::caller::{Caller, KnownOperator};
use crate::clients::confirm;
use crate::context::App;
use crate::error::Error;
use crate::housekeeping::remove::{BATCH, remove};
use crate::keys::sha256;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{OperatorId, OperatorSessionId};
use perennial_domain::operators::{Operator, OperatorSession, SessionLimits, SignInMethod};
use perennial_domain::organizations::Organization;
use perennial_domain::plans::DEMO_PRODUCT;
use perennial_domain::time::Time;
use perennial_store::{
    self as store, Change, Violation, events, operator_links, operator_sessions, organizations, plans, portal_links,
};
use serde::Serialize;
use std::sync::Arc;

/// The most sessions in a list.
pub const MAX_LISTED_SESSIONS: usize = 100;
/// The most sessions of an operator whose end has an event when all of them end. Sign-ins are rate limited.
const MAX_ENDED: i64 = 1_000;
const GRANULARITY_SECONDS: i64 = 60;

/// The operator with this cookie and its session. `None` if the session has ended or the operator is disabled.
pub async fn recognize(app: &App, cookie: &str) -> Result<Option<Arc<KnownOperator>>, Error> {
    let found = operator_sessions::by_cookie(&app.db, hash(cookie)).await?;
    let now = app.clock.now();
    let live = found.filter(|(session, operator)| session.is_live(session_limits(app), now) && operator.is_active);
    let Some((session, operator)) = live else { return Ok(None) };
    mark_used(app, &session, now);
    Ok(Some(Arc::new(KnownOperator { operator, session })))
}

/// How long sessions last.
pub fn session_limits(app: &App) -> SessionLimits {
    app.options.console.limits
}

/// The organization of a session, and whether it was filled by `perennial demo`.
pub async fn describe(app: &App, known: &KnownOperator) -> Result<(Organization, bool), Error> {
    let organization = organizations::by_id(&app.db, known.operator.organization_id).await?.ok_or(Error::NotFound)?;
    let of_demo = plans::Query { product_id: Some(DEMO_PRODUCT.to_owned()), ..plans::Query::default() };
    let demo = plans::list(&app.db, organization.id, &of_demo, None, 1).await?;
    Ok((organization, !demo.items.is_empty()))
}

/// An operator's live sessions, newest first.
pub async fn live_sessions(app: &App, caller: &Caller, id: OperatorId) -> Result<Vec<OperatorSession>, Error> {
    let operator = read(app, caller, id).await?;
    let mut sessions = live(app, &operator).await?;
    sessions.truncate(MAX_LISTED_SESSIONS);
    Ok(sessions)
}

/// Ends a live session of an operator and returns it as it was.
pub async fn end_session(
    app: &App,
    caller: &Caller,
    operator: OperatorId,
    id: OperatorSessionId,
) -> Result<OperatorSession, Error> {
    let found = operator_sessions::with_its_operator(&app.db, caller.organization(), id).await?;
    let now = app.clock.now();
    let is_live = |session: &OperatorSession| session.is_live(session_limits(app), now);
    let found = found.filter(|(session, owner)| owner.id == operator && is_live(session));
    let (session, _) = found.ok_or(Error::NotFound)?;
    end(app, caller, &session, now).await?;
    Ok(session)
}

/// Ends the caller's own session.
pub async fn sign_out(app: &App, caller: &Caller) -> Result<(), Error> {
    let known = caller.operator().ok_or(Error::OperatorSessionRequired)?;
    match end(app, caller, &known.session, app.clock.now()).await {
        Err(Error::NotFound | Error::OperatorSessionRequired) => Ok(()),
        other => other,
    }
}

/// Removes expired links of operators and users, and operators' sessions that ended or expired, of every organization. An ended session is removed with those
/// of its age.
pub async fn sweep(app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    let sessions_before = app.options.retention.sessions_before(now);
    for organization in organizations::all(&app.db).await? {
        let due = || operator_links::due(&app.db, organization.id, now, BATCH);
        remove(app, due, || operator_links::sweep(Change::new(), organization.id, now, BATCH)).await?;
        let due = || portal_links::due(&app.db, organization.id, now, BATCH);
        remove(app, due, || portal_links::sweep(Change::new(), organization.id, now, BATCH)).await?;
        let due = || operator_sessions::due(&app.db, organization.id, sessions_before, BATCH);
        let sweep = || operator_sessions::sweep(Change::new(), organization.id, sessions_before, BATCH);
        remove(app, due, sweep).await?;
    }
    Ok(())
}

async fn end(app: &App, caller: &Caller, session: &OperatorSession, now: Time) -> Result<(), Error> {
    let change = confirm(app, caller, prepare_end(app, caller, Change::new(), session, now)).await?;
    match app.db.commit(change).await {
        Err(store::Error::Violated(Violation::Session)) => Err(Error::NotFound),
        committed => Ok(committed?),
    }
}

/// Ends a session together with its event.
pub(super) fn prepare_end(app: &App, caller: &Caller, change: Change, session: &OperatorSession, now: Time) -> Change {
    let stamp = app.stamp(session, now);
    let event = caller.event(EventKind::OperatorSessionEnded, session.id.bytes(), stamp.revision, stamp.at);
    let change = operator_sessions::end(change, session, stamp.at);
    events::insert(change, &Event { before: Some(json(&SessionTrace::of(session))), ..event })
}

/// Ends every session of an operator, which the change must lock, and removes its links.
pub(super) async fn prepare_end_all(
    app: &App,
    caller: &Caller,
    mut change: Change,
    operator: &Operator,
    now: Time,
) -> Result<Change, Error> {
    for session in live(app, operator).await? {
        change = prepare_end(app, caller, change, &session, now);
    }
    // A session that began in the meantime ends too.
    Ok(operator_links::remove_of_operator(operator_sessions::end_all(change, operator, now), operator))
}

async fn live(app: &App, operator: &Operator) -> Result<Vec<OperatorSession>, Error> {
    let mut sessions = operator_sessions::open(&app.db, operator.organization_id, operator.id, MAX_ENDED).await?;
    let now = app.clock.now();
    sessions.retain(|session| session.is_live(session_limits(app), now));
    Ok(sessions)
}

/// Records that the session is in use, unless that was recorded within the minute. No call waits for it.
fn mark_used(app: &App, session: &OperatorSession, now: Time) {
    let id = session.id.bytes();
    if now < session.last_used_at.plus_seconds(GRANULARITY_SECONDS) || !app.use_marks.enter(id) {
        return;
    }
    let (db, marks, session) = (app.db.clone(), app.use_marks.clone(), session.clone());
    tokio::spawn(async move {
        // If the session has ended or the store is busy, the mark is not worth a retry.
        let _ = db.commit(operator_sessions::mark_used(Change::new(), &session, now)).await;
        marks.leave(id);
    });
}

/// The hash that the store holds of a cookie.
pub(super) fn hash(cookie: &str) -> [u8; 32] {
    sha256(&[cookie.as_bytes()])
}

/// What an event stores of a session.
#[derive(Serialize)]
pub(super) struct SessionTrace {
    id: OperatorSessionId,
    operator_id: OperatorId,
    method: SignInMethod,
    /// Nothing of a session is updated with an event.
    fields: [&'static str; 0],
}

impl SessionTrace {
    pub(super) fn of(session: &OperatorSession) -> Self {
        Self { id: session.id, operator_id: session.operator_id, method: session.method, fields: [] }
    }
}
