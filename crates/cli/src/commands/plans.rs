//! `perennial plan`.

use super::records::{self, Column, Kind, text};
use super::{chosen_sort, organization, read_flag, wrong};
use crate::arguments::{Plan as Command, PlanList};
use crate::failure::Failure;
use perennial_app::context::App;
use perennial_app::plans::{self, Query, Sort};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::OrganizationId;
use perennial_domain::plans::{Plan, PlanKey, ProductId, Variant};

static KIND: Kind = Kind {
    name: "plan",
    fields: &[
        "id",
        "name",
        "product_id",
        "variants",
        "slug",
        "price",
        "currency",
        "href",
        "billing_cycle",
        "description",
        "node_quota",
        "features",
        "most_popular",
        "tier",
        "is_active",
        "created_at",
        "updated_at",
    ],
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

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::List(list) => {
            let organization = organization(app, &list.portion.org.org).await?.id;
            let query = query(&list)?;
            let after = match &list.portion.after {
                Some(named) => Some(plans::position(&find(app, organization, named).await?, query.sort)),
                None => None,
            };
            let pages = async |after, limit| Ok(plans::page(app, organization, &query, after, limit).await?);
            records::list(&KIND, json, &list.portion, after, pages, |plan| (plan.slug.as_str().to_owned(), text(plan)))
                .await
        }
        Command::Get { plan, single } => {
            let organization = organization(app, &single.org.org).await?.id;
            let plan = find(app, organization, &plan).await?;
            records::show(&KIND, json, &single, &text(&plan))
        }
    }
}

/// A plan by its slug or id.
pub(super) async fn find(app: &App, organization: OrganizationId, named: &str) -> Result<Plan, Failure> {
    let found = match PlanKey::parse(named) {
        Some(key) => plans::find(app, organization, &key).await?,
        None => None,
    };
    found.ok_or_else(|| KIND.missing(named))
}

fn query(list: &PlanList) -> Result<Query, Failure> {
    let sorts = [
        ("tier", Sort::Tier),
        ("price", Sort::Price),
        ("name", Sort::Name),
        ("created_at", Sort::Created),
        ("updated_at", Sort::Updated),
    ];
    let (sort, descending) = chosen_sort(&list.sort, &sorts)?;
    let product = list.product_id.as_deref().map(ProductId::parse).transpose();
    let variant = list.variant.as_deref().map(Variant::parse).transpose();
    Ok(Query {
        is_active: list.is_active,
        billing_cycle: read_flag("billing-cycle", list.billing_cycle.as_deref(), BillingCycle::parse)?,
        tier: list.tier,
        most_popular: list.most_popular,
        product_id: product.map_err(|reason| wrong("product-id", &reason))?.map(|id| id.as_str().to_owned()),
        variant: variant.map_err(|reason| wrong("variant", &reason))?.map(|variant| variant.as_str().to_owned()),
        sort,
        descending,
    })
}
