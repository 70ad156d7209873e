//! `/users/{id}/sessions`: the live sessions of a user, listed and ended by the organization's applications.
//! No token is returned: none is stored.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use crate::tokens::{REVOKED, revoked};
use crate::users::{TAG, id};
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::sessions::{self, Listed, SessionRecord};
use perennial_domain::clients::Scope;
use perennial_domain::id::{ClientId, SessionId, UserId};
use perennial_domain::sessions::MOST_SESSIONS;
use serde_json::{Value, json};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listUserSessions",
        method: Method::GET,
        path: "/users/{id}/sessions",
        tag: TAG,
        summary: "List the sessions of a user",
        description: "Returns the live sessions with all clients, newest first. A user has at most 100.",
        access: Access::Scope(Scope::UsersRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::List(&SESSION),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "revokeUserSessions",
        method: Method::DELETE,
        path: "/users/{id}/sessions",
        tag: TAG,
        summary: "End all sessions of a user",
        description: "Their tokens stop working immediately.",
        access: Access::Scope(Scope::UsersWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &REVOKED),
        errors: &[Code::Contended, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(end_all(call))),
    },
    Operation {
        id: "revokeUserSession",
        method: Method::DELETE,
        path: "/users/{id}/sessions/{session_id}",
        tag: TAG,
        summary: "End one session of a user",
        description: "Its tokens stop working immediately. A session that has ended, or of another user, is not found.",
        access: Access::Scope(Scope::UsersWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &SESSION),
        errors: &[Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(end(call))),
    },
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let listed = sessions::list_of(call.app, &call.caller, id(&call.path_parameter(0))?).await?;
    let records: Vec<SessionRecord<'_>> = listed.iter().map(record).collect();
    Ok(Reply::list(&records, None, MOST_SESSIONS))
}

pub(crate) async fn end_all(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(revoked(sessions::revoke_user(call.app, &call.caller, id(&call.path_parameter(0))?).await?))
}

pub(crate) async fn end(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let user = id(&call.path_parameter(0))?;
    let session: SessionId = call.path_parameter(1).parse().map_err(|_| Error::NotFound)?;
    let ended = sessions::end_of(call.app, &call.caller, user, session).await?;
    Ok(Reply::value(StatusCode::OK, record(&ended)))
}

fn record(listed: &Listed) -> SessionRecord<'_> {
    SessionRecord::of(&listed.session, Some(&listed.client_name))
}

static SESSION: Schema =
    Schema { name: "UserSession", definition: session_schema, example: || samples::json(sample()), refers_to: &[] };

fn session_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<SessionId>()),
        ("user_id", schema::id::<UserId>()),
        (
            "client_id",
            json!({ "type": ["string", "null"], "pattern": schema::id::<ClientId>()["pattern"], "description": "The client that the user signed in with." }),
        ),
        ("client_name", schema::optional_text()),
        ("issued_at", schema::instant()),
        ("expiration_time", schema::instant()),
        ("last_used_at", schema::instant()),
        ("ip_address", schema::optional_text()),
        ("user_agent", schema::optional_text()),
        ("revoked", schema::boolean()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn sample() -> SessionRecord<'static> {
    let (issued_at, last_used_at) = (samples::now(), samples::now().plus_seconds(11 * 60));
    SessionRecord {
        id: SessionId::from_bytes(samples::ID),
        user_id: UserId::from_bytes(samples::ID),
        client_id: Some(ClientId::from_bytes(samples::ID)),
        client_name: Some("Web app"),
        issued_at,
        expiration_time: issued_at.plus_seconds(30 * 24 * 3600),
        last_used_at,
        ip_address: Some("203.0.113.7"),
        user_agent: Some("Mozilla/5.0"),
        revoked: false,
        created_at: issued_at,
        updated_at: last_used_at,
    }
}
