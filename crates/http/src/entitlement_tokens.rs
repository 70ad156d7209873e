//! `/users/{id}/entitlement-token`: what a user has now, signed, for an application that checks it offline.

use crate::access::Access;
use crate::billing_profiles::user;
use crate::call::Call;
use crate::error_codes::Code;
use crate::features::TAG;
use crate::fields::Fields;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::{Method, StatusCode};
use perennial_app::entitlement_tokens::{self, Issued};
use perennial_domain::clients::Scope;
use perennial_domain::entitlement_tokens::{DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, MIN_TTL_SECONDS};
use perennial_domain::number::Whole;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationCode;
use serde::Serialize;
use serde_json::{Value, json};

static TOKEN: Schema =
    Schema { name: "EntitlementToken", definition: token_schema, example: token_example, refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "createEntitlementToken",
    method: Method::POST,
    path: "/users/{id}/entitlement-token",
    tag: TAG,
    summary: "Issue an entitlement token",
    description: "A signed token with the value of each feature, and of a quota its limit, for an application that checks \
                  them offline. It expires at the latest when access changes by the clock alone, plus the grace that the \
                  operator has set. It cannot be revoked: `ttl_seconds` is how old the values may be. With a user's token, \
                  `me` is the user, and the token lives for a day at most.",
    access: Access::Own(Scope::EntitlementsRead, Scope::EntitlementsReadOwn),
    query: QuerySpec::NONE,
    body: Some(BodySpec {
        fields: |fields| {
            ttl(fields);
        },
        example: || json!({ "ttl_seconds": DEFAULT_TTL_SECONDS }),
    }),
    response: ResponseKind::Value(StatusCode::OK, &TOKEN),
    errors: &[Code::TokenTooLarge],
    handler: Handler::Read(|call| Box::pin(issue(call))),
}];

type Ttl = Whole<MIN_TTL_SECONDS, MAX_TTL_SECONDS>;

async fn issue(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.optional_body().await?;
    let (ttl, mut errors) = body.read(|fields| ttl(fields));
    if call.caller.own.is_some() && ttl > DEFAULT_TTL_SECONDS {
        let detail = format!("must be at most {DEFAULT_TTL_SECONDS} with a user's token");
        errors.note("/ttl_seconds", ValidationCode::OutOfRange, detail);
    }
    let user = user(&call)?;
    if !errors.is_empty() {
        perennial_app::entitlements::check_user_exists(call.app, &call.caller, user).await?;
        return Err(Problem::invalid(&errors));
    }
    let issued = entitlement_tokens::issue(call.app, &call.caller, user, ttl).await?;
    Ok(Reply::value(StatusCode::OK, view(&issued)))
}

fn ttl(fields: &mut impl Fields) -> i64 {
    let about =
        "How long the token lives at most, in seconds. 86,400 if omitted, which is the most with a user's token.";
    fields.optional::<Ttl>("/ttl_seconds", about).map_or(DEFAULT_TTL_SECONDS, Whole::get)
}

#[derive(Serialize)]
struct TokenView<'a> {
    token: &'a str,
    expires_at: Time,
    refresh_after: Time,
}

fn view(issued: &Issued) -> TokenView<'_> {
    TokenView { token: issued.token.expose(), expires_at: issued.expires_at, refresh_after: issued.refresh_after }
}

fn token_schema() -> Value {
    schema::record(&[
        ("token", json!({ "type": "string", "description": "A JWT with `typ` `ent+jwt`." })),
        ("expires_at", schema::instant()),
        ("refresh_after", schema::instant()),
    ])
}

fn token_example() -> Value {
    let (expires_at, refresh_after) =
        (samples::now().plus_seconds(DEFAULT_TTL_SECONDS), samples::now().plus_seconds(DEFAULT_TTL_SECONDS / 4));
    samples::json(TokenView {
        token: "eyJ0eXAiOiJlbnQrand0IiwiYWxnIjoiRWREU0EiLCJraWQiOiIuLi4ifQ.e30.c2lnbmF0dXJl",
        expires_at,
        refresh_after,
    })
}
