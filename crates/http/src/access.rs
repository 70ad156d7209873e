//! Who calls, and whether they may: the client, its origin and address, and its scopes.
//! Settled before a byte of the body is read.

use crate::catalogue::Code;
use crate::headers::{CLIENT_ID, SEC_FETCH_SITE};
use crate::operation::Access;
use crate::problem::{Problem, RequestFault};
use http::HeaderMap;
use http::header::ORIGIN;
use perennial_app::caller::KnownClient;
use perennial_app::clients;
use perennial_app::context::App;
use perennial_domain::clients::ClientKind;
use std::net::IpAddr;
use std::sync::Arc;

/// The live client that the headers name.
pub(crate) async fn identify(app: &App, headers: &HeaderMap) -> Result<Arc<KnownClient>, Problem> {
    let mut values = headers.get_all(CLIENT_ID).iter();
    let Some(value) = values.next() else {
        return Err(Problem::new(Code::ClientIdRequired, "Name your client in the header client-id."));
    };
    if values.next().is_some() {
        return Err(Problem::request(&[RequestFault::header("client-id", "was sent twice")]));
    }
    // Unknown, malformed, expired and disabled look the same from outside.
    let known = match value.to_str() {
        Ok(presented) => clients::recognise(app, presented).await?,
        Err(_) => None,
    };
    known.ok_or_else(|| Problem::new(Code::InvalidClient, "The header client-id names no client that works."))
}

/// Whether the client may make this call from where it is.
pub(crate) fn authorise(
    known: &KnownClient,
    access: Access,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<(), Problem> {
    let client = &known.client;
    if client.kind == ClientKind::Trusted {
        if headers.contains_key(ORIGIN) || headers.contains_key(SEC_FETCH_SITE) {
            let detail = "This client's id is a credential, and a browser sent it.";
            return Err(Problem::new(Code::ClientNotForBrowsers, detail));
        }
        if !client.may_call_from(address) {
            return Err(Problem::new(Code::AddressNotAllowed, format!("This client may not call from {address}.")));
        }
    }
    match access {
        Access::Open => Ok(()),
        Access::Scope(scope) if client.scopes.contain(scope) => Ok(()),
        Access::Own(all, _) if client.scopes.contain(all) => Ok(()),
        Access::Own(_, own) if client.scopes.contain(own) => Err(Problem::token_required()),
        // The scope it is told is one that a client of its kind can be granted.
        Access::Own(_, own) if client.kind == ClientKind::Public => Err(Problem::scope(own)),
        Access::Scope(scope) | Access::Own(scope, _) => Err(Problem::scope(scope)),
    }
}
