//! The settings of entitlement tokens, and what is counted about them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntitlementOptions {
    /// How long a token outlives the access that it proves, in seconds.
    pub grace_seconds: i64,
}

/// The figures for `/metrics`, since the server started.
#[derive(Debug, Default)]
pub struct EntitlementFigures {
    tokens: AtomicU64,
}

impl EntitlementFigures {
    /// The number of issued tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens.load(Relaxed)
    }

    pub(crate) fn count_token(&self) {
        self.tokens.fetch_add(1, Relaxed);
    }
}
