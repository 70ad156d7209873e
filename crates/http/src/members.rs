//! `/subscriptions/{id}/members`: the users who get what a subscription grants, next to its owner.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use crate::subscriptions::TAG;
use http::{Method, StatusCode};
use perennial_app::error::Error;
use perennial_app::members;
use perennial_domain::clients::Scope;
use perennial_domain::entitlements::{GrantValue, MAX_VALUE};
use perennial_domain::id::{EventId, SubscriptionId, UserId};
use perennial_domain::members::{Member, Seats};
use serde_json::{Value, json};

const PATH: &str = "/subscriptions/{id}/members";
const DEFAULT_LIMIT: usize = 50;

pub(crate) static MEMBER: Schema =
    Schema { name: "Member", definition: member_schema, example: || samples::json(sample()), refers_to: &[] };

static SEATS: Schema = Schema {
    name: "Seats",
    definition: seats_schema,
    example: || samples::json(Seats::of(Some(GrantValue::Number(5)), 1)),
    refers_to: &[],
};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listMembers",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "List the members of a subscription",
        description: "The members by user, and in `seats` how many there may be. The owner has a seat and is not listed. With a \
                      user's token, only the owner can read them.",
        access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::ListWith(&MEMBER, "seats", &SEATS),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "addMember",
        method: Method::POST,
        path: PATH,
        tag: TAG,
        summary: "Add a member to a subscription",
        description: "The user gets what the subscription grants, except `seats`. With an `Idempotency-Key`, a retry returns the \
                      response of the first request.",
        access: Access::Scope(Scope::SubscriptionsWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                user_id(fields);
            },
            example: || json!({ "user_id": UserId::from_bytes(samples::ID) }),
        }),
        response: ResponseKind::Created(&MEMBER),
        errors: &[Code::AlreadyMember, Code::SeatLimit],
        handler: Handler::Write(|call| Box::pin(add(call))),
    },
    Operation {
        id: "removeMember",
        method: Method::DELETE,
        path: "/subscriptions/{id}/members/{user_id}",
        tag: TAG,
        summary: "Remove a member from a subscription",
        description: "Returns the member that was removed.",
        access: Access::Scope(Scope::SubscriptionsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &MEMBER),
        errors: &[],
        handler: Handler::Write(|call| Box::pin(remove(call))),
    },
];

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let id = subscription(&call)?;
    let (listed, seats, next) = members::list(call.app, &call.caller, id, cursor.as_deref(), limit).await?;
    Ok(Reply::seat_list(&listed, &seats, next.as_deref(), limit))
}

async fn add(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let parsed = body.read(|fields| user_id(fields));
    let id = subscription(&call)?;
    let stored = members::add(call.app, &call.caller, key.as_ref(), id, parsed, created_response).await?;
    Ok(Reply::stored(stored))
}

async fn remove(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let user: UserId = call.path_parameter(1).parse().map_err(|_| Problem::from(Error::NotFound))?;
    let removed = members::remove(call.app, &call.caller, subscription(&call)?, user).await?;
    Ok(Reply::value(StatusCode::OK, removed))
}

fn subscription(call: &Call<'_>) -> Result<SubscriptionId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

fn user_id(fields: &mut impl Fields) -> Option<UserId> {
    let user = fields.required("/user_id", "The user who becomes a member.");
    for at in ["/subscription_id", "/created_at"] {
        fields.read_only(at);
    }
    user
}

/// A member has no separate path to read: the location is the list.
fn created_response(member: &Member, revision: EventId) -> StoredResponse {
    created(member, format!("/subscriptions/{}/members", member.subscription_id), revision, None)
}

fn member_schema() -> Value {
    schema::record(&[
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("user_id", schema::id::<UserId>()),
        ("created_at", schema::instant()),
    ])
}

fn seats_schema() -> Value {
    let limit = json!({ "anyOf": [
        { "type": "integer", "minimum": 0, "maximum": MAX_VALUE },
        { "type": "string", "enum": ["unlimited"] },
        { "type": "null" },
    ] });
    schema::record(&[
        ("limit", limit),
        ("used", json!({ "type": "integer", "minimum": 1 })),
        ("over_limit", schema::boolean()),
    ])
}

fn sample() -> Member {
    Member {
        organization_id: samples::organization().id,
        subscription_id: SubscriptionId::from_bytes(samples::ID),
        user_id: UserId::from_bytes(samples::ID),
        created_at: samples::now(),
    }
}
