//! `/meters`: what usage is measured by.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::meters;
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::id::MeterId;
use perennial_domain::meters::{Aggregation, Meter, MeterDraft, MeterSlug};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/meters";
const MEMBER: &str = "/meters/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Usage";

pub(crate) static METER: Schema =
    Schema { name: "Meter", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listMeters",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List meters",
        description: "Newest first.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&METER),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createMeter",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a meter",
        description: "With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&METER),
        errors: &[Code::SlugTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readMeter",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read a meter",
        description: "",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&METER),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateMeter",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a meter",
        description: "Updates the fields that are sent; omitted fields do not change. The slug and the aggregation cannot be changed. An inactive meter accepts no events. A meter that an active feature uses cannot be deactivated.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "is_active": false }),
        }),
        response: ResponseKind::Record(&METER),
        errors: &[Code::MeterInUse, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (meters, next) = meters::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&meters, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |made: &Meter| if is_dry_run { dry_run::unstored(made, &tried) } else { created_response(made) };
    let stored = use_cases::create::<Meter>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = meters::read(call.app, &call.caller, id(&call)?).await?;
    Ok(record(&found))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |stored: &Meter| body.read(|fields| patch(fields, Some(stored)));
    let updated = use_cases::update::<Meter>(call.app, &call.caller, &id(&call)?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &updated) } else { record(&updated) })
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> MeterDraft {
    let draft = MeterDraft {
        slug: fields.required("/slug", "The name of the meter in usage events. It cannot be changed."),
        aggregation: fields.required("/aggregation", "How events become one quantity. It cannot be changed."),
        name: fields.required("/name", NAME),
        ..common(fields)
    };
    for at in ["/id", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, stored: Option<&Meter>) -> MeterDraft {
    let patch = MeterDraft { name: fields.optional("/name", NAME), ..common(fields) };
    fields.unchanged::<MeterId>("/id", stored.map(|stored| &stored.id));
    fields.unchanged::<MeterSlug>("/slug", stored.map(|stored| &stored.slug));
    fields.unchanged::<Aggregation>("/aggregation", stored.map(|stored| &stored.aggregation));
    fields.unchanged::<Time>("/created_at", stored.map(|stored| &stored.created_at));
    fields.ignored("/updated_at");
    patch
}

const NAME: &str = "The name shown to customers.";

/// The fields that a create and an update share.
fn common(fields: &mut impl Fields) -> MeterDraft {
    MeterDraft {
        unit: fields.nullable("/unit", "What the meter counts, such as `call` or `GB`."),
        is_active: fields.optional("/is_active", "Whether the meter accepts events. True by default."),
        ..MeterDraft::default()
    }
}

fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<MeterId>()),
        ("slug", json!({ "type": "string" })),
        ("name", json!({ "type": "string" })),
        ("aggregation", schema::id::<Aggregation>()),
        ("unit", schema::optional_text()),
        ("is_active", schema::boolean()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Meter {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let id = MeterId::from_bytes(samples::ID);
    Meter::create(draft, errors, samples::organization().id, id, samples::REVISION, samples::now())
        .expect("the example is valid")
}

fn created_response(created_record: &Meter) -> StoredResponse {
    created(created_record, format!("{COLLECTION}/{}", created_record.id), created_record.revision, None)
}

fn record(found: &Meter) -> Reply {
    Reply::record(found, etag(found.revision, None))
}

fn id(call: &Call<'_>) -> Result<MeterId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({ "slug": "api-calls", "name": "API calls", "aggregation": "sum", "unit": "call" })
}
