//! What a create takes on trust instead of reading it: that its key is new, that whom it names is there, and that a plan
//! is as it was a moment ago. Its change sees whether that was right; if not, the create reads after all, and so does
//! every other create of the same client for a second, because a change that misses costs the others in its batch a second
//! run. Other clients and other organizations are not affected.

use crate::cached::Cached;
use crate::caller::Caller;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

const SHAKEN_SECONDS: i64 = 1;
/// Clients that are remembered as mistaken. Past this many the oldest entries go; the cost is a few wasted changes.
const MOST_SHAKEN: usize = 1_024;
/// More plans than anyone sells; past this many the old ones go.
const MOST_PLANS: usize = 10_000;

/// Plans by the name they were asked for.
type Plans = HashMap<(OrganizationId, PlanKey), Cached<Arc<Plan>>>;

#[derive(Default)]
pub(crate) struct Trust {
    plans: RwLock<Plans>,
    /// When each client was last mistaken.
    shaken: RwLock<HashMap<(OrganizationId, ClientId), Time>>,
}

impl Trust {
    /// Whether a create of this caller may count on its guards alone.
    pub(crate) fn holds(&self, caller: &Caller, now: Time) -> bool {
        self.holds_for((caller.organization(), caller.known.client.id), now)
    }

    fn holds_for(&self, client: (OrganizationId, ClientId), now: Time) -> bool {
        let shaken = self.shaken.read().unwrap_or_else(PoisonError::into_inner);
        shaken.get(&client).is_none_or(|since| !is_shaken(*since, now))
    }

    /// A create of this client relied on its guards and was wrong.
    pub(crate) fn shake(&self, organization: OrganizationId, client: ClientId, now: Time) {
        let mut shaken = self.shaken.write().unwrap_or_else(PoisonError::into_inner);
        if shaken.len() >= MOST_SHAKEN && !shaken.contains_key(&(organization, client)) {
            shaken.retain(|_, since| is_shaken(*since, now));
            let oldest = shaken.iter().min_by_key(|(_, since)| **since).map(|(client, _)| *client);
            if let Some(oldest) = oldest.filter(|_| shaken.len() >= MOST_SHAKEN) {
                shaken.remove(&oldest);
            }
        }
        shaken.insert((organization, client), now);
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

/// A clock that stepped back must not leave a client shaken for long.
fn is_shaken(since: Time, now: Time) -> bool {
    (since..since.plus_seconds(SHAKEN_SECONDS)).contains(&now)
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
        let (organization, client) = client(1, 1);
        let holds = |micros| trust.holds_for((organization, client), at(micros));
        assert!(holds(5_000_000));
        trust.shake(organization, client, at(5_000_000));
        assert!(!holds(5_000_000));
        assert!(!holds(5_999_999));
        assert!(holds(6_000_000));
        assert!(holds(4_999_999));
    }

    #[test]
    fn a_mistaken_client_affects_no_other_client_and_no_other_organization() {
        let trust = Trust::default();
        let (organization, mistaken) = client(1, 1);
        trust.shake(organization, mistaken, at(5_000_000));
        assert!(!trust.holds_for((organization, mistaken), at(5_000_000)));
        for other in [client(1, 2), client(2, 1), client(2, 2)] {
            assert!(trust.holds_for(other, at(5_000_000)), "{other:?}");
        }
    }

    #[test]
    fn the_memory_of_mistaken_clients_is_bounded() {
        let trust = Trust::default();
        let shaken = |trust: &Trust| trust.shaken.read().unwrap().len();
        for number in 0..3_000_u16 {
            let (organization, client) = client(1, number);
            trust.shake(organization, client, at(5_000_000 + i64::from(number)));
            assert!(shaken(&trust) <= MOST_SHAKEN);
            assert!(!trust.holds_for((organization, client), at(5_000_000 + i64::from(number))));
        }
        // The oldest have gone, and a second later all of them go.
        assert!(trust.holds_for(client(1, 0), at(5_000_001)));
        let (organization, late) = client(2, 1);
        trust.shake(organization, late, at(9_000_000));
        assert_eq!(shaken(&trust), 1);
    }

    fn client(organization: u8, client: u16) -> (OrganizationId, ClientId) {
        let id = ClientId::new(at(1), u64::from(client) << 2);
        (OrganizationId::from_bytes([organization; 16]), id)
    }
}
