//! `/subscription-plans`: what can be bought.

use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Fields, SchemaWriter, Whole};
use crate::filters::{self, boolean, limit, schema};
use crate::headers::etag;
use crate::operation::{Access, Answers, Endpoint, Operation, Parameter};
use crate::problem::Problem;
use crate::reply::{Reply, created};
use http::Method;
use perennial_app::error::Error;
use perennial_app::idempotency::StoredResponse;
use perennial_app::plans::{self, Query, Sort};
use perennial_domain::clients::Scope;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::PlanId;
use perennial_domain::plans::{MAX_NODE_QUOTA, MAX_TIER, Plan, PlanDraft, PlanKey, PlanPatch, ProductId, Variant};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/subscription-plans";
const DEFAULT_LIMIT: usize = 100;
const TAG: &str = "Subscription plans";

pub(crate) static LIST: Operation = Operation {
    endpoint: Endpoint::ListPlans,
    method: Method::GET,
    path: COLLECTION,
    id: "listPlans",
    tag: TAG,
    summary: "List plans",
    about: "The organization's plans, by tier and slug unless asked otherwise.",
    access: Access::Scope(Scope::PlansRead),
    query: &[
        Parameter { name: "is_active", about: "Active or retired plans only.", schema: schema::boolean },
        Parameter { name: "billing_cycle", about: "Plans that bill so; aliases are read too.", schema: schema::cycle },
        Parameter { name: "tier", about: "Plans of this tier.", schema: schema::tier },
        Parameter { name: "most_popular", about: "Plans marked as most popular, or not.", schema: schema::boolean },
        Parameter { name: "product_id", about: "Plans of this product.", schema: schema::product },
        Parameter { name: "variant", about: "Plans that name this variant.", schema: schema::text },
        Parameter {
            name: "sort",
            about: "The order; a - before the name turns it round.",
            schema: || filters::sort_schema(&["tier", "price", "name", "created_at", "updated_at"], "tier"),
        },
        Parameter { name: "limit", about: "The most plans on a page.", schema: || schema::limit(DEFAULT_LIMIT) },
        Parameter { name: "cursor", about: "`next_cursor` of the page before.", schema: schema::cursor },
    ],
    takes: None,
    example: None,
    answers: Answers::List("Plan"),
    refuses: &[Code::InvalidCursor],
};

pub(crate) static CREATE: Operation = Operation {
    endpoint: Endpoint::CreatePlan,
    method: Method::POST,
    path: COLLECTION,
    id: "createPlan",
    tag: TAG,
    summary: "Create a plan",
    about: "With an `Idempotency-Key` a retry answers what the first request did.",
    access: Access::Scope(Scope::PlansWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        draft(&mut writer);
        writer.finish()
    }),
    example: Some(|| {
        json!({
            "name": "Pro", "slug": "pro-monthly", "price": 19.99, "currency": "USD", "billing_cycle": "monthly",
            "product_id": "prod_42", "variants": ["eu", "us"], "href": "https://example.com/plans/pro",
            "description": "For growing teams.", "node_quota": 10, "features": "sso,audit log,priority support",
            "most_popular": true, "tier": 2
        })
    }),
    answers: Answers::Created("Plan"),
    refuses: &[Code::SlugTaken],
};

pub(crate) static READ: Operation = Operation {
    endpoint: Endpoint::ReadPlan,
    method: Method::GET,
    path: "/subscription-plans/{slug}",
    id: "readPlan",
    tag: TAG,
    summary: "Read a plan",
    about: "By its slug or its id.",
    access: Access::Scope(Scope::PlansRead),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Plan"),
    refuses: &[],
};

pub(crate) static UPDATE: Operation = Operation {
    endpoint: Endpoint::UpdatePlan,
    method: Method::PUT,
    path: "/subscription-plans/{slug}",
    id: "updatePlan",
    tag: TAG,
    summary: "Update a plan",
    about: "Merges: what is left out stays as it is. What names the product cannot be changed.",
    access: Access::Scope(Scope::PlansWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        patch(&mut writer, None);
        writer.finish()
    }),
    example: Some(|| json!({ "price": 24.99, "most_popular": false, "is_active": true })),
    answers: Answers::Record("Plan"),
    refuses: &[Code::Contended],
};

pub(crate) static DELETE: Operation = Operation {
    endpoint: Endpoint::DeletePlan,
    method: Method::DELETE,
    path: "/subscription-plans/{slug}",
    id: "deletePlan",
    tag: TAG,
    summary: "Delete a plan",
    about: "Only while no subscription refers to it; answers the plan as it was. Its slug is free again.",
    access: Access::Scope(Scope::PlansWrite),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Plan"),
    refuses: &[Code::PlanInUse, Code::Contended],
};

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let Wanted { query, limit, cursor } = wanted(&mut call.query);
    call.no_body().await?;
    let (plans, next) = plans::list(call.app, &call.caller, &query, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&plans, next.as_deref(), limit).cacheable())
}

/// What a list was asked for.
pub(crate) struct Wanted {
    query: Query,
    limit: usize,
    cursor: Option<String>,
}

/// Reads the parameters of a list.
pub(crate) fn wanted(query: &mut crate::query::Query) -> Wanted {
    let sort = query.get("sort", |text| {
        filters::sort(
            text,
            &[
                ("tier", Sort::Tier),
                ("price", Sort::Price),
                ("name", Sort::Name),
                ("created_at", Sort::Created),
                ("updated_at", Sort::Updated),
            ],
        )
    });
    let (sort, descending) = sort.unwrap_or_default();
    let wanted = Query {
        is_active: query.get("is_active", boolean),
        billing_cycle: query.get("billing_cycle", BillingCycle::parse),
        tier: query.get("tier", |text| filters::whole(text, MAX_TIER)),
        most_popular: query.get("most_popular", boolean),
        product_id: query.get("product_id", |text| ProductId::parse(text).map(|id| id.as_str().to_owned())),
        variant: query.get("variant", |text| Variant::parse(text).map(|variant| variant.as_str().to_owned())),
        sort,
        descending,
    };
    Wanted {
        query: wanted,
        limit: query.get("limit", limit).unwrap_or(DEFAULT_LIMIT),
        cursor: query.get("cursor", |text| Ok(text.to_owned())),
    }
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, faults) = body.read(|fields| draft(fields));
    let answer = plans::create(call.app, &call.caller, key.as_ref(), draft, faults, told).await?;
    Ok(Reply::answer(answer))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let plan = plans::read(call.app, &call.caller, &key(&call.parameter)?).await?;
    Ok(record(&plan).cacheable())
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |plan: &Plan| body.read(|fields| patch(fields, Some(plan)));
    let plan = plans::update(call.app, &call.caller, &key(&call.parameter)?, &if_match, read).await?;
    Ok(record(&plan))
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let plan = plans::delete(call.app, &call.caller, &key(&call.parameter)?, &if_match).await?;
    Ok(record(&plan))
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> PlanDraft {
    let draft = PlanDraft {
        name: fields.required("/name", "What customers call the plan."),
        product_id: fields.nullable("/product_id", "The product it sells, in another system's words.").flatten(),
        variants: fields.optional("/variants", "Variants of that product."),
        slug: fields.required("/slug", "The plan's name in paths; it never changes."),
        price: fields.required("/price", "What one cycle costs, with at most the currency's decimals."),
        currency: fields.optional("/currency", "The price's currency; the organization's unless given."),
        href: fields.nullable("/href", "A link to the plan.").flatten(),
        billing_cycle: fields.required("/billing_cycle", "How often it bills."),
        description: fields.optional("/description", "What it is, in prose."),
        node_quota: fields
            .optional::<Whole<MAX_NODE_QUOTA>>("/node_quota", "How many nodes it includes.")
            .map(|whole| whole.0),
        features: fields.optional("/features", "A comma-separated list in one string, kept as it is."),
        most_popular: fields.optional("/most_popular", "Whether to mark it as the usual choice."),
        tier: fields.optional::<Whole<MAX_TIER>>("/tier", "Its rank among the plans.").map(|whole| whole.0),
        is_active: fields.optional("/is_active", "Whether it takes new subscriptions."),
    };
    for at in ["/id", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back as they stand.
pub(crate) fn patch(fields: &mut impl Fields, plan: Option<&Plan>) -> PlanPatch {
    let patch = PlanPatch {
        price: fields.optional("/price", "What one cycle costs, with at most the currency's decimals."),
        billing_cycle: fields.optional("/billing_cycle", "How often it bills."),
        description: fields.optional("/description", "What it is, in prose."),
        node_quota: fields
            .optional::<Whole<MAX_NODE_QUOTA>>("/node_quota", "How many nodes it includes.")
            .map(|whole| whole.0),
        features: fields.optional("/features", "A comma-separated list in one string, kept as it is."),
        most_popular: fields.optional("/most_popular", "Whether to mark it as the usual choice."),
        tier: fields.optional::<Whole<MAX_TIER>>("/tier", "Its rank among the plans.").map(|whole| whole.0),
        is_active: fields.optional("/is_active", "Whether it takes new subscriptions."),
    };
    fields.unchanged::<PlanId>("/id", plan.map(|plan| &plan.id));
    fields.unchanged("/slug", plan.map(|plan| &plan.slug));
    fields.unchanged("/name", plan.map(|plan| &plan.name));
    fields.unchanged_or_null::<Line<0, 255>>("/product_id", plan.map(|plan| plan.product_id.as_ref()));
    fields.unchanged("/variants", plan.map(|plan| &plan.variants));
    fields.unchanged_or_null("/href", plan.map(|plan| plan.href.as_ref()));
    fields.unchanged("/currency", plan.map(|plan| &plan.currency));
    fields.unchanged::<Time>("/created_at", plan.map(|plan| &plan.created_at));
    fields.ignored("/updated_at");
    patch
}

/// The schema of the record.
pub(crate) fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<PlanId>()),
        ("name", json!({ "type": "string" })),
        ("product_id", json!({ "type": ["string", "null"] })),
        ("variants", json!({ "type": "array", "items": { "type": "string" } })),
        ("slug", json!({ "type": "string" })),
        ("price", json!({ "type": "number", "minimum": 0 })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("href", json!({ "type": ["string", "null"] })),
        ("billing_cycle", schema::words(&BillingCycle::ALL.map(BillingCycle::as_str))),
        ("description", json!({ "type": "string" })),
        ("node_quota", json!({ "type": "integer", "minimum": 0 })),
        ("features", json!({ "type": "string" })),
        ("most_popular", json!({ "type": "boolean" })),
        ("tier", json!({ "type": "integer", "minimum": 0 })),
        ("is_active", json!({ "type": "boolean" })),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// A record as it may be answered.
pub(crate) fn record_example() -> Value {
    json!({
        "id": "plan_01h455vb4pex5vsknk084sn02q", "name": "Pro", "product_id": "prod_42", "variants": ["eu", "us"],
        "slug": "pro-monthly", "price": 19.99, "currency": "USD", "href": "https://example.com/plans/pro",
        "billing_cycle": "monthly", "description": "For growing teams.", "node_quota": 10,
        "features": "sso,audit log,priority support", "most_popular": true, "tier": 2, "is_active": true,
        "created_at": "2026-01-31T09:30:00.000000Z", "updated_at": "2026-01-31T09:30:00.000000Z"
    })
}

fn told(plan: &Plan) -> StoredResponse {
    created(plan, format!("{COLLECTION}/{}", plan.slug), plan.revision, None)
}

fn record(plan: &Plan) -> Reply {
    Reply::record(plan, etag(plan.revision, None))
}

fn key(parameter: &str) -> Result<PlanKey, Problem> {
    PlanKey::parse(parameter).ok_or_else(|| Error::NotFound.into())
}
