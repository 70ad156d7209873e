//! `perennial plan`.

use super::flags::{organization, read_flag, read_sort};
use super::records::{self, Column, Kind, PAGE_SIZE, Record, find, text};
use crate::arguments::{Plan as Command, PlanFilters};
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::plan_versions;
use perennial_app::plans::{self, Query, Sort};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::{Plan, PlanKey, PlanVersion, ProductId, Variant};
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "plan",
    fields: || record_fields("Plan"),
    columns: &[
        Column::whole("SLUG", "slug"),
        Column::new("NAME", "name"),
        Column::new("PRICE", "price"),
        Column::new("CURRENCY", "currency"),
        Column::new("CYCLE", "billing_cycle"),
        Column::new("TIER", "tier"),
        Column::new("ACTIVE", "is_active"),
        Column::new("ID", "id"),
    ],
};

static VERSIONS: Kind = Kind {
    name: "plan version",
    fields: || record_fields("PlanVersion"),
    columns: &[
        Column::whole("VERSION", "version"),
        Column::new("PRICE", "price"),
        Column::new("CURRENCY", "currency"),
        Column::new("CYCLE", "billing_cycle"),
        Column::new("CREATED", "created_at"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Record(command) => records::run::<Plan>(app, command, json).await,
        Command::Versions { plan, single } => {
            let caller = Caller::system(organization(app, &single.org.org).await?.id);
            let plan = find::<Plan>(app, &caller, &plan).await?;
            records::write(&VERSIONS, &versions(app, &plan).await?, &single, json)
        }
    }
}

/// All versions of a plan.
async fn versions(app: &App, plan: &Plan) -> Result<Vec<PlanVersion>, Error> {
    let (mut versions, mut after) = (Vec::new(), None);
    loop {
        let page = plan_versions::page(app, plan, after, PAGE_SIZE).await?;
        versions.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(versions);
        }
    }
}

const SORTS: [(&str, Sort); 5] = [
    ("tier", Sort::Tier),
    ("price", Sort::Price),
    ("name", Sort::Name),
    ("created_at", Sort::Created),
    ("updated_at", Sort::Updated),
];

impl Record for Plan {
    type Filters = PlanFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        plans::read(app, caller, &PlanKey::parse(named).ok_or(Error::NotFound)?).await
    }

    async fn query(_: &App, _: &Caller, filters: &PlanFilters) -> Result<Query, Failure> {
        let (sort, descending) = read_sort(&filters.sort, &SORTS)?;
        let product = read_flag("product-id", filters.product_id.as_deref(), ProductId::parse)?;
        let variant = read_flag("variant", filters.variant.as_deref(), Variant::parse)?;
        Ok(Query {
            is_active: filters.is_active,
            billing_cycle: read_flag("billing-cycle", filters.billing_cycle.as_deref(), BillingCycle::parse)?,
            tier: filters.tier,
            most_popular: filters.most_popular,
            product_id: product.map(|id| id.as_str().to_owned()),
            variant: variant.map(|variant| variant.as_str().to_owned()),
            sort,
            descending,
        })
    }

    async fn page(
        app: &App,
        caller: &Caller,
        query: &Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        plans::page(app, caller, query, after, limit).await
    }

    fn position(&self, query: &Query) -> Position {
        plans::position(self, query.sort)
    }

    fn name(&self) -> String {
        self.slug.as_str().to_owned()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
