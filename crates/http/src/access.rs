//! Who calls, and whether they may: the client, its origin and address, and its scopes.
//! Settled before a byte of the body is read.

use crate::error_codes::Code;
use crate::headers::{CLIENT_ID, SEC_FETCH_SITE};
use crate::problem::{Problem, RequestFault};
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
    /// Anyone; no client is named.
    Open,
    /// A client that holds the scope.
    Scope(Scope),
    /// A client that holds the first scope; or the second, and then a user's token for the user's own records.
    Own(Scope, Scope),
    /// A client that holds `auth`, with the token of a live session.
    Session,
    /// The same, but the session may have ended.
    Token,
}

/// The person behind a request, as far as the endpoint asks for one.
pub(crate) enum Person {
    /// Nobody was asked for.
    Nobody,
    /// Somebody with a good token, whose session may have ended.
    Holder(Grant),
    /// Somebody with a live session.
    SignedIn(Box<SignedIn>),
}

/// What an endpoint asks for beyond the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    Token,
    Session,
}

/// The live client that the headers name.
pub(crate) async fn identify(app: &App, headers: &HeaderMap) -> Result<Arc<KnownClient>, Problem> {
    let mut values = headers.get_all(CLIENT_ID).iter();
    let Some(value) = values.next() else {
        return Err(Problem::new(Code::ClientIdRequired, "Name your client in the header client-id."));
    };
    if values.next().is_some() {
        return Err(Problem::request(&[RequestFault::header("client-id", "was sent twice")]));
    }
    let known = match value.to_str() {
        Ok(presented) => clients::recognize(app, presented).await?,
        Err(_) => None,
    };
    known.ok_or_else(Problem::invalid_client)
}

/// Whether the client may make this call from where it is, and whether a person must be behind it.
pub(crate) fn authorise(
    known: &KnownClient,
    access: Access,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Need, Problem> {
    let client = &known.client;
    if client.kind == ClientKind::Trusted {
        if headers.contains_key(ORIGIN) || headers.contains_key(SEC_FETCH_SITE) {
            let detail = "This client's id is a credential, and a browser sent it.";
            return Err(Problem::new(Code::ClientNotForBrowsers, detail));
        }
        if !client.may_call_from(address) {
            return Err(Problem::address_not_allowed(address));
        }
    }
    match access {
        Access::Open => Ok(Need::Nothing),
        Access::Scope(scope) if client.scopes.contain(scope) => Ok(Need::Nothing),
        Access::Own(all, _) if client.scopes.contain(all) => Ok(Need::Nothing),
        Access::Own(_, own) if client.scopes.contain(own) => Ok(Need::Session),
        Access::Session if client.scopes.contain(Scope::Auth) => Ok(Need::Session),
        Access::Token if client.scopes.contain(Scope::Auth) => Ok(Need::Token),
        // The scope it is told is one that a client of its kind can be granted.
        Access::Own(_, own) if client.kind == ClientKind::Public => Err(Problem::scope(own)),
        Access::Scope(scope) | Access::Own(scope, _) => Err(Problem::scope(scope)),
        Access::Session | Access::Token => Err(Problem::scope(Scope::Auth)),
    }
}

/// The scope that a client which was authorized for this call did it with.
pub(crate) fn scope_used(known: &KnownClient, access: Access) -> Option<Scope> {
    match access {
        Access::Open => None,
        Access::Scope(scope) => Some(scope),
        Access::Own(all, own) => Some(if known.client.scopes.contain(all) { all } else { own }),
        Access::Session | Access::Token => Some(Scope::Auth),
    }
}

/// The person behind the request. The header is looked at only where one is needed.
pub(crate) async fn person(app: &App, caller: &Caller, need: Need, headers: &HeaderMap) -> Result<Person, Problem> {
    Ok(match need {
        Need::Nothing => Person::Nobody,
        Need::Token => Person::Holder(Box::pin(sessions::open_token(app, caller, bearer(headers)?)).await?),
        Need::Session => Person::SignedIn(Box::new(Box::pin(sessions::check(app, caller, bearer(headers)?)).await?)),
    })
}

/// The token of `Authorization: Bearer …`.
fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or_else(Problem::token_required)?;
    if values.next().is_some() {
        return Err(Problem::request(&[RequestFault::header("authorization", "was sent twice")]));
    }
    let text = value.to_str().map_err(|_| Problem::invalid_token())?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => Ok(token.trim()),
        _ => Err(Problem::token_required()),
    }
}
