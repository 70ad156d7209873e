//! `/features`: what applications check.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Field, Fields, MeterReference, UnchangedMeter};
use crate::filters::boolean;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{self, Parameter, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::features::{self, Query};
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::features::{
    Combine, Feature, FeatureDraft, FeatureKey, FeatureKind, FeatureReference, QuotaPeriod,
};
use perennial_domain::id::{FeatureId, MeterId};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/features";
const MEMBER: &str = "/features/{key}";
const DEFAULT_LIMIT: usize = 50;
pub(crate) const TAG: &str = "Entitlements";

pub(crate) static FEATURE: Schema =
    Schema { name: "Feature", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listFeatures",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List features",
        description: "Sorted by key.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "kind", description: "Features of this kind.", schema: FeatureKind::schema },
                Parameter {
                    name: "is_active",
                    description: "Only active features, or only inactive ones.",
                    schema: schema::boolean,
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&FEATURE),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createFeature",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a feature",
        description: "An organization has at most 500 features. With an `Idempotency-Key`, a retry returns the response of the \
                      first request.",
        access: Access::Scope(Scope::PlansWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&FEATURE),
        errors: &[Code::FeatureKeyTaken, Code::FeatureLimit],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readFeature",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read a feature",
        description: "By key or ID.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&FEATURE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateFeature",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a feature",
        description: "Updates the fields that are sent; omitted fields do not change. The key, the kind, the meter and the \
                      period cannot be changed. A feature cannot be deleted: an inactive one is no longer granted.",
        access: Access::Scope(Scope::PlansWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "is_active": false }),
        }),
        response: ResponseKind::Record(&FEATURE),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

fn parse_list_query(query: &mut query::Query) -> ListQuery<Query> {
    let filters = Query { kind: query.get("kind", FeatureKind::parse), is_active: query.get("is_active", boolean) };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (features, next) = features::list(call.app, &call.caller, filters, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&features, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let stored =
        use_cases::create::<Feature>(call.app, &call.caller, key.as_ref(), draft, errors, created_response).await?;
    Ok(Reply::stored(stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = features::read(call.app, &call.caller, &named(&call.path_parameter(0))?).await?;
    Ok(record(&found))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |stored: &Feature| body.read(|fields| patch(fields, Some(stored)));
    let named = named(&call.path_parameter(0))?;
    let updated = use_cases::update::<Feature>(call.app, &call.caller, &named, &if_match, read).await?;
    Ok(record(&updated))
}

/// The feature that a path names.
pub(crate) fn named(parameter: &str) -> Result<FeatureReference, Problem> {
    FeatureReference::parse(parameter).ok_or_else(|| Error::NotFound.into())
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> FeatureDraft {
    let meter: Option<Option<MeterReference>> =
        fields.nullable("/meter", "The meter of a quota, with the aggregation sum or count. It cannot be changed.");
    let draft = FeatureDraft {
        key: fields.required("/key", "The name of the feature in grants and checks. It cannot be changed."),
        name: fields.required("/name", NAME),
        kind: fields.required("/kind", "What kind of values the feature has. It cannot be changed."),
        meter: meter.map(|meter| meter.map(|MeterReference(key)| key)),
        period: fields.nullable("/period", "The period of a quota; billing by default. It cannot be changed."),
        ..common(fields)
    };
    for at in ["/id", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, stored: Option<&Feature>) -> FeatureDraft {
    let meter: Option<Option<UnchangedMeter>> = fields.nullable("/meter", "Read-only. It may be sent back unchanged.");
    let patch = FeatureDraft {
        name: fields.optional("/name", NAME),
        meter: meter.map(|meter| meter.map(|UnchangedMeter(key)| key)),
        ..common(fields)
    };
    fields.unchanged::<FeatureId>("/id", stored.map(|stored| &stored.id));
    fields.unchanged::<FeatureKey>("/key", stored.map(|stored| &stored.key));
    fields.unchanged::<FeatureKind>("/kind", stored.map(|stored| &stored.kind));
    fields.unchanged_or_null::<QuotaPeriod>("/period", stored.map(|stored| stored.period.as_ref()));
    fields.unchanged::<Time>("/created_at", stored.map(|stored| &stored.created_at));
    fields.ignored("/updated_at");
    patch
}

const NAME: &str = "The name shown to people.";

/// The fields that a create and an update share.
fn common(fields: &mut impl Fields) -> FeatureDraft {
    FeatureDraft {
        description: fields.optional("/description", "A description of the feature."),
        combine: fields.optional(
            "/combine",
            "How the values of several subscriptions become one. boolean: any. limit: max (default) or sum. quota: sum.",
        ),
        per_unit: fields.optional(
            "/per_unit",
            "Whether a number is multiplied by the quantity of the subscription. False by default; not for boolean.",
        ),
        is_active: fields.optional("/is_active", "Whether the feature is granted to users. True by default."),
        ..FeatureDraft::default()
    }
}

fn record_schema() -> Value {
    let mut meter = schema::id::<MeterId>();
    meter["type"] = json!(["string", "null"]);
    let periods: Vec<Value> = QuotaPeriod::ALL.iter().map(|period| json!(period)).chain([Value::Null]).collect();
    schema::record(&[
        ("id", schema::id::<FeatureId>()),
        ("key", json!({ "type": "string" })),
        ("name", json!({ "type": "string" })),
        ("description", json!({ "type": "string" })),
        ("kind", schema::id::<FeatureKind>()),
        ("combine", schema::id::<Combine>()),
        ("per_unit", schema::boolean()),
        ("meter", meter),
        ("period", json!({ "type": ["string", "null"], "enum": periods })),
        ("is_active", schema::boolean()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Feature {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let id = FeatureId::from_bytes(samples::ID);
    Feature::create(draft, errors, None, samples::organization().id, id, samples::REVISION, samples::now())
        .expect("the example is valid")
}

fn created_response(created_record: &Feature) -> StoredResponse {
    created(created_record, format!("{COLLECTION}/{}", created_record.key.as_str()), created_record.revision, None)
}

fn record(found: &Feature) -> Reply {
    Reply::record(found, etag(found.revision, None))
}

fn create_example() -> Value {
    json!({ "key": "projects", "name": "Projects", "kind": "limit", "combine": "sum" })
}
