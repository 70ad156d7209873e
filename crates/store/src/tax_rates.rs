//! Tax rates in the store.

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
use perennial_domain::country::Country;
use perennial_domain::id::{EventId, OrganizationId, TaxRateId};
use perennial_domain::tax_rates::{TaxPercentage, TaxRate};
use perennial_domain::text::Line;

/// The tax rates.
pub static TAX_RATES: Table = Table::new(
    32,
    "tax_rates",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("name", Type::Text),
        Column::fixed("percentage", Type::Int),
        Column::fixed("country", Type::Text).nullable(),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
);

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| TAX_RATES.select("WHERE organization_id = $1 ORDER BY id"));

impl Record for TaxRate {
    fn table() -> &'static Table {
        &TAX_RATES
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("name", self.name.as_str());
        row.int("percentage", self.percentage.ten_thousandths());
        row.optional_text("country", self.country.as_ref().map(Country::as_str));
        row.bool("is_active", self.is_active);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: TaxRateId::from_bytes(row.uuid("id")?),
            name: Line::from_stored(row.text("name")?),
            percentage: row.number("percentage", TaxPercentage::from_ten_thousandths)?,
            country: row.optional_word("country", |word| Country::parse(word).ok())?,
            is_active: row.bool("is_active")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The tax rate with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: TaxRateId) -> Result<Option<TaxRate>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// Every tax rate of an organization.
pub async fn all(db: &Db, organization: OrganizationId) -> Result<Vec<TaxRate>, Error> {
    db.all(&ALL, &[organization.bytes().into()], record::read).await
}

/// A page of an organization's tax rates, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<TaxRate>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    TAX_RATES.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new tax rate.
pub fn insert(change: Change, rate: &TaxRate) -> Change {
    record::insert(change, rate, Violation::Record)
}

/// The tax rate as it is now, if it is still at the revision it was read at.
pub fn update(change: Change, rate: &TaxRate, read_at: EventId) -> Change {
    record::update(change, rate, read_at, Violation::Record)
}
