//! Sign-in of an operator: a new session with a new cookie, in one change that also uses up the link and ends the session
//! of the old cookie. Of any number of simultaneous uses of a link, one works.

use super::sessions::{SessionTrace, hash, prepare_end, session_limits};
use super::{links, recognize};
use crate::audit::json;
use crate::caller::{Caller, KnownOperator};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::sessions::Device;
use data_encoding::BASE64URL_NOPAD;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OperatorSessionId};
use perennial_domain::operators::{Operator, OperatorSession, SignInMethod};
use perennial_identity::secret::Secret;
use perennial_store::{self as store, Change, Violation, events, operator_links, operator_sessions, operators};
use std::sync::Arc;

/// A new session and its cookie.
pub struct SignedIn {
    /// The operator and the session.
    pub known: Arc<KnownOperator>,
    /// The value of the cookie, to be sent once.
    pub cookie: Secret,
}

/// Signs in with a one-time link. `previous` is the cookie that the browser has; its session ends.
pub async fn sign_in(
    app: &App,
    caller: &Caller,
    link: &str,
    device: &Device,
    previous: Option<&str>,
) -> Result<SignedIn, Error> {
    for _ in 0..ATTEMPTS {
        let now = app.clock.now();
        let found = operator_links::by_link(&app.db, links::hash(link)).await?;
        let found = found.filter(|link| now < link.expires_at).ok_or(Error::InvalidLink)?;
        let operator = operators::by_id(&app.db, found.organization_id, found.operator_id).await?;
        let operator = operator.filter(|operator| operator.is_active).ok_or(Error::InvalidLink)?;
        let previous = match previous {
            Some(cookie) => recognize(app, cookie).await?,
            None => None,
        };
        let change = operator_links::consume(Change::new(), &found);
        let begin = Begin { operator, method: SignInMethod::Link, device, previous };
        let (signed_in, change) = self::begin(app, caller, change, begin);
        match app.db.commit(change).await {
            Ok(()) => return Ok(signed_in),
            Err(store::Error::Violated(Violation::Link | Violation::Operator)) => return Err(Error::InvalidLink),
            Err(store::Error::Violated(Violation::Session)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// A session that is about to begin.
pub(crate) struct Begin<'a> {
    pub(crate) operator: Operator,
    pub(crate) method: SignInMethod,
    pub(crate) device: &'a Device,
    /// The session that it replaces.
    pub(crate) previous: Option<Arc<KnownOperator>>,
}

/// Adds a new session to a change. Fails with [`Violation::Operator`] if the operator is disabled, and with
/// [`Violation::Session`] if the previous session has ended.
pub(crate) fn begin(app: &App, caller: &Caller, mut change: Change, begin: Begin<'_>) -> (SignedIn, Change) {
    let Begin { operator, method, device, previous } = begin;
    let now = app.clock.now();
    if let Some(known) = previous {
        let of_previous = Caller::operator_with(Arc::clone(&known), caller.request_id.clone());
        change = prepare_end(app, &of_previous, change, &known.session, now);
    }
    let cookie = Secret::new(BASE64URL_NOPAD.encode(&app.entropy.bytes::<32>()));
    let session = OperatorSession {
        organization_id: operator.organization_id,
        id: OperatorSessionId::new(now, app.entropy.id_bits()),
        operator_id: operator.id,
        method,
        signed_in_at: now,
        last_used_at: now,
        expires_at: now.plus_seconds(session_limits(app).max_seconds),
        ip_address: Some(device.ip_address.clone()),
        user_agent: device.user_agent.clone(),
        ended_at: None,
    };
    change = operators::signed_in(operators::guard_active(change, &operator), &operator, now);
    change = operator_sessions::insert(change, &session, hash(cookie.expose()));
    let trace = json(&SessionTrace::of(&session));
    let operator = Operator { last_sign_in_at: Some(now), ..operator };
    let known = Arc::new(KnownOperator { operator, session });
    let of_operator = Caller::operator_with(Arc::clone(&known), caller.request_id.clone());
    let id = EventId::new(now, app.entropy.id_bits());
    let event = of_operator.event(EventKind::OperatorSessionCreated, known.session.id.bytes(), id, now);
    change = events::insert(change, &Event { after: Some(trace), ..event });
    (SignedIn { known, cookie }, change)
}
