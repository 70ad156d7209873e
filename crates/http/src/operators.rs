//! `/operators`: the people who manage the organization, their sessions, and one-time links to sign in.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::{etag, etag_with};
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use http::{Method, StatusCode};
use perennial_app::console;
use perennial_app::error::Error;
use perennial_app::operators::{self, Operator, OperatorDraft};
use perennial_domain::clients::Scope;
use perennial_domain::id::{OperatorId, OperatorSessionId};
use perennial_domain::time::Time;
use serde_json::{Value, json};

pub(crate) mod view;

use view::{LINK, LinkView, OPERATOR, OPERATOR_SESSION_RECORD, OperatorView, SessionRecord};

const COLLECTION: &str = "/operators";
const MEMBER: &str = "/operators/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Operators";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listOperators",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List operators",
        description: "Returns the organization's operators, newest first.",
        access: Access::Scope(Scope::ClientsWrite),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&OPERATOR),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createOperator",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create an operator",
        description: "The role is a set of scopes; you must hold all of them. With an `Idempotency-Key`, a retry returns the \
                      response of the first request.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&OPERATOR),
        errors: &[Code::NameTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readOperator",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read an operator",
        description: "",
        access: Access::Scope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&OPERATOR),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateOperator",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update an operator",
        description: "Updates the fields that are sent. A new role takes effect at once on every server. `is_active: false` ends \
                      all sessions. An operator can neither disable itself nor change its own role.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "role": "viewer", "is_active": true }),
        }),
        response: ResponseKind::Record(&OPERATOR),
        errors: &[Code::NameTaken, Code::OwnOperator, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteOperator",
        method: Method::DELETE,
        path: MEMBER,
        tag: TAG,
        summary: "Delete an operator",
        description: "Ends all sessions and returns the deleted operator. Its name can be used again. An operator cannot delete \
                      itself.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&OPERATOR),
        errors: &[Code::OwnOperator, Code::Contended],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
    Operation {
        id: "listOperatorSessions",
        method: Method::GET,
        path: "/operators/{id}/sessions",
        tag: TAG,
        summary: "List an operator's sessions",
        description: "Returns the active sessions, newest first, at most 100.",
        access: Access::Scope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::List(&OPERATOR_SESSION_RECORD),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(list_sessions(call))),
    },
    Operation {
        id: "endOperatorSession",
        method: Method::DELETE,
        path: "/operators/{id}/sessions/{session_id}",
        tag: TAG,
        summary: "End an operator's session",
        description: "Ends the session at once on every server and returns it. A session that is not active is not found.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &OPERATOR_SESSION_RECORD),
        errors: &[Code::Contended, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(end_session(call))),
    },
    Operation {
        id: "createOperatorLink",
        method: Method::POST,
        path: "/operators/{id}/link",
        tag: TAG,
        summary: "Create a one-time link",
        description: "The link signs the operator in once, within ten minutes. You must hold all scopes of the operator's role. An \
                      operator has at most ten unused links.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::CREATED, &LINK),
        errors: &[Code::LinkLimit, Code::OperatorDisabled, Code::Contended, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(create_link(call))),
    },
];

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (operators, next) = operators::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    let views: Vec<OperatorView<'_>> = operators.iter().map(OperatorView::of).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let stored = operators::create(call.app, &call.caller, key.as_ref(), draft, errors, created_response).await?;
    Ok(Reply::stored(stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let operator = operators::read(call.app, &call.caller, operator_id(&call)?).await?;
    Ok(record(&operator))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |operator: &Operator| body.read(|fields| patch(fields, Some(operator)));
    let operator = operators::update(call.app, &call.caller, operator_id(&call)?, &if_match, read).await?;
    Ok(record(&operator))
}

async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let operator = operators::delete(call.app, &call.caller, operator_id(&call)?, &if_match).await?;
    Ok(record(&operator))
}

async fn list_sessions(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let sessions = operators::live_sessions(call.app, &call.caller, operator_id(&call)?).await?;
    let limits = operators::session_limits(call.app);
    let views: Vec<SessionRecord<'_>> = sessions.iter().map(|session| SessionRecord::of(session, limits)).collect();
    Ok(Reply::list(&views, None, operators::MAX_LISTED_SESSIONS))
}

async fn end_session(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let id: OperatorSessionId = call.path_parameter(1).parse().map_err(|_| Error::NotFound)?;
    let session = operators::end_session(call.app, &call.caller, operator_id(&call)?, id).await?;
    let limits = operators::session_limits(call.app);
    Ok(Reply::value(StatusCode::OK, SessionRecord::of(&session, limits)))
}

async fn create_link(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let link = operators::create_link(call.app, &call.caller, operator_id(&call)?).await?;
    let view = LinkView { url: link.url(console::base_url(call.app)), expires_at: link.expires_at };
    Ok(Reply::value(StatusCode::CREATED, view))
}

/// The fields of a create.
fn draft(fields: &mut impl Fields) -> OperatorDraft {
    let draft = OperatorDraft {
        name: fields.required("/name", "The name, unique in the organization."),
        role: fields.required("/role", "The role: a set of scopes."),
        is_active: None,
    };
    for at in [
        "/id",
        "/organization_id",
        "/issuer",
        "/subject",
        "/is_active",
        "/last_sign_in_at",
        "/created_at",
        "/updated_at",
    ] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, operator: Option<&Operator>) -> OperatorDraft {
    let patch = OperatorDraft {
        name: fields.optional("/name", "The name, unique in the organization."),
        role: fields.optional("/role", "The role: a set of scopes."),
        is_active: fields.optional("/is_active", "Whether the operator may sign in. `false` ends all sessions."),
    };
    fields.unchanged("/id", operator.map(|operator| &operator.id));
    fields.unchanged("/organization_id", operator.map(|operator| &operator.organization_id));
    let identity = operator.map(|operator| operator.identity.as_ref());
    fields.unchanged_or_null::<String>("/issuer", identity.map(|known| known.map(|known| &known.issuer)));
    fields.unchanged_or_null::<String>("/subject", identity.map(|known| known.map(|known| &known.subject)));
    // A sign-in changes it at any time, so a record that was read before may be sent back.
    fields.ignored("/last_sign_in_at");
    fields.unchanged::<Time>("/created_at", operator.map(|operator| &operator.created_at));
    fields.ignored("/updated_at");
    patch
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Operator {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let (organization, id) = (samples::organization().id, OperatorId::from_bytes(samples::ID));
    Operator::create(draft, errors, organization, id, samples::REVISION, samples::now()).expect("the example is valid")
}

fn created_response(operator: &Operator) -> StoredResponse {
    created(OperatorView::of(operator), format!("{COLLECTION}/{}", operator.id), operator.revision, None)
}

/// A sign-in changes `last_sign_in_at` and is no new revision.
fn record(operator: &Operator) -> Reply {
    let tag = match operator.last_sign_in_at {
        Some(at) => etag_with(operator.revision, at.as_micros().unsigned_abs()),
        None => etag(operator.revision, None),
    };
    Reply::record(OperatorView::of(operator), tag)
}

fn operator_id(call: &Call<'_>) -> Result<OperatorId, Error> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound)
}

fn create_example() -> Value {
    json!({ "name": "Ada Lovelace", "role": "support" })
}
