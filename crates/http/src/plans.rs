//! `/subscription-plans`: the plans that users can subscribe to.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::entitlements;
use crate::error_codes::Code;
use crate::fields::{Fields, SchemaWriter};
use crate::filters::{self, boolean};
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::plans::{self, Query, Sort};
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::PlanId;
use perennial_domain::money::Money;
use perennial_domain::plans::{
    MAX_TIER, Plan, PlanDetails, PlanDraft, PlanKey, PlanPatch, ProductId, Variant, Version,
};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use serde_json::{Value, json};

pub(crate) mod billing;

const COLLECTION: &str = "/subscription-plans";
const DEFAULT_LIMIT: usize = 100;
pub(crate) const TAG: &str = "Subscription plans";

pub(crate) static PLAN: Schema =
    Schema { name: "Plan", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

const SORTS: &[(&str, Sort)] = &[
    ("tier", Sort::Tier),
    ("price", Sort::Price),
    ("name", Sort::Name),
    ("created_at", Sort::Created),
    ("updated_at", Sort::Updated),
];

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listPlans",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List plans",
        description: "Returns the organization's plans, sorted by tier and slug by default.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "is_active",
                    description: "Only active or only inactive plans.",
                    schema: schema::boolean,
                },
                Parameter {
                    name: "billing_cycle",
                    description: "Plans with this billing cycle. Aliases are accepted.",
                    schema: schema::cycle,
                },
                Parameter { name: "tier", description: "Plans of this tier.", schema: schema::tier },
                Parameter {
                    name: "most_popular",
                    description: "Plans that are marked as most popular, or that are not.",
                    schema: schema::boolean,
                },
                Parameter { name: "product_id", description: "Plans of this product.", schema: schema::product },
                Parameter { name: "variant", description: "Plans with this variant.", schema: schema::text },
                Parameter {
                    name: "sort",
                    description: "The sort order. Prefix with `-` for descending order.",
                    schema: || filters::sort_schema(SORTS, "tier"),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&PLAN),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createPlan",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a plan",
        description: "With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&PLAN),
        errors: &[Code::SlugTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readPlan",
        method: Method::GET,
        path: "/subscription-plans/{slug}",
        tag: TAG,
        summary: "Read a plan",
        description: "By slug or ID.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&PLAN),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updatePlan",
        method: Method::PUT,
        path: "/subscription-plans/{slug}",
        tag: TAG,
        summary: "Update a plan",
        description: "Updates the fields that are sent; omitted fields do not change. The name, slug, \
                      product, variants, link and currency cannot be changed. Another price, billing cycle or tax behavior \
                      is a new version of the plan.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&PLAN),
        errors: &[Code::Contended, Code::ProviderManaged],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deletePlan",
        method: Method::DELETE,
        path: "/subscription-plans/{slug}",
        tag: TAG,
        summary: "Delete a plan",
        description: "Allowed only if no subscription refers to the plan. Returns the deleted plan. Its slug can be used again.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Record(&PLAN),
        errors: &[Code::PlanInUse, Code::Contended, Code::ProviderManaged],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (plans, next) = plans::list(call.app, &call.caller, &filters, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&plans, next.as_deref(), limit).cacheable())
}

/// Parses the parameters of a list.
pub(crate) fn parse_list_query(query: &mut crate::query::Query) -> ListQuery<Query> {
    let sort = query.get("sort", |text| filters::sort(text, SORTS));
    let (sort, descending) = sort.unwrap_or_default();
    let filters = Query {
        is_active: query.get("is_active", boolean),
        billing_cycle: query.get("billing_cycle", BillingCycle::parse),
        tier: query.get("tier", |text| filters::whole(text, MAX_TIER)),
        most_popular: query.get("most_popular", boolean),
        product_id: query.get("product_id", |text| ProductId::parse(text).map(|id| id.as_str().to_owned())),
        variant: query.get("variant", |text| Variant::parse(text).map(|variant| variant.as_str().to_owned())),
        sort,
        descending,
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |plan: &Plan| if is_dry_run { dry_run::unstored(plan, &tried) } else { created_response(plan) };
    let stored = use_cases::create::<Plan>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let plan = plans::read(call.app, &call.caller, &key(&call.path_parameter(0))?).await?;
    Ok(record(&plan).cacheable())
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |plan: &Plan| body.read(|fields| patch(fields, Some(plan)));
    let plan =
        use_cases::update::<Plan>(call.app, &call.caller, &key(&call.path_parameter(0))?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &plan) } else { record(&plan) })
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    call.no_body().await?;
    let plan = use_cases::delete::<Plan>(call.app, &call.caller, &key(&call.path_parameter(0))?, &if_match).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &plan) } else { record(&plan) })
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> PlanDraft {
    let draft = PlanDraft {
        name: fields.required("/name", "The name shown to customers."),
        product_id: fields.nullable("/product_id", "The ID of the product in another system.").flatten(),
        variants: fields.optional("/variants", "The variants of the product."),
        slug: fields.required("/slug", "The name of the plan in paths. It cannot be changed."),
        price: price(fields, true),
        currency: fields.optional("/currency", "The currency of the price. Defaults to the organization's currency."),
        href: fields.nullable("/href", "A link to the plan.").flatten(),
        billing_cycle: billing_cycle(fields, true),
        billing: billing::draft(fields),
        ..common(fields, PlanDetails::default())
    };
    for at in ["/id", "/version", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, plan: Option<&Plan>) -> PlanPatch {
    let details = plan.map(|plan| plan.details.clone()).unwrap_or_default();
    let patch = PlanPatch {
        price: price(fields, false),
        billing_cycle: billing_cycle(fields, false),
        billing: billing::draft(fields),
        ..common(fields, details)
    };
    fields.unchanged::<PlanId>("/id", plan.map(|plan| &plan.id));
    fields.unchanged("/slug", plan.map(|plan| &plan.slug));
    fields.unchanged("/name", plan.map(|plan| &plan.name));
    fields.unchanged_or_null::<Line<0, 255>>("/product_id", plan.map(|plan| plan.product_id.as_ref()));
    fields.unchanged("/variants", plan.map(|plan| &plan.variants));
    fields.unchanged_or_null("/href", plan.map(|plan| plan.href.as_ref()));
    fields.unchanged("/currency", plan.map(|plan| &plan.currency));
    fields.unchanged("/version", plan.map(|plan| &plan.version));
    fields.unchanged::<Time>("/created_at", plan.map(|plan| &plan.created_at));
    fields.ignored("/updated_at");
    patch
}

fn price(fields: &mut impl Fields, is_create: bool) -> Option<Money> {
    fields.required_if(
        is_create,
        "/price",
        "The price per billing cycle, with at most as many decimals as the currency has.",
    )
}

fn billing_cycle(fields: &mut impl Fields, is_create: bool) -> Option<BillingCycle> {
    fields.required_if(is_create, "/billing_cycle", "How often the plan is billed.")
}

const GRANTS: &str = "Values of features by key. An update replaces the keys that are sent; null removes one. They are no part of the version.";

/// The fields that a create and an update share.
fn common(fields: &mut impl Fields, stored: PlanDetails) -> PlanDraft {
    PlanDraft {
        details: Some(details(fields, stored)),
        is_active: fields.optional("/is_active", "Whether the plan accepts new subscriptions."),
        entitlements: fields.optional("/entitlements", GRANTS),
        ..PlanDraft::default()
    }
}

/// The details that are sent replace the stored ones.
fn details(fields: &mut impl Fields, mut details: PlanDetails) -> PlanDetails {
    fields.set("/description", "A description of the plan.", &mut details.description);
    fields.set("/node_quota", "The number of nodes that the plan includes.", &mut details.node_quota);
    fields.set("/features", "A comma-separated list in one string, stored unchanged.", &mut details.features);
    fields.set("/most_popular", "Whether to mark the plan as the most popular one.", &mut details.most_popular);
    fields.set("/tier", "The rank of the plan among all plans.", &mut details.tier);
    details
}

fn record_schema() -> Value {
    let before = [
        ("id", schema::id::<PlanId>()),
        ("name", json!({ "type": "string" })),
        ("product_id", json!({ "type": ["string", "null"] })),
        ("variants", json!({ "type": "array", "items": { "type": "string" } })),
        ("slug", json!({ "type": "string" })),
        ("price", json!({ "type": "number", "minimum": 0 })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("href", json!({ "type": ["string", "null"] })),
        ("billing_cycle", schema::words(&BillingCycle::ALL.map(BillingCycle::as_str))),
    ];
    let after = [
        ("is_active", json!({ "type": "boolean" })),
        ("version", schema::id::<Version>()),
        ("billing", billing::definition()),
        ("entitlements", entitlements::grants_schema()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ];
    let details = |fields: &mut SchemaWriter| drop(details(fields, PlanDetails::default()));
    schema::record_with_details(&before, details, &after)
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Plan {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let id = PlanId::from_bytes(samples::ID);
    Plan::create(draft, errors, &samples::organization(), id, samples::REVISION, samples::now())
        .expect("the example is valid")
}

fn created_response(plan: &Plan) -> StoredResponse {
    created(plan, format!("{COLLECTION}/{}", plan.slug), plan.revision, None)
}

fn record(plan: &Plan) -> Reply {
    Reply::record(plan, etag(plan.revision, None))
}

/// The plan that a path names.
pub(crate) fn key(parameter: &str) -> Result<PlanKey, Problem> {
    PlanKey::parse(parameter).ok_or_else(|| Error::NotFound.into())
}

fn create_example() -> Value {
    {
        json!({
            "name": "Pro", "slug": "pro-monthly", "price": 19.99, "currency": "USD", "billing_cycle": "monthly",
            "product_id": "prod_42", "variants": ["eu", "us"], "href": "https://example.com/plans/pro",
            "description": "For growing teams.", "node_quota": 10, "features": "sso,audit log,priority support",
            "most_popular": true, "tier": 2
        })
    }
}

fn update_example() -> Value {
    json!({ "price": 24.99, "most_popular": false, "is_active": true })
}
