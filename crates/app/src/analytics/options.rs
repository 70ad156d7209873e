//! The settings of analytics.

/// The settings of analytics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyticsOptions {
    /// Whether the ledger is maintained and its figures are served.
    pub enabled: bool,
}

impl Default for AnalyticsOptions {
    fn default() -> Self {
        Self { enabled: true }
    }
}
