//! One-time links to the customer portal: found by their SHA-256, and removed by their first use.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::record::{self, Purpose, Record, RowReader, RowWriter};
use crate::retention;
use crate::row::Row;
use crate::sql::Sql;
use crate::table::{Conflict, Sweep, Table};
use crate::value::{Type, Value};
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::plans::Href;
use perennial_domain::portal_offers::PortalLink;
use perennial_domain::time::Time;

/// The unused one-time links of users. A used link is removed.
pub static PORTAL_LINKS: Table = Table::new(
    39,
    "portal_links",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("user_id", Type::Uuid).refers_to("users"),
        Column::fixed("link_hash", Type::Bytes).unread(),
        Column::fixed("return_url", Type::Text).nullable(),
        Column::fixed("expires_at", Type::Time),
    ],
)
.on_conflict(Conflict::Fail)
.transient()
.swept(Sweep { due: "expires_at <= $2", order: "expires_at" });

pub(crate) static BY_LINK: LazyLock<Sql> = LazyLock::new(|| PORTAL_LINKS.select("WHERE link_hash = $1"));

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM portal_links WHERE organization_id = $1 AND id = $2");

pub(crate) static ERASE: Sql = Sql::new("DELETE FROM portal_links WHERE organization_id = $1 AND user_id = $2");

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM portal_links WHERE organization_id = $1");

impl Record for PortalLink {
    fn table() -> &'static Table {
        &PORTAL_LINKS
    }

    /// Without the link's hash: an insert passes it to [`write`].
    fn write(&self, row: &mut RowWriter) {
        write(self, &[], row);
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: row.uuid("id")?,
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            return_url: row.optional_text("return_url")?.map(Href::from_stored),
            expires_at: row.time("expires_at")?,
        })
    }
}

fn write(link: &PortalLink, hash: &[u8], row: &mut RowWriter) {
    row.uuid("organization_id", link.organization_id.bytes());
    row.uuid("id", link.id);
    row.uuid("user_id", link.user_id.bytes());
    row.bytes("link_hash", hash);
    row.optional_text("return_url", link.return_url.as_ref().map(Href::as_str));
    row.time("expires_at", link.expires_at);
}

/// The unused link with this hash, expired or not.
pub async fn by_link(db: &Db, hash: [u8; 32]) -> Result<Option<PortalLink>, Error> {
    db.find(&BY_LINK, [Value::bytes(hash.to_vec())], record::read).await
}

/// A new link.
pub fn insert(change: Change, link: &PortalLink, hash: [u8; 32]) -> Change {
    let values = record::values_of(&PORTAL_LINKS, Purpose::Insert, |row| write(link, &hash, row));
    change.insert(&PORTAL_LINKS.statements().insert, values, Violation::Link)
}

/// Uses up the link; rejected with [`Violation::Link`] if it was used before.
pub fn consume(change: Change, link: &PortalLink) -> Change {
    let params = || vec![link.organization_id.bytes().into(), link.id.into()];
    let sql = &PORTAL_LINKS.statements().live;
    let (key, lock, violation) = (link.id, Lock::Exclusive, Violation::Link);
    let change = change.guard(Guard { table: &PORTAL_LINKS, key, lock, sql, params: params(), violation });
    change.execute(&REMOVE, params(), Violation::Link)
}

/// Removes a user's links.
pub fn erase(change: Change, organization: OrganizationId, user: UserId) -> Change {
    change.execute_any(&ERASE, vec![organization.bytes().into(), user.bytes().into()])
}

/// Removes every link of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

/// The first `limit` links of an organization that had expired at `before`, oldest first.
pub async fn due(db: &Db, organization: OrganizationId, before: Time, limit: i64) -> Result<Vec<[u8; 16]>, Error> {
    retention::due(db, &PORTAL_LINKS, (organization, codec::time(before), limit), |row: &Row<'_>| row.uuid(0)).await
}

/// Removes up to `limit` of an organization's links that had expired at `before`.
pub fn sweep(change: Change, organization: OrganizationId, before: Time, limit: i64) -> Change {
    retention::sweep(change, &PORTAL_LINKS, (organization, codec::time(before), limit))
}
