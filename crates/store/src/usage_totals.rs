//! Running totals of usage, and the thresholds of quotas that were reported.
//!
//! A total is the sum of the stored events of a subscription and a meter in a span. A change that stores events adds them to
//! every total whose span contains them. A total is created under an exclusive lock on the subscription, which
//! a change that stores events locks too, so that no event is missed.

use crate::bulk::Bulk;
use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::record;
use crate::row::Row;
use crate::sql::Sql;
use crate::subscriptions::SUBSCRIPTIONS;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::entitlements::{Bounds, TotalKey};
use perennial_domain::id::{FeatureId, MeterId, OrganizationId, SubscriptionId};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::usage::{Quantity, TimeSpan};

/// The running totals. They are removed for good with their subscription.
pub static USAGE_TOTALS: Table = Table::new(
    45,
    "usage_totals",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("subscription_id", Type::Uuid),
        Column::key("meter_id", Type::Uuid),
        Column::key("starts_at", Type::Time),
        Column::key("ends_at", Type::Time),
        Column::mutable("units", Type::Int),
        Column::mutable("millionths", Type::Int),
    ],
)
.part_of("subscriptions", "subscription_id")
.under_clock();

/// The thresholds that were reported.
pub static USAGE_THRESHOLDS: Table = Table::new(
    46,
    "usage_thresholds",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("subscription_id", Type::Uuid),
        Column::key("feature_id", Type::Uuid),
        Column::key("starts_at", Type::Time),
        Column::key("ends_at", Type::Time),
        Column::key("threshold", Type::Int),
    ],
)
.part_of("subscriptions", "subscription_id")
.under_clock();

/// The stored total, or the sum of the events if there is none. PostgreSQL reads no event that `WHERE` excludes, but returns a
/// row of sums without `HAVING`. It would search for the total three times if it were not stored between.
pub(crate) static USED: Sql = Sql::new(
    "WITH total AS MATERIALIZED (
         SELECT units, millionths FROM usage_totals
         WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5)
     SELECT units, millionths FROM total
     UNION ALL
     SELECT CAST(COALESCE(SUM(value / 1000000), 0) AS BIGINT), CAST(COALESCE(SUM(value % 1000000), 0) AS BIGINT)
     FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5
         AND NOT EXISTS (SELECT 1 FROM total)
     HAVING NOT EXISTS (SELECT 1 FROM total)",
);

pub(crate) static OVERLAPPING: Sql = Sql::new(
    "SELECT starts_at, ends_at, units, millionths FROM usage_totals
     WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at <= $5 AND ends_at > $4
     ORDER BY starts_at, ends_at",
);

pub(crate) static COUNT_OVERLAPPING: Sql = Sql::new(
    "SELECT 1 FROM (
         SELECT COUNT(*) AS totals FROM usage_totals
         WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at <= $5 AND ends_at > $4
     ) AS counted
     WHERE totals = $6",
);

/// Division rounds toward zero, so the remainder is made positive first.
pub(crate) static OPEN: Sql = Sql::new(
    "INSERT INTO usage_totals (organization_id, subscription_id, meter_id, starts_at, ends_at, units, millionths)
     VALUES ($1, $2, $3, $4, $5,
         (SELECT CAST(COALESCE(SUM(value / 1000000), 0) + (COALESCE(SUM(value % 1000000), 0)
                 - (COALESCE(SUM(value % 1000000), 0) % 1000000 + 1000000) % 1000000) / 1000000 AS BIGINT)
          FROM usage_events
          WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5),
         (SELECT CAST((COALESCE(SUM(value % 1000000), 0) % 1000000 + 1000000) % 1000000 AS BIGINT)
          FROM usage_events
          WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND at >= $4 AND at < $5))
     ON CONFLICT DO NOTHING",
);

pub(crate) static ADD: Sql = Sql::new(
    "UPDATE usage_totals
     SET units = units + $6 + (millionths + $7) / 1000000, millionths = (millionths + $7) % 1000000
     WHERE organization_id = $1 AND subscription_id = $2 AND meter_id = $3 AND starts_at = $4 AND ends_at = $5
         AND (units, millionths) >= ($8, $9) AND (units, millionths) < ($10, $11)",
);

/// Whatever the end: a change of `renews_at` moves the end of a period, which remains the same period.
pub(crate) static THRESHOLDS: Sql = Sql::new(
    "SELECT threshold FROM usage_thresholds
     WHERE organization_id = $1 AND subscription_id = $2 AND feature_id = $3 AND starts_at = $4",
);

pub(crate) static REMOVE_ALL: Sql =
    Sql::new("DELETE FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2");

pub(crate) static REMOVE_ENDED: Sql =
    Sql::new("DELETE FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND ends_at < $3");

pub(crate) static ANY_ENDED: Sql =
    Sql::new("SELECT 1 FROM usage_totals WHERE organization_id = $1 AND subscription_id = $2 AND ends_at < $3 LIMIT 1");

const MILLION: i128 = 1_000_000;

/// A total that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// The span of its events.
    pub span: TimeSpan,
    /// Their sum.
    pub quantity: Quantity,
}

/// The usage of a subscription in a period: the stored total, or the sum of the events if there is none.
pub async fn used(db: &Db, organization: OrganizationId, key: TotalKey) -> Result<Quantity, Error> {
    let used = db.find(&USED, total(organization, key), |row| Ok(quantity(row.int(0)?, row.int(1)?))).await?;
    Ok(used.unwrap_or_default())
}

/// The totals of a subscription and a meter that contain an instant of a span. Both ends of the span are in it.
pub async fn overlapping(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    meter: MeterId,
    (first, last): (Time, Time),
) -> Result<Vec<Total>, Error> {
    let read = |row: &Row<'_>| {
        let span = TimeSpan { from: codec::read_time(row.time(0)?)?, to: codec::read_time(row.time(1)?)? };
        Ok(Total { span, quantity: quantity(row.int(2)?, row.int(3)?) })
    };
    db.all(&OVERLAPPING, &around(organization, subscription, meter, (first, last)), read).await
}

/// Requires that there are this many such totals. The subscription must be guarded before it in the same change.
pub fn guard_count(
    change: Change,
    organization: OrganizationId,
    subscription: SubscriptionId,
    meter: MeterId,
    instants: (Time, Time),
    count: usize,
) -> Change {
    let mut params = around(organization, subscription, meter, instants).to_vec();
    params.push(i64::try_from(count).unwrap_or(i64::MAX).into());
    change.guard(Guard {
        table: &SUBSCRIPTIONS,
        key: subscription.bytes(),
        lock: Lock::None,
        sql: &COUNT_OVERLAPPING,
        params,
        violation: Violation::UsageTotal,
    })
}

/// Creates a total from the stored events, unless it exists. No event of the subscription is stored at the same time.
pub fn open(change: Change, subscription: &Subscription, meter: MeterId, span: TimeSpan) -> Change {
    let (organization, id) = (subscription.organization_id, subscription.id);
    let change = change.guard(Guard {
        table: &SUBSCRIPTIONS,
        key: id.bytes(),
        lock: Lock::Exclusive,
        sql: &SUBSCRIPTIONS.statements().live,
        params: vec![organization.bytes().into(), id.bytes().into()],
        violation: Violation::Subscription,
    });
    change.execute_any(&OPEN, key(organization, id, meter, span).into())
}

/// Adds events to a total; rejected with [`Violation::UsageTotal`] if the total is not within the bounds.
pub fn add(
    change: Change,
    organization: OrganizationId,
    subscription: SubscriptionId,
    meter: MeterId,
    span: TimeSpan,
    (added, bounds): (Quantity, Bounds),
) -> Change {
    let params = key(organization, subscription, meter, span);
    let change = change.guard(Guard {
        table: &USAGE_TOTALS,
        key: lock_key(&params),
        lock: Lock::Exclusive,
        sql: &USAGE_TOTALS.statements().live,
        params: params.to_vec(),
        violation: Violation::UsageTotal,
    });
    let mut params = params.to_vec();
    let least = bounds.at_least.map_or([i64::MIN, 0], split);
    let below = bounds.below.map_or([i64::MAX, 0], split);
    params.extend([split(added), least, below].concat().into_iter().map(Value::from));
    change.execute(&ADD, params, Violation::UsageTotal)
}

/// The thresholds of a quota that were reported in the period with this start, in percent.
pub async fn thresholds(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    feature: FeatureId,
    period_start: Time,
) -> Result<Vec<i64>, Error> {
    let params =
        [organization.bytes().into(), subscription.bytes().into(), feature.bytes().into(), codec::time(period_start)];
    db.all(&THRESHOLDS, &params, |row| row.int(0)).await
}

/// Stores that a threshold was reported; rejected with [`Violation::UsageTotal`] if it was before.
pub fn report(
    change: Change,
    organization: OrganizationId,
    subscription: SubscriptionId,
    feature: FeatureId,
    span: TimeSpan,
    threshold: i64,
) -> Change {
    let values = record::values_of(&USAGE_THRESHOLDS, record::Purpose::Insert, |row| {
        row.uuid("organization_id", organization.bytes());
        row.uuid("subscription_id", subscription.bytes());
        row.uuid("feature_id", feature.bytes());
        row.time("starts_at", span.from);
        row.time("ends_at", span.to);
        row.int("threshold", threshold);
    });
    change.insert(&USAGE_THRESHOLDS.statements().insert, values, Violation::UsageTotal)
}

/// Whether a subscription has totals of periods that ended before this time.
pub async fn any_ended(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    before: Time,
) -> Result<bool, Error> {
    Ok(db.one(&ANY_ENDED, &ended(organization, subscription, before), |_| Ok(())).await?.is_some())
}

/// Removes these totals. One that is needed again is computed again.
pub fn remove_ended(
    change: Change,
    organization: OrganizationId,
    subscription: SubscriptionId,
    before: Time,
) -> Change {
    change.execute_any(&REMOVE_ENDED, ended(organization, subscription, before).into())
}

/// Removes the totals of subscriptions, each an organization and an ID, in a transaction that imports events. They are
/// computed again when they are needed.
pub async fn remove_all(bulk: &mut Bulk, subscriptions: &[Vec<Value>]) -> Result<(), Error> {
    bulk.execute(&REMOVE_ALL, subscriptions).await.map(drop)
}

fn ended(organization: OrganizationId, subscription: SubscriptionId, before: Time) -> [Value; 3] {
    [organization.bytes().into(), subscription.bytes().into(), codec::time(before)]
}

fn total(organization: OrganizationId, total: TotalKey) -> [Value; 5] {
    key(organization, total.subscription_id, total.meter_id, total.period.span())
}

fn key(organization: OrganizationId, subscription: SubscriptionId, meter: MeterId, span: TimeSpan) -> [Value; 5] {
    around(organization, subscription, meter, (span.from, span.to))
}

fn around(
    organization: OrganizationId,
    subscription: SubscriptionId,
    meter: MeterId,
    (first, last): (Time, Time),
) -> [Value; 5] {
    [
        organization.bytes().into(),
        subscription.bytes().into(),
        meter.bytes().into(),
        codec::time(first),
        codec::time(last),
    ]
}

/// Rows are locked in the order of a hash of their whole key, which is the same on every server.
fn lock_key(key: &[Value]) -> [u8; 16] {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    };
    for value in key {
        match value {
            Value::Uuid(bytes) => add(bytes),
            Value::Time(micros) => add(&micros.to_be_bytes()),
            _ => {}
        }
    }
    hash.to_be_bytes()
}

/// A total as it is stored.
pub(crate) fn quantity(units: i64, millionths: i64) -> Quantity {
    Quantity::from_millionths(i128::from(units) * MILLION + i128::from(millionths))
}

/// Units and millionths from 0 to 999,999. What is larger than any total is limited.
fn split(quantity: Quantity) -> [i64; 2] {
    let units = quantity.millionths().div_euclid(MILLION);
    let units = i64::try_from(units).unwrap_or(if units < 0 { i64::MIN } else { i64::MAX });
    [units, i64::try_from(quantity.millionths().rem_euclid(MILLION)).unwrap_or(0)]
}
