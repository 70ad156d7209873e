//! Analytics: whether the ledger is maintained and its figures are served.

use perennial_app::analytics::options::AnalyticsOptions;
use serde::{Deserialize, Serialize};

/// The settings of analytics.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Analytics {
    enabled: bool,
}

impl Default for Analytics {
    fn default() -> Self {
        Self { enabled: AnalyticsOptions::default().enabled }
    }
}

impl Analytics {
    pub(crate) fn app(&self) -> AnalyticsOptions {
        AnalyticsOptions { enabled: self.enabled }
    }
}
