//! The records of a deleted organization: counted and removed a portion at a time, so that no writer waits long.

use crate::change::Change;
use crate::sql::Sql;
use crate::{Db, Error};
use perennial_domain::id::{EventId, OrganizationId};

pub(crate) static COUNT_SESSIONS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_SESSIONS: Sql = Sql::new(
    "DELETE FROM sessions
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM sessions
         WHERE organization_id = $1
         ORDER BY id
         LIMIT $2)",
);

pub(crate) static COUNT_IDEMPOTENCY_KEYS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM idempotency_keys WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_IDEMPOTENCY_KEYS: Sql = Sql::new(
    "DELETE FROM idempotency_keys
     WHERE organization_id = $1 AND (client_id, key) IN (
         SELECT client_id, key FROM idempotency_keys
         WHERE organization_id = $1
         ORDER BY client_id, key
         LIMIT $2)",
);

pub(crate) static COUNT_PAYMENTS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM payments WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_PAYMENTS: Sql = Sql::new(
    "DELETE FROM payments
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM payments
         WHERE organization_id = $1
         ORDER BY id
         LIMIT $2)",
);

pub(crate) static COUNT_SUBSCRIPTIONS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_SUBSCRIPTIONS: Sql = Sql::new(
    "DELETE FROM subscriptions
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM subscriptions
         WHERE organization_id = $1
         ORDER BY id
         LIMIT $2)",
);

pub(crate) static COUNT_PLANS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM plans WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_PLANS: Sql = Sql::new(
    "DELETE FROM plans
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM plans
         WHERE organization_id = $1
         ORDER BY id
         LIMIT $2)",
);

pub(crate) static COUNT_USERS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM users WHERE organization_id = $1 LIMIT $2) AS counted");

pub(crate) static DELETE_USERS: Sql = Sql::new(
    "DELETE FROM users
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM users
         WHERE organization_id = $1
         ORDER BY id
         LIMIT $2)",
);

pub(crate) static COUNT_EVENTS: Sql =
    Sql::new("SELECT COUNT(*) FROM (SELECT 1 FROM events WHERE organization_id = $1 AND id <> $2 LIMIT $3) AS counted");

pub(crate) static DELETE_EVENTS: Sql = Sql::new(
    "DELETE FROM events
     WHERE organization_id = $1 AND id IN (
         SELECT id FROM events
         WHERE organization_id = $1 AND id <> $2
         ORDER BY id
         LIMIT $3)",
);

/// A table with records of organizations.
#[derive(Clone, Copy)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    count: &'static Sql,
    delete: &'static Sql,
}

/// Every such table but the clients and providers, which are few. What is about people comes first.
pub static PARTS: [Part; 7] = [
    Part { name: "sessions", count: &COUNT_SESSIONS, delete: &DELETE_SESSIONS },
    Part { name: "users", count: &COUNT_USERS, delete: &DELETE_USERS },
    Part { name: "idempotency_keys", count: &COUNT_IDEMPOTENCY_KEYS, delete: &DELETE_IDEMPOTENCY_KEYS },
    Part { name: "payments", count: &COUNT_PAYMENTS, delete: &DELETE_PAYMENTS },
    Part { name: "subscriptions", count: &COUNT_SUBSCRIPTIONS, delete: &DELETE_SUBSCRIPTIONS },
    Part { name: "plans", count: &COUNT_PLANS, delete: &DELETE_PLANS },
    Part { name: "events", count: &COUNT_EVENTS, delete: &DELETE_EVENTS },
];

/// How many rows of the organization are left, counted up to `limit`. The event `kept` does not count.
pub async fn count(db: &Db, part: Part, organization: OrganizationId, kept: EventId, limit: i64) -> Result<i64, Error> {
    let params = parameters(part, organization, kept, limit);
    Ok(db.one(part.count, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// Removes up to `limit` rows of the organization, but not the event `kept`.
pub fn delete(change: Change, part: Part, organization: OrganizationId, kept: EventId, limit: i64) -> Change {
    change.execute_any(part.delete, parameters(part, organization, kept, limit))
}

fn parameters(part: Part, organization: OrganizationId, kept: EventId, limit: i64) -> Vec<crate::Value> {
    match part.name {
        "events" => vec![organization.bytes().into(), kept.bytes().into(), limit.into()],
        _ => vec![organization.bytes().into(), limit.into()],
    }
}
