//! The second check of a client or an operator, right before its change is committed.
//!
//! A request can take long: its body arrives slowly, its idempotency key is in use, other writers come first. A client
//! that was disabled, has expired or has lost a scope must not commit anything later than five seconds after that. The
//! check is free unless the client was read more than four seconds ago; then it uses the cache.
//!
//! For an operator the change itself checks the session and the role, so that it is never committed after their end.

use super::recognize;
use crate::cached;
use crate::caller::{Caller, KnownClient, KnownOperator, Principal};
use crate::context::App;
use crate::error::Error;
use perennial_domain::clients::{Client, ClientKind, Scopes};
use perennial_domain::time::Time;
use perennial_store::{Change, operator_sessions, operators};
use std::time::Duration;

/// How long after the client was read the write of its change may begin.
const WRITE_WITHIN_SECONDS: i64 = 5;

/// The caller's change, if the client or operator may still make it. The command line always may.
pub(crate) fn confirm(
    app: &App,
    caller: &Caller,
    change: Change,
) -> impl Future<Output = Result<Change, Error>> + Send {
    confirm_granting(app, caller, Scopes::default(), change)
}

/// As `confirm`, for a change that grants these scopes, which the caller must still hold.
pub(crate) async fn confirm_granting(
    app: &App,
    caller: &Caller,
    granted: Scopes,
    change: Change,
) -> Result<Change, Error> {
    let known = match &caller.principal {
        Principal::Client(known) => known,
        // The guard on the role covers the scopes.
        Principal::Operator(known) => return confirm_operator(app, known, change),
        Principal::User(_) | Principal::Anonymous | Principal::System(_) => return Ok(change),
    };
    let now = app.clock.now();
    let read_at = if cached::is_fresh(known.read_at, now) {
        check(caller, known, &known.client, granted, now)?;
        known.read_at
    } else {
        let found = Box::pin(recognize::by_hash(app, known.credential_hash, now)).await?.ok_or(Error::InvalidClient)?;
        check(caller, known, &found.client, granted, now)?;
        found.read_at
    };
    let left = read_at.plus_seconds(WRITE_WITHIN_SECONDS).as_micros() - now.as_micros();
    Ok(change.within(Duration::from_micros(u64::try_from(left).unwrap_or_default())))
}

fn confirm_operator(app: &App, known: &KnownOperator, change: Change) -> Result<Change, Error> {
    if !known.session.is_live(app.options.console.limits, app.clock.now()) {
        return Err(Error::OperatorSessionRequired);
    }
    Ok(operators::guard_role(operator_sessions::guard_caller(change, &known.session), &known.operator))
}

/// Checks that the client, as it is now, may do what the request was authorized for.
fn check(caller: &Caller, known: &KnownClient, client: &Client, granted: Scopes, now: Time) -> Result<(), Error> {
    // Requests do not follow a credential that was moved to another client.
    if client.id != known.client.id || !client.is_live(now) {
        return Err(Error::InvalidClient);
    }
    if let Some(address) = caller.address
        && client.kind == ClientKind::Trusted
        && !client.may_call_from(address)
    {
        return Err(Error::AddressNotAllowed(address));
    }
    let missing = match caller.scope {
        Some(scope) if !client.scopes.contain(scope) => Some(scope),
        _ if granted.is_empty() => None,
        _ => granted.not_grantable_by(client.scopes).iter().next(),
    };
    missing.map_or(Ok(()), |scope| Err(Error::MissingScope(scope)))
}
