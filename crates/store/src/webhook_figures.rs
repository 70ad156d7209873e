//! Figures about webhooks and the feed, read from the store for `/metrics`.

use std::sync::LazyLock;

use crate::db::Db;
use crate::error::Error;
use crate::leases;
use crate::row::Row;
use crate::sql::Sql;
use perennial_domain::id::WebhookEndpointId;

/// What is stored of webhooks, over all organizations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredFigures {
    /// Events without a position, counted up to 20,000.
    pub unplaced: u64,
    /// The age of the oldest event that an active endpoint has not received.
    pub lag_seconds: u64,
    /// Live endpoints by state.
    pub endpoints: Vec<(String, u64)>,
    /// Undelivered events by state.
    pub undelivered: Vec<(String, u64)>,
}

pub(crate) static ENDPOINTS: Sql =
    Sql::new("SELECT state, COUNT(*) FROM webhook_endpoints WHERE deleted_at IS NULL GROUP BY state");

pub(crate) static UNDELIVERED: Sql = Sql::new("SELECT state, COUNT(*) FROM webhook_undelivered GROUP BY state");

/// On SQLite an event has its position when it is committed.
pub(crate) static UNPLACED: Sql = Sql::split(
    "SELECT 0",
    "SELECT COALESCE(SUM(COALESCE(CARDINALITY(event_ids), 1)), 0)
     FROM (SELECT event_ids FROM feed_queue LIMIT 20000) AS queued",
);

pub(crate) static LAG: LazyLock<Sql> = LazyLock::new(|| {
    let text = "SELECT {age} FROM (
             SELECT MIN(entered_at) AS oldest FROM (
                 SELECT (
                     SELECT f.entered_at FROM feed AS f
                     WHERE f.organization_id = r.organization_id AND f.sequence > r.sequence ORDER BY f.sequence LIMIT 1
                 ) AS entered_at
                 FROM webhook_readers AS r
                 JOIN webhook_endpoints AS e ON e.organization_id = r.organization_id AND e.id = r.endpoint_id
                 WHERE e.deleted_at IS NULL AND e.is_active
                 UNION ALL
                 SELECT u.entered_at FROM webhook_undelivered AS u
                 JOIN webhook_endpoints AS e ON e.organization_id = u.organization_id AND e.id = u.endpoint_id
                 WHERE u.state = 'waiting' AND e.deleted_at IS NULL AND e.is_active
             ) AS pending
         ) AS lag WHERE oldest IS NOT NULL";
    let age = ("({now} - oldest) / 1000000", "CAST(EXTRACT(EPOCH FROM ({now} - oldest)) AS BIGINT)");
    leases::timed_pair(&text.replace("{age}", age.0), &text.replace("{age}", age.1))
});

/// Reads the figures.
pub async fn read(db: &Db) -> Result<StoredFigures, Error> {
    let number = |row: &Row<'_>| Ok(u64::try_from(row.int(0)?).unwrap_or(0));
    let counted = |row: &Row<'_>| Ok((row.text(0)?, u64::try_from(row.int(1)?).unwrap_or(0)));
    Ok(StoredFigures {
        unplaced: db.one(&UNPLACED, &[], number).await?.unwrap_or(0),
        lag_seconds: db.one(&LAG, &[], number).await?.unwrap_or(0),
        endpoints: db.all(&ENDPOINTS, &[], counted).await?,
        undelivered: db.all(&UNDELIVERED, &[], counted).await?,
    })
}

pub(crate) static UNREACHED: Sql = Sql::new(
    "SELECT id, state FROM webhook_endpoints
     WHERE deleted_at IS NULL AND (state = 'failing' OR disabled_reason IN ('failing', 'gone'))
     ORDER BY id LIMIT 100",
);

/// The endpoints that do not accept events, or were disabled for that, each with its state. At most 100.
pub async fn unreached(db: &Db) -> Result<Vec<(WebhookEndpointId, String)>, Error> {
    db.all(&UNREACHED, &[], |row| Ok((WebhookEndpointId::from_bytes(row.uuid(0)?), row.text(1)?))).await
}
