//! What a create takes on trust instead of reading it: that its key is new, that whom it names is there, and that a plan
//! is as it was a moment ago. Its change sees whether that was right; if not, the create reads after all, and so does
//! every other for a second, because a change that misses costs the ones beside it a second run.

use crate::cached::Cached;
use perennial_domain::id::OrganizationId;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

const SHAKEN_SECONDS: i64 = 1;
/// More plans than anyone sells; past this many the old ones go.
const MOST_PLANS: usize = 10_000;

/// Plans by the name they were asked for.
type Plans = HashMap<(OrganizationId, PlanKey), Cached<Arc<Plan>>>;

#[derive(Default)]
pub(crate) struct Trust {
    plans: RwLock<Plans>,
    /// When it was last misplaced, in microseconds since 1970.
    shaken_at: AtomicI64,
}

impl Trust {
    /// Whether a create may count on its guards alone.
    pub(crate) fn holds(&self, now: Time) -> bool {
        let shaken_at = self.shaken_at.load(Ordering::Relaxed);
        // A clock that stepped back must not leave it shaken for long.
        !(shaken_at..shaken_at.saturating_add(SHAKEN_SECONDS * 1_000_000)).contains(&now.as_micros())
    }

    /// Somebody trusted in vain.
    pub(crate) fn shake(&self, now: Time) {
        self.shaken_at.store(now.as_micros(), Ordering::Relaxed);
    }

    /// The plan as it was read a moment ago.
    pub(crate) fn plan(&self, organization: OrganizationId, key: &PlanKey, now: Time) -> Option<Arc<Plan>> {
        let plans = self.plans.read().unwrap_or_else(PoisonError::into_inner);
        let cached = plans.get(&(organization, key.clone())).filter(|cached| cached.is_fresh(now))?;
        Some(Arc::clone(&cached.value))
    }

    /// Remembers an active plan under the name it was asked for.
    pub(crate) fn remember(&self, key: &PlanKey, plan: &Arc<Plan>, now: Time) {
        let mut plans = self.plans.write().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MOST_PLANS {
            plans.retain(|_, cached| cached.is_fresh(now));
        }
        if plans.len() < MOST_PLANS {
            plans.insert((plan.organization_id, key.clone()), Cached { value: Arc::clone(plan), read_at: now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Time {
        Time::from_micros(micros).unwrap()
    }

    #[test]
    fn trust_returns_after_a_second_or_when_the_clock_steps_back() {
        let trust = Trust::default();
        assert!(trust.holds(at(5_000_000)));
        trust.shake(at(5_000_000));
        assert!(!trust.holds(at(5_000_000)));
        assert!(!trust.holds(at(5_999_999)));
        assert!(trust.holds(at(6_000_000)));
        assert!(trust.holds(at(4_999_999)));
    }
}
