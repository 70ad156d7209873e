//! `/users/{id}/portal-link`: a one-time link to the customer portal. Its holder acts as the user.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use crate::users::{TAG, id};
use http::{Method, StatusCode};
use perennial_app::portal;
use perennial_domain::clients::Scope;
use perennial_domain::number::Whole;
use perennial_domain::plans::Href;
use perennial_domain::portal::PORTAL_LINK_SECONDS;
use perennial_domain::time::Time;
use serde::Serialize;
use serde_json::{Value, json};

type Seconds = Whole<60, 86_400>;

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "createPortalLink",
    method: Method::POST,
    path: "/users/{id}/portal-link",
    tag: TAG,
    summary: "Create a link to the customer portal",
    description: "The link signs the user in to the portal once. Send it only to the user: its holder acts as the user. Not found \
                  while the portal is disabled.",
    access: Access::Scope(Scope::UsersWrite),
    query: QuerySpec::NONE,
    body: Some(BodySpec {
        fields: |fields| {
            draft(fields);
        },
        example: || json!({ "expires_in": 900 }),
    }),
    response: ResponseKind::Value(StatusCode::CREATED, &LINK),
    errors: &[Code::Contended, Code::OutcomeUnknown],
    handler: Handler::Write(|call| Box::pin(create(call))),
}];

static LINK: Schema = Schema { name: "PortalLink", definition: link_schema, example, refers_to: &[] };

#[derive(Serialize)]
struct LinkView {
    url: String,
    expires_at: Time,
}

struct Draft {
    return_url: Option<Href>,
    expires_in: Option<Seconds>,
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.optional_body().await?;
    let (Draft { return_url, expires_in }, errors) = body.read(|fields| draft(fields));
    let user = id(&call.path_parameter(0))?;
    let seconds = expires_in.map_or(PORTAL_LINK_SECONDS, Seconds::get);
    let link = portal::create_link(call.app, &call.caller, user, (return_url, seconds), errors).await?;
    let view = LinkView { url: link.url(portal::base_url(call.app)), expires_at: link.expires_at };
    Ok(Reply::value(StatusCode::CREATED, view))
}

fn draft(fields: &mut impl Fields) -> Draft {
    let return_url =
        "Where the portal links back to. Its origin must be one of the organization's `portal.return_origins`.";
    Draft {
        return_url: fields.nullable("/return_url", return_url).flatten(),
        expires_in: fields.optional("/expires_in", "How many seconds the link works. 900 if omitted."),
    }
}

fn link_schema() -> Value {
    schema::record(&[("url", json!({ "type": "string", "format": "uri" })), ("expires_at", schema::instant())])
}

fn example() -> Value {
    samples::json(LinkView {
        url: "https://billing.example.com/portal/enter/plk_…".to_owned(),
        expires_at: samples::now().plus_seconds(PORTAL_LINK_SECONDS),
    })
}
