//! What subscriptions used, as far as it is read together with them: the totals of the current periods, and the time of the last event,
//! which shows that a missing total is 0.

use crate::column::Column;
use crate::error::Error;
use crate::record::RowReader;
use crate::usage_totals;
use crate::value::Type;
use perennial_domain::entitlements::TotalKey;
use perennial_domain::id::{MeterId, SubscriptionId};
use perennial_domain::time::Time;
use perennial_domain::usage::{Quantity, TimeSpan};
use std::collections::HashMap;

/// What subscriptions used, as far as it can be read with them.
#[derive(Clone, Debug, Default)]
pub struct HeldUsage {
    /// The stored totals of the periods that contain the instant of the read.
    totals: HashMap<(SubscriptionId, MeterId, TimeSpan), Quantity>,
    /// The instant of the last usage event of each subscription. None: it has none.
    last_events: HashMap<SubscriptionId, Option<Time>>,
}

impl HeldUsage {
    pub(super) fn add_total(&mut self, (id, meter, span, quantity): StoredTotal) {
        self.totals.insert((id, meter, span), quantity);
    }

    pub(super) fn add_last_event(&mut self, id: SubscriptionId, at: Option<Time>) {
        self.last_events.insert(id, at);
    }

    /// The usage of a subscription in a period that contains the instant of the read. None: there is no total, and the events must
    /// be added up.
    pub fn of(&self, key: &TotalKey) -> Option<Quantity> {
        let span = key.period.span();
        let stored = self.totals.get(&(key.subscription_id, key.meter_id, span)).copied();
        let is_unused = || {
            let last_event = self.last_events.get(&key.subscription_id)?;
            last_event.is_none_or(|at| at < span.from).then(Quantity::default)
        };
        stored.or_else(is_unused)
    }
}

/// A total: of a subscription and a meter in a span.
pub(super) type StoredTotal = (SubscriptionId, MeterId, TimeSpan, Quantity);

/// What is read of usage, in the columns behind those of a subscription and of the user.
pub(super) static COLUMNS: &[Column] = &[
    // Of a subscription.
    Column::mutable(LAST_EVENT, Type::Time).nullable(),
    // Of a total, whose subscription is in the first column.
    Column::mutable("meter_id", Type::Uuid).nullable(),
    Column::mutable("starts_at", Type::Time).nullable(),
    Column::mutable("ends_at", Type::Time).nullable(),
    Column::mutable("units", Type::Int).nullable(),
    Column::mutable("millionths", Type::Int).nullable(),
];
pub(super) const LAST_EVENT: &str = "last_event_at";
/// None of them, with their types.
const NO_USAGE: &str = "CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS UUID), CAST(NULL AS TIMESTAMPTZ), \
                        CAST(NULL AS TIMESTAMPTZ), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)";

/// Joins subscriptions `s` with the totals `t` of the periods that contain an instant.
pub(super) const SQLITE_TOTALS: &str = "CROSS JOIN usage_totals AS t
             WHERE t.organization_id = $1 AND t.subscription_id = s.id AND t.starts_at <= $3 AND t.ends_at > $3";

/// PostgreSQL does not know how few totals a subscription has, and would join with all of the organization. The offset prevents
/// that.
pub(super) const POSTGRES_TOTALS: &str = "CROSS JOIN LATERAL (
                 SELECT meter_id, starts_at, ends_at, units, millionths FROM usage_totals
                 WHERE organization_id = $1 AND subscription_id = s.id AND starts_at <= $3 AND ends_at > $3 OFFSET 0) AS t";

/// What a statement of subscriptions has more if it reads usage.
#[derive(Default)]
pub(super) struct UsageParts {
    /// Columns of the first row. They give all rows their types.
    pub(super) none: String,
    /// Columns of a subscription `s`.
    pub(super) last: String,
    /// Rows of totals.
    pub(super) totals: String,
}

impl UsageParts {
    /// Usage of the subscriptions with these IDs: those that a user owns, and those that a user is a member of. The totals of
    /// subscriptions that are not read in the end do no harm. `columns` of a subscription come first.
    pub(super) fn of((owned, joined): &(String, String), columns: usize, join: &str) -> Self {
        let nulls = |count: usize| ", NULL".repeat(count);
        let no_total = nulls(COLUMNS.len() - 1);
        let last = format!(
            ", (SELECT e.at FROM usage_events AS e WHERE e.organization_id = $1 AND e.subscription_id = s.id
                ORDER BY e.at DESC LIMIT 1){no_total}"
        );
        let no_terms = nulls(columns - 1);
        let totals_of = |ids: &str| {
            format!(
                " UNION ALL
                SELECT s.id{no_terms}, NULL, NULL, NULL, t.meter_id, t.starts_at, t.ends_at, t.units, t.millionths
                FROM ({ids}) AS s {join}"
            )
        };
        Self { none: format!(", {NO_USAGE}"), last, totals: totals_of(owned) + &totals_of(joined) }
    }
}

/// Reads a total behind its meter.
pub(super) fn read_total(
    (id, meter): (SubscriptionId, MeterId),
    row: &mut RowReader<'_, '_>,
) -> Result<StoredTotal, Error> {
    let span = TimeSpan { from: row.time("starts_at")?, to: row.time("ends_at")? };
    Ok((id, meter, span, usage_totals::quantity(row.int("units")?, row.int("millionths")?)))
}
