//! How many requests are under way at each endpoint. One that does not answer uses up its own turns and nobody else's.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use url::Url;

const MOST_AT_ONCE: usize = 64;

/// The endpoints that are being asked now, and how often; no others are kept.
#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<Url, usize>>);

/// Leave to ask, given back when it is dropped.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    url: Url,
}

impl Turns {
    /// Leave to ask, unless too many have it already.
    pub(crate) fn take(&self, url: &Url) -> Option<Turn<'_>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(url.clone()).or_default();
        if *count == MOST_AT_ONCE {
            return None;
        }
        *count += 1;
        Some(Turn { turns: self, url: url.clone() })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut taken = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn each_endpoint_has_its_own_turns_and_none_is_remembered() {
        let turns = Turns::default();
        let [one, two] = ["https://one", "https://two"].map(|text| Url::parse(text).unwrap());
        let mut held: Vec<Turn<'_>> = (0..MOST_AT_ONCE).map(|_| turns.take(&one).unwrap()).collect();
        assert!(turns.take(&one).is_none());
        held.extend(turns.take(&two));
        assert_eq!(held.len(), MOST_AT_ONCE + 1);
        held.swap_remove(0);
        held.extend(turns.take(&one));
        assert!(turns.take(&one).is_none());
        held.clear();
        assert!(turns.0.lock().unwrap().is_empty());
    }
}
