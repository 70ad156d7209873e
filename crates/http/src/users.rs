//! `/users`: the users of an organization, managed by its applications.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::filters;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use http::{Method, StatusCode};
use perennial_app::accounts;
use perennial_app::error::Error;
use perennial_app::users::{self, Query, UserRecord};
use perennial_domain::clients::Scope;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::time::Time;
use perennial_domain::users::{Email, EmailPrefix, User, UserDraft};
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

mod view;

use view::{DELETED, Deleted, USER};

pub(crate) const TAG: &str = "Users";
const COLLECTION: &str = "/users";
const DEFAULT_LIMIT: usize = 50;
/// The most IDs in a filter.
const MAX_IDS: usize = 200;
const SORTS: [(&str, ()); 1] = [("created_at", ())];

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listUsers",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List users",
        description: "Newest first; with `email_prefix`, by address.",
        access: Access::Scope(Scope::UsersRead),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "id",
                    description: "One ID, or up to 200 separated by commas.",
                    schema: || json!({ "type": "string" }),
                },
                Parameter {
                    name: "email",
                    description: "The user with this address, in upper or lower case.",
                    schema: || json!({ "type": "string" }),
                },
                Parameter {
                    name: "email_prefix",
                    description: "Users whose address begins with this, sorted by address. At least 3 characters. Not with `sort`.",
                    schema: || json!({ "type": "string", "minLength": 3, "maxLength": 320 }),
                },
                Parameter {
                    name: "auth_id",
                    description: "Users with this ID at their identity provider.",
                    schema: || json!({ "type": "string", "minLength": 1 }),
                },
                list_query::CREATED_AFTER,
                list_query::CREATED_BEFORE,
                Parameter {
                    name: "sort",
                    description: "The sort order. Prefix with `-` for descending order.",
                    schema: || filters::sort_schema(&SORTS, "-created_at"),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&USER),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createUser",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a user",
        description: "Creates a user without an identity. The first sign-up with this verified address is linked to it. With an \
            `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::UsersWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&USER),
        errors: &[Code::EmailTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readUser",
        method: Method::GET,
        path: "/users/{id}",
        tag: TAG,
        summary: "Read a user",
        description: "An erased user is not found.",
        access: Access::Scope(Scope::UsersRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&USER),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateUser",
        method: Method::PUT,
        path: "/users/{id}",
        tag: TAG,
        summary: "Update a user",
        description: "Updates the fields that are sent; omitted fields do not change. A null clears an optional field. \
            `is_blocked` ends all sessions of the user and rejects sign-in, sign-up and refresh.",
        access: Access::Scope(Scope::UsersWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&USER),
        errors: &[Code::EmailTaken, Code::EmailManaged, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteUser",
        method: Method::DELETE,
        path: "/users/{id}",
        tag: TAG,
        summary: "Erase a user",
        description: "Erases personal data, ends all sessions and cancels the subscriptions, as `delete-my-account` does. Payments \
            remain. This cannot be undone.",
        access: Access::FreshScope(Scope::UsersWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &DELETED),
        errors: &[Code::Stale, Code::Contended, Code::OutcomeUnknown],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (users, next) = users::list(call.app, &call.caller, filters, cursor.as_deref(), limit).await?;
    let records: Vec<UserRecord<'_>> = users.iter().map(UserRecord::of).collect();
    Ok(Reply::list(&records, next.as_deref(), limit))
}

/// Parses the parameters of a list.
pub(crate) fn parse_list_query(query: &mut crate::query::Query) -> ListQuery<Query> {
    let email_prefix = query.get("email_prefix", EmailPrefix::parse);
    let is_by_address = email_prefix.is_some();
    let ascending = query.get("sort", |text| {
        if is_by_address {
            return Err(invalid("cannot be combined with email_prefix, which sorts by address"));
        }
        filters::sort(text, &SORTS).map(|((), descending)| !descending)
    });
    let filters = Query {
        ids: query.get("id", parse_ids),
        email: query.get("email", Email::parse),
        email_prefix,
        subject: query.get("auth_id", parse_auth_id),
        created: list_query::created(query),
        ascending: ascending.unwrap_or_default(),
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

fn parse_ids(text: &str) -> Result<Vec<UserId>, InvalidValue> {
    if text.split(',').nth(MAX_IDS).is_some() {
        return Err(invalid("must have at most 200 IDs"));
    }
    let ids: Result<Vec<UserId>, _> = text.split(',').map(str::parse).collect();
    ids.map_err(|_| invalid("must be users' IDs, separated by commas"))
}

/// An ID at a provider is compared as it is. A NUL would be rejected by one engine only.
fn parse_auth_id(text: &str) -> Result<String, InvalidValue> {
    if text.is_empty() || text.contains(char::is_control) {
        return Err(invalid("must be an ID at an identity provider"));
    }
    Ok(text.to_owned())
}

fn invalid(detail: &'static str) -> InvalidValue {
    InvalidValue::new(ValidationCode::InvalidFormat, detail)
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let stored = users::create_once(call.app, &call.caller, key.as_ref(), draft, errors, created_response).await?;
    Ok(Reply::stored(stored))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let user = users::read(call.app, &call.caller, id(&call.path_parameter(0))?).await?;
    Ok(record(&user))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |user: &User| body.read(|fields| patch(fields, Some(user)));
    let user = users::update(call.app, &call.caller, id(&call.path_parameter(0))?, &if_match, read).await?;
    Ok(record(&user))
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let id = id(&call.path_parameter(0))?;
    accounts::erase(call.app, &call.caller, id, &if_match).await?;
    Ok(Reply::value(StatusCode::OK, Deleted { id, deleted: true }))
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> UserDraft {
    let email = fields.required::<Email>("/email", EMAIL);
    let draft = UserDraft { email: email.map(Some), ..profile(fields) };
    for at in
        ["/id", "/auth_id", "/auth_provider", "/organization_id", "/role", "/is_blocked", "/created_at", "/updated_at"]
    {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, user: Option<&User>) -> UserDraft {
    let email = fields.nullable::<Email>("/email", EMAIL);
    let is_blocked =
        fields.optional("/is_blocked", "Whether the user is blocked: without sessions and unable to sign in.");
    let patch = UserDraft { email, is_blocked, ..profile(fields) };
    let identity = user.map(|user| user.identity.as_ref());
    fields.unchanged::<UserId>("/id", user.map(|user| &user.id));
    fields.unchanged_or_null::<String>("/auth_id", identity.map(|known| known.map(|known| &known.subject)));
    fields.unchanged_or_null::<String>("/auth_provider", identity.map(|known| known.map(|known| &known.issuer)));
    fields.unchanged::<OrganizationId>("/organization_id", user.map(|user| &user.organization_id));
    fields.unchanged::<String>("/role", user.map(|_| UserRecord::ROLE.to_owned()).as_ref());
    fields.unchanged::<Time>("/created_at", user.map(|user| &user.created_at));
    fields.ignored("/updated_at");
    patch
}

const EMAIL: &str =
    "The e-mail address, unique in the organization. A user with an identity keeps the identity provider's.";

/// The fields that a create and an update share.
fn profile(fields: &mut impl Fields) -> UserDraft {
    UserDraft {
        email: None,
        username: fields.nullable("/username", "The user name."),
        first_name: fields.nullable("/first_name", "The given name."),
        last_name: fields.nullable("/last_name", "The family name."),
        terms: fields.nullable("/terms", "Whether the user agreed to the terms."),
        notifications: fields.nullable("/notifications", "Whether the user wants notifications."),
        auth_type: fields.nullable("/auth_type", "How the user signs up."),
        is_blocked: None,
    }
}

fn created_response(user: &User) -> StoredResponse {
    created(UserRecord::of(user), format!("{COLLECTION}/{}", user.id), user.revision, None)
}

fn record(user: &User) -> Reply {
    Reply::record(UserRecord::of(user), etag(user.revision, None))
}

/// The ID of a user in a path.
pub(crate) fn id(parameter: &str) -> Result<UserId, Problem> {
    parameter.parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({ "email": "ada@example.com", "username": "ada", "first_name": "Ada", "last_name": "Lovelace" })
}

fn update_example() -> Value {
    json!({ "first_name": "Augusta", "is_blocked": true })
}
