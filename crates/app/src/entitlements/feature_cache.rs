//! The features of organizations, as they were last read. A caller compares their version with the current one before it uses them.

use perennial_domain::features::Feature;
use perennial_domain::id::OrganizationId;
use perennial_store::features::FeatureSet;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The most memory of all organizations together. Beyond that, all are read again.
const MAX_BYTES: usize = 8 << 20;
/// What an organization needs in addition to its features, so that many without features have a bound too.
const OVERHEAD_BYTES: usize = 256;

/// The cache.
#[derive(Default)]
pub(crate) struct FeatureCache(RwLock<Sets>);

#[derive(Default)]
struct Sets {
    by_organization: HashMap<OrganizationId, Arc<FeatureSet>>,
    bytes: usize,
}

impl FeatureCache {
    /// The features of an organization, as they were last read.
    pub(crate) fn get(&self, organization: OrganizationId) -> Option<Arc<FeatureSet>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_organization.get(&organization).cloned()
    }

    /// Replaces the features of an organization.
    pub(crate) fn put(&self, organization: OrganizationId, set: &Arc<FeatureSet>) {
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if sets.bytes + bytes(set) > MAX_BYTES {
            *sets = Sets::default();
        }
        let before = sets.by_organization.insert(organization, Arc::clone(set));
        sets.bytes = sets.bytes + bytes(set) - before.map_or(0, |before| bytes(&before));
    }
}

/// About how much memory features need. Descriptions can be long.
fn bytes(set: &FeatureSet) -> usize {
    let texts = |feature: &Feature| {
        feature.key.as_str().len() + feature.name.as_str().len() + feature.description.as_str().len()
    };
    OVERHEAD_BYTES + set.features.iter().map(|feature| size_of::<Feature>() + texts(feature)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_features_has_a_bound() {
        let (cache, set) = (FeatureCache::default(), Arc::<FeatureSet>::default());
        let put = |number: usize| cache.put(OrganizationId::from_bytes((number as u128).to_be_bytes()), &set);
        let most = MAX_BYTES / OVERHEAD_BYTES;
        (0..most).for_each(put);
        let sizes = || {
            let sets = cache.0.read().unwrap();
            (sets.by_organization.len(), sets.bytes)
        };
        assert_eq!(sizes(), (most, MAX_BYTES));
        put(most);
        assert_eq!(sizes(), (1, OVERHEAD_BYTES));
        put(most);
        assert_eq!(sizes(), (1, OVERHEAD_BYTES));
    }
}
