//! The active plans that creates of subscriptions referred to recently. The change of a create checks that the plan is
//! still as it was read, so a stale entry costs a retry and nothing else.

use crate::cached::Cached;
use perennial_domain::id::OrganizationId;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Beyond this many entries the expired ones are dropped.
const MAX_PLANS: usize = 10_000;

/// Plans by the key that requests name them by.
type Plans = HashMap<(OrganizationId, PlanKey), Cached<Arc<Plan>>>;

/// The cache.
#[derive(Default)]
pub(crate) struct PlanCache(RwLock<Plans>);

impl PlanCache {
    /// The plan, if it was read within the lifetime of an entry.
    pub(crate) fn get(&self, organization: OrganizationId, key: &PlanKey, now: Time) -> Option<Arc<Plan>> {
        let plans = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let cached = plans.get(&(organization, key.clone())).filter(|cached| cached.is_fresh(now))?;
        Some(Arc::clone(&cached.value))
    }

    /// Adds an active plan under the key that it was requested by.
    pub(crate) fn put(&self, key: &PlanKey, plan: &Arc<Plan>, now: Time) {
        let mut plans = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MAX_PLANS {
            plans.retain(|_, cached| cached.is_fresh(now));
        }
        if plans.len() < MAX_PLANS {
            plans.insert((plan.organization_id, key.clone()), Cached { value: Arc::clone(plan), read_at: now });
        }
    }
}
