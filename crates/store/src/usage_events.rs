//! Usage events in the store: one short row for each, clustered by subscription and time, so that a bill reads a range.
//! A unique index on the subscription and the caller's ID makes an event count once, whichever server receives it.

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::lock::Lock;
use crate::record::{self, Purpose};
use crate::row::Row;
use crate::sql::Sql;
use crate::subscriptions::{ACCEPTS_USAGE, SUBSCRIPTIONS};
use crate::table::Table;
use crate::value::{Type, Value};
use futures_util::future::try_join_all;
use perennial_domain::id::{MeterId, OrganizationId, SubscriptionId};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::usage::{TimeSpan, UsageEvent, UsageEventId, UsagePart, UsageValue};

/// The usage events. They are removed for good with their subscription.
pub static USAGE_EVENTS: Table = Table::new(
    38,
    "usage_events",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("subscription_id", Type::Uuid),
        Column::key("at", Type::Time),
        Column::key("event_id", Type::Text),
        Column::fixed("meter_id", Type::Uuid),
        Column::fixed("value", Type::Int),
        Column::fixed("counted_key", Type::Text).nullable(),
    ],
)
.part_of("subscriptions", "subscription_id")
.under_clock();

pub(crate) static STORED: Sql = Sql::new(
    "SELECT at, event_id, meter_id, value, counted_key FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND event_id = $3",
);

pub(crate) static WITHIN: Sql = Sql::new(
    "SELECT at, event_id, meter_id, value, counted_key FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) > ($3, $4) AND at < $5
     ORDER BY at, event_id LIMIT $6",
);

/// The first event after `$6` others in a span.
pub(crate) static END_OF_PART: Sql = Sql::new(
    "SELECT at, event_id FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) >= ($3, $4) AND at < $5
     ORDER BY at, event_id LIMIT 1 OFFSET $6",
);

/// What the events between two positions add up to, by meter. Units and millionths are separate sums: each is far from
/// the limit of an integer.
pub(crate) static SUMS: Sql = Sql::new(
    "SELECT meter_id, COUNT(*), CAST(SUM(value / 1000000) AS BIGINT), CAST(SUM(value % 1000000) AS BIGINT), MAX(value)
     FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) >= ($3, $4) AND (at, event_id) < ($5, $6)
     GROUP BY meter_id",
);

/// The same of the first `$5` events of a span.
pub(crate) static SUMS_OF_FIRST: Sql = Sql::new(
    "SELECT meter_id, COUNT(*), CAST(SUM(value / 1000000) AS BIGINT), CAST(SUM(value % 1000000) AS BIGINT), MAX(value)
     FROM (
         SELECT meter_id, value FROM usage_events
         WHERE organization_id = $1 AND subscription_id = $2 AND at >= $3 AND at < $4
         ORDER BY at, event_id LIMIT $5
     ) AS first
     GROUP BY meter_id",
);

pub(crate) static NEXT_SUBSCRIPTION: Sql = Sql::new(
    "SELECT subscription_id FROM usage_events
     WHERE organization_id = $1 AND subscription_id > $2 ORDER BY subscription_id LIMIT 1",
);

pub(crate) static OLD: Sql = Sql::new(
    "SELECT event_id FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND at < $3 ORDER BY at, event_id LIMIT $4",
);

pub(crate) static REMOVE_OLD: Sql = Sql::new(
    "DELETE FROM usage_events
     WHERE organization_id = $1 AND subscription_id = $2 AND (at, event_id) IN (
         SELECT at, event_id FROM usage_events
         WHERE organization_id = $1 AND subscription_id = $2 AND at < $3 ORDER BY at, event_id LIMIT $4
     )",
);

/// New events of a call, in one statement on PostgreSQL. Rejected with [`Violation::UsageEvent`] if one of them is stored
/// already, and with [`Violation::Subscription`] if a subscription has changed since it was read: a decision about late
/// events depends on it. The subscriptions in `advanced` get a new revision in the same change.
pub fn insert(
    change: Change,
    organization: OrganizationId,
    subscriptions: &[&Subscription],
    events: &[UsageEvent],
    advanced: &[SubscriptionId],
) -> Change {
    let change = subscriptions.iter().fold(change, |change, subscription| {
        let id = subscription.id.bytes();
        let earliest = events.iter().filter(|event| event.subscription_id == subscription.id).map(|event| event.at);
        let earliest = earliest.min().unwrap_or(Time::MAX);
        let revision = subscription.revision.bytes();
        let params = vec![organization.bytes().into(), id.into(), revision.into(), codec::time(earliest)];
        let sql = &ACCEPTS_USAGE;
        let lock = if advanced.contains(&subscription.id) { Lock::Exclusive } else { Lock::Share };
        let (table, violation) = (&SUBSCRIPTIONS, Violation::Subscription);
        change.guard(Guard { table, key: id, lock, sql, params, violation })
    });
    // In the order of the key: two servers that insert the same events wait for each other and cannot deadlock.
    let mut rows: Vec<Vec<Value>> = events.iter().map(|event| values(organization, event)).collect();
    rows.sort_unstable();
    change.insert_many(&USAGE_EVENTS.statements().insert, rows, Violation::UsageEvent)
}

fn values(organization: OrganizationId, event: &UsageEvent) -> Vec<Value> {
    record::values_of(&USAGE_EVENTS, Purpose::Insert, |row| {
        row.uuid("organization_id", organization.bytes());
        row.uuid("subscription_id", event.subscription_id.bytes());
        row.time("at", event.at);
        row.text("event_id", event.id.as_str());
        row.uuid("meter_id", event.meter_id.bytes());
        row.int("value", event.value.millionths());
        row.optional_text("counted_key", event.key.as_ref().map(Line::as_str));
    })
}

fn read(row: &Row<'_>, subscription_id: SubscriptionId) -> Result<UsageEvent, Error> {
    let value = row.int(3)?;
    let out_of_range = || Error::Internal(format!("a stored value is out of range: {value}"));
    Ok(UsageEvent {
        subscription_id,
        at: codec::read_time(row.time(0)?)?,
        id: UsageEventId::from_stored(row.text(1)?),
        meter_id: MeterId::from_bytes(row.uuid(2)?),
        value: UsageValue::from_millionths(value).ok_or_else(out_of_range)?,
        key: row.optional_text(4)?.map(Line::from_stored),
    })
}

/// The stored events with these subscriptions and IDs.
pub async fn stored(
    db: &Db,
    organization: OrganizationId,
    keys: &[(SubscriptionId, &UsageEventId)],
) -> Result<Vec<UsageEvent>, Error> {
    let find = |(subscription, id): &(SubscriptionId, &UsageEventId)| {
        let subscription = *subscription;
        let key = [organization.bytes().into(), subscription.bytes().into(), id.as_str().into()];
        db.find(&STORED, key, move |row| read(row, subscription))
    };
    Ok(try_join_all(keys.iter().map(find)).await?.into_iter().flatten().collect())
}

/// A subscription's events in a span after a position, oldest first.
pub async fn within(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    span: TimeSpan,
    after: Option<&UsageEvent>,
    limit: i64,
) -> Result<Vec<UsageEvent>, Error> {
    // No ID is empty, so the first position is before every event at that instant.
    let (at, id) = after.map_or((span.from, ""), |event| (event.at, event.id.as_str()));
    let params = [
        organization.bytes().into(),
        subscription.bytes().into(),
        codec::time(at),
        id.into(),
        codec::time(span.to),
        limit.into(),
    ];
    db.all(&WITHIN, &params, |row| read(row, subscription)).await
}

/// What the events of a span add up to by meter. Fewer than `part` are added up at once; more in parts of so many, and then a
/// meter occurs once for each part. Finding the end of a part takes almost as long as adding it up.
pub async fn sums(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    span: TimeSpan,
    part: usize,
) -> Result<Vec<(MeterId, UsagePart)>, Error> {
    let key = Key(organization, subscription);
    let params = key.and(&[codec::time(span.from), codec::time(span.to), number(part)]);
    let first = db.all(&SUMS_OF_FIRST, &params, read_sum).await?;
    if first.iter().map(|(_, sum)| sum.count).sum::<usize>() < part {
        return Ok(first);
    }
    // Events can be written at the same time, so that each part is what is between two events.
    let (mut from, mut sums) = (EventKey::before(span.from), Vec::new());
    loop {
        let next = end_of_part(db, key, &from, span.to, part).await?;
        let to = next.clone().unwrap_or_else(|| EventKey::before(span.to));
        sums.extend(sums_between(db, key, &from, &to).await?);
        match next {
            Some(next) => from = next,
            None => return Ok(sums),
        }
    }
}

/// Whose events are added up.
#[derive(Clone, Copy)]
struct Key(OrganizationId, SubscriptionId);

impl Key {
    fn and(self, rest: &[Value]) -> Vec<Value> {
        let key: [Value; 2] = [self.0.bytes().into(), self.1.bytes().into()];
        [&key[..], rest].concat()
    }
}

/// A place among the events of a subscription.
#[derive(Clone)]
struct EventKey {
    at: Time,
    /// Empty: before every event at that instant, because no ID is empty.
    id: String,
}

impl EventKey {
    /// Before every event at or after an instant.
    const fn before(at: Time) -> Self {
        Self { at, id: String::new() }
    }

    fn values(&self) -> [Value; 2] {
        [codec::time(self.at), self.id.as_str().into()]
    }
}

/// Where the part of a span ends that begins at a place and has so many events; none if it has no more.
async fn end_of_part(db: &Db, key: Key, from: &EventKey, to: Time, events: usize) -> Result<Option<EventKey>, Error> {
    let params = key.and(&[from.values(), [codec::time(to), number(events)]].concat());
    let read = |row: &Row<'_>| Ok(EventKey { at: codec::read_time(row.time(0)?)?, id: row.text(1)? });
    db.one(&END_OF_PART, &params, read).await
}

/// What the events from a place on and before another one add up to, by meter.
async fn sums_between(db: &Db, key: Key, from: &EventKey, to: &EventKey) -> Result<Vec<(MeterId, UsagePart)>, Error> {
    db.all(&SUMS, &key.and(&[from.values(), to.values()].concat()), read_sum).await
}

fn number(events: usize) -> Value {
    i64::try_from(events).unwrap_or(i64::MAX).into()
}

fn read_sum(row: &Row<'_>) -> Result<(MeterId, UsagePart), Error> {
    let sum = i128::from(row.int(2)?) * 1_000_000 + i128::from(row.int(3)?);
    let part = UsagePart { count: usize::try_from(row.int(1)?).unwrap_or(0), sum, max: row.int(4)? };
    Ok((MeterId::from_bytes(row.uuid(0)?), part))
}

/// The next subscription of an organization that has events.
pub async fn next_subscription(
    db: &Db,
    organization: OrganizationId,
    after: [u8; 16],
) -> Result<Option<SubscriptionId>, Error> {
    let params = [organization.bytes().into(), after.into()];
    db.one(&NEXT_SUBSCRIPTION, &params, |row| Ok(SubscriptionId::from_bytes(row.uuid(0)?))).await
}

/// The first events of a subscription from before this time.
pub async fn old(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    before: Time,
    limit: i64,
) -> Result<Vec<String>, Error> {
    db.all(&OLD, &older(organization, subscription, before, limit), |row| row.text(0)).await
}

/// Removes up to `limit` of these events.
pub fn remove_old(
    change: Change,
    organization: OrganizationId,
    subscription: SubscriptionId,
    before: Time,
    limit: i64,
) -> Change {
    change.execute_any(&REMOVE_OLD, older(organization, subscription, before, limit).into())
}

fn older(organization: OrganizationId, subscription: SubscriptionId, before: Time, limit: i64) -> [Value; 4] {
    [organization.bytes().into(), subscription.bytes().into(), codec::time(before), limit.into()]
}
