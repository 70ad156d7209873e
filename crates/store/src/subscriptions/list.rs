//! Pages of subscriptions: which index a page follows, and what is tested row by row.

use super::SUBSCRIPTIONS;
use crate::codec;
use crate::db::Db;
use crate::error::Error;
pub use crate::list::Range;
use crate::list::{Key, KeysetQuery, Order, Page, Position};
use crate::record;
use crate::value::{Type, Value};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{OrganizationId, PlanId, UserId};
use perennial_domain::subscriptions::{Subscription, SubscriptionStatus};

/// What a list of subscriptions is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By creation, which is the order of ids.
    #[default]
    Created,
    /// By renewal; subscriptions without one come last.
    Renews,
    /// By end; subscriptions without one come last.
    Ends,
}

/// The filters and the order of a list of subscriptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Subscriptions of this user.
    pub user_id: Option<UserId>,
    /// Subscriptions to this plan.
    pub plan_id: Option<PlanId>,
    /// Subscriptions in one of these statuses; empty means any.
    pub statuses: Vec<SubscriptionStatus>,
    /// Only active or only inactive subscriptions.
    pub is_active: Option<bool>,
    /// Subscriptions with this billing cycle.
    pub billing_cycle: Option<BillingCycle>,
    /// The subscription with this external id.
    pub external_id: Option<String>,
    /// Created in this range.
    pub created: Range,
    /// Renewing in this range.
    pub renews: Range,
    /// Ending in this range.
    pub ends: Range,
    /// The order.
    pub sort: Sort,
    /// Whether the order is descending.
    pub descending: bool,
}

static BY_CREATION: &[Key] = &[Key::new("id", Type::Uuid)];
static BY_RENEWAL: &[Key] = &[Key::nullable("renews_at", Type::Time), Key::new("id", Type::Uuid)];
static BY_END: &[Key] = &[Key::mostly_null("ends_at", Type::Time), Key::new("id", Type::Uuid)];

/// A page of live subscriptions.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Subscription>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

/// The position of a subscription in such a list.
pub fn position(subscription: &Subscription, sort: Sort) -> Position {
    let first = match sort {
        Sort::Created => None,
        Sort::Renews => Some(codec::optional_time(subscription.renews_at)),
        Sort::Ends => Some(codec::optional_time(subscription.ends_at)),
    };
    Position { values: first.into_iter().chain([subscription.id.bytes().into()]).collect() }
}

/// Each index begins with the organization and ends with the id. In creation order one equality can lead the walk:
/// the most selective one that has an index; in the other orders the sort itself leads.
pub(crate) fn compose(organization: OrganizationId, query: &Query) -> KeysetQuery {
    let order = if query.descending { Order::Descending } else { Order::Ascending };
    let list = SUBSCRIPTIONS.list(organization.bytes());
    let mut list = match query.sort {
        Sort::Created => list.sort(BY_CREATION, order).created_within(query.created),
        Sort::Renews => list.sort(BY_RENEWAL, order).within(query.renews, codec::time),
        Sort::Ends => list.sort(BY_END, order).within(query.ends, codec::time),
    };
    let mut may_lead = query.sort == Sort::Created;
    let mut equal = |list: KeysetQuery, column, test, value: Option<Value>| match value {
        None => list,
        Some(value) if std::mem::take(&mut may_lead) => list.equal(column, value),
        Some(value) => list.filter(test, vec![value]),
    };
    list = equal(list, "external_id", "external_id = {}", query.external_id.as_deref().map(Value::from));
    list = equal(list, "user_id", "user_id = {}", query.user_id.map(|id| id.bytes().into()));
    list = equal(list, "plan_id", "plan_id = {}", query.plan_id.map(|id| id.bytes().into()));
    let mut statuses = query.statuses.clone();
    statuses.sort_unstable();
    statuses.dedup();
    list = match statuses.as_slice() {
        [] => list,
        [status] => equal(list, "status", "status = {}", Some(status.as_str().into())),
        several => list.any_of("status", several.iter().map(|status| status.as_str().into()).collect()),
    };
    if let Some(is_active) = query.is_active {
        list = list.filter("is_active = {}", vec![is_active.into()]);
    }
    if let Some(cycle) = query.billing_cycle {
        list = list.filter("billing_cycle = {}", vec![cycle.as_str().into()]);
    }
    for (sort, range, from, until) in [
        (Sort::Created, query.created, "created_at >= {}", "created_at < {}"),
        (Sort::Renews, query.renews, "renews_at >= {}", "renews_at < {}"),
        (Sort::Ends, query.ends, "ends_at >= {}", "ends_at < {}"),
    ] {
        if sort == query.sort {
            continue;
        }
        if let Some(after) = range.after {
            list = list.filter(from, vec![codec::time(after)]);
        }
        if let Some(before) = range.before {
            list = list.filter(until, vec![codec::time(before)]);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};
    use std::collections::HashSet;

    const ALL: [SubscriptionStatus; 9] =
        [Pending, Incomplete, OnTrial, Active, PastDue, Unpaid, Paused, Cancelled, Expired];

    fn texts(statuses: Vec<SubscriptionStatus>) -> Vec<String> {
        let query = Query { statuses, ..Query::default() };
        let statements = compose(OrganizationId::from_bytes([1; 16]), &query).statements();
        statements.iter().map(|sql| sql.postgres().to_owned()).collect()
    }

    #[test]
    fn repeated_statuses_do_not_make_new_statements() {
        let mut found = HashSet::new();
        for length in 0..1_200 {
            found.extend(texts(ALL.iter().copied().cycle().take(length).collect()));
            found.extend(texts(vec![Paused; length]));
        }
        // No status; one, which leads the walk; two, four, eight and sixteen places.
        assert_eq!(found.len(), 1 + 1 + 4, "{found:?}");
        assert_eq!(texts(vec![Active, Paused]), texts(vec![Paused, Active, Paused]));
        assert_eq!(texts(vec![Active]), texts(vec![Active, Active]));
    }
}
