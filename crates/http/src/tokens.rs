//! `/authentication/tokens`: lists and ends the sessions of a user.

use crate::access::{Access, Person};
use crate::call::Call;
use crate::error_codes::Code;
use crate::operation::{Handler, Handling, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use crate::sessions::TAG;
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::sessions::{self, Listed, Session, SignedIn};
use perennial_domain::id::SessionId;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listTokens",
        method: Method::GET,
        path: "/authentication/tokens",
        tag: TAG,
        summary: "List sessions",
        description: "Returns the active sessions of the user with all clients, newest first. `number_of_tokens_to_revoke` is how many \
            exceed the organization's limit.",
        access: Access::Session,
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &TOKEN_LIST),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    end_sessions(
        "logout",
        "/authentication/tokens/logout",
        Access::Token,
        "Log out",
        "Ends the session of the access token. Repeated with the same token, it has no effect.",
        &[Code::OutcomeUnknown],
        |call| Box::pin(logout(call)),
    ),
    end_sessions(
        "revokeAllTokens",
        "/authentication/tokens/revoke-all",
        Access::Session,
        "End all sessions",
        "Ends all sessions of the user, including the current one. Their tokens stop working immediately.",
        &[Code::Contended, Code::OutcomeUnknown],
        |call| Box::pin(revoke_all(call)),
    ),
    end_sessions(
        "revokeAllTokensExceptCurrent",
        "/authentication/tokens/revoke-all-except-current",
        Access::Session,
        "End all other sessions",
        "Ends all sessions of the user except the current one. Their tokens stop working immediately.",
        &[Code::Contended, Code::OutcomeUnknown],
        |call| Box::pin(revoke_all_except_current(call)),
    ),
    end_sessions(
        "revokeToken",
        "/authentication/tokens/revoke/{id}",
        Access::Session,
        "End one session",
        "Ends one session of the user. A session of another user is not found.",
        &[Code::OutcomeUnknown],
        |call| Box::pin(revoke_one(call)),
    ),
];

/// An operation that ends sessions.
const fn end_sessions(
    id: &'static str,
    path: &'static str,
    access: Access,
    summary: &'static str,
    description: &'static str,
    errors: &'static [Code],
    handler: for<'a> fn(Call<'a>) -> Handling<'a>,
) -> Operation {
    Operation {
        id,
        method: Method::POST,
        path,
        tag: TAG,
        summary,
        description,
        access,
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &REVOKED),
        errors,
        handler: Handler::Write(handler),
    }
}

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let signed_in = call.signed_in()?;
    let list = sessions::list(call.app, &call.caller, &signed_in.user).await?;
    let tokens = list.sessions.iter().map(|listed| TokenView::of(listed, signed_in)).collect();
    let view = TokenList { tokens, should_revoke_tokens: list.too_many > 0, number_of_tokens_to_revoke: list.too_many };
    Ok(Reply::value(StatusCode::OK, view))
}

pub(crate) async fn logout(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let Person::Holder(grant) = &call.person else {
        return Err(Problem::internal("the operation does not require a token"));
    };
    Ok(revoked(sessions::logout(call.app, &call.caller, grant).await?))
}

pub(crate) async fn revoke_all(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(revoked(sessions::revoke_all(call.app, &call.caller, call.signed_in()?, None).await?))
}

pub(crate) async fn revoke_all_except_current(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let signed_in = call.signed_in()?;
    Ok(revoked(sessions::revoke_all(call.app, &call.caller, signed_in, Some(signed_in.session.id)).await?))
}

pub(crate) async fn revoke_one(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let id: SessionId = call.path_parameter(0).parse().map_err(|_| Error::NotFound)?;
    Ok(revoked(sessions::revoke(call.app, &call.caller, &call.signed_in()?.user, id).await?))
}

pub(crate) fn revoked(count: usize) -> Reply {
    Reply::value(StatusCode::OK, Revoked { success: true, revoked: count })
}

#[derive(Serialize)]
struct Revoked {
    success: bool,
    revoked: usize,
}

#[derive(Serialize)]
struct TokenList<'a> {
    tokens: Vec<TokenView<'a>>,
    should_revoke_tokens: bool,
    number_of_tokens_to_revoke: usize,
}

/// A session as returned to its user.
#[derive(Serialize)]
struct TokenView<'a> {
    id: SessionId,
    email: Option<&'a str>,
    client_name: &'a str,
    issued_at: Time,
    expiration_time: Time,
    last_used_at: Time,
    ip_address: Option<&'a str>,
    user_agent: Option<&'a str>,
    revoked: bool,
    current: bool,
    created_at: Time,
    updated_at: Time,
}

impl<'a> TokenView<'a> {
    fn of(listed: &'a Listed, caller: &'a SignedIn) -> Self {
        let session: &Session = &listed.session;
        Self {
            id: session.id,
            email: caller.user.email.as_ref().map(Email::as_str),
            client_name: &listed.client_name,
            issued_at: session.signed_in_at,
            expiration_time: session.expires_at,
            last_used_at: session.last_used_at,
            ip_address: session.ip_address.as_deref(),
            user_agent: session.user_agent.as_deref(),
            revoked: session.revoked_at.is_some(),
            current: session.id == caller.session.id,
            created_at: session.signed_in_at,
            updated_at: session.rotated_at.max(session.last_used_at),
        }
    }
}

pub(crate) static REVOKED: Schema = Schema {
    name: "Revoked",
    definition: revoked_schema,
    example: || samples::json(Revoked { success: true, revoked: 1 }),
    refers_to: &[],
};

static TOKEN_LIST: Schema =
    Schema { name: "TokenList", definition: list_schema, example: || samples::json(list_sample()), refers_to: &[] };

fn revoked_schema() -> Value {
    schema::record(&[
        ("success", json!({ "type": "boolean", "enum": [true] })),
        (
            "revoked",
            json!({ "type": "integer", "minimum": 0, "description": "The number of sessions that were ended." }),
        ),
    ])
}

fn list_schema() -> Value {
    let count = json!({ "type": "integer", "minimum": 0 });
    schema::record(&[
        ("tokens", json!({ "type": "array", "maxItems": 100, "items": token_schema() })),
        ("should_revoke_tokens", json!({ "type": "boolean" })),
        ("number_of_tokens_to_revoke", count),
    ])
}

fn token_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<SessionId>()),
        ("email", json!({ "type": ["string", "null"] })),
        ("client_name", json!({ "type": "string" })),
        ("issued_at", schema::instant()),
        ("expiration_time", schema::instant()),
        ("last_used_at", schema::instant()),
        ("ip_address", json!({ "type": ["string", "null"] })),
        ("user_agent", json!({ "type": ["string", "null"] })),
        ("revoked", json!({ "type": "boolean" })),
        ("current", json!({ "type": "boolean", "description": "Whether this is the session of the access token." })),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn list_sample() -> TokenList<'static> {
    let (issued_at, last_used_at) = (samples::now(), samples::now().plus_seconds(11 * 60));
    let token = TokenView {
        id: SessionId::from_bytes(samples::ID),
        email: Some("ada@example.com"),
        client_name: "Web app",
        issued_at,
        expiration_time: issued_at.plus_seconds(30 * 24 * 3600),
        last_used_at,
        ip_address: Some("203.0.113.7"),
        user_agent: Some("Mozilla/5.0"),
        revoked: false,
        current: true,
        created_at: issued_at,
        updated_at: last_used_at,
    };
    TokenList { tokens: vec![token], should_revoke_tokens: false, number_of_tokens_to_revoke: 0 }
}
