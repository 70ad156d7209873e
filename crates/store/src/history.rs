//! The history of one record: a walk from its revision along the events before, by the primary key. No index by record is
//! needed, which every create would pay for.

use std::sync::LazyLock;

use crate::db::Db;
use crate::error::Error;
use crate::events::EVENTS;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use perennial_domain::events::{Event, RecordKind};
use perennial_domain::id::{EventId, OrganizationId};

/// An event of a walk, and its position; none if it has not entered the feed yet.
pub type Walked = (Option<i64>, Event);

pub(crate) static WALK: LazyLock<Sql> = LazyLock::new(|| {
    let columns = EVENTS.columns_of("e").replace("e.", "");
    Sql::built(format!(
        "WITH RECURSIVE walk ({0}, steps) AS (
             SELECT {1}, CAST(1 AS BIGINT) FROM events AS e WHERE e.organization_id = $1 AND e.id = $2
             UNION ALL
             SELECT {1}, w.steps + 1
             FROM walk AS w JOIN events AS e ON e.organization_id = $1 AND e.id = w.previous_id
             WHERE w.steps < $3
         )
         SELECT {2}, f.sequence, w.steps
         FROM walk AS w LEFT JOIN feed AS f ON f.organization_id = $1 AND f.event_id = w.id",
        columns,
        EVENTS.columns_of("e"),
        EVENTS.columns_of("w"),
    ))
});

pub(crate) static OF_ORGANIZATION: Sql = Sql::new("SELECT revision FROM organizations WHERE id = $1");
pub(crate) static OF_CLIENT: Sql = Sql::new("SELECT revision FROM clients WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_USER: Sql = Sql::new("SELECT revision FROM users WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_PLAN: Sql = Sql::new("SELECT revision FROM plans WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_SUBSCRIPTION: Sql =
    Sql::new("SELECT revision FROM subscriptions WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_PAYMENT: Sql = Sql::new("SELECT revision FROM payments WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_OPERATOR: Sql = Sql::new("SELECT revision FROM operators WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_ENDPOINT: Sql =
    Sql::new("SELECT revision FROM webhook_endpoints WHERE organization_id = $1 AND id = $2");

pub(crate) static OF_TAX_RATE: Sql = Sql::new("SELECT revision FROM tax_rates WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_METER: Sql = Sql::new("SELECT revision FROM meters WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_COUPON: Sql = Sql::new("SELECT revision FROM coupons WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_INVOICE: Sql = Sql::new("SELECT revision FROM invoices WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_CREDIT_NOTE: Sql =
    Sql::new("SELECT revision FROM credit_notes WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_FEATURE: Sql = Sql::new("SELECT revision FROM features WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_CONNECTION: Sql =
    Sql::new("SELECT revision FROM connections WHERE organization_id = $1 AND id = $2");
pub(crate) static OF_BILLING_PROFILE: Sql =
    Sql::new("SELECT revision FROM billing_profiles WHERE organization_id = $1 AND user_id = $2");

/// The last event of a record, deleted or not; none if the record is gone, or its events are not revisions.
pub async fn revision_of(
    db: &Db,
    organization: OrganizationId,
    (kind, id): (RecordKind, [u8; 16]),
) -> Result<Option<EventId>, Error> {
    let sql = match kind {
        RecordKind::Organization => &OF_ORGANIZATION,
        RecordKind::Client => &OF_CLIENT,
        RecordKind::User => &OF_USER,
        RecordKind::Plan => &OF_PLAN,
        RecordKind::Subscription => &OF_SUBSCRIPTION,
        RecordKind::Payment => &OF_PAYMENT,
        RecordKind::Operator => &OF_OPERATOR,
        RecordKind::WebhookEndpoint => &OF_ENDPOINT,
        RecordKind::TaxRate => &OF_TAX_RATE,
        RecordKind::Meter => &OF_METER,
        RecordKind::Coupon => &OF_COUPON,
        RecordKind::BillingProfile => &OF_BILLING_PROFILE,
        RecordKind::Invoice => &OF_INVOICE,
        RecordKind::CreditNote => &OF_CREDIT_NOTE,
        RecordKind::Feature => &OF_FEATURE,
        RecordKind::Connection => &OF_CONNECTION,
        // An entry of the ledger has one event, and usage has no revision. A clock moves without events, so its revision is not
        // always one.
        RecordKind::Credit
        | RecordKind::Usage
        | RecordKind::Member
        | RecordKind::Provider
        | RecordKind::Session
        | RecordKind::OperatorSession
        | RecordKind::TestClock => return Ok(None),
    };
    let read = |row: &Row<'_>| Ok(EventId::from_bytes(row.uuid(0)?));
    match kind {
        // An organization has the events of itself alone.
        RecordKind::Organization if id != organization.bytes() => Ok(None),
        RecordKind::Organization => db.one(sql, &[id.into()], read).await,
        _ => db.one(sql, &[organization.bytes().into(), id.into()], read).await,
    }
}

/// The event and those before it of the same record, newest first.
pub async fn walk(db: &Db, organization: OrganizationId, from: EventId, limit: i64) -> Result<Vec<Walked>, Error> {
    let params = [organization.bytes().into(), from.bytes().into(), limit.into()];
    let width = EVENTS.width();
    let read = |row: &Row<'_>| Ok((row.int(width + 1)?, (row.optional_int(width)?, record::read(row)?)));
    let mut walked = db.all(&WALK, &params, read).await?;
    walked.sort_unstable_by_key(|(step, _)| *step);
    Ok(walked.into_iter().map(|(_, event)| event).collect())
}
