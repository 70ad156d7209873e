//! The comparison of the ledger with the subscriptions as they are.

use super::now;
use crate::context::App;
use crate::error::Error;
use perennial_domain::analytics::rounding::{Figure, monthly};
use perennial_domain::analytics::state::{PlanPrice, PlanVersionKey};
use perennial_domain::analytics::{Value, value};
use perennial_domain::currency::Currency;
use perennial_domain::id::{OrganizationId, SubscriptionId, UserId};
use perennial_domain::subscriptions::{Access, Subscription, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_store::analytics_ledgers::{self, Ledger};
use perennial_store::{analytics_movements, analytics_subscriptions, subscriptions};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Rows that are read at once.
const PORTION: usize = 1_000;

/// A customer whose revenue in the ledger differs from that of the subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the command's")]
pub struct Difference {
    pub currency: Currency,
    pub user_id: UserId,
    pub ledger: Figure,
    pub expected: Figure,
}

/// Compares the revenue of every customer with the sum over the subscriptions.
pub async fn check(app: &App, organization: OrganizationId) -> Result<Vec<Difference>, Error> {
    let Some(status) = analytics_ledgers::status(&app.db, organization).await? else { return Ok(Vec::new()) };
    let now = now(app, organization).await?;
    let mut expected = expected(app, organization, &status.ledger, now).await?;
    let (mut differences, mut after) = (Vec::new(), None);
    loop {
        let limit = i64::try_from(PORTION).unwrap_or(i64::MAX);
        let customers = analytics_movements::customers(&app.db, &status.ledger, after, limit).await?;
        after = customers.last().map(|(key, _)| *key);
        let is_last = customers.len() < PORTION;
        for (key, found) in customers {
            let wanted = expected.remove(&key).unwrap_or(0);
            if wanted != found {
                differences.push(difference(key, found, wanted));
            }
        }
        if is_last {
            break;
        }
    }
    differences.extend(
        expected.into_iter().filter(|(_, wanted)| *wanted != 0).map(|(key, wanted)| difference(key, 0, wanted)),
    );
    differences.sort_by_key(|difference| (difference.currency, difference.user_id));
    Ok(differences)
}

fn difference((currency, user_id): (Currency, UserId), found: Value, wanted: Value) -> Difference {
    Difference { currency, user_id, ledger: monthly(found, currency), expected: monthly(wanted, currency) }
}

async fn expected(
    app: &App,
    organization: OrganizationId,
    ledger: &Ledger,
    now: Time,
) -> Result<BTreeMap<(Currency, UserId), Value>, Error> {
    let mut values: BTreeMap<(Currency, UserId), Value> = BTreeMap::new();
    let mut prices: HashMap<PlanVersionKey, Option<PlanPrice>> = HashMap::new();
    let mut position = None;
    loop {
        let query = subscriptions::Query::default();
        let page = subscriptions::list(&app.db, organization, &query, position, PORTION).await?;
        for subscription in &page.items {
            if !pays(app, ledger, subscription, now).await? {
                continue;
            }
            let key = (subscription.plan_id, subscription.plan_version.get());
            let price = match prices.get(&key) {
                Some(price) => *price,
                None => {
                    let price = analytics_subscriptions::price(&app.db, ledger, key).await?;
                    prices.insert(key, price);
                    price
                }
            };
            if let Some(plan) = price {
                let added = value(plan.price, subscription.details.quantity.get(), plan.cycle);
                *values.entry((plan.currency, subscription.user_id)).or_default() += added;
            }
        }
        position = page.next;
        if position.is_none() {
            return Ok(values);
        }
    }
}

/// Whether a subscription pays. The status before a cancellation is not part of the record, only of its history.
async fn pays(app: &App, ledger: &Ledger, subscription: &Subscription, now: Time) -> Result<bool, Error> {
    let Subscription { is_active, status, starts_at, ends_at, .. } = *subscription;
    let has_access = Access { is_active, status, starts_at, ends_at }.is_granted(now);
    Ok(match status {
        SubscriptionStatus::Active | SubscriptionStatus::PastDue => has_access,
        SubscriptionStatus::Cancelled => has_access && !was_trial(app, ledger, subscription.id).await?,
        _ => false,
    })
}

async fn was_trial(app: &App, ledger: &Ledger, id: SubscriptionId) -> Result<bool, Error> {
    use SubscriptionStatus::{Incomplete, OnTrial, Pending};
    let row = analytics_subscriptions::by_ids(&app.db, ledger, &[id]).await?.pop().flatten();
    let prior = row.and_then(|row| row.history.last().and_then(|state| state.prior));
    Ok(matches!(prior, Some(OnTrial | Pending | Incomplete)))
}
