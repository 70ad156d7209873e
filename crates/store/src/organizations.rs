//! Organizations in the store.

use std::sync::LazyLock;

use crate::change::Change;
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::clients::Origin;
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::billing::OrganizationBilling;
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::portal::{Accent, CancelMode, ChangeMode, PortalSettings};
use perennial_domain::text::Line;
use perennial_domain::time::Time;

/// The organizations. A deleted one is a record too, so `deleted_at` is an ordinary column here.
pub static ORGANIZATIONS: Table = Table::new(
    1,
    "organizations",
    &[
        Column::key("id", Type::Uuid),
        Column::fixed("name", Type::Text),
        Column::fixed("currency", Type::Text),
        Column::mutable("max_sessions", Type::Int).nullable(),
        Column::fixed("mode", Type::Text),
        Column::mutable("billing", Type::Text).nullable(),
        Column::mutable("portal_name", Type::Text).nullable(),
        Column::mutable("portal_accent", Type::Text),
        Column::mutable("portal_cancel", Type::Text),
        Column::mutable("portal_resume", Type::Bool),
        Column::mutable("portal_change", Type::Text),
        Column::mutable("portal_return_origins", Type::Text),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::fixed("deleted_at", Type::Time).nullable(),
        Column::mutable("revision", Type::Uuid),
    ],
);

pub(crate) static BY_NAME: LazyLock<Sql> =
    LazyLock::new(|| ORGANIZATIONS.select("WHERE name = $1 AND deleted_at IS NULL"));

pub(crate) static ALL: LazyLock<Sql> = LazyLock::new(|| ORGANIZATIONS.select("WHERE deleted_at IS NULL ORDER BY id"));

pub(crate) static DELETED_SINCE: LazyLock<Sql> =
    LazyLock::new(|| ORGANIZATIONS.select("WHERE deleted_at >= $1 ORDER BY id"));

pub(crate) static DELETE: Sql = Sql::new(
    "UPDATE organizations
     SET name = $2, deleted_at = $3, updated_at = $3, revision = $4
     WHERE id = $1",
);

impl Record for Organization {
    fn table() -> &'static Table {
        &ORGANIZATIONS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("id", self.id.bytes());
        row.text("name", self.name.as_str());
        row.text("currency", self.currency.as_str());
        row.optional_int("max_sessions", self.max_sessions.map(i64::from));
        row.text("mode", self.mode.as_str());
        row.optional_text("billing", self.billing.as_deref().map(OrganizationBilling::to_stored).as_deref());
        let portal = &self.portal;
        row.optional_text("portal_name", portal.name.as_ref().map(Line::as_str));
        row.text("portal_accent", portal.accent.as_str());
        row.text("portal_cancel", portal.cancel.as_str());
        row.bool("portal_resume", portal.resume);
        row.text("portal_change", portal.change.as_str());
        row.list("portal_return_origins", portal.return_origins.iter().map(Origin::as_str));
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.optional_time("deleted_at", self.deleted_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            id: OrganizationId::from_bytes(row.uuid("id")?),
            name: Line::from_stored(row.text("name")?),
            currency: row.word("currency", |word| Currency::parse(word).ok())?,
            max_sessions: row.optional_int("max_sessions")?.and_then(|most| u32::try_from(most).ok()),
            mode: row.word("mode", OrganizationMode::from_stored)?,
            billing: row.optional_word("billing", OrganizationBilling::from_stored)?.map(Box::new),
            portal: PortalSettings {
                name: row.optional_text("portal_name")?.map(Line::from_stored),
                accent: Accent::from_stored(row.text("portal_accent")?),
                cancel: row.word("portal_cancel", CancelMode::from_stored)?,
                resume: row.bool("portal_resume")?,
                change: row.word("portal_change", ChangeMode::from_stored)?,
                return_origins: row.list("portal_return_origins")?.map(Origin::from_stored).collect(),
            },
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            deleted_at: row.optional_time("deleted_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The organization with this name.
pub async fn by_name(db: &Db, name: &str) -> Result<Option<Organization>, Error> {
    db.find(&BY_NAME, [name.into()], record::read).await
}

/// The organization with this id, deleted or not.
pub async fn by_id(db: &Db, id: OrganizationId) -> Result<Option<Organization>, Error> {
    db.find(&ORGANIZATIONS.statements().by_key, [id.bytes().into()], record::read).await
}

/// Every organization that is not deleted, oldest first.
pub async fn all(db: &Db) -> Result<Vec<Organization>, Error> {
    db.all(&ALL, &[], record::read).await
}

/// The organizations that were deleted at this instant or later.
pub async fn deleted_since(db: &Db, since: Time) -> Result<Vec<Organization>, Error> {
    db.all(&DELETED_SINCE, &[codec::time(since)], record::read).await
}

/// A new organization; rejected with [`Violation::Name`] if its name is in use.
pub fn insert(change: Change, organization: &Organization) -> Change {
    record::insert(change, organization, Violation::Name)
}

/// Stores what can be changed about an organization; rejected with [`Violation::Record`] if it is no longer at
/// `read_at`.
pub fn update(change: Change, organization: &Organization, read_at: EventId) -> Change {
    record::update(change, organization, read_at, Violation::Record)
}

/// Marks an organization as deleted and frees its name; rejected with [`Violation::Record`] if it is no longer at
/// `read_at`.
pub fn delete(change: Change, organization: &Organization, read_at: EventId) -> Change {
    let values = vec![
        organization.id.bytes().into(),
        organization.name.as_str().into(),
        codec::time(organization.updated_at),
        organization.revision.bytes().into(),
    ];
    record::at_revision(change, organization, read_at).execute(&DELETE, values, Violation::Record)
}
