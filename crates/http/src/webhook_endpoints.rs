//! `/webhook-endpoints`: the URLs that receive events. A secret is in one response, that of its create or rotation, which
//! is never stored: an idempotency key is ignored.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::{etag_with, fingerprint};
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use http::Method;
use perennial_app::error::Error;
use perennial_app::revision::IfMatch;
use perennial_app::sessions::Secret;
use perennial_app::webhooks::{self, Endpoint, EndpointDraft, OVERLAP_SECONDS, WebhookEndpoint};
use perennial_domain::clients::Scope;
use perennial_domain::id::WebhookEndpointId;
use perennial_domain::number::Whole;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_domain::webhooks::Signature;
use serde_json::{Value, json};

mod view;

pub(crate) use view::WEBHOOK_ENDPOINT;
use view::{WEBHOOK_ENDPOINT_WITH_SECRET, WithSecret};

const COLLECTION: &str = "/webhook-endpoints";
const MEMBER: &str = "/webhook-endpoints/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Webhooks";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listWebhookEndpoints",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List webhook endpoints",
        description: "Newest first.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&WEBHOOK_ENDPOINT),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createWebhookEndpoint",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a webhook endpoint",
        description: "Sends the events that are committed from now on. `secret` verifies the signatures and is returned only \
                      here; it is null for `ed25519`, where `public_keys` verify them. An organization has at most 50 \
                      endpoints. An `Idempotency-Key` is ignored.",
        access: Access::FreshScope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::CreatedOnce(&WEBHOOK_ENDPOINT_WITH_SECRET),
        errors: &[Code::EndpointLimit],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readWebhookEndpoint",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read a webhook endpoint",
        description: "",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&WEBHOOK_ENDPOINT),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateWebhookEndpoint",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a webhook endpoint",
        description: "Updates the fields that are sent; omitted fields do not change. A new `url` and `is_active: true` close \
                      the circuit of a failing endpoint and send at once. An endpoint that is enabled again continues \
                      where it stopped.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "types": ["subscription.*"], "is_active": true }),
        }),
        response: ResponseKind::Record(&WEBHOOK_ENDPOINT),
        errors: &[Code::FreshSignInRequired, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteWebhookEndpoint",
        method: Method::DELETE,
        path: MEMBER,
        tag: TAG,
        summary: "Delete a webhook endpoint",
        description: "Stops the delivery, erases the secrets and returns the deleted endpoint.",
        access: Access::Scope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&WEBHOOK_ENDPOINT),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
    Operation {
        id: "rotateWebhookSecret",
        method: Method::POST,
        path: "/webhook-endpoints/{id}/rotate-secret",
        tag: TAG,
        summary: "Rotate the secret of a webhook endpoint",
        description: "Old secrets continue to sign until the overlap ends; 0 ends all of them at once. At most three secrets \
                      are valid at the same time. `secret` is returned only here.",
        access: Access::FreshScope(Scope::WebhooksWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                overlap(fields);
            },
            example: || json!({ "overlap_seconds": OVERLAP_SECONDS }),
        }),
        response: ResponseKind::Record(&WEBHOOK_ENDPOINT_WITH_SECRET),
        errors: &[Code::SecretLimit, Code::Contended],
        handler: Handler::Write(|call| Box::pin(rotate_secret(call))),
    },
];

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (records, next) = webhooks::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    let endpoints = webhooks::describe_all(call.app, records).await?;
    Ok(Reply::list(&endpoints, next.as_deref(), limit))
}

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (record, secret) = webhooks::create(call.app, &call.caller, draft, errors).await?;
    let (location, revision) = (format!("{COLLECTION}/{}", record.id), record.revision);
    let endpoint = webhooks::describe(call.app, record).await?;
    let view = WithSecret::of(&endpoint, secret.as_ref().map(Secret::expose));
    let response = created(view, location, revision, None);
    Ok(Reply::stored(StoredResponse { etag: etag(&endpoint), ..response }))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let record = webhooks::read(call.app, &call.caller, endpoint_id(&call)?).await?;
    reply(&call, record).await
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |endpoint: &WebhookEndpoint| body.read(|fields| patch(fields, Some(endpoint)));
    let record = webhooks::update(call.app, &call.caller, endpoint_id(&call)?, &if_match, read).await?;
    reply(&call, record).await
}

async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let record = webhooks::delete(call.app, &call.caller, endpoint_id(&call)?, &if_match).await?;
    reply(&call, record).await
}

async fn rotate_secret(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.optional_body().await?;
    let (overlap, errors) = body.read(|fields| overlap(fields));
    check_body(&call, &if_match, &errors).await?;
    let id = endpoint_id(&call)?;
    let (record, secret) = webhooks::rotate_secret(call.app, &call.caller, id, &if_match, overlap).await?;
    let endpoint = webhooks::describe(call.app, record).await?;
    Ok(Reply::record(WithSecret::of(&endpoint, secret.as_ref().map(Secret::expose)), etag(&endpoint)))
}

/// Rejects a body with errors. An endpoint that does not exist or has changed is reported before them.
pub(crate) async fn check_body(call: &Call<'_>, if_match: &IfMatch, errors: &ValidationErrors) -> Result<(), Problem> {
    if errors.is_empty() {
        return Ok(());
    }
    let endpoint = webhooks::read(call.app, &call.caller, endpoint_id(call)?).await?;
    if_match.check(endpoint.revision)?;
    Err(Problem::invalid(errors))
}

pub(crate) async fn reply(call: &Call<'_>, record: WebhookEndpoint) -> Result<Reply, Problem> {
    let endpoint = webhooks::describe(call.app, record).await?;
    let tag = etag(&endpoint);
    Ok(Reply::record(endpoint, tag))
}

/// The entity tag. It covers what changes without a revision, but not what waits.
fn etag(endpoint: &Endpoint) -> String {
    let failing_since = endpoint.failing_since.map_or(0, Time::as_micros).to_be_bytes();
    let public_keys = endpoint.public_keys.iter().flat_map(|key| key.bytes());
    etag_with(endpoint.record.revision, fingerprint(failing_since.into_iter().chain(public_keys)))
}

/// The fields that only the service sets.
const READ_ONLY: [&str; 5] = ["/state", "/disabled_reason", "/failing_since", "/public_keys", "/oldest_undelivered_at"];

/// The fields of a create.
fn draft(fields: &mut impl Fields) -> EndpointDraft {
    let draft = EndpointDraft {
        signature: fields.optional("/signature", "How requests are signed. It cannot change. `hmac` if omitted."),
        ..settings(fields, true)
    };
    for at in ["/id", "/secret", "/created_at", "/updated_at"].into_iter().chain(READ_ONLY) {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, endpoint: Option<&WebhookEndpoint>) -> EndpointDraft {
    let patch = settings(fields, false);
    fields.unchanged("/id", endpoint.map(|endpoint| &endpoint.id));
    fields.unchanged::<Signature>("/signature", endpoint.map(|endpoint| &endpoint.signature));
    for at in READ_ONLY {
        fields.ignored(at);
    }
    fields.unchanged::<Time>("/created_at", endpoint.map(|endpoint| &endpoint.created_at));
    fields.ignored("/updated_at");
    patch
}

fn settings(fields: &mut impl Fields, is_create: bool) -> EndpointDraft {
    EndpointDraft {
        url: fields.required_if(is_create, "/url", "Where events are sent: an https URL of a public host."),
        description: fields.optional("/description", "What the endpoint is for. Empty if omitted."),
        types: fields.optional("/types", "The event types to send. All if omitted."),
        payload: fields.optional("/payload", "`full`, or `thin`: `data` holds only the ID. `full` if omitted."),
        signature: None,
        is_active: fields.optional("/is_active", "Whether events are sent. `true` if omitted."),
    }
}

/// The field of a rotation.
fn overlap(fields: &mut impl Fields) -> i64 {
    let about = "How long the old secrets continue to sign. 86,400 if omitted.";
    fields.optional::<Whole<0, 604_800>>("/overlap_seconds", about).map_or(OVERLAP_SECONDS, Whole::get)
}

/// The endpoint that the example of a create makes.
fn sample() -> Endpoint {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let (organization, id) = (samples::organization().id, WebhookEndpointId::from_bytes(samples::ID));
    let created = WebhookEndpoint::create(draft, errors, organization, id, samples::REVISION, samples::now());
    let record = created.expect("the example is valid");
    Endpoint { record, public_keys: Vec::new(), failing_since: None, oldest_undelivered_at: None }
}

pub(crate) fn endpoint_id(call: &Call<'_>) -> Result<WebhookEndpointId, Error> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound)
}

fn create_example() -> Value {
    json!({
        "url": "https://example.com/webhooks", "description": "Order system",
        "types": ["subscription.*", "payment.created"]
    })
}
