//! Meters in the store.

use std::sync::LazyLock;

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::id::{EventId, MeterId, OrganizationId};
use perennial_domain::meters::{Aggregation, Meter, MeterKey, MeterSlug};
use perennial_domain::text::Line;

/// The meters.
pub static METERS: Table = Table::new(
    33,
    "meters",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("slug", Type::Text).unique(),
        Column::mutable("name", Type::Text),
        Column::fixed("aggregation", Type::Text),
        Column::mutable("unit", Type::Text).nullable(),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.under_clock();

pub(crate) static BY_SLUG: LazyLock<Sql> = LazyLock::new(|| METERS.select("WHERE organization_id = $1 ORDER BY slug"));

/// One row if charges of a live plan name the meter.
pub(crate) static CHARGED: Sql =
    Sql::new("SELECT 1 FROM plans WHERE organization_id = $1 AND deleted_at IS NULL AND billing LIKE $2 LIMIT 1");

impl Record for Meter {
    fn table() -> &'static Table {
        &METERS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("slug", self.slug.as_str());
        row.text("name", self.name.as_str());
        row.text("aggregation", self.aggregation.as_str());
        row.optional_text("unit", self.unit.as_ref().map(Line::as_str));
        row.bool("is_active", self.is_active);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: MeterId::from_bytes(row.uuid("id")?),
            slug: MeterSlug::from_stored(row.text("slug")?),
            name: Line::from_stored(row.text("name")?),
            aggregation: row.word("aggregation", Aggregation::from_stored)?,
            unit: row.optional_text("unit")?.map(Line::from_stored),
            is_active: row.bool("is_active")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The meter with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: MeterId) -> Result<Option<Meter>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The meter with this id or slug.
pub async fn find(db: &Db, organization: OrganizationId, key: &MeterKey) -> Result<Option<Meter>, Error> {
    match key {
        MeterKey::Id(id) => by_id(db, organization, *id).await,
        MeterKey::Slug(slug) => record::by_unique(db, organization, slug.as_str()).await,
    }
}

/// Every meter of an organization, by slug.
pub async fn all(db: &Db, organization: OrganizationId) -> Result<Vec<Meter>, Error> {
    db.all(&BY_SLUG, &[organization.bytes().into()], record::read).await
}

/// A page of an organization's meters, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Meter>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    METERS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new meter; rejected with [`Violation::Slug`] if its slug is in use.
pub fn insert(change: Change, meter: &Meter) -> Change {
    record::insert(change, meter, Violation::Slug)
}

/// The meter as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, meter: &Meter, read_at: EventId) -> Change {
    record::update(change, meter, read_at, Violation::Record)
}

/// Whether charges of a live plan name the meter.
pub async fn is_charged(db: &Db, organization: OrganizationId, id: MeterId) -> Result<bool, Error> {
    let named = format!("%\"meter_id\":\"{id}\"%");
    Ok(db.one(&CHARGED, &[organization.bytes().into(), named.as_str().into()], |_| Ok(())).await?.is_some())
}
