//! Plans in the store.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{Key, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::entitlements::Grants;
use perennial_domain::id::{EventId, OrganizationId, PlanId};
use perennial_domain::plans::billing::PlanBilling;
use perennial_domain::plans::{Href, MAX_NODE_QUOTA, MAX_TIER, MAX_VERSION, Plan, PlanDetails, PlanKey};
use perennial_domain::slug::Slug;
use perennial_domain::text::{Line, Prose};
use perennial_domain::time::Time;

/// The plans.
pub static PLANS: Table = Table::new(
    6,
    "plans",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("slug", Type::Text).unique(),
        Column::fixed("name", Type::Text),
        Column::fixed("product_id", Type::Text).nullable(),
        Column::fixed("variants", Type::Text),
        Column::mutable("price", Type::Int),
        Column::fixed("currency", Type::Text),
        Column::fixed("href", Type::Text).nullable(),
        Column::mutable("billing_cycle", Type::Text),
        Column::mutable("description", Type::Text),
        Column::mutable("node_quota", Type::Int).between(0, MAX_NODE_QUOTA),
        Column::mutable("features", Type::Text),
        Column::mutable("most_popular", Type::Bool),
        Column::mutable("tier", Type::Int).between(0, MAX_TIER),
        Column::mutable("is_active", Type::Bool),
        Column::mutable("version", Type::Int).between(1, MAX_VERSION),
        Column::mutable("billing", Type::Text).nullable(),
        Column::mutable("entitlements", Type::Text).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.deleted_unless(
    "SELECT 1 FROM subscriptions WHERE organization_id = $1 AND plan_id = $2 AND deleted_at IS NULL
     UNION ALL
     SELECT 1 FROM subscriptions WHERE organization_id = $1 AND change_plan_id = $2 AND deleted_at IS NULL",
)
.under_clock();

pub(crate) static ACTIVE: Sql = Sql::new(
    "SELECT 1 FROM plans
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND is_active AND deleted_at IS NULL",
);

/// A plan, deleted or not.
pub(crate) static EVER: LazyLock<Sql> = LazyLock::new(|| PLANS.select("WHERE organization_id = $1 AND id = $2"));

impl Record for Plan {
    fn table() -> &'static Table {
        &PLANS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("slug", self.slug.as_str());
        row.text("name", self.name.as_str());
        row.optional_text("product_id", self.product_id.as_ref().map(Line::as_str));
        row.list("variants", self.variants.iter().map(Line::as_str));
        row.int("price", self.price.ten_thousandths());
        row.text("currency", self.currency.as_str());
        row.optional_text("href", self.href.as_ref().map(Href::as_str));
        row.text("billing_cycle", self.billing_cycle.as_str());
        row.text("description", self.details.description.as_str());
        row.whole("node_quota", self.details.node_quota);
        row.text("features", self.details.features.as_str());
        row.bool("most_popular", self.details.most_popular);
        row.whole("tier", self.details.tier);
        row.bool("is_active", self.is_active);
        row.whole("version", self.version);
        row.optional_text("billing", self.billing.as_deref().map(PlanBilling::to_stored).as_deref());
        row.optional_text("entitlements", self.entitlements.to_stored().as_deref());
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: PlanId::from_bytes(row.uuid("id")?),
            slug: Slug::from_stored(row.text("slug")?),
            name: Line::from_stored(row.text("name")?),
            product_id: row.optional_text("product_id")?.map(Line::from_stored),
            variants: row.list("variants")?.map(Line::from_stored).collect(),
            price: row.money("price")?,
            currency: row.word("currency", |word| Currency::parse(word).ok())?,
            href: row.optional_text("href")?.map(Href::from_stored),
            billing_cycle: row.word("billing_cycle", BillingCycle::from_stored)?,
            details: PlanDetails {
                description: Prose::from_stored(row.text("description")?),
                node_quota: row.whole("node_quota")?,
                features: Prose::from_stored(row.text("features")?),
                most_popular: row.bool("most_popular")?,
                tier: row.whole("tier")?,
            },
            is_active: row.bool("is_active")?,
            version: row.whole("version")?,
            billing: row.optional_word("billing", PlanBilling::from_stored)?.map(Box::new),
            entitlements: row.optional_word("entitlements", Grants::from_stored)?.unwrap_or_default(),
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The live plan with this id or slug.
pub async fn find(db: &Db, organization: OrganizationId, key: &PlanKey) -> Result<Option<Plan>, Error> {
    match key {
        PlanKey::Id(id) => record::by_id(db, organization, id.bytes()).await,
        PlanKey::Slug(slug) => record::by_unique(db, organization, slug.as_str()).await,
    }
}

/// The plan with this id, deleted or not: what was used under it is billed after its deletion too.
pub async fn ever(db: &Db, organization: OrganizationId, id: PlanId) -> Result<Option<Plan>, Error> {
    db.find(&EVER, [organization.bytes().into(), id.bytes().into()], record::read).await
}

/// What a list of plans is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By tier, then slug.
    #[default]
    Tier,
    /// By price, regardless of the currency.
    Price,
    /// By name, in byte order.
    Name,
    /// By creation.
    Created,
    /// By the last change.
    Updated,
}

/// The filters and the order of a list of plans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only active or only inactive plans.
    pub is_active: Option<bool>,
    /// Plans with this billing cycle.
    pub billing_cycle: Option<BillingCycle>,
    /// Plans of this tier.
    pub tier: Option<i64>,
    /// Only plans that are marked as most popular, or only others.
    pub most_popular: Option<bool>,
    /// Plans of this product.
    pub product_id: Option<String>,
    /// Plans with this variant.
    pub variant: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Whether the order is descending.
    pub descending: bool,
}

static BY_TIER: &[Key] = &[Key::new("tier", Type::Int), Key::new("slug", Type::Text)];
static BY_PRICE: &[Key] = &[Key::new("price", Type::Int), Key::new("id", Type::Uuid)];
static BY_NAME: &[Key] = &[Key::new("name", Type::Text), Key::new("id", Type::Uuid)];
static BY_CREATION: &[Key] = &[Key::new("id", Type::Uuid)];
static BY_CHANGE: &[Key] = &[Key::new("updated_at", Type::Time), Key::new("id", Type::Uuid)];

/// A page of live plans. An organization has few plans, so only the default order has an index.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Plan>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

/// The position of a plan in such a list.
pub fn position(plan: &Plan, sort: Sort) -> Position {
    let id = plan.id.bytes().into();
    let values = match sort {
        Sort::Tier => vec![plan.details.tier.get().into(), plan.slug.as_str().into()],
        Sort::Price => vec![plan.price.ten_thousandths().into(), id],
        Sort::Name => vec![plan.name.as_str().into(), id],
        Sort::Created => vec![id],
        Sort::Updated => vec![codec::time(plan.updated_at), id],
    };
    Position { values }
}

pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let keys = match query.sort {
        Sort::Tier => BY_TIER,
        Sort::Price => BY_PRICE,
        Sort::Name => BY_NAME,
        Sort::Created => BY_CREATION,
        Sort::Updated => BY_CHANGE,
    };
    let order = if query.descending { Order::Descending } else { Order::Ascending };
    let mut list = PLANS.list(organization.bytes()).sort(keys, order);
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

/// A new plan; rejected with [`Violation::Slug`] if its slug is in use.
pub fn insert(change: Change, plan: &Plan) -> Change {
    record::insert(change, plan, Violation::Slug)
}

/// The plan as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, plan: &Plan, read_at: EventId) -> Change {
    record::update(change, plan, read_at, Violation::Record)
}

/// Soft-deletes the plan; rejected with [`Violation::InUse`] as long as a live subscription refers to it.
pub fn delete(change: Change, plan: &Plan, at: Time, revision: EventId) -> Change {
    record::delete(change, plan, plan.revision, (at, revision), Violation::InUse)
}

/// Locks the plan as it was read until the change is committed: a decision depends on its grants.
pub fn guard_unchanged(change: Change, plan: &Plan) -> Change {
    let (key, lock) = (plan.id.bytes(), change.additional_lock(&PLANS, plan.id.bytes()));
    let sql = PLANS.statements().at_revision.as_ref().expect("a plan has a revision");
    let params = vec![plan.organization_id.bytes().into(), key.into(), plan.revision.bytes().into()];
    change.guard(Guard { table: &PLANS, key, lock, sql, params, violation: Violation::Plan })
}

/// Locks the live plan against changes until the change is committed.
pub fn guard_live(change: Change, organization: OrganizationId, id: PlanId) -> Change {
    record::guard_live::<Plan>(change, organization, id.bytes(), Violation::Plan)
}

/// Locks the plan as it was read, live and active, until the change is committed.
pub fn guard_active(change: Change, plan: &Plan) -> Change {
    change.guard(Guard {
        table: &PLANS,
        key: plan.id.bytes(),
        lock: Lock::Share,
        sql: &ACTIVE,
        params: vec![plan.organization_id.bytes().into(), plan.id.bytes().into(), plan.revision.bytes().into()],
        violation: Violation::Plan,
    })
}
