//! Plans in the store.

use crate::change::{Change, Guard, Lock, Table, Violation};
use crate::list::{Key, List, Listing, Order, Page, Position};
use crate::row::Row;
use crate::sql::{Insert, Sql};
use crate::value::{Type, Value};
use crate::{Db, Error, codec};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, OrganizationId, PlanId};
use perennial_domain::plans::{Href, Plan, PlanKey};
use perennial_domain::slug::Slug;
use perennial_domain::text::{Line, Prose};
use perennial_domain::time::Time;

macro_rules! columns {
    () => {
        "id, name, product_id, variants, slug, price, currency, href, billing_cycle, description, node_quota, features, \
         most_popular, tier, is_active, created_at, updated_at, organization_id, revision"
    };
}

pub(crate) static BY_ID: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM plans
     WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL"
));

pub(crate) static BY_SLUG: Sql = Sql::new(concat!(
    "SELECT ",
    columns!(),
    "
     FROM plans
     WHERE organization_id = $1 AND slug = $2 AND deleted_at IS NULL"
));

pub(crate) static INSERT: Insert = Insert::new(
    "plans",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("slug", Type::Text),
        ("name", Type::Text),
        ("product_id", Type::Text),
        ("variants", Type::Text),
        ("price", Type::Int),
        ("currency", Type::Text),
        ("href", Type::Text),
        ("billing_cycle", Type::Text),
        ("description", Type::Text),
        ("node_quota", Type::Int),
        ("features", Type::Text),
        ("most_popular", Type::Bool),
        ("tier", Type::Int),
        ("is_active", Type::Bool),
        ("created_at", Type::Time),
        ("updated_at", Type::Time),
        ("revision", Type::Uuid),
    ],
    "ON CONFLICT DO NOTHING",
);

/// The revision that its guard holds is said again: see the subscriptions' `UPDATE`.
pub(crate) static UPDATE: Sql = Sql::new(
    "UPDATE plans
     SET price = $3, billing_cycle = $4, description = $5, node_quota = $6, features = $7, most_popular = $8, tier = $9,
         is_active = $10, updated_at = $11, revision = $12
     WHERE organization_id = $1 AND id = $2 AND revision = $13",
);

pub(crate) static DELETE: Sql = Sql::new(
    "UPDATE plans
     SET deleted_at = $3, revision = $4
     WHERE organization_id = $1 AND id = $2 AND revision = $5
       AND NOT EXISTS (
           SELECT 1 FROM subscriptions
           WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL)",
);

pub(crate) static AT_REVISION: Sql = Sql::new(
    "SELECT 1 FROM plans
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND deleted_at IS NULL",
);

pub(crate) static ACTIVE: Sql = Sql::new(
    "SELECT 1 FROM plans
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND is_active AND deleted_at IS NULL",
);

/// The live plan a key names.
pub async fn find(db: &Db, organization: OrganizationId, key: &PlanKey) -> Result<Option<Plan>, Error> {
    let (sql, key) = match key {
        PlanKey::Id(id) => (&BY_ID, Value::from(id.bytes())),
        PlanKey::Slug(slug) => (&BY_SLUG, Value::from(slug.as_str())),
    };
    db.find(sql, [organization.bytes().into(), key], read).await
}

/// What a list of plans is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By tier, then slug.
    #[default]
    Tier,
    /// By price, whatever the currency.
    Price,
    /// By name, in byte order.
    Name,
    /// By creation.
    Created,
    /// By the last change.
    Updated,
}

/// Which plans, in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Active or retired ones only.
    pub is_active: Option<bool>,
    /// Those that bill so.
    pub billing_cycle: Option<BillingCycle>,
    /// Those of a tier.
    pub tier: Option<i64>,
    /// Those marked, or not.
    pub most_popular: Option<bool>,
    /// Those of a product.
    pub product_id: Option<String>,
    /// Those with a variant.
    pub variant: Option<String>,
    /// The order.
    pub sort: Sort,
    /// The order turned round.
    pub descending: bool,
}

static LISTING: Listing = Listing::new("plans", columns!()).live();
static BY_TIER: &[Key] = &[Key::new("tier", Type::Int), Key::new("slug", Type::Text)];
static BY_PRICE: &[Key] = &[Key::new("price", Type::Int), Key::new("id", Type::Uuid)];
static BY_NAME: &[Key] = &[Key::new("name", Type::Text), Key::new("id", Type::Uuid)];
static BY_CREATION: &[Key] = &[Key::new("id", Type::Uuid)];
static BY_CHANGE: &[Key] = &[Key::new("updated_at", Type::Time), Key::new("id", Type::Uuid)];

/// A page of live plans. An organization has few plans, so only the usual order has an index.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Plan>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, read).await
}

/// Where a plan stands in such a list.
pub fn position(plan: &Plan, sort: Sort) -> Position {
    let id = plan.id.bytes().into();
    let values = match sort {
        Sort::Tier => vec![plan.tier.into(), plan.slug.as_str().into()],
        Sort::Price => vec![plan.price.ten_thousandths().into(), id],
        Sort::Name => vec![plan.name.as_str().into(), id],
        Sort::Created => vec![id],
        Sort::Updated => vec![codec::time(plan.updated_at), id],
    };
    Position { values }
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> List {
    let keys = match query.sort {
        Sort::Tier => BY_TIER,
        Sort::Price => BY_PRICE,
        Sort::Name => BY_NAME,
        Sort::Created => BY_CREATION,
        Sort::Updated => BY_CHANGE,
    };
    let order = if query.descending { Order::Descending } else { Order::Ascending };
    let mut list = LISTING.of(organization.bytes()).sort(keys, order);
    if let Some(is_active) = query.is_active {
        list = list.filter("is_active = {}", vec![is_active.into()]);
    }
    if let Some(cycle) = query.billing_cycle {
        list = list.filter("billing_cycle = {}", vec![cycle.as_str().into()]);
    }
    if let Some(tier) = query.tier {
        list = list.filter("tier = {}", vec![tier.into()]);
    }
    if let Some(most_popular) = query.most_popular {
        list = list.filter("most_popular = {}", vec![most_popular.into()]);
    }
    if let Some(product) = &query.product_id {
        list = list.filter("product_id = {}", vec![product.as_str().into()]);
    }
    if let Some(variant) = &query.variant {
        list = list.filter("replace(variants, {}, '') <> variants", vec![codec::joined_part(variant).into()]);
    }
    list
}

/// A new plan; misses with [`Violation::Slug`] if its slug is in use.
pub fn insert(change: Change, plan: &Plan) -> Change {
    change.insert(&INSERT, values(plan), Violation::Slug)
}

/// A plan as [`INSERT`] has it.
pub(crate) fn values(plan: &Plan) -> Vec<Value> {
    vec![
        plan.organization_id.bytes().into(),
        plan.id.bytes().into(),
        plan.slug.as_str().into(),
        plan.name.as_str().into(),
        plan.product_id.as_ref().map(Line::as_str).into(),
        codec::join(plan.variants.iter().map(Line::as_str)).into(),
        plan.price.ten_thousandths().into(),
        plan.currency.as_str().into(),
        plan.href.as_ref().map(Href::as_str).into(),
        plan.billing_cycle.as_str().into(),
        plan.description.as_str().into(),
        plan.node_quota.into(),
        plan.features.as_str().into(),
        plan.most_popular.into(),
        plan.tier.into(),
        plan.is_active.into(),
        codec::time(plan.created_at),
        codec::time(plan.updated_at),
        plan.revision.bytes().into(),
    ]
}

/// The plan as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, plan: &Plan, read_at: EventId) -> Change {
    let values = vec![
        plan.organization_id.bytes().into(),
        plan.id.bytes().into(),
        plan.price.ten_thousandths().into(),
        plan.billing_cycle.as_str().into(),
        plan.description.as_str().into(),
        plan.node_quota.into(),
        plan.features.as_str().into(),
        plan.most_popular.into(),
        plan.tier.into(),
        plan.is_active.into(),
        codec::time(plan.updated_at),
        plan.revision.bytes().into(),
        read_at.bytes().into(),
    ];
    at_revision(change, plan, read_at).execute(&UPDATE, values, Violation::Record)
}

/// Takes the plan out of use; misses with [`Violation::InUse`] while a live subscription refers to it.
pub fn delete(change: Change, plan: &Plan, at: Time, revision: EventId) -> Change {
    let values = vec![
        plan.organization_id.bytes().into(),
        plan.id.bytes().into(),
        codec::time(at),
        revision.bytes().into(),
        plan.revision.bytes().into(),
    ];
    at_revision(change, plan, plan.revision).execute(&DELETE, values, Violation::InUse)
}

/// Holds the plan as it was read, live and active, until the change is written.
pub fn guard_active(change: Change, plan: &Plan) -> Change {
    change.guard(Guard {
        table: Table::Plans,
        key: plan.id.bytes(),
        lock: Lock::Share,
        sql: &ACTIVE,
        params: state(plan, plan.revision),
        violation: Violation::Plan,
    })
}

fn at_revision(change: Change, plan: &Plan, revision: EventId) -> Change {
    change.guard(Guard {
        table: Table::Plans,
        key: plan.id.bytes(),
        lock: Lock::Exclusive,
        sql: &AT_REVISION,
        params: state(plan, revision),
        violation: Violation::Record,
    })
}

/// What tells one state of a plan from the next, after the key.
fn state(plan: &Plan, revision: EventId) -> Vec<Value> {
    vec![plan.organization_id.bytes().into(), plan.id.bytes().into(), revision.bytes().into()]
}

fn read(row: &Row<'_>) -> Result<Plan, Error> {
    Ok(Plan {
        id: PlanId::from_bytes(row.uuid(0)?),
        name: Line::from_stored(row.text(1)?),
        product_id: row.optional_text(2)?.map(Line::from_stored),
        variants: codec::split(row.text_ref(3)?).map(Line::from_stored).collect(),
        slug: Slug::from_stored(row.text(4)?),
        price: codec::money(row.int(5)?)?,
        currency: codec::word(row.text_ref(6)?, |word| Currency::parse(word).ok())?,
        href: row.optional_text(7)?.map(Href::from_stored),
        billing_cycle: codec::word(row.text_ref(8)?, BillingCycle::from_stored)?,
        description: Prose::from_stored(row.text(9)?),
        node_quota: row.int(10)?,
        features: Prose::from_stored(row.text(11)?),
        most_popular: row.bool(12)?,
        tier: row.int(13)?,
        is_active: row.bool(14)?,
        created_at: codec::read_time(row.time(15)?)?,
        updated_at: codec::read_time(row.time(16)?)?,
        organization_id: OrganizationId::from_bytes(row.uuid(17)?),
        revision: EventId::from_bytes(row.uuid(18)?),
    })
}
