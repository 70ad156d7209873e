//! `/clients`: the applications that call the API. The credential of a trusted client is in one response, that of its
//! create, which is never stored: an idempotency key is ignored.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::{Reply, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::clients::{self, Credential};
use perennial_app::error::Error;
use perennial_domain::clients::{
    Client, ClientDraft, ClientKind, ClientName, ClientPatch, ClientView, PublicId, Scope, Scopes,
};
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/clients";
const TAG: &str = "Clients";
const DEFAULT_LIMIT: usize = 50;

pub(crate) static CLIENT: Schema = Schema {
    name: "Client",
    definition: record_schema,
    example: || samples::json(sample().view(None)),
    refers_to: &[],
};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listClients",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List clients",
        description: "Newest first, disabled clients included. No response contains the credential of a trusted client.",
        access: Access::Scope(Scope::ClientsWrite),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                ListQuery::parse(query, (), DEFAULT_LIMIT);
            },
        },
        body: None,
        response: ResponseKind::List(&CLIENT),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createClient",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a client",
        description: "`client_id` in the response is the ID to send in the header `client-id`. For a trusted client it is \
                      a credential, which is returned only here. You can grant the scopes that you hold, and `auth` and \
                      the scopes that end with `:own`. An `Idempotency-Key` is ignored.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::CreatedOnce(&CLIENT),
        errors: &[Code::ClientIdTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readClient",
        method: Method::GET,
        path: "/clients/{id}",
        tag: TAG,
        summary: "Read a client",
        description: "`client_id` is null for a trusted client.",
        access: Access::Scope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&CLIENT),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateClient",
        method: Method::PUT,
        path: "/clients/{id}",
        tag: TAG,
        summary: "Update a client",
        description: "Updates the fields that are sent; omitted fields do not change. The change takes effect within 5 \
                      seconds, also on the client that makes it. `is_active: false` disables the client for good.",
        access: Access::FreshScope(Scope::ClientsWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&CLIENT),
        errors: &[Code::ClientDisabled, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters: (), limit, cursor } = ListQuery::parse(&mut call.query, (), DEFAULT_LIMIT);
    call.no_body().await?;
    let (clients, next) = clients::page(call.app, &call.caller, cursor.as_deref(), limit).await?;
    let views: Vec<ClientView<'_>> = clients.iter().map(|client| client.view(None)).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (client, credential) = clients::create_over_api(call.app, &call.caller, draft, errors).await?;
    let view = client.view(credential.as_ref().map(Credential::expose));
    Ok(Reply::stored(created(view, format!("{COLLECTION}/{}", client.id), client.revision, None)))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let client = clients::read(call.app, &call.caller, id(&call.path_parameter(0))?).await?;
    Ok(record(&client))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |client: &Client| body.read(|fields| patch(fields, Some(client)));
    let client =
        clients::update_over_api(call.app, &call.caller, id(&call.path_parameter(0))?, &if_match, read).await?;
    Ok(record(&client))
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> ClientDraft {
    let draft = ClientDraft {
        name: fields.required("/name", "The display name."),
        kind: fields.required("/kind", "Whether the client can protect a secret."),
        scopes: fields.required("/scopes", "The scopes of the client."),
        client_id: fields.nullable("/client_id", "Public clients: the client ID. Generated if omitted."),
        origins: fields.optional("/origins", "Public clients: the origins that browsers may call from."),
        cidrs: fields.optional("/cidrs", "Trusted clients: the networks that it may call from. Empty means any."),
        expires_at: fields.nullable("/expires_at", "Trusted clients: when the client stops working."),
    };
    for at in ["/id", "/organization_id", "/is_active", "/disabled_at", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, client: Option<&Client>) -> ClientPatch {
    let patch = ClientPatch {
        name: fields.optional("/name", "The display name."),
        scopes: fields.optional("/scopes", "The scopes of the client. They replace the stored ones."),
        origins: fields.optional("/origins", "Public clients: the origins that browsers may call from."),
        cidrs: fields.optional("/cidrs", "Trusted clients: the networks that it may call from. Empty means any."),
        expires_at: fields.nullable("/expires_at", "Trusted clients: when the client stops working."),
        is_active: fields.optional("/is_active", "`false` disables the client for good."),
    };
    fields.unchanged::<ClientId>("/id", client.map(|client| &client.id));
    fields.unchanged::<OrganizationId>("/organization_id", client.map(|client| &client.organization_id));
    fields.unchanged::<ClientKind>("/kind", client.map(|client| &client.kind));
    fields.unchanged_or_null::<PublicId>("/client_id", client.map(|client| client.public_id.as_ref()));
    fields.unchanged_or_null::<Time>("/disabled_at", client.map(|client| client.disabled_at.as_ref()));
    fields.unchanged::<Time>("/created_at", client.map(|client| &client.created_at));
    fields.ignored("/updated_at");
    patch
}

fn record_schema() -> Value {
    let words = |words: Vec<&str>| json!({ "type": "array", "items": schema::words(&words), "uniqueItems": true });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    schema::record(&[
        ("id", schema::id::<ClientId>()),
        ("organization_id", schema::id::<OrganizationId>()),
        ("name", schema::id::<ClientName>()),
        ("kind", schema::id::<ClientKind>()),
        ("client_id", json!({ "type": ["string", "null"] })),
        ("scopes", words(Scope::ALL.iter().map(|scope| scope.as_str()).collect())),
        ("origins", texts()),
        ("cidrs", texts()),
        ("is_active", schema::boolean()),
        ("expires_at", schema::optional_instant()),
        ("disabled_at", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
fn sample() -> Client {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let fields = draft.check(errors).expect("the example is valid");
    Client {
        id: ClientId::from_bytes(samples::ID),
        organization_id: OrganizationId::from_bytes(samples::ID),
        name: fields.name,
        kind: fields.kind,
        public_id: Some(PublicId::from_stored("app-5f3a9c1e77b2d046".to_owned())),
        scopes: fields.scopes,
        origins: fields.origins,
        cidrs: fields.cidrs,
        expires_at: fields.expires_at,
        disabled_at: None,
        created_at: samples::now(),
        updated_at: samples::now(),
        revision: samples::REVISION,
    }
}

fn record(client: &Client) -> Reply {
    Reply::record(client.view(None), etag(client.revision, None))
}

fn id(parameter: &str) -> Result<ClientId, Problem> {
    parameter.parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({
        "name": "Web shop", "kind": "public", "scopes": ["auth", "plans:read", "subscriptions:read:own"],
        "origins": ["https://shop.example.com"]
    })
}

fn update_example() -> Value {
    json!({ "name": "Shop", "scopes": Scopes::of(&[Scope::Auth, Scope::PlansRead]) })
}
