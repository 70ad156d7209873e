//! The features of organizations, as they were last read. A caller compares their version with the current one before it uses them.

use perennial_domain::id::OrganizationId;
use perennial_store::features::FeatureSet;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The most features in memory, of all organizations together. Beyond that, all are read again.
const MAX_FEATURES: usize = 20_000;

/// The cache.
#[derive(Default)]
pub(crate) struct FeatureCache(RwLock<Sets>);

#[derive(Default)]
struct Sets {
    by_organization: HashMap<OrganizationId, Arc<FeatureSet>>,
    /// The number of features. An organization counts as one more, so that many without features have a bound too.
    size: usize,
}

impl FeatureCache {
    /// The features of an organization, as they were last read.
    pub(crate) fn get(&self, organization: OrganizationId) -> Option<Arc<FeatureSet>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_organization.get(&organization).cloned()
    }

    /// Replaces the features of an organization.
    pub(crate) fn put(&self, organization: OrganizationId, set: &Arc<FeatureSet>) {
        let size = |set: &FeatureSet| set.features.len() + 1;
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if sets.size + size(set) > MAX_FEATURES {
            *sets = Sets::default();
        }
        let before = sets.by_organization.insert(organization, Arc::clone(set));
        sets.size = sets.size + size(set) - before.map_or(0, |before| size(&before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_features_in_memory_has_a_bound() {
        let (cache, set) = (FeatureCache::default(), Arc::<FeatureSet>::default());
        let put = |number: usize| cache.put(OrganizationId::from_bytes((number as u128).to_be_bytes()), &set);
        (0..MAX_FEATURES).for_each(put);
        let sizes = || {
            let sets = cache.0.read().unwrap();
            (sets.by_organization.len(), sets.size)
        };
        assert_eq!(sizes(), (MAX_FEATURES, MAX_FEATURES));
        put(MAX_FEATURES);
        assert_eq!(sizes(), (1, 1));
        put(MAX_FEATURES);
        assert_eq!(sizes(), (1, 1));
    }
}
