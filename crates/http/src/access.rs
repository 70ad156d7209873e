//! Authorization: the client, its origin and address, its scopes, and the user.
//! It is checked before the body is read.

use crate::error_codes::Code;
use crate::headers::{CLIENT_ID, SEC_FETCH_SITE};
use crate::problem::{Problem, RequestError};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::header::ORIGIN;
use perennial_app::caller::{Caller, KnownClient};
use perennial_app::clients;
use perennial_app::context::App;
use perennial_app::sessions::{self, Grant, SignedIn};
use perennial_domain::clients::{ClientKind, Scope};
use std::net::IpAddr;
use std::sync::Arc;

/// Who may call an operation.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Anyone; no client is required.
    Open,
    /// A client or an operator that holds the scope.
    Scope(Scope),
    /// The same, but an operator must have signed in recently.
    FreshScope(Scope),
    /// A client or an operator that holds one of the scopes, and sees what they allow.
    AnyOf(&'static [Scope]),
    /// A client or an operator that holds the first scope; or a client that holds the second, and then a user's token for
    /// the user's own records.
    Own(Scope, Scope),
    /// A client that holds `auth`, with the token of an active session.
    Session,
    /// The same, but the session may have ended.
    Token,
    /// The console's own pages and calls. No client can make them.
    Console(ConsoleAccess),
}

/// Who may use the console's own pages and calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConsoleAccess {
    /// Anyone who navigates to the page on one of our hosts.
    Page,
    /// A page of the console, without a session.
    SignIn,
    /// An operator with a session.
    Session,
}

/// The user of a request, if the operation needs one.
pub(crate) enum Person {
    /// The operation needs no user.
    None,
    /// A user with a valid token, whose session may have ended.
    Holder(Grant),
    /// A user with an active session.
    SignedIn(Box<SignedIn>),
}

/// What an operation needs in addition to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    Token,
    Session,
}

/// The active client that the headers name.
pub(crate) async fn identify(app: &App, headers: &HeaderMap) -> Result<Arc<KnownClient>, Problem> {
    let mut values = headers.get_all(CLIENT_ID).iter();
    let Some(value) = values.next() else {
        return Err(Problem::new(Code::ClientIdRequired, "Send your client's ID in the header client-id."));
    };
    if values.next().is_some() {
        return Err(Problem::request(&[RequestError::header("client-id", "must be sent once")]));
    }
    let known = match value.to_str() {
        Ok(presented) => clients::recognize(app, presented).await?,
        Err(_) => None,
    };
    known.ok_or_else(Problem::invalid_client)
}

/// Checks whether the client may make this call from its address, and returns whether a user is needed.
pub(crate) fn authorize(
    known: &KnownClient,
    access: Access,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Need, Problem> {
    let client = &known.client;
    if client.kind == ClientKind::Trusted {
        if headers.contains_key(ORIGIN) || headers.contains_key(SEC_FETCH_SITE) {
            let detail = "The ID of a trusted client is a credential and must not be sent from a browser.";
            return Err(Problem::new(Code::ClientNotForBrowsers, detail));
        }
        if !client.may_call_from(address) {
            return Err(Problem::address_not_allowed(address));
        }
    }
    match access {
        Access::Open => Ok(Need::Nothing),
        Access::Scope(scope) | Access::FreshScope(scope) if client.scopes.contain(scope) => Ok(Need::Nothing),
        Access::Own(all, _) if client.scopes.contain(all) => Ok(Need::Nothing),
        Access::Own(_, own) if client.scopes.contain(own) => Ok(Need::Session),
        Access::Session if client.scopes.contain(Scope::Auth) => Ok(Need::Session),
        Access::Token if client.scopes.contain(Scope::Auth) => Ok(Need::Token),
        // Return a scope that a client of this kind can be granted.
        Access::Own(_, own) if client.kind == ClientKind::Public => Err(Problem::scope(own)),
        Access::Scope(scope) | Access::FreshScope(scope) | Access::Own(scope, _) => Err(Problem::scope(scope)),
        Access::AnyOf(scopes) if scopes.iter().any(|scope| client.scopes.contain(*scope)) => Ok(Need::Nothing),
        Access::AnyOf(scopes) => Err(Problem::scope(grantable(client.kind, scopes))),
        Access::Session | Access::Token => Err(Problem::scope(Scope::Auth)),
        Access::Console(_) => Err(Problem::internal("a client has no access to the console")),
    }
}

/// The first of the scopes that a client of this kind can be granted.
fn grantable(kind: ClientKind, scopes: &[Scope]) -> Scope {
    let granted = kind.scopes();
    scopes.iter().copied().find(|scope| granted.contain(*scope)).unwrap_or(scopes[0])
}

/// The scope that authorized the client for this call.
pub(crate) fn scope_used(known: &KnownClient, access: Access) -> Option<Scope> {
    match access {
        Access::Open | Access::Console(_) => None,
        Access::Scope(scope) | Access::FreshScope(scope) => Some(scope),
        Access::AnyOf(scopes) => scopes.iter().copied().find(|scope| known.client.scopes.contain(*scope)),
        Access::Own(all, own) => Some(if known.client.scopes.contain(all) { all } else { own }),
        Access::Session | Access::Token => Some(Scope::Auth),
    }
}

/// The user of the request. The header is read only if the operation needs it.
pub(crate) async fn person(app: &App, caller: &Caller, need: Need, headers: &HeaderMap) -> Result<Person, Problem> {
    Ok(match need {
        Need::Nothing => Person::None,
        Need::Token => Person::Holder(Box::pin(sessions::open_token(app, caller, bearer(headers)?)).await?),
        Need::Session => Person::SignedIn(Box::new(Box::pin(sessions::check(app, caller, bearer(headers)?)).await?)),
    })
}

/// The token of `Authorization: Bearer …`.
fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or_else(Problem::token_required)?;
    if values.next().is_some() {
        return Err(Problem::request(&[RequestError::header("authorization", "must be sent once")]));
    }
    let text = value.to_str().map_err(|_| Problem::invalid_token())?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => Ok(token.trim()),
        _ => Err(Problem::token_required()),
    }
}
