//! `/subscription-plans/{slug}/versions`: the prices and billing cycles that a plan has had, and how they were taxed.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::charge_definition;
use crate::list_query::{self, ListQuery};
use crate::operation::{Handler, Operation, ResponseKind};
use crate::plans::{self, TAG, key};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::plan_versions;
use perennial_domain::clients::Scope;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::plans::{PlanVersion, ReplacedVersion, Version};
use serde_json::{Value, json};

const DEFAULT_LIMIT: usize = 100;

static PLAN_VERSION: Schema =
    Schema { name: "PlanVersion", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "listPlanVersions",
    method: Method::GET,
    path: "/subscription-plans/{slug}/versions",
    tag: TAG,
    summary: "List the versions of a plan",
    description: "Returns the newest version first, which is the current one. A change of the price, the billing cycle, \
                  `billing.tax_behavior` or `billing.charges` adds a version. A subscription stays on its version until it is \
                  moved.",
    access: Access::Scope(Scope::PlansRead),
    query: QuerySpec {
        parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
        parse: |query| {
            parse_list_query(query);
        },
    },
    body: None,
    response: ResponseKind::List(&PLAN_VERSION),
    errors: &[Code::InvalidCursor],
    handler: Handler::Read(|call| Box::pin(list(call))),
}];

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let key = key(&call.path_parameter(0))?;
    let (versions, next) = plan_versions::list(call.app, &call.caller, &key, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&versions, next.as_deref(), limit).cacheable())
}

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

fn record_schema() -> Value {
    schema::record(&[
        ("version", schema::id::<Version>()),
        ("price", json!({ "type": "number", "minimum": 0 })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("billing_cycle", schema::words(&BillingCycle::ALL.map(BillingCycle::as_str))),
        ("created_at", schema::instant()),
        ("tax_behavior", schema::id::<TaxBehavior>()),
        ("charges", json!({ "type": "array", "items": charge_definition() })),
    ])
}

/// The first version of the plan that the example of a create makes.
fn sample() -> PlanVersion {
    let plan = plans::sample();
    ReplacedVersion::of(&plan, plan.updated_at).after(None, &plan)
}
