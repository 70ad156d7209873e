//! `x-forwarded-for` from a peer that is not trusted: ignored, counted, and logged once.
//!
//! Behind a proxy that is missing in `trusted_proxies` all users have the proxy's address, and so one common budget for
//! sign-in and sign-up. Nothing else shows that until some of them are rejected.

use http::HeaderMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::address::FORWARDED_FOR;

/// Requests whose `x-forwarded-for` was ignored.
#[derive(Default)]
pub(crate) struct UntrustedForwards(AtomicU64);

impl UntrustedForwards {
    /// Looks at a request of a peer, seen under this address. Returns whether it was the first one to be counted.
    pub(crate) fn observe(&self, peer: IpAddr, headers: &HeaderMap, is_trusted: bool) -> bool {
        // Few names are compared faster than one is hashed, and every request comes by here.
        if is_trusted || headers.keys().all(|name| *name != FORWARDED_FOR) {
            return false;
        }
        let is_first = self.0.fetch_add(1, Relaxed) == 0;
        if is_first {
            tracing::warn!(
                peer = %peer.to_canonical(),
                "x-forwarded-for from an address that is not in trusted_proxies was ignored. If a proxy runs there, add \
                 its address to trusted_proxies: until then all users behind it share one address and one rate limit \
                 for sign-in and sign-up. Further requests are only counted, in perennial_untrusted_forwarded_total."
            );
        }
        is_first
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn only_ignored_headers_count_and_only_the_first_is_logged() {
        let peer = "127.0.0.1".parse().unwrap();
        let named = HeaderMap::from_iter([(FORWARDED_FOR, HeaderValue::from_static("198.51.100.7"))]);
        let forwards = UntrustedForwards::default();
        assert!(!forwards.observe(peer, &HeaderMap::new(), false));
        assert!(!forwards.observe(peer, &named, true));
        assert_eq!(forwards.count(), 0);
        assert!(forwards.observe(peer, &named, false));
        assert!(!forwards.observe(peer, &named, false));
        assert_eq!(forwards.count(), 2);
    }
}
