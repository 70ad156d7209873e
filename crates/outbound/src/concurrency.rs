//! A limit on the calls in progress to each endpoint: one that does not respond uses up its own permits only.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use url::Url;

const MAX_AT_ONCE: usize = 64;

/// The endpoints with calls in progress, and how many; others are not stored.
#[derive(Default)]
pub(crate) struct ConcurrencyLimit(Mutex<HashMap<Url, usize>>);

/// Permission for one call, returned when it is dropped.
pub(crate) struct Permit<'a> {
    limit: &'a ConcurrencyLimit,
    url: Url,
}

impl ConcurrencyLimit {
    /// A permit, unless too many are taken.
    pub(crate) fn acquire(&self, url: &Url) -> Option<Permit<'_>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(url.clone()).or_default();
        if *count == MAX_AT_ONCE {
            return None;
        }
        *count += 1;
        Some(Permit { limit: self, url: url.clone() })
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut taken = self.limit.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.url) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.url);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_has_its_own_permits_and_none_is_stored() {
        let limit = ConcurrencyLimit::default();
        let [one, two] = ["https://one", "https://two"].map(|text| Url::parse(text).unwrap());
        let mut held: Vec<Permit<'_>> = (0..MAX_AT_ONCE).map(|_| limit.acquire(&one).unwrap()).collect();
        assert!(limit.acquire(&one).is_none());
        held.extend(limit.acquire(&two));
        assert_eq!(held.len(), MAX_AT_ONCE + 1);
        held.swap_remove(0);
        held.extend(limit.acquire(&one));
        assert!(limit.acquire(&one).is_none());
        held.clear();
        assert!(limit.0.lock().unwrap().is_empty());
    }
}
